"""The tables of docs/validation.md, each from the runs that it needs."""

from validation import counterfactuals, disciplines, host_factor, of_2023
from validation.markdown import against, off, table
from validation.run import DATABASE, WIJ, Job, Runs


def jobs() -> dict[str, Job]:
    """Everything that is run, by the name that the tables use."""
    of_2022 = {
        name: Job(f"intersystems-2022/{name}.yaml")
        for name in ("a002", "b080", "a006", "a006-wij-on-data", "b083")
    }
    return (
        of_2022 | of_2023.jobs() | disciplines.jobs() | counterfactuals.jobs() | host_factor.jobs()
    )


def published(runs: Runs) -> str:
    """The published figures beside the simulated ones."""
    a002, b080, b083 = runs["a002"], runs["b080"], runs["b083"]
    second_half, last_step = a002.result["steps"][1]["iops"], b080.result["steps"][-1]["iops"]
    run_mean = b080.latency("data", "read")["mean"] / 1000
    worst_a, worst_b = max(a002.reads.means_ms(10)), max(b080.reads.means_ms(10))
    means = f"{min(a002.reads.means_ms(10)):.2f} to {worst_a:.2f} ms"
    worst_second = f"{max(b083.reads.means_ms(1)):.2f} ms"
    most = f"{b083.result['hosts'][0]['peak_iops_1s']:,.0f}"
    rows = [
        ["A.002", "10 s means of the read latency", "0.7 to 1.5 ms", means, ""],
        ["A.002", "IOPS, 10 readers", "nears 16,000", *against(second_half, 16000)],
        ["B.080", "IOPS, 50 readers", "nears 80,000", *against(last_step, 80000)],
        ["B.080", "mean read latency", "0.7 ms", f"{run_mean:.2f} ms", off(run_mean, 0.7)],
        ["B.080", "worst 10 s mean", "below A.002's", f"{worst_b:.2f} ms", off(worst_b, worst_a)],
    ]
    for name, reads, writes in (("a006", 12000, 8000), ("b083", 60000, 40000)):
        run = runs[name]
        plateau = run.writes.plateau(run.during(DATABASE))
        best_reads, plateau_writes = against(run.reads.best(), reads), against(plateau, writes)
        rows += [
            [title(name), "reads in the best second", f"about {reads:,}", *best_reads],
            [title(name), "writes, plateau", f"about {writes:,}", *plateau_writes],
            [title(name), "writes in the best second", "", f"{run.writes.best():,}", ""],
        ]
    rows += [
        ["B.083", "worst second's mean read latency", "under 1.4 ms", worst_second, ""],
        ["B.083", "most reads and writes in a second", "above 80,000", most, ""],
    ]
    return table(["test", "figure", "published", "simulated", "difference"], rows)


def phases(runs: Runs) -> str:
    """The latency of reads in the phases of the write-daemon cycle."""
    head = ["test", "reads, idle", "reads, WIJ phase", "reads, database phase"]
    head += ["WIJ phase", "database phase"]
    rows = []
    for name in ("a006", "a006-wij-on-data", "b083"):
        run = runs[name]
        stretches = (run.idle(), run.during(WIJ), run.during(DATABASE))
        reads = [f"{run.reads.mean_ms(seconds):.2f} ms" for seconds in stretches]
        lengths = [f"{run.length_s(phase):.1f} s" for phase in (WIJ, DATABASE)]
        rows.append([title(name), *reads, *lengths])
    return table(head, rows)


TABLES = (
    published,
    host_factor.host_factor,
    phases,
    disciplines.disciplines,
    of_2023.of_2023,
    of_2023.mirror_of_2023,
    counterfactuals.counterfactuals,
)


def title(name: str) -> str:
    """A scenario's name as the article spells it."""
    test, _, variant = name.partition("-")
    return f"{test[0].upper()}.{test[1:]}" + (", WIJ on the data volume" if variant else "")
