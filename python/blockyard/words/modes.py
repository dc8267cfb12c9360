"""How the runs of each mode were made, in words."""

from blockyard.types.result import Mode

MADE: dict[Mode, str] = {
    "simulate": "simulated",
    "bench": "on real storage",
    "emulate": "emulated",
    "fio": "by fio",
    "iostat": "seen by iostat",
    "yaspe": "seen by yaspe",
    "sar": "seen by sar",
    "diskstats": "from /proc/diskstats",
    "prometheus": "seen by Prometheus",
    "systemperformance": "seen by SystemPerformance",
    "pgbench": "by pgbench",
    "sysbench": "by sysbench",
}
