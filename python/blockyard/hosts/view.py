"""What looks on at a bench on several hosts."""


class View:
    """Is told what happens, from several threads; the methods here do nothing."""

    def copied(self, host: str) -> None:
        """Blockyard was missing there, and was copied."""

    def prepared(self, host: str, device: str, done: int, of: int) -> None:
        """`done` of `of` bytes of a target are written through before the run."""

    def started(self, hosts: int, within_s: float) -> None:
        """So many hosts started, no further apart than `within_s`."""

    def progressed(self, host: str, done_s: float, iops: float, mib_per_s: float) -> None:
        """How far a run is, and its rates in the last interval."""

    def silent(self, host: str, seconds: float) -> None:
        """It has said nothing for so long; told again and again until it does."""

    def warn(self, host: str, message: str) -> None:
        """Something that the user should know at once."""

    def failed(self, host: str, reason: str) -> None:
        """A host has no run to show."""
