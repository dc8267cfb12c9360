"""The effect of fio's options on the load: which are read, do not matter, or cannot be expressed.

From the manual of fio 3.33; `fio --cmdhelp=all` lists the options.
"""

import difflib
from types import MappingProxyType

ALIASES = MappingProxyType(
    {
        "blockalign": "ba",
        "blocksize": "bs",
        "blocksize_range": "bsrange",
        "blocksize_unaligned": "bs_unaligned",
        "disable_bw": "disable_bw_measurement",
        "fileoffset": "offset",
        "fill_fs": "fill_device",
        "io_limit": "io_size",
        "iodepth_batch_complete": "iodepth_batch_complete_min",
        "iodepth_batch_submit": "iodepth_batch",
        "iomem": "mem",
        "nr_files": "nrfiles",
        "ratecycle": "rate_cycle",
        "ratemin": "rate_min",
        "readwrite": "rw",
        "ss": "steadystate",
        "ss_dur": "steadystate_duration",
        "ss_ramp": "steadystate_ramp_time",
        "timeout": "runtime",
        "wait_for_previous": "stonewall",
    }
)

# The options from which a scenario's job is made.
_READ = """
ba bs bsrange bssplit buffered direct directory filename filesize io_size iodepth ioengine
kb_base norandommap nrfiles numjobs offset offset_increment percentage_random ramp_time
random_distribution randseed rate rate_iops rate_process runtime rw
rwmixread rwmixwrite size startdelay stonewall time_based
"""
READ = frozenset(_READ.split())

# Options for how the load is generated, what is measured and reported, how files are created, what
# processes get from the kernel, and what is in the buffers.
_HARMLESS = """
allow_file_create allow_mounted_write allrandrepeat block_error_percentiles buffer_compress_chunk
buffer_compress_percentage buffer_pattern bwavgtime cgroup cgroup_nodelete cgroup_weight
clat_percentiles clocksource cpumask cpus_allowed cpus_allowed_policy create_fsync create_on_open
create_only create_serialize dedupe_global dedupe_mode dedupe_percentage
dedupe_working_set_percentage description disable_bw_measurement disable_clat disable_lat
disable_slat disk_util do_verify end_fsync error_dump exec_postrun exec_prerun fadvise_hint
fallocate filename_format fixedbufs force_async fsync_on_close gid group_reporting gtod_cpu
gtod_reduce hipri hipri_percentage hugepage-size invalidate io_submit_mode iopsavgtime ioscheduler
lat_percentiles latency_percentile latency_run latency_window libaio_vectored lockmem
log_alternate_epoch log_alternate_epoch_clock_id log_avg_msec log_compression log_compression_cpus
log_entries log_hist_coarseness log_hist_msec log_max_value log_offset log_prio
log_store_compressed log_unix_epoch loops mem name new_group nice nonvectored numa_cpu_nodes
numa_mem_policy offset_align openfiles overwrite per_job_logs percentile_list pre_read prio
prioclass random_generator randrepeat rate_cycle rate_ignore_thinktime refill_buffers
registerfiles scramble_buffers serialize_overlap significant_figures slat_percentiles
softrandommap sqthread_poll sqthread_poll_cpu stats thread uid uncached unified_rw_reporting
unique_filename unit_base unlink unlink_each_loop userspace_reap verify_async verify_backlog
verify_backlog_batch verify_dump verify_fatal verify_interval verify_offset verify_pattern
verify_state_load verify_state_save write_bw_log write_hint write_hist_log write_iolog
write_iops_log write_lat_log zero_buffers
"""
HARMLESS = frozenset(_HARMLESS.split())

_ENDS = "ends the job by what it has done, not by time"
_SIZES = "IOs of several sizes; a pattern has one"
_BATCH = "IOs go out and come back in batches"
_FILES = "files other than one of a stated size"
_LATENCY = "changes the load by the latency it sees"
_PAUSE = "pauses between IOs"
_REPLAY = "IOs from a file"
_TRIM = "trims; a job reads and writes"
_VERIFY = "reads back what it wrote; `blockyard bench --verify` does that"
_ZONES = "zones; a device has none"
_OTHERS = "depends on what other jobs do"

# Options that change the load and that a scenario cannot express, with the reason.
CHANGING = MappingProxyType(
    {
        "atomic": "atomic writes",
        "bs_is_seq_rand": _SIZES,
        "bs_unaligned": _SIZES,
        "continue_on_error": "goes on after errors",
        "exit_what": _OTHERS,
        "exitall": _OTHERS,
        "exitall_on_error": _OTHERS,
        "experimental_verify": _VERIFY,
        "file_append": _FILES,
        "file_service_type": _FILES,
        "fill_device": _FILES,
        "flow": _OTHERS,
        "flow_id": _OTHERS,
        "flow_sleep": _OTHERS,
        "ignore_error": "goes on after errors",
        "ignore_zone_limits": _ZONES,
        "iodepth_batch": _BATCH,
        "iodepth_batch_complete_max": _BATCH,
        "iodepth_batch_complete_min": _BATCH,
        "iodepth_low": _BATCH,
        "job_max_open_zones": _ZONES,
        "latency_target": _LATENCY,
        "lockfile": "processes wait for each other's files",
        "max_latency": _LATENCY,
        "max_open_zones": _ZONES,
        "merge_blktrace_file": _REPLAY,
        "merge_blktrace_iters": _REPLAY,
        "merge_blktrace_scalars": _REPLAY,
        "number_ios": _ENDS,
        "opendir": _FILES,
        "profile": "a load of its own",
        "rate_iops_min": _ENDS,
        "rate_min": _ENDS,
        "read_beyond_wp": _ZONES,
        "read_iolog": _REPLAY,
        "read_iolog_chunked": _REPLAY,
        "replay_align": _REPLAY,
        "replay_no_stall": _REPLAY,
        "replay_redirect": _REPLAY,
        "replay_scale": _REPLAY,
        "replay_skip": _REPLAY,
        "replay_time_scale": _REPLAY,
        "rw_sequencer": "an offset for several IOs",
        "steadystate": _ENDS,
        "steadystate_duration": _ENDS,
        "steadystate_ramp_time": _ENDS,
        "thinktime": _PAUSE,
        "thinktime_blocks": _PAUSE,
        "thinktime_blocks_type": _PAUSE,
        "thinktime_iotime": _PAUSE,
        "thinktime_spin": _PAUSE,
        "trim_backlog": _TRIM,
        "trim_backlog_batch": _TRIM,
        "trim_percentage": _TRIM,
        "trim_verify_zero": _TRIM,
        "verify": _VERIFY,
        "verify_only": _VERIFY,
        "wait_for": _OTHERS,
        "zone_reset_frequency": _ZONES,
        "zone_reset_threshold": _ZONES,
        "zonecapacity": _ZONES,
        "zonemode": _ZONES,
        "zonerange": _ZONES,
        "zonesize": _ZONES,
        "zoneskip": _ZONES,
    }
)

_SYNC = "waits for written data to be durable; `fsync_every` is not set"

# The same for options that matter only to jobs that write.
CHANGING_WRITES = MappingProxyType(
    dict.fromkeys(("fdatasync", "fsync", "sync", "sync_file_range", "write_barrier"), _SYNC)
)

# Values with which such an option does nothing.
NEUTRAL = frozenset({"0", "none"})
_NEUTRAL_TOO = frozenset(
    {
        ("file_service_type", "roundrobin"),
        ("iodepth_batch", "1"),
        ("iodepth_batch_complete_max", "1"),
        ("iodepth_batch_complete_min", "1"),
    }
)


def problem_with(name: str, value: str | None, *, writes: bool) -> str | None:
    """Say why an option under its main name cannot be expressed; None if it can."""
    if name in READ or name in HARMLESS:
        return None
    if name in CHANGING_WRITES:
        return CHANGING_WRITES[name] if writes and value not in NEUTRAL else None
    if name in CHANGING:
        neutral = value in NEUTRAL or (name, value) in _NEUTRAL_TOO
        return None if neutral else CHANGING[name]
    known = [*READ, *HARMLESS, *CHANGING, *CHANGING_WRITES, *ALIASES]
    nearest = difflib.get_close_matches(name, sorted(known), n=1)
    return "fio has no such option" + (f"; the nearest is `{nearest[0]}`" if nearest else "")
