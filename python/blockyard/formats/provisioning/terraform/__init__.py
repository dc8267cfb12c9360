"""Terraform: the volumes of a layout, attached to instances that exist or are made with them."""

from blockyard.formats.provisioning import hcl
from blockyard.formats.provisioning.layout import Host, Layout
from blockyard.formats.provisioning.order import Order, hosts_of, orders, remarks
from blockyard.formats.provisioning.terraform import alarms, instances, snapshots
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

_ATTACHMENTS = """\
resource "aws_volume_attachment" "this" {{
  for_each = local.attachments

  device_name = each.value.device_name
  instance_id = {instance}
  volume_id   = aws_ebs_volume.this[each.value.volume].id
}}

"""

_INSTANCE_OUTPUT = """\
output "instance_ids" {
  description = "The instances' ids by host."
  value       = { for name, instance in aws_instance.this : name => instance.id }
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


def written(layout: Layout, host: str | None, *, with_instance: bool) -> str:
    """Write the configuration, for one host or for all, and `with_instance` these themselves.

    Raises ScenarioError if there is nothing to buy, or not all of it in one region.
    """
    bought = orders(layout, host, with_instance=with_instance)
    hosts = hosts_of(layout, bought, host if with_instance else "")
    instance = instances.MADE if with_instance else instances.EXISTING
    attached = any(order.attached for order in bought)
    return "".join(
        [
            _comments(layout, bought, hosts, with_instance=with_instance),
            _HEAD,
            instances.variables(hosts, own=with_instance),
            _VARIABLES,
            _locals(layout, bought, hosts, own=with_instance),
            *instances.written(hosts, own=with_instance),
            _volume(layout, bought, own=with_instance) if bought else "",
            _ATTACHMENTS.format(instance=instance) if attached else "",
            alarms.written(layout, bought, instance),
            snapshots.written(layout, own=with_instance) if attached else "",
            _INSTANCE_OUTPUT if with_instance else "",
            "\n" if with_instance and bought else "",
            _OUTPUTS if bought else "",
        ]
    )


def _comments(
    layout: Layout, bought: list[Order], hosts: list[Host], *, with_instance: bool
) -> str:
    one = len(hosts) == 1
    volumes = counted(len(bought), "volume")
    if with_instance:
        instance = counted(len(hosts), "instance")
        what = f"{instance} of {layout.name}" + (f" with {volumes}" if bought else "")
    else:
        what = f"{volumes} of {layout.name}, for "
        what += "an instance that exists" if one else "instances that exist"
    lines = [
        f"{what}.",
        "Made by `blockyard provision --format terraform`. The provider's region and credentials "
        "are the environment's or the root module's.",
        "",
    ]
    if one:
        needed = ("subnet_id", "ami_id") if with_instance else ("instance_id", "availability_zone")
        lines.append("  terraform apply " + " ".join(f"-var {name}=..." for name in needed))
    else:
        lines.append("  terraform apply -var-file=hosts.tfvars")
    if bought:
        lines.append("  terraform output -raw volumes >volumes")
        lines += [
            "",
            "No plan destroys a volume: who means to deletes its `prevent_destroy` first.",
        ]
    for about in remarks(layout):
        lines += ["", about]
    return comment(*lines)


def _locals(layout: Layout, bought: list[Order], hosts: list[Host], *, own: bool) -> str:
    one = len(hosts) == 1
    parts = {
        "hosts": {host.name: instances.local(host, one=one, own=own) for host in hosts},
        "volumes": {order.volume.name: hcl.inline(_values(order)) for order in bought},
        "attachments": _attachments(bought),
    }
    texts = [
        f"  {name} = {{\n{hcl.aligned(values, 4)}  }}\n" for name, values in parts.items() if values
    ]
    return f"locals {{\n  scenario = {hcl.quoted(layout.name)}\n\n" + "\n".join(texts) + "}\n\n"


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


def _volume(layout: Layout, bought: list[Order], *, own: bool) -> str:
    """The resource of the volumes. What an object lacks, its type has no place for."""
    zone = "local.hosts[each.value.host].availability_zone"
    attributes = {
        "availability_zone": (
            # Known before an instance is, so that a new one leaves its volumes as they are.
            "data.aws_subnet.this[each.value.host].availability_zone" if own else zone
        ),
        "type": "each.value.type",
        "size": "each.value.size",
        "iops": "try(each.value.iops, null)",
        "throughput": "try(each.value.throughput, null)",
    }
    if any(order.multi_attach for order in bought):
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
        f"  tags = merge(var.tags, {{\n{hcl.aligned(tags, 4)}  }})\n\n"
        "  lifecycle {\n"
        "    prevent_destroy = true\n"
        "  }\n}\n\n"
    )
