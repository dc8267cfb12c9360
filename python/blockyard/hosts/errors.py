"""Why a host has no run to show."""


class HostError(Exception):
    """A host has no run to show: one line that says why."""


class RefusedError(HostError):
    """A host refuses the run. Nothing was written there."""

    def __init__(self, reason: str, *, lacking: bool) -> None:
        super().__init__(reason)
        # Whether the machine lacks something, and the run is not at fault.
        self.lacking = lacking


class GoneError(Exception):
    """The connection ended, and SSH says why."""
