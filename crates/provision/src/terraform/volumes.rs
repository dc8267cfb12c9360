//! The volumes, what is known of them and of hosts, and what attaches them.

use super::Parts;
use super::instances;
use crate::hcl::{Value, aligned, inline, quoted};
use crate::order::Order;

/// What is known when the configuration is written.
pub(super) fn locals(parts: Parts<'_>) -> String {
    let hosts = parts.hosts.iter();
    let hosts = hosts.map(|host| (host.name.clone(), instances::local(host, parts)));
    let volumes = parts.bought.iter();
    let volumes = volumes.map(|order| (order.name.clone(), values(order)));
    let objects: [(&str, Vec<(String, String)>); 3] = [
        ("hosts", hosts.collect()),
        ("volumes", volumes.collect()),
        (
            "attachments",
            parts.bought.iter().flat_map(attached).collect(),
        ),
    ];
    let objects = objects.iter().filter(|(_, values)| !values.is_empty());
    let objects = objects.map(|(name, of)| format!("  {name} = {{\n{}  }}\n", aligned(of, 4)));
    let objects = objects.collect::<Vec<_>>().join("\n");
    let name = quoted(&parts.layout.name);
    format!("locals {{\n  scenario = {name}\n\n{objects}}}\n\n")
}

/// What is bought; IOPS and throughput only where the type has them.
fn values(order: &Order) -> String {
    let values = [
        ("device", Some(Value::Text(&order.device))),
        ("index", Some(Value::Number(order.index as u64))),
        ("role", Some(Value::Text(&order.role))),
        ("host", Some(Value::Text(&order.host))),
        ("type", Some(Value::Text(&order.volume_type))),
        ("size", Some(Value::Number(order.gib))),
        ("iops", order.iops.map(Value::Number)),
        ("throughput", order.mib_per_s.map(Value::Number)),
        (
            "multi_attach",
            order.multi_attach.then_some(Value::Bool(true)),
        ),
    ];
    let known = values
        .into_iter()
        .filter_map(|(name, of)| Some((name, of?)));
    inline(&known.collect::<Vec<_>>())
}

/// To which hosts a volume is attached as what; each attachment has a name.
fn attached(order: &Order) -> impl Iterator<Item = (String, String)> {
    order.attached.iter().map(|(host, device_name)| {
        let name = match order.multi_attach {
            true => format!("{}@{host}", order.name),
            false => order.name.clone(),
        };
        let values = inline(&[
            ("volume", Value::Text(&order.name)),
            ("host", Value::Text(host)),
            ("device_name", Value::Text(device_name)),
        ]);
        (name, values)
    })
}

/// The resource of the volumes. What an object lacks, its type has no place for.
pub(super) fn resource(parts: Parts<'_>) -> String {
    let zone = match parts.own {
        // Known before an instance is, so that a new one leaves its volumes as they are.
        true => "data.aws_subnet.this[each.value.host].availability_zone",
        false => "local.hosts[each.value.host].availability_zone",
    };
    let mut attributes = vec![
        ("availability_zone", zone),
        ("type", "each.value.type"),
        ("size", "each.value.size"),
        ("iops", "try(each.value.iops, null)"),
        ("throughput", "try(each.value.throughput, null)"),
    ];
    if parts.bought.iter().any(|order| order.multi_attach) {
        attributes.push(("multi_attach_enabled", "try(each.value.multi_attach, null)"));
    }
    attributes.extend([
        ("encrypted", "true"),
        ("kms_key_id", "var.kms_key_id"),
        ("final_snapshot", "var.final_snapshot"),
    ]);
    let mut tags = vec![
        ("Name", r#""${local.scenario} ${each.key}""#),
        ("Scenario", "local.scenario"),
        ("Device", "each.value.device"),
        ("Index", "each.value.index"),
        ("Role", "each.value.role"),
    ];
    if parts.layout.hosts.len() > 1 {
        tags.push(("Host", "each.value.host"));
    }
    let (attributes, tags) = (aligned(&attributes, 2), aligned(&tags, 4));
    format!(
        r#"resource "aws_ebs_volume" "this" {{
  for_each = local.volumes

{attributes}
  tags = merge(var.tags, {{
{tags}  }})

  lifecycle {{
    prevent_destroy = true
  }}
}}

"#
    )
}

/// The resource that attaches them.
pub(super) fn attachments(parts: Parts<'_>) -> String {
    let instance = parts.instance();
    format!(
        r#"resource "aws_volume_attachment" "this" {{
  for_each = local.attachments

  device_name = each.value.device_name
  instance_id = {instance}
  volume_id   = aws_ebs_volume.this[each.value.volume].id
}}

"#
    )
}
