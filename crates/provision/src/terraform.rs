//! Terraform: the volumes of a layout, attached to instances that exist or are made with them.

mod alarms;
mod comments;
mod instances;
mod snapshots;
mod volumes;

use crate::bought::ordered;
use crate::layout::{Host, Layout};
use crate::order::Order;
use crate::{Asked, Refused};

const HEAD: &str = r#"
terraform {
  required_version = ">= 1.5"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.0"
    }
  }
}

"#;

const VARIABLES: &str = r#"variable "kms_key_id" {
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

"#;

const INSTANCE_OUTPUT: &str = r#"output "instance_ids" {
  description = "The instances' ids by host."
  value       = { for name, instance in aws_instance.this : name => instance.id }
}
"#;

const OUTPUTS: &str = r#"output "volume_ids" {
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
  value       = join("", [for name, volume in aws_ebs_volume.this : "${name}=${volume.id}\n"])
}
"#;

/// What a configuration is made of.
#[derive(Clone, Copy, Debug)]
struct Parts<'a> {
    layout: &'a Layout,
    bought: &'a [Order],
    hosts: &'a [&'a Host],
    /// Whether the instances are its own, rather than ones that exist.
    own: bool,
}

/// The configuration for what is `asked`: the volumes, and with them the instances if these are
/// made too.
///
/// # Errors
/// An instance of RDS; what [`bought`](crate::bought) refuses.
pub fn terraform(layout: &Layout, asked: Asked<'_>) -> Result<String, Refused> {
    layout.check()?;
    let (bought, hosts) = ordered(layout, asked)?;
    let parts = Parts {
        layout,
        bought: &bought,
        hosts: &hosts,
        own: asked.with_instance,
    };
    Ok(parts.written())
}

impl Parts<'_> {
    fn written(self) -> String {
        let buys = !self.bought.is_empty();
        let mut text = comments::written(self);
        text += HEAD;
        text += &instances::variables(self);
        text += VARIABLES;
        text += &volumes::locals(self);
        text += &instances::written(self);
        if buys {
            text += &volumes::resource(self);
        }
        // Where a cluster attaches the volumes, it knows their instances.
        if self.bought.iter().any(|order| !order.attached.is_empty()) {
            text += &volumes::attachments(self);
            text += &alarms::written(self);
            text += &snapshots::written(self);
        }
        if self.own {
            text += INSTANCE_OUTPUT;
        }
        if self.own && buys {
            text.push('\n');
        }
        if buys {
            text += OUTPUTS;
        }
        text
    }

    /// The id of the instance of `each.value.host`.
    fn instance(self) -> &'static str {
        match self.own {
            true => "aws_instance.this[each.value.host].id",
            false => "local.hosts[each.value.host].instance_id",
        }
    }
}
