"""What fio's IO engines do with a job's IOs. From the manual of fio 3.33 and newer."""

from types import MappingProxyType

# One IO in flight, whatever `iodepth` says.
SYNCHRONOUS = frozenset(["sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "splice"])
# As many as `iodepth`.
_ASYNCHRONOUS_NAMES = """
cpp_null guasi io_uring io_uring_cmd libaio libblkio libiscsi nbd null nvme posixaio rbd sg
solarisaio spdk spdk_bdev windowsaio xnvme
"""
ASYNCHRONOUS = frozenset(_ASYNCHRONOUS_NAMES.split())
# These pass the page cache by without `direct`.
_UNCACHED_NAMES = """
cpp_null io_uring_cmd libblkio libiscsi nbd null nvme rbd sg spdk spdk_bdev xnvme
"""
UNCACHED = frozenset(_UNCACHED_NAMES.split())
# These use it even with `direct`.
CACHED = frozenset(["mmap", "splice"])

_NETWORK = "moves data over the network"
_FILES = "creates, looks at or deletes files"
_LAYOUT = "changes where a file lies, not what is in it"
_MEMORY = "loads from and stores to persistent memory"
_REMOTE = "talks to a file or object server"

# Engines that send no IO to a block device, with what they do instead.
NO_BLOCK_IO = MappingProxyType(
    {
        **dict.fromkeys(("net", "netsplice", "rdma", "librpma_apm_client"), _NETWORK),
        **dict.fromkeys(("librpma_apm_server", "librpma_gpspm_client"), _NETWORK),
        "librpma_gpspm_server": _NETWORK,
        "cpuio": "burns processor time",
        "exec": "runs a program",
        "page_fault": "touches memory",
        **dict.fromkeys(("filecreate", "filestat", "filedelete", "fileoperations"), _FILES),
        **dict.fromkeys(("dircreate", "dirstat", "dirdelete"), _FILES),
        **dict.fromkeys(("e4defrag", "ftruncate", "falloc"), _LAYOUT),
        **dict.fromkeys(("libpmem", "dev-dax", "pmemblk"), _MEMORY),
        **dict.fromkeys(("http", "rados", "libhdfs", "gfapi", "gfapi_async", "nfs"), _REMOTE),
        **dict.fromkeys(("dfs", "ime_psync", "ime_psyncv", "ime_aio"), _REMOTE),
        "mtd": "writes raw flash",
    }
)
