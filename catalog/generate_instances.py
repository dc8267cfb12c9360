"""Writes instances.csv, the table of EC2 instance types, from moto's data.

    pip download --no-deps moto==5.2.5
    python3 catalog/generate_instances.py moto-5.2.5-py3-none-any.whl

moto (Apache-2.0) ships what EC2's DescribeInstanceTypes answered, gzipped. The
member's checksum is fixed below, so that the table has one known source; a new
release is a change of VERSION, DATE and SHA256 together. `--check` compares
with the table in the tree instead of writing it.
"""

import gzip
import json
import sys
import zipfile
from pathlib import Path
from typing import Any

from generated import command, csv_text, known

VERSION = "5.2.5"
DATE = "2026-10-27"
MEMBER = "moto/ec2/resources/instance_types.json.gz"
SHA256 = "81525fc960f54aa26a79dab202ffce6c9893a4a313203700b612b5c346e8804e"

TABLE = Path(__file__).with_name("instances.csv")
COLUMNS = [
    "type",
    "vcpu",
    "memory_mib",
    "platform",
    "baseline_iops",
    "baseline_mbps",
    "baseline_mb_per_s",
    "maximum_iops",
    "maximum_mbps",
    "maximum_mb_per_s",
    "disks",
    "disk_gb",
    "disk_kind",
    "network_baseline_mbps",
    "network_peak_mbps",
    "attachments",
    "architecture",
    "generation",
    "purpose",
]

# What EC2 says of types that are made for more than running programs, and our word for it. It says
# nothing of that kind of high-performance computing, of Macs, nor of the newest Trainium: there the
# name decides.
PURPOSES = {
    "GpuInfo": "gpu",
    "InferenceAcceleratorInfo": "inference",
    "NeuronInfo": "training",
    "FpgaInfo": "fpga",
    "MediaAcceleratorInfo": "media",
}
PURPOSES_BY_NAME = {"trn": "training", "hpc": "hpc", "mac": "mac"}

Row = list[str | int]


def read_types(wheel: Path) -> dict[str, Any]:
    """The instance types of moto's wheel, by name."""
    with zipfile.ZipFile(wheel) as archive:
        packed = known(archive.read(MEMBER), MEMBER, SHA256)
    types: dict[str, Any] = json.loads(gzip.decompress(packed))
    return types


def platform(description: dict[str, Any]) -> str:
    """The hypervisor (nitro or xen), or metal where there is none."""
    return "metal" if description["BareMetal"] else description["Hypervisor"]


def ebs_limits(description: dict[str, Any]) -> Row:
    """IOPS, Mbit/s and MB/s, baseline then maximum; empty where unpublished."""
    info = description["EbsInfo"].get("EbsOptimizedInfo")
    if info is None:
        return [""] * 6
    row: Row = []
    for level in ("Baseline", "Maximum"):
        row.append(info[f"{level}Iops"])
        row.append(info[f"{level}BandwidthInMbps"])
        # Four decimals hold every published figure; some carry binary noise.
        row.append(f"{info[f'{level}ThroughputInMBps']:.4f}".rstrip("0").rstrip("."))
    return row


def instance_store(description: dict[str, Any]) -> Row:
    """Number, size (GB) and kind of the local disks; empty where there are none."""
    storage = description.get("InstanceStorageInfo")
    if storage is None:
        return [""] * 3
    (disks,) = storage["Disks"]  # no type mixes disks
    return [disks["Count"], disks["SizeInGB"], disks["Type"]]


def network(description: dict[str, Any]) -> Row:
    """Mbit/s of all network cards together, baseline then peak."""
    cards = description["NetworkInfo"]["NetworkCards"]
    return [
        round(1000 * sum(card[f"{level}BandwidthInGbps"] for card in cards))
        for level in ("Baseline", "Peak")
    ]


def architecture(description: dict[str, Any]) -> str:
    """What programs must be built for: arm64 or x86_64."""
    supported = description["ProcessorInfo"]["SupportedArchitectures"]
    return "arm64" if any("arm64" in one for one in supported) else "x86_64"


def generation(description: dict[str, Any]) -> str:
    """Whether EC2 calls the type one of the current generation, or of a previous one."""
    return "current" if description["CurrentGeneration"] else "previous"


def purpose(name: str, description: dict[str, Any]) -> str:
    """What the type is made for, where that is not any program: empty for most."""
    if description["BurstablePerformanceSupported"]:
        return "burstable"
    told = (word for key, word in PURPOSES.items() if key in description)
    named = (word for start, word in PURPOSES_BY_NAME.items() if name.startswith(start))
    return next(told, next(named, ""))


def row(name: str, description: dict[str, Any]) -> Row:
    """What the table has of a type."""
    return [
        name,
        description["VCpuInfo"]["DefaultVCpus"],
        description["MemoryInfo"]["SizeInMiB"],
        platform(description),
        *ebs_limits(description),
        *instance_store(description),
        *network(description),
        # The root volume is one of them.
        description["EbsInfo"]["MaximumEbsAttachments"],
        architecture(description),
        generation(description),
        purpose(name, description),
    ]


def text_of(wheel: Path) -> str:
    """The whole text of instances.csv."""
    types = read_types(wheel)
    origin = (
        f"moto {VERSION} ({DATE}), {MEMBER}, sha256 {SHA256}, Apache-2.0;"
        " made by catalog/generate_instances.py"
    )
    return csv_text(origin, COLUMNS, (row(name, types[name]) for name in sorted(types)))


if __name__ == "__main__":
    sys.exit(command(__doc__, TABLE, f"moto-{VERSION}-py3-none-any.whl", text_of))
