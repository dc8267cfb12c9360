"""The effect of fio's options on the load: which are read, do not matter, or cannot be expressed.

From the manuals of fio 3.33 and 3.41; `fio --cmdhelp=all` lists the options.
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
        "mem_align": "iomem_align",
        "nr_files": "nrfiles",
        "ratecycle": "rate_cycle",
        "ratemin": "rate_min",
        "readwrite": "rw",
        "ss": "steadystate",
        "ss_dur": "steadystate_duration",
        "ss_interval": "steadystate_check_interval",
        "ss_ramp": "steadystate_ramp_time",
        "timeout": "runtime",
        "wait_for_previous": "stonewall",
    }
)

# The options from which a scenario's job is made.
_READ = """
ba bs bsrange bssplit buffered continue_on_error direct directory do_verify exit_what exitall
exitall_on_error fdatasync filename filesize fsync ignore_error io_size iodepth ioengine kb_base
loops max_latency norandommap nrfiles number_ios numjobs offset offset_increment percentage_random
ramp_time random_distribution randseed rate rate_iops rate_iops_min rate_min rate_process runtime rw
rwmixread rwmixwrite size startdelay steadystate stonewall sync time_based verify wait_for
"""
READ = frozenset(_READ.split())

# Options for how the load is generated, what is measured and reported, how files are created, what
# processes get from the kernel, and what is in the buffers.
_HARMLESS = """
allow_file_create allow_mounted_write allrandrepeat block_error_percentiles buffer_compress_chunk
buffer_compress_percentage buffer_pattern bwavgtime cgroup cgroup_nodelete cgroup_weight
clat_percentiles clocksource comm cpumask cpus_allowed cpus_allowed_policy create_fsync
create_on_open create_only create_serialize data_placement dataplacement dedupe_global dedupe_mode
dedupe_percentage dedupe_working_set_percentage description disable_bw_measurement disable_clat
disable_lat disable_slat disk_util do_verify dp_scheme end_fsync end_syncfs error_dump exec_postrun
exec_prerun experimental_verify fadvise_hint fallocate fdp fdp_pli fdp_pli_select filename_format
filetype fixedbufs force_async fsync_on_close gid gpu_dev_id group_reporting gtod_cpu gtod_reduce
hipri hipri_percentage hugepage-size invalidate io_submit_mode iomem_align iopsavgtime ioscheduler
job_start_clock_id lat_percentiles latency_percentile latency_run latency_window libaio_vectored
lockmem log_alternate_epoch log_alternate_epoch_clock_id log_avg_msec log_compression
log_compression_cpus log_entries log_hist_coarseness log_hist_msec log_issue_time log_max_value
log_offset log_prio log_store_compressed log_unix_epoch log_window_value mem name new_group nice
nonvectored numa_cpu_nodes numa_mem_policy offset_align openfiles overwrite per_job_logs
percentile_list plid_select plids pre_read prio prioclass priohint ramp_size random_generator
randrepeat rate_cycle rate_ignore_thinktime refill_buffers registerfiles rwmixcycle scramble_buffers
serialize_overlap significant_figures slat_percentiles softrandommap sqthread_poll sqthread_poll_cpu
stats steadystate_check_interval steadystate_duration steadystate_ramp_time thinktime_blocks
thinktime_blocks_type thinktime_iotime thread uid uncached unified_rw_reporting unique_filename
unit_base unlink unlink_each_loop userspace_reap verify_async verify_async_cpus verify_backlog
verify_backlog_batch verify_dump verify_fatal verify_header_seed verify_interval verify_offset
verify_pattern verify_pattern_interval verify_policy verify_state_load verify_state_save
verify_write_sequence verifysort verifysort_nr write_bw_log write_hint write_hist_log write_iolog
write_iops_log write_lat_log zero_buffers
"""
# Options of the engines that do block IO.
_ENGINES = """
apptag apptag_mask busy_poll clientname clustername cmd_type cmdprio cmdprio_bssplit cmdprio_class
cmdprio_hint cmdprio_percentage libblkio_driver libblkio_force_enable_completion_eventfd
libblkio_num_entries libblkio_path libblkio_pre_connect_props libblkio_queue_size
libblkio_vectored libblkio_wait_mode libblkio_write_zeroes_on_trim log_flags nowait md_per_io_size
pi_act pi_chk pool print_qid_mappings rbdname spdk_conf spdk_json_conf spdk_mem spdk_single_seg
stream_id uri
"""
# Options of fio's profile tiobench, which do nothing without it.
_PROFILE = "block dir numruns threads"
HARMLESS = frozenset(f"{_HARMLESS} {_ENGINES} {_PROFILE}".split())

# Options that change the load and that a scenario cannot express, by the reason.
_CHANGING = {
    "atomic writes": "atomic",
    "IOs of several sizes; a pattern has one": "bs_is_seq_rand bs_unaligned",
    "files other than one of a stated size": "file_append file_service_type fill_device opendir",
    "depends on what other jobs do": "flow flow_id flow_sleep flow_watermark",
    "zones; a device has none": (
        "ignore_zone_limits job_max_open_zones max_open_zones read_beyond_wp "
        "recover_zbd_write_error write_zone_remainder zone_reset_frequency "
        "zone_reset_threshold zonecapacity zonemode zonerange zonesize zoneskip"
    ),
    "IOs go out and come back in batches": (
        "iodepth_batch iodepth_batch_complete_max iodepth_batch_complete_min iodepth_low"
    ),
    "changes the load by the latency it sees": "latency_target",
    "processes wait for each other's files": "lockfile",
    "IOs from a file": (
        "merge_blktrace_file merge_blktrace_iters merge_blktrace_scalars read_iolog "
        "read_iolog_chunked replay_align replay_no_stall replay_redirect replay_scale "
        "replay_skip replay_time_scale"
    ),
    "trims; a job reads and writes": (
        "num_range trim_backlog trim_backlog_batch trim_percentage trim_verify_zero"
    ),
    "places that are drawn another way": "percentage_sequential random_sequence_stride",
    "a load of its own": "profile",
    "an offset for several IOs": "rw_sequencer",
    "commands other than writes": "sg_write_mode",
    "preconditions a device": "spr_cs spr_num_regions spr_op sprandom",
    "pauses between IOs": "thinkcycles thinktime thinktime_spin",
    "reads back what it wrote; `blockyard bench --verify` does that": "verify_only",
}
CHANGING = MappingProxyType(
    {name: reason for reason, names in _CHANGING.items() for name in names.split()}
)

_SYNC = "makes written data durable in a way that a job has not; `fsync` and `fdatasync` are read"

# The same for options that matter only to jobs that write.
CHANGING_WRITES = MappingProxyType(
    dict.fromkeys(("sync_file_range", "write_barrier", "writefua"), _SYNC)
)

_KNOWN = frozenset((*READ, *HARMLESS, *CHANGING, *CHANGING_WRITES, *ALIASES))

# Values with which such an option does nothing.
NEUTRAL = frozenset({"0", "none"})
_NEUTRAL_TOO = frozenset(
    {
        ("file_service_type", "roundrobin"),
        ("iodepth_batch", "1"),
        ("sg_write_mode", "write"),
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
        # 0 makes batches of the whole depth.
        neutral = value in NEUTRAL and name != "iodepth_batch"
        return None if neutral or (name, value) in _NEUTRAL_TOO else CHANGING[name]
    return unknown(name)


def is_option(name: str) -> bool:
    """Whether fio has an option of this name."""
    return name in _KNOWN


def unknown(name: str) -> str:
    """Say that fio has no option of this name, and which is the nearest."""
    nearest = difflib.get_close_matches(name, sorted(_KNOWN), n=1)
    return "fio has no such option" + (f"; the nearest is `{nearest[0]}`" if nearest else "")
