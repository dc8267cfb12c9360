"""A shell script that changes the volumes of a host from one layout to another."""

from blockyard.formats.provisioning.layout import Layout
from blockyard.formats.provisioning.lvm import shell
from blockyard.formats.provisioning.migration.change import changes
from blockyard.formats.provisioning.migration.steps import table
from blockyard.formats.provisioning.text import comment

_PARTS = (
    "said",
    "ebs",
    "contents",
    "migration_volumes",
    "migration_lvm",
    "migration_copy",
    "migration_main",
)

#: What the script calls; the last only where file systems are copied.
_TOOLS = "aws blkid blockdev findmnt lvextend lsblk pvmove wipefs xfs_growfs"
_COPYING = "mkfs.xfs rsync"


def written(old: Layout, new: Layout, host: str) -> tuple[str, str]:
    """Write the script for one host, and its steps with their durations as text.

    Raises ScenarioError for a change that it cannot make, or if there is nothing to change.
    """
    steps, keys = changes(old, new, host)
    head, _, usage = shell("migration_usage").partition("\n\n")
    about = comment(
        f"{new.name}: from the volumes of {old.file} to those of {new.file}.",
        "Made by `blockyard provision --format migration`. See --help.",
        "",
        *table(steps),
        "",
        *remarks(new),
    )
    names = sorted({volume.name for volume in old.volumes if volume.host == host})
    calls = "".join(f"    {call}\n" for step in steps for call in step.calls)
    outcome = " ".join(f"{name}={key}" for name, key in keys.items())
    tools = _TOOLS + (f" {_COPYING}" if any(step.stops for step in steps) else "")
    text = (
        f"{head}\n{about}\n"
        f"readonly needed='{tools}'\n"
        f"readonly outcome='{outcome}'\n\n"
        f"steps() {{\n    here {' '.join(names)}\n{calls}}}\n\n"
        f"{usage}" + "".join(map(shell, _PARTS))
    )
    return text, "\n".join([*table(steps), "", *remarks(new)]) + "\n"


def remarks(new: Layout) -> list[str]:
    """Say what the durations rest on and what a user must know beside the steps."""
    rule = new.modifications
    if rule["most"] is not None and rule["within_s"] is not None:
        hours = f"{rule['within_s'] // 3600} h"
        often = f"AWS allows at most {rule['most']} modifications of a volume in any {hours}."
    elif rule["apart_s"] is not None:
        often = f"AWS allows a modification of a volume {rule['apart_s'] // 3600} h after the last."
    else:
        often = ""
    return [
        "Volumes are used while they are optimised and moved, at no less than the lower of the old "
        "and the new limits; what moves and copies take of these is missed by the database.",
        *([often] if often else []),
        "Take a snapshot of all volumes first.",
    ]
