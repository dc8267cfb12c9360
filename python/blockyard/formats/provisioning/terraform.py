"""Terraform: the volumes of a layout, attached to instances that exist."""

from collections.abc import Iterator

from blockyard.formats.provisioning import hcl
from blockyard.formats.provisioning.layout import Host, Layout
from blockyard.formats.provisioning.order import Order, hosts_of, orders, region_of, remarks
from blockyard.formats.provisioning.text import comment, counted

_HEAD = """\

terraform {
  required_version = ">= 1.5"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.0"
    }
  }
}

"""

_VARIABLES = """\
variable "kms_key_id" {
  description = "ARN of the KMS key that encrypts the volumes; by default the account's for EBS."
  type        = string
  default     = null
}

variable "final_snapshot" {
  description = "Whether a volume is kept as a snapshot when it is destroyed."
  type        = bool
  default     = true
}

variable "tags" {
  description = "Tags of the volumes beside those that say what each is for."
  type        = map(string)
  default     = {}
}

"""

_INSTANCES = """\
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

_ATTACHMENTS = """\
resource "aws_volume_attachment" "this" {
  for_each = local.attachments

  device_name = each.value.device_name
  instance_id = local.hosts[each.value.host].instance_id
  volume_id   = aws_ebs_volume.this[each.value.volume].id
}

"""

_OUTPUTS = """\
output "volume_ids" {
  description = "The volumes' ids by device and volume."
  value = {
    for device in distinct([for volume in local.volumes : volume.device]) : device => {
      for name, volume in local.volumes : name => aws_ebs_volume.this[name].id
      if volume.device == device
    }
  }
}

output "volumes" {
  description = "The volumes' ids as the script of `blockyard provision --format lvm` reads them."
  value       = join("", [for name, volume in aws_ebs_volume.this : "${name}=${volume.id}\\n"])
}
"""


def written(layout: Layout, host: str | None) -> str:
    """Write the configuration, for one host or for all.

    Raises ScenarioError if there is nothing to buy, or not all of it in one region.
    """
    bought = orders(layout, host)
    hosts = hosts_of(layout, bought)
    shared = any(order.multi_attach for order in bought)
    attached = any(order.attached for order in bought)
    return "".join(
        [
            _comments(layout, bought, hosts),
            _HEAD,
            _host_variables(hosts),
            _VARIABLES,
            _locals(layout, bought, hosts),
            _INSTANCES,
            *_checks(hosts),
            _volume(layout, shared),
            _ATTACHMENTS if attached else "",
            _OUTPUTS,
        ]
    )


def _comments(layout: Layout, bought: list[Order], hosts: list[Host]) -> str:
    one = len(hosts) == 1
    what = "an instance that exists" if one else "instances that exist"
    lines = [
        f"{counted(len(bought), 'volume')} of {layout.name}, for {what}.",
        "Made by `blockyard provision --format terraform`. The provider's region and credentials "
        "are the environment's or the root module's.",
        "",
    ]
    if one:
        lines.append("  terraform apply -var instance_id=i-... -var availability_zone=...")
    else:
        lines.append("  terraform apply -var-file=hosts.tfvars")
    lines.append("  terraform output -raw volumes >volumes")
    for about in remarks(layout):
        lines += ["", about]
    return comment(*lines)


def _host_variables(hosts: list[Host]) -> str:
    if len(hosts) == 1:
        (host,) = hosts
        kind = f", of type {host.instance}" if host.instance else ""
        zone = {"default": hcl.quoted(host.zone or "")} if region_of(host) else {}
        variables = {
            "instance_id": (f"The instance that the volumes are attached to{kind}.", {}),
            "availability_zone": ("The zone of the instance, and so of its volumes.", zone),
        }
        return (
            "\n".join(
                hcl.block(
                    f'variable "{name}"',
                    {"description": hcl.quoted(about), "type": "string", **default},
                )
                for name, (about, default) in variables.items()
            )
            + "\n"
        )
    return "".join(
        f'variable "{name}" {{\n'
        f"  description = {hcl.quoted(about)}\n"
        f"  type = object({{\n{hcl.aligned({host.name: 'string' for host in hosts}, 4)}  }})\n"
        f"{default}}}\n\n"
        for name, about, default in (
            ("instance_ids", "The instances that the volumes are attached to, by host.", ""),
            (
                "availability_zones",
                "The zones of the instances, and so of their volumes, by host.",
                _zones(hosts),
            ),
        )
    )


def _zones(hosts: list[Host]) -> str:
    """The default of the zones, where all of the scenario's are AWS's."""
    values = {host.name: hcl.quoted(host.zone or "") for host in hosts if region_of(host)}
    if len(values) < len(hosts):
        return ""
    return f"  default = {{\n{hcl.aligned(values, 4)}  }}\n"


def _locals(layout: Layout, bought: list[Order], hosts: list[Host]) -> str:
    one = len(hosts) == 1
    parts = {
        "hosts": {host.name: _host(host, one=one) for host in hosts},
        "volumes": {order.volume.name: hcl.inline(_values(order)) for order in bought},
        "attachments": _attachments(bought),
    }
    texts = [
        f"  {name} = {{\n{hcl.aligned(values, 4)}  }}\n" for name, values in parts.items() if values
    ]
    return f"locals {{\n  scenario = {hcl.quoted(layout.name)}\n\n" + "\n".join(texts) + "}\n\n"


def _checks(hosts: list[Host]) -> Iterator[str]:
    for name, message in _CHECKS.items():
        # Only the host of a scenario that states none has no type.
        if name != "instance_type" or all(host.instance for host in hosts):
            yield _CHECK.format(name=name, message=message)


def _host(host: Host, *, one: bool) -> str:
    instance, zone = "var.instance_id", "var.availability_zone"
    if not one:
        place = f"[{hcl.quoted(host.name)}]"
        instance, zone = f"var.instance_ids{place}", f"var.availability_zones{place}"
    kind = f", instance_type = {hcl.quoted(host.instance)}" if host.instance else ""
    return f"{{ instance_id = {instance}, availability_zone = {zone}{kind} }}"


def _values(order: Order) -> dict[str, hcl.Value]:
    """What is bought; IOPS and throughput only where the type has them."""
    volume = order.volume
    values: dict[str, hcl.Value] = {
        "device": volume.device,
        "index": order.index,
        "role": order.role,
        "host": volume.host,
        "type": volume.type,
        "size": order.gib,
        "iops": volume.iops,
        "throughput": order.mib_per_s,
        "multi_attach": True if order.multi_attach else None,
    }
    return {name: value for name, value in values.items() if value is not None}


def _attachments(bought: list[Order]) -> dict[str, str]:
    return {
        order.volume.name + (f"@{host}" if order.multi_attach else ""): hcl.inline(
            {"volume": order.volume.name, "host": host, "device_name": device_name}
        )
        for order in bought
        for host, device_name in order.attached.items()
    }


def _volume(layout: Layout, shared: bool) -> str:
    """The resource of the volumes. What an object lacks, its type has no place for."""
    attributes = {
        "availability_zone": "local.hosts[each.value.host].availability_zone",
        "type": "each.value.type",
        "size": "each.value.size",
        "iops": "try(each.value.iops, null)",
        "throughput": "try(each.value.throughput, null)",
    }
    if shared:
        attributes["multi_attach_enabled"] = "try(each.value.multi_attach, null)"
    attributes |= {
        "encrypted": "true",
        "kms_key_id": "var.kms_key_id",
        "final_snapshot": "var.final_snapshot",
    }
    tags = {
        "Name": '"${local.scenario} ${each.key}"',
        "Scenario": "local.scenario",
        "Device": "each.value.device",
        "Index": "each.value.index",
        "Role": "each.value.role",
        **({"Host": "each.value.host"} if len(layout.hosts) > 1 else {}),
    }
    return (
        'resource "aws_ebs_volume" "this" {\n  for_each = local.volumes\n\n'
        f"{hcl.aligned(attributes, 2)}\n"
        f"  tags = merge(var.tags, {{\n{hcl.aligned(tags, 4)}  }})\n}}\n\n"
    )
