//! Alarms of CloudWatch on what a layout's volumes and instances report of their limits.

use super::Parts;
use crate::hcl;
use crate::watch::{BALANCE, BALANCE_LEFT, INSTANCE_CHECKS, STALLED, VOLUME_CHECKS, with_balance};

const VARIABLES: &str = r#"variable "alarms" {
  description = "Whether CloudWatch watches the limits of volumes and instances."
  type        = bool
  default     = true
}

variable "alarm_topic_arn" {
  description = "ARN of the SNS topic that alarms notify; without one they only show their state."
  type        = string
  default     = null
}

"#;

/// The alarms.
pub(super) fn written(parts: Parts<'_>) -> String {
    let balances = with_balance(parts.layout);
    let instance = parts.instance();
    let balance = match balances.is_empty() {
        true => String::new(),
        false => balance(&balances),
    };
    [
        VARIABLES,
        &on_volumes(instance),
        &on_instances(instance),
        &balance,
    ]
    .concat()
}

// EBS reports no limits of shared volumes, which are left out by an expression of the
// configuration, as others are that its user may change.
fn on_volumes(instance: &str) -> String {
    let (volume_checks, instance_checks) = (minutes(&VOLUME_CHECKS), minutes(&INSTANCE_CHECKS));
    format!(
        r#"locals {{
  # Minutes in a row for which a check must fail.
  volume_checks = {{
{volume_checks}  }}
  instance_checks = {{
{instance_checks}  }}
  alarm_actions = var.alarm_topic_arn == null ? [] : [var.alarm_topic_arn]

  # EBS reports no limits of shared and of magnetic volumes, and nothing of this kind on Xen.
  volume_alarms = flatten([
    for name, it in local.attachments : [
      for metric, minutes in local.volume_checks : {{
        name    = name
        host    = it.host
        volume  = it.volume
        metric  = metric
        minutes = minutes
      }}
      if metric == "{STALLED}" || !(
        try(local.volumes[it.volume].multi_attach, false) ||
        local.volumes[it.volume].type == "standard"
      )
    ]
    if try(local.hosts[it.host].platform, "nitro") != "xen"
  ])
}}

resource "aws_cloudwatch_metric_alarm" "volume" {{
  for_each = {{ for it in local.volume_alarms : "${{it.name}} ${{it.metric}}" => it if var.alarms }}

  alarm_name          = "${{local.scenario}} ${{each.key}}"
  namespace           = "AWS/EBS"
  metric_name         = each.value.metric
  statistic           = "Maximum"
  period              = 60
  evaluation_periods  = each.value.minutes
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = 1
  treat_missing_data  = "notBreaching"
  alarm_actions       = local.alarm_actions
  ok_actions          = local.alarm_actions
  tags                = var.tags

  dimensions = {{
    VolumeId   = aws_ebs_volume.this[each.value.volume].id
    InstanceId = {instance}
  }}
}}

"#
    )
}

fn on_instances(instance: &str) -> String {
    format!(
        r#"resource "aws_cloudwatch_metric_alarm" "instance" {{
  for_each = {{
    for pair in setproduct(keys(local.hosts), keys(local.instance_checks)) :
    "${{pair[0]}} ${{pair[1]}}" => {{ host = pair[0], metric = pair[1] }}
    if var.alarms && try(local.hosts[pair[0]].platform, "nitro") == "nitro"
  }}

  alarm_name          = "${{local.scenario}} ${{each.key}}"
  namespace           = "AWS/EC2"
  metric_name         = each.value.metric
  statistic           = "Maximum"
  period              = 60
  evaluation_periods  = local.instance_checks[each.value.metric]
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = 1
  treat_missing_data  = "notBreaching"
  alarm_actions       = local.alarm_actions
  ok_actions          = local.alarm_actions
  tags                = var.tags

  dimensions = {{
    InstanceId = {instance}
  }}
}}

"#
    )
}

fn balance(types: &[&str]) -> String {
    let types: Vec<_> = types.iter().map(|kind| hcl::quoted(kind)).collect();
    let types = types.join(", ");
    format!(
        r#"resource "aws_cloudwatch_metric_alarm" "balance" {{
  for_each = {{
    for name, volume in local.volumes : name => volume
    if var.alarms && contains([{types}], volume.type)
  }}

  alarm_name          = "${{local.scenario}} ${{each.key}} {BALANCE}"
  namespace           = "AWS/EBS"
  metric_name         = "{BALANCE}"
  statistic           = "Minimum"
  period              = 300
  evaluation_periods  = 1
  comparison_operator = "LessThanThreshold"
  threshold           = {BALANCE_LEFT}
  treat_missing_data  = "notBreaching"
  alarm_actions       = local.alarm_actions
  ok_actions          = local.alarm_actions
  tags                = var.tags

  dimensions = {{
    VolumeId = aws_ebs_volume.this[each.key].id
  }}
}}

"#
    )
}

fn minutes(checks: &[(&str, u32)]) -> String {
    let minutes = checks
        .iter()
        .map(|(metric, minutes)| (metric, minutes.to_string()));
    hcl::aligned(&minutes.collect::<Vec<_>>(), 4)
}
