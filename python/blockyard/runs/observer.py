"""Observers of a run."""

from collections.abc import Callable

# Type checkers take it for true; `typing` itself would take a while to load.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from blockyard._core import Interval, RecordBatch

# (name, URI or path, size, where its bytes lie) of a device.
Served = tuple[str, str, str, str]

# Is told of each variant that was simulated: what it is, the IOs that all took, and how many they
# may.
Tried = Callable[[str, int, int], None]


class Observer:
    """Is told what happens in a run of any mode; the methods here do nothing.

    An exception from a method stops the run and is raised by the call that runs it.
    """

    def serving(self, devices: "list[Served]") -> None:
        """Clients can come to these devices of an emulation."""

    def checked(self) -> None:
        """No target refuses a run on real storage. It goes on once this returns."""

    def prepared(self, device: str, done: int, of: int) -> None:
        """`done` of `of` bytes of a target are written through before a run on real storage."""

    def at_start(self) -> None:
        """All is prepared on real storage. The clock starts once this returns."""

    def interval(self, interval: "Interval") -> None:
        """An interval ended."""

    def rows(self, table: str, rows: "RecordBatch") -> None:
        """Rows of one of the run's tables: some thousands at a time, and at the end the rest."""

    def warn(self, message: str) -> None:
        """Something that the user should know at once."""

    def unwritten(self, error: OSError) -> None:
        """Told at the end of a run: this is why a log of it ends early."""
        raise error

    def stopped(self) -> bool:
        """Whether to stop. Asked several times a second."""
        return False
