//! Snapshots of all volumes of an instance at one moment, by Data Lifecycle Manager.

use super::Parts;
use crate::hcl::quoted;
use crate::watch::{SNAPSHOT_HOURS, SNAPSHOT_TAG, policy_description};

const ROLE: &str = "Role of Data Lifecycle Manager, such as AWSDataLifecycleManagerDefaultRole, which \
                    `aws dlm create-default-role` makes. With it all data volumes of an instance \
                    are snapshotted at one moment; without it no snapshots are made.";

/// The policy, off without a role; instances that exist are tagged for it.
pub(super) fn written(parts: Parts<'_>) -> String {
    let role = quoted(ROLE);
    let hours = SNAPSHOT_HOURS.map(|hours| hours.to_string()).join(", ");
    let tag = if parts.own { String::new() } else { tag() };
    let description = quoted(&policy_description(parts.layout));
    format!(
        r#"variable "snapshot_role_arn" {{
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
    target_tags    = {{ {SNAPSHOT_TAG} = local.scenario }}

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

"#
    )
}

fn tag() -> String {
    format!(
        r#"resource "aws_ec2_tag" "snapshots" {{
  for_each = var.snapshot_role_arn == null ? {{}} : local.hosts

  resource_id = each.value.instance_id
  key         = "{SNAPSHOT_TAG}"
  value       = local.scenario
}}

"#
    )
}
