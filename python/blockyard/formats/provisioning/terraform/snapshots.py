"""Snapshots of all volumes of an instance at one moment, by Data Lifecycle Manager."""

from blockyard.formats.provisioning import hcl
from blockyard.formats.provisioning.layout import Layout
from blockyard.formats.provisioning.watch import SNAPSHOT_HOURS, SNAPSHOT_TAG, policy_description

_TEXT = """\
variable "snapshot_role_arn" {{
  description = {role}
  type        = string
  default     = null
}}

variable "snapshots" {{
  description = "Hours between two snapshots, and how many are kept."
  type        = object({{ hours = number, keep = number }})
  default     = {{ hours = 24, keep = 7 }}

  validation {{
    condition     = contains([{hours}], var.snapshots.hours)
    error_message = "Data Lifecycle Manager takes {hours} hours."
  }}
}}

{tag}resource "aws_dlm_lifecycle_policy" "this" {{
  count = var.snapshot_role_arn == null ? 0 : 1

  description        = {description}
  execution_role_arn = var.snapshot_role_arn
  state              = "ENABLED"
  tags               = var.tags

  policy_details {{
    # A snapshot of an instance is one of all its volumes at the same moment, as stripes need.
    resource_types = ["INSTANCE"]
    target_tags    = {{ {key} = local.scenario }}

    parameters {{
      exclude_boot_volume = true
    }}

    schedule {{
      name      = "data volumes"
      copy_tags = true

      create_rule {{
        interval      = var.snapshots.hours
        interval_unit = "HOURS"
      }}

      retain_rule {{
        count = var.snapshots.keep
      }}
    }}
  }}
}}

"""

_ROLE = (
    "Role of Data Lifecycle Manager, such as AWSDataLifecycleManagerDefaultRole, which `aws dlm "
    "create-default-role` makes. With it all data volumes of an instance are snapshotted at one "
    "moment; without it no snapshots are made."
)

_TAG = """\
resource "aws_ec2_tag" "snapshots" {{
  for_each = var.snapshot_role_arn == null ? {{}} : local.hosts

  resource_id = each.value.instance_id
  key         = "{key}"
  value       = local.scenario
}}

"""


def written(layout: Layout, *, own: bool) -> str:
    """Write the policy, off without a role; instances that are not `own` are tagged for it."""
    return _TEXT.format(
        role=hcl.quoted(_ROLE),
        hours=", ".join(map(str, SNAPSHOT_HOURS)),
        tag="" if own else _TAG.format(key=SNAPSHOT_TAG),
        key=SNAPSHOT_TAG,
        description=hcl.quoted(policy_description(layout)),
    )
