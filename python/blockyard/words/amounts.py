"""What jobs had to do in all, and when they had done it."""

from collections.abc import Iterator

from blockyard.text.formatting import duration, number, share, size
from blockyard.types.result import Result


def done(result: Result) -> Iterator[str]:
    """Of each job with an amount when it had done it, or how far it came."""
    for amount in result.get("amounts", []):
        job, of = amount["job"], size(amount["bytes"])
        at = f"at {number(amount['mib_per_s'])} MiB/s"
        if amount["done_s"] is not None:
            yield f"{job}: {of} done after {duration(amount['done_s'])}, {at}"
        else:
            part = share(amount["done_bytes"] / amount["bytes"])
            after = duration(result["duration_s"])
            # After a device failed, or stands still, more time may not help.
            goes_on = result["status"] == "complete" and not result.get("events")
            advice = "; a longer `duration` shows when it is" if goes_on else ""
            yield f"{job}: not done after {after}: {part} of {of}, {at}{advice}"
