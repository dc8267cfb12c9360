"""The instances that a layout's volumes are attached to: those that exist, or new ones."""

from collections.abc import Iterator

from blockyard.formats.provisioning import hcl
from blockyard.formats.provisioning.layout import Host
from blockyard.formats.provisioning.order import region_of

#: The ids of instances that exist, and of those that are made, by the host's name.
EXISTING = "local.hosts[each.value.host].instance_id"
MADE = "aws_instance.this[each.value.host].id"

_EXISTING = """\
data "aws_instance" "this" {
  for_each = local.hosts

  instance_id = each.value.instance_id
}

"""

_CHECK = """\
check "{name}" {{
  assert {{
    condition = alltrue([
      for name, host in local.hosts : data.aws_instance.this[name].{name} == host.{name}
    ])
    error_message = "{message}"
  }}
}}

"""

_CHECKS = {
    "instance_type": "An instance is not of the layout's type, and so has other limits.",
    "availability_zone": "An instance is in another zone than its volumes, and cannot have them.",
}

_VARIABLES = """\
variable "ami_id" {{
  description = "The image of the {what}, Linux for {architectures}."
  type        = string
}}

{subnets}variable "security_group_ids" {{
  description = "Security groups; by default that of the network."
  type        = list(string)
  default     = null
}}

variable "key_name" {{
  description = "Key pair for SSH; none by default."
  type        = string
  default     = null
}}

variable "instance_profile" {{
  description = "Name of the profile with the role of the {what}; none by default."
  type        = string
  default     = null
}}

variable "root_volume_gib" {{
  description = "Size of the root volume; by default the image's."
  type        = number
  default     = null
}}

"""

_MADE = """\
data "aws_subnet" "this" {
  for_each = local.hosts

  id = each.value.subnet_id
}

resource "aws_instance" "this" {
  for_each = local.hosts

  ami                     = var.ami_id
  instance_type           = each.value.instance_type
  subnet_id               = each.value.subnet_id
  vpc_security_group_ids  = var.security_group_ids
  key_name                = var.key_name
  iam_instance_profile    = var.instance_profile
  ebs_optimized           = each.value.ebs_optimized
  disable_api_termination = true

  metadata_options {
    http_endpoint = "enabled"
    http_tokens   = "required"
  }

  root_block_device {
    volume_type = "gp3"
    volume_size = var.root_volume_gib
    encrypted   = true
    kms_key_id  = var.kms_key_id
    tags        = merge(var.tags, { Name = "${local.scenario} ${each.key} root" })
  }

  tags = merge(var.tags, {
    Name     = "${local.scenario} ${each.key}"
    Scenario = local.scenario
    Host     = each.key
  })

  lifecycle {
    # A newer image must not replace a database server.
    ignore_changes = [ami]
  }
}

"""


def variables(hosts: list[Host], *, own: bool) -> str:
    """Write the variables for what must be known of hosts."""
    if own:
        architectures = sorted({host.architecture or "" for host in hosts})
        about = "of the instance, in whose zone its volumes are"
        return _VARIABLES.format(
            what="instance" if len(hosts) == 1 else "instances",
            architectures=" and ".join(architectures),
            subnets=_by_host(hosts, "subnet_id", "subnet", about),
        )
    kind = ""
    if len(hosts) == 1 and hosts[0].instance:
        kind = f", of type {hosts[0].instance}"
    return _by_host(
        hosts, "instance_id", "instance", f"that the volumes are attached to{kind}"
    ) + _by_host(hosts, "availability_zone", "zone", "of the instance, and so of its volumes")


def _by_host(hosts: list[Host], name: str, what: str, about: str) -> str:
    """A variable with a string, or with one for each of several hosts."""
    zoned = name == "availability_zone" and all(map(region_of, hosts))
    if len(hosts) == 1:
        values = {"description": hcl.quoted(f"The {what} {about}."), "type": "string"}
        if zoned:
            values["default"] = hcl.quoted(hosts[0].zone or "")
        return hcl.block(f'variable "{name}"', values) + "\n"
    about = about.replace("the instance", "the instances").replace("its", "their")
    shape = hcl.aligned({host.name: "string" for host in hosts}, 4)
    zones = hcl.aligned({host.name: hcl.quoted(host.zone or "") for host in hosts}, 4)
    return (
        f'variable "{name}s" {{\n'
        f"  description = {hcl.quoted(f'The {what}s {about}, by host.')}\n"
        f"  type = object({{\n{shape}  }})\n"
        + (f"  default = {{\n{zones}  }}\n" if zoned else "")
        + "}\n\n"
    )


def local(host: Host, *, one: bool, own: bool) -> str:
    """Write a host as an object of `local.hosts`."""
    place = "" if one else f"s[{hcl.quoted(host.name)}]"
    names = ["subnet_id"] if own else ["instance_id", "availability_zone"]
    known: dict[str, hcl.Value] = {"instance_type": host.instance, "platform": host.platform}
    if own:
        # Types without published limits for volumes have no bandwidth of their own for these.
        known["ebs_optimized"] = host.sustained is not None
    values = [
        *(f"{name} = var.{name}{place}" for name in names),
        *(f"{name} = {hcl.value(of)}" for name, of in known.items() if of is not None),
    ]
    return "{ " + ", ".join(values) + " }"


def written(hosts: list[Host], *, own: bool) -> Iterator[str]:
    """Write the instances, or look up those that exist and check that they are as the layout's."""
    if own:
        yield _MADE
        return
    yield _EXISTING
    for name, message in _CHECKS.items():
        # Only the host of a scenario that states none has no type.
        if name != "instance_type" or all(host.instance for host in hosts):
            yield _CHECK.format(name=name, message=message)
