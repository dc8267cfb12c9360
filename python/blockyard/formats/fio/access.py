"""The options with which fio issues the IOs of a scenario's job."""

from dataclasses import dataclass

from blockyard.types.jobs import Job, Skew

Options = dict[str, str | None]


@dataclass(frozen=True)
class Part:
    """A load step: its times in nanoseconds, and processes or IOs a second."""

    start: int
    end: int
    amount: int


def options_of(job: Job, part: Part) -> tuple[Options, list[str]]:
    """Return the options, and a line for each thing about the job that they do not express.

    `job` is one of IOs of one size.
    """
    inexact: list[str] = []
    options = _region(job, part, inexact) | _pattern(job, inexact)
    if job["skew"] and job["random_permille"]:
        closed = job["load"]["kind"] == "closed"
        options["random_distribution"] = _skew(job["skew"], closed, part, inexact)
    return options | _load(job, part, inexact) | _end(job, part, inexact), inexact


def _end(job: Job, part: Part, inexact: list[str]) -> Options:
    """Return what ends the job before its time, if it has an amount to do: each process's share."""
    amount = job["amount"]
    if amount is None:
        return {}
    blocks = -(-amount // job["block"])
    if blocks % part.amount:
        inexact.append("amount: in fio each process does as much as the one with the most")
    share = -(-blocks // part.amount) * job["block"]
    return {"io_size": str(share), "time_based": "0"}


def _region(job: Job, part: Part, inexact: list[str]) -> Options:
    """Return the file. `filesize` would undo `size`: fio makes the file as long as it needs."""
    whole: Options = {"offset": str(job["offset"]), "size": str(job["size"])}
    processes = 1 if job["load"]["kind"] == "open" else part.amount
    if job["random_permille"] or processes == 1:
        return whole
    # Without this, fio's sequential processes would all begin at the same place.
    blocks = job["size"] // job["block"] // processes
    if not blocks:
        inexact.append("more sequential processes than blocks; in fio all begin at the first")
        return whole
    share = str(blocks * job["block"])
    return whole | {"size": share, "offset_increment": share}


def _pattern(job: Job, inexact: list[str]) -> Options:
    read, random = job["read_permille"], job["random_permille"]
    prefix = "rand" if random else ""
    options: Options = {"bs": str(job["block"])}
    if read in (0, 1000):
        options["rw"] = prefix + ("read" if read else "write")
    else:
        options |= {"rw": f"{prefix}rw", "rwmixread": _percent("read", read, inexact)}
        if random < 1000:
            inexact.append("in fio reads and writes each continue their own run")
    if 0 < random < 1000:
        options["percentage_random"] = _percent("random", random, inexact)
    return options


def _percent(name: str, permille: int, inexact: list[str]) -> str:
    if permille % 10:
        inexact.append(f"{name}: {permille / 10}%; fio has whole percentages")
    return str(round(permille / 10))


def _skew(skew: Skew, closed: bool, part: Part, inexact: list[str]) -> str:
    if skew["kind"] == "zipf":
        exponent = skew["permille"] / 1000
        if exponent == 1:
            inexact.append("zipf: 1; fio refuses exactly that")
            exponent = 1.001
        if not skew["scatter"]:
            inexact.append("scatter: false; fio scatters the blocks that zipf prefers")
        if closed and part.amount > 1:
            inexact.append("with zipf each of fio's processes prefers other blocks")
        return f"zipf:{exponent}"
    if skew["scatter"]:
        inexact.append("scatter: true; fio's hot blocks lie at the start of the file")
    ios = int(_percent("hot.ios", skew["ios_permille"], inexact))
    blocks = int(_percent("hot.blocks", skew["blocks_permille"], inexact))
    return f"zoned:{ios}/{blocks}:{100 - ios}/{100 - blocks}"


def _load(job: Job, part: Part, inexact: list[str]) -> Options:
    load = job["load"]
    if load["kind"] == "closed":
        pauses = {}
        if job["think"]:
            inexact.append("think_time: in fio each pause has the mean length")
            pauses = {"thinktime": f"{max(1, round(job['think'] / 1000))}us"}
        return {"iodepth": str(load["outstanding"]), "numjobs": str(part.amount), **pauses}
    if load["latency_limit"] is not None:
        inexact.append("latency_limit: fio skips no IO that is late")
    process = "poisson" if load["arrivals"] == "poisson" else "linear"
    rate = _rate(part.amount, job["read_permille"], inexact)
    return {"iodepth": str(load["max_outstanding"]), "rate_iops": rate, "rate_process": process}


def _rate(rate: int, read: int, inexact: list[str]) -> str:
    """Return the rate, which in fio applies to reads and to writes separately."""
    if read in (0, 1000):
        return str(rate)
    # To fio, 0 means no limit.
    reads = max(1, rate * read // 1000)
    writes = max(1, rate - reads)
    if reads * 1000 != rate * read or reads + writes != rate:
        inexact.append(f"{rate} IOs a second are {reads} reads and {writes} writes")
    return f"{reads},{writes}"
