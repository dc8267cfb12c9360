//! The instances that a layout's volumes are attached to: those that exist, or new ones.

use std::collections::BTreeSet;

use super::Parts;
use crate::hcl::{self, Value, aligned, quoted};
use crate::layout::Host;
use crate::region::region_of;

const EXISTING: &str = r#"data "aws_instance" "this" {
  for_each = local.hosts

  instance_id = each.value.instance_id
}

"#;

const MADE: &str = r#"data "aws_subnet" "this" {
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

"#;

/// The variables for what must be known of hosts.
pub(super) fn variables(parts: Parts<'_>) -> String {
    match parts.own {
        true => of_new(parts.hosts),
        false => of_existing(parts.hosts),
    }
}

fn of_new(hosts: &[&Host]) -> String {
    let what = if hosts.len() == 1 {
        "instance"
    } else {
        "instances"
    };
    let known = hosts.iter().filter_map(|host| host.architecture.as_deref());
    let known: BTreeSet<_> = known.collect();
    let architectures = known.into_iter().collect::<Vec<_>>().join(" and ");
    let about = "of the instance, in whose zone its volumes are";
    let subnets = by_host(hosts, "subnet_id", "subnet", about);
    format!(
        r#"variable "ami_id" {{
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

"#
    )
}

fn of_existing(hosts: &[&Host]) -> String {
    let kind = match hosts {
        [host] => host.instance.as_deref(),
        _ => None,
    };
    let kind = kind
        .map(|kind| format!(", of type {kind}"))
        .unwrap_or_default();
    let attached = format!("that the volumes are attached to{kind}");
    let zones = "of the instance, and so of its volumes";
    let ids = by_host(hosts, "instance_id", "instance", &attached);
    ids + &by_host(hosts, "availability_zone", "zone", zones)
}

/// A variable with a string, or with one for each of several hosts.
fn by_host(hosts: &[&Host], name: &str, what: &str, about: &str) -> String {
    let zones: Option<Vec<&str>> = hosts.iter().map(|host| zone_of_aws(host)).collect();
    let zones = zones
        .filter(|_| name == "availability_zone")
        .unwrap_or_default();
    if let [_] = hosts {
        let mut values = vec![
            ("description", quoted(&format!("The {what} {about}."))),
            ("type", "string".to_owned()),
        ];
        values.extend(zones.iter().map(|zone| ("default", quoted(zone))));
        return format!("variable \"{name}\" {{\n{}}}\n\n", aligned(&values, 2));
    }
    let about = about
        .replace("the instance", "the instances")
        .replace("its", "their");
    let description = quoted(&format!("The {what}s {about}, by host."));
    let names = hosts.iter().map(|host| host.name.as_str());
    let shape: Vec<_> = names.clone().map(|name| (name, "string")).collect();
    let shape = aligned(&shape, 4);
    let defaults: Vec<_> = names.zip(zones.iter().map(|zone| quoted(zone))).collect();
    let default = match defaults.is_empty() {
        true => String::new(),
        false => format!("  default = {{\n{}  }}\n", aligned(&defaults, 4)),
    };
    format!(
        "variable \"{name}s\" {{\n  description = {description}\n  type = object({{\n{shape}  }})\n\
         {default}}}\n\n"
    )
}

/// The zone of a host, unless it is only a name of the scenario.
fn zone_of_aws(host: &Host) -> Option<&str> {
    host.zone
        .as_deref()
        .filter(|zone| region_of(zone).is_some())
}

/// A host as an object of `local.hosts`.
pub(super) fn local(host: &Host, parts: Parts<'_>) -> String {
    let place = match parts.hosts.len() {
        1 => String::new(),
        _ => format!("s[{}]", quoted(&host.name)),
    };
    let names: &[&str] = match parts.own {
        true => &["subnet_id"],
        false => &["instance_id", "availability_zone"],
    };
    let given = names
        .iter()
        .map(|name| format!("{name} = var.{name}{place}"));
    let known = [
        ("instance_type", host.instance.as_deref().map(Value::Text)),
        ("platform", host.platform.as_deref().map(Value::Text)),
        // Types without published limits for volumes have no bandwidth of their own for these.
        (
            "ebs_optimized",
            parts.own.then_some(Value::Bool(host.sustained.is_some())),
        ),
    ];
    let known = known
        .into_iter()
        .filter_map(|(name, of)| Some((name, hcl::value(of?))));
    let known = known.map(|(name, of)| format!("{name} = {of}"));
    format!(
        "{{ {} }}",
        given.chain(known).collect::<Vec<_>>().join(", ")
    )
}

/// The instances, or those that exist, with checks that they are as the layout's.
pub(super) fn written(parts: Parts<'_>) -> String {
    if parts.own {
        return MADE.to_owned();
    }
    // Only the host of a scenario that states none has no type.
    let typed = parts.hosts.iter().all(|host| host.instance.is_some());
    let types = typed.then(|| {
        check(
            "instance_type",
            "An instance is not of the layout's type, and so has other limits.",
        )
    });
    let zones = check(
        "availability_zone",
        "An instance is in another zone than its volumes, and cannot have them.",
    );
    [EXISTING, &types.unwrap_or_default(), &zones].concat()
}

fn check(name: &str, message: &str) -> String {
    format!(
        r#"check "{name}" {{
  assert {{
    condition = alltrue([
      for name, host in local.hosts : data.aws_instance.this[name].{name} == host.{name}
    ])
    error_message = "{message}"
  }}
}}

"#
    )
}
