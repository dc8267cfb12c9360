//! What the configuration is, and how it is used.

use super::Parts;
use crate::bought::remarks;
use crate::comment::comment;

/// The comment above all.
pub(super) fn written(parts: Parts<'_>) -> String {
    let mut lines = vec![
        format!("{}.", what(parts)),
        "Made by `blockyard provision --format terraform`. The provider's region and credentials are \
         the environment's or the root module's."
            .to_owned(),
        String::new(),
        format!("  terraform apply {}", variables(parts)),
    ];
    if !parts.bought.is_empty() {
        let more = [
            "  terraform output -raw volumes >volumes",
            "",
            "No plan destroys a volume: who means to deletes its `prevent_destroy` first.",
        ];
        lines.extend(more.map(str::to_owned));
    }
    let remarks = remarks(parts.layout).into_iter();
    lines.extend(remarks.flat_map(|remark| [String::new(), remark]));
    comment(&lines, "#")
}

fn what(parts: Parts<'_>) -> String {
    let name = &parts.layout.name;
    let volumes = counted(parts.bought.len(), "volume");
    if !parts.own {
        let instances = match parts.hosts.len() {
            1 => "an instance that exists",
            _ => "instances that exist",
        };
        return format!("{volumes} of {name}, for {instances}");
    }
    let instances = counted(parts.hosts.len(), "instance");
    match parts.bought.is_empty() {
        true => format!("{instances} of {name}"),
        false => format!("{instances} of {name} with {volumes}"),
    }
}

/// How variables without defaults are given: of several hosts in a file.
fn variables(parts: Parts<'_>) -> &'static str {
    match (parts.hosts.len(), parts.own) {
        (1, true) => "-var subnet_id=... -var ami_id=...",
        (1, false) => "-var instance_id=... -var availability_zone=...",
        _ => "-var-file=hosts.tfvars",
    }
}

/// `1 volume`, `5 volumes`.
fn counted(number: usize, one: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {one}s"),
    }
}
