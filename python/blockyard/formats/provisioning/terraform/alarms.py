"""Alarms of CloudWatch on what a layout's volumes and instances report of their limits."""

from blockyard.formats.provisioning.layout import Layout
from blockyard.formats.provisioning.order import Order
from blockyard.formats.provisioning.watch import (
    BALANCE,
    BALANCE_LEFT,
    INSTANCE_CHECKS,
    STALLED,
    VOLUME_CHECKS,
    with_balance,
)

_VARIABLES = """\
variable "alarms" {
  description = "Whether CloudWatch watches the limits of volumes and instances."
  type        = bool
  default     = true
}

variable "alarm_topic_arn" {
  description = "ARN of the SNS topic that alarms notify; without one they only show their state."
  type        = string
  default     = null
}

"""

# In which other volumes have no place, such as shared ones, for which EBS reports no limits.
_LOCALS = """\
locals {{
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
      if metric == "{stalled}" || !(
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

"""

_INSTANCE = """\
resource "aws_cloudwatch_metric_alarm" "instance" {{
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

"""

_BALANCE = """\
resource "aws_cloudwatch_metric_alarm" "balance" {{
  for_each = {{
    for name, volume in local.volumes : name => volume
    if var.alarms && contains([{types}], volume.type)
  }}

  alarm_name          = "${{local.scenario}} ${{each.key}} {metric}"
  namespace           = "AWS/EBS"
  metric_name         = "{metric}"
  statistic           = "Minimum"
  period              = 300
  evaluation_periods  = 1
  comparison_operator = "LessThanThreshold"
  threshold           = {left}
  treat_missing_data  = "notBreaching"
  alarm_actions       = local.alarm_actions
  ok_actions          = local.alarm_actions
  tags                = var.tags

  dimensions = {{
    VolumeId = aws_ebs_volume.this[each.key].id
  }}
}}

"""


def written(layout: Layout, bought: list[Order], instance: str) -> str:
    """Write the alarms; `instance` is the id of the instance of `each.value.host`."""
    if not any(order.attached for order in bought):
        # Whoever attaches the volumes knows their instances.
        return ""
    volume = _LOCALS.format(
        volume_checks=_minutes(VOLUME_CHECKS),
        instance_checks=_minutes(INSTANCE_CHECKS),
        stalled=STALLED,
        instance=instance,
    )
    balance = _BALANCE.format(
        metric=BALANCE,
        types=", ".join(f'"{kind}"' for kind in with_balance(layout)),
        left=BALANCE_LEFT,
    )
    return (
        _VARIABLES
        + volume
        + _INSTANCE.format(instance=instance)
        + (balance if with_balance(layout) else "")
    )


def _minutes(checks: dict[str, int]) -> str:
    width = max(map(len, checks))
    return "".join(f"    {metric:{width}} = {minutes}\n" for metric, minutes in checks.items())
