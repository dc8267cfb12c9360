"""The state of a volume of a running service, in a word."""

from blockyard.types.status import VolumeStatus


def throttled_by(volume: VolumeStatus) -> str:
    """What keeps a volume from its IO, if anything does."""
    if volume["failed"]:
        return "failed"
    return "paused" if volume["paused"] else volume["throttled_by"] or ""
