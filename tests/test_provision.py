"""`blockyard provision`: what each format says is what the scenario resolves to, and no more."""

import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import blockyard
from blockyard import ScenarioError
from conftest import ROOT, Blockyard, one_line
from provisioned import Json, parsed, resolved, tags, template

EXAMPLES = ROOT / "scenarios/examples"
B083 = ROOT / "scenarios/intersystems-2022/b083.yaml"
MIRROR = ROOT / "scenarios/infoscale/5-mirror-two-zones.yaml"

# One host, two, disks of the instance, a cluster, every kind of layout.
SCENARIOS: list[Path] = [
    B083,
    MIRROR,
    ROOT / "scenarios/intersystems-2023/test1-io2.yaml",
    ROOT / "scenarios/intersystems-2023/test3-mirror.yaml",
    EXAMPLES / "instance-store.yaml",
    EXAMPLES / "linear.yaml",
    EXAMPLES / "st1.yaml",
    EXAMPLES / "two-hosts.yaml",
]

SHARED: dict[str, Json] = {
    "name": "shared",
    "hosts": {
        "a-1": {"instance": "m5.large", "zone": "us-east-1a"},
        "a_1": {"instance": "m5.large", "zone": "us-east-1a"},
    },
    "clusters": {"pair": {"nodes": ["a-1", "a_1"], "disks": ["data"], "multi_attach": True}},
    "storage": {"data": {"type": "io2", "size": "10GiB", "iops": 500}},
}

# A name that shells, HCL, YAML and CloudFormation would each make something of.
HOSTILE = "'\"; touch .pwned; $(touch .pwned) `touch .pwned` ${var.x} $${y} %{if} # : {a: [b]}, é"

TOOLS = Path(sys.executable).parent

pytestmark = pytest.mark.filterwarnings("ignore:.*events. left out.*:UserWarning")


def bought(layout: Json) -> Json:
    """What must be bought: by volume its type, GiB, IOPS, MiB/s, host and device."""
    return {
        volume["name"]: {
            "type": volume["type"],
            "size": volume["size"] / 2**30,
            "iops": volume["iops"],
            "throughput": volume["throughput"] and volume["throughput"] / 2**20,
            "device": volume["device"],
            "host": volume["host"],
        }
        for volume in layout["volumes"]
        if not volume["local"]
    }


def of_template(text: str) -> Json:
    """What a template buys, as `bought` has it."""
    volumes = {}
    for resource in template(text)["Resources"].values():
        if resource["Type"] == "AWS::EC2::Volume":
            of = resource["Properties"]
            named = tags(of)
            volume = named["Name"].removeprefix(f"{named['Scenario']} ")
            volumes[volume] = {
                "type": of["VolumeType"],
                "size": of["Size"],
                "iops": of.get("Iops"),
                "throughput": of.get("Throughput"),
                "device": named["Device"],
                "host": named.get("Host"),
            }
    return volumes


def of_terraform(text: str) -> Json:
    """What a configuration buys, as `bought` has it."""
    keys = ("type", "size", "iops", "throughput", "device", "host")
    volumes = parsed(text)[0]["volumes"]
    return {name: {key: of.get(key) for key in keys} for name, of in volumes.items()}


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.stem)
def test_terraform_buys_what_the_scenario_resolves_to(scenario: Path) -> None:
    layout = resolved(scenario)
    text = blockyard.provision(scenario, "terraform")
    assert of_terraform(text) == bought(layout)
    local, resources = parsed(text)
    assert local["scenario"] == layout["name"]
    assert {(of["volume"], of["host"]) for of in local["attachments"].values()} == {
        (name, of["host"]) for name, of in bought(layout).items()
    }
    for host in {of["host"] for of in local["attachments"].values()}:
        names = [of["device_name"] for of in local["attachments"].values() if of["host"] == host]
        assert len(set(names)) == len(names)
    zones = {host["name"]: host["instance"] for host in layout["hosts"]}
    for name, of in local["hosts"].items():
        assert of.get("instance_type") == zones[name]
    volume = resources["aws_ebs_volume"]
    assert volume["lifecycle"] == [{"prevent_destroy": True}]
    for attribute in ("type", "size"):
        assert volume[attribute] == f"${{each.value.{attribute}}}"
    for attribute in ("iops", "throughput"):
        assert volume[attribute] == f"${{try(each.value.{attribute}, null)}}"


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.stem)
def test_a_template_buys_what_the_scenario_resolves_to(scenario: Path) -> None:
    layout = resolved(scenario)
    text = blockyard.provision(scenario, "cloudformation")
    several = len(layout["hosts"]) > 1
    wanted = bought(layout)
    for of in wanted.values():
        of["host"] = of["host"] if several else None
    assert of_template(text) == wanted
    of = template(text)
    attached = [it for it in of["Resources"].values() if it["Type"].endswith("Attachment")]
    kept = [it for it in of["Resources"].values() if it["Type"] == "AWS::EC2::Volume"]
    assert {it[key] for it in kept for key in ("DeletionPolicy", "UpdateReplacePolicy")} == {
        "Retain"
    }
    assert len({str(it["Properties"]["VolumeId"]) for it in attached}) == len(wanted)
    _, lines = of["Outputs"]["Volumes"]["Value"]
    assert [line.split("=")[0] for _, line in lines[1]] == list(wanted)


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(
    st.dictionaries(
        st.from_regex("[A-Za-z0-9_-]{1,12}", fullmatch=True).filter(lambda name: name != "host"),
        st.tuples(
            st.sampled_from(["gp2", "gp3", "io1", "io2", "st1"]),
            st.integers(125, 16384),
            st.integers(1, 8),
            st.integers(3000, 6000),
        ),
        min_size=1,
        max_size=3,
    ),
    st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="/\\"), min_size=1)
    .filter(lambda name: not name.startswith(".") and "{{" not in name)
    .map(lambda name: name[:20]),
)
def test_any_layout_and_any_name_come_out_as_they_are(
    drawn: dict[str, tuple[str, int, int, int]], name: str
) -> None:
    storage: dict[str, Json] = {}
    for device, (kind, gib, width, iops) in drawn.items():
        volume: Json = {"type": kind, "size": f"{gib}GiB"}
        if kind in ("gp3", "io1", "io2"):
            volume["iops"] = iops
        stripe = {"chunk": "64KiB", "width": max(1, min(width, 63 // len(drawn)))}
        storage[device] = {"stripe": stripe, "of": volume}
    scenario = {"name": name, "storage": storage}
    wanted = bought(resolved(scenario))
    terraform = blockyard.provision(scenario, "terraform")
    assert of_terraform(terraform) == wanted
    assert parsed(terraform)[0]["scenario"] == name
    cloudformation = blockyard.provision(scenario, "cloudformation")
    for of in wanted.values():
        of["host"] = None
    assert of_template(cloudformation) == wanted
    for resource in template(cloudformation)["Resources"].values():
        if "Tags" in resource["Properties"]:
            assert tags(resource["Properties"])["Scenario"] == name


def test_what_a_cluster_shares_is_attached_to_all_its_nodes_or_by_it() -> None:
    local, resources = parsed(blockyard.provision(SHARED, "terraform"))
    assert local["volumes"]["data"]["multi_attach"] is True
    assert resources["aws_ebs_volume"]["multi_attach_enabled"].startswith("${try(")
    hosts = [(of["volume"], of["host"]) for of in local["attachments"].values()]
    assert hosts == [("data", "a-1"), ("data", "a_1")]
    resources = template(blockyard.provision(SHARED, "cloudformation"))["Resources"]
    kinds = [of["Type"] for of in resources.values()]
    assert kinds.count("AWS::EC2::Volume") == 1
    assert kinds.count("AWS::EC2::VolumeAttachment") == 2
    assert resources["VolumeData"]["Properties"]["MultiAttachEnabled"] is True
    moved = EXAMPLES / "failover-shared-disk.yaml"
    local, resources = parsed(blockyard.provision(moved, "terraform"))
    assert (list(local["volumes"]), "attachments" in local) == (["data", "log"], False)
    assert list(resources) == ["aws_ebs_volume"]


def test_a_template_that_is_too_large_to_be_sent_says_where_it_goes() -> None:
    for width, stored in ((6, False), (9, True)):
        volumes = {
            f"on_{host}": {**stripe("4KiB", width, ONE), "host": host} for host in ("a", "b")
        }
        hosts = {host: {"instance": "r7i.48xlarge", "zone": "east"} for host in ("a", "b")}
        scenario = {"name": "s", "hosts": hosts, "storage": volumes}
        text = blockyard.provision(scenario, "cloudformation")
        assert (len(text.encode()) > 51_200) == stored
        assert ("--s3-bucket BUCKET" in text) == stored


def test_one_host_of_several() -> None:
    scenario = EXAMPLES / "iris-mirror.yaml"
    text = blockyard.provision(scenario, "terraform", host="far")
    assert list(parsed(text)[0]["volumes"]) == ["data-far", "journal-far"]
    assert '"us-west-2a"' in text


def script_of(scenario: Path | Mapping[str, object], host: str | None = None) -> list[str]:
    """What the script is told of the layout, a line for each thing."""
    text = blockyard.provision(scenario, "lvm", host=host)
    table = text.partition("layout() {\n")[2].partition("\n}\n")[0]
    return [line.strip() for line in table.splitlines()]


def test_the_script_has_the_layouts_volumes_and_stripes() -> None:
    layout = resolved(B083)
    lines = script_of(B083)
    sizes = [line.split()[1:3] for line in lines if line.startswith("volume ")]
    assert sizes == [[of["name"], str(of["size"])] for of in layout["volumes"]]
    # What they sustain, which an r5n.24xlarge does not for all at once.
    assert lines[0] == "host 2375000000"
    assert lines[1].endswith(f" {1000 << 20}")
    assert lines[1 + len(sizes) :] == [
        "filesystem data /mnt/data -d su=4m,sw=5 -l su=32k",
        "read_ahead 16",
        "stripe 4m data.0 data.1 data.2 data.3 data.4",
        "filesystem wij /mnt/wij",
        "linear wij",
        "filesystem journal /mnt/journal",
        "linear journal",
    ]
    assert script_of(MIRROR, "b")[1:] == [
        "volume data.b 5368709120 /dev/sdf 26214400",
        "leg data",
        "linear data.b",
    ]
    assert script_of(EXAMPLES / "instance-store.yaml")[1].split()[3] == "local"
    # Disks need large reads.
    assert "read_ahead 1024" in script_of(EXAMPLES / "st1.yaml")


def stripe(chunk: str, width: int, of: Json) -> Json:
    return {"stripe": {"chunk": chunk, "width": width}, "of": of}


ONE = {"type": "gp3", "size": "1GiB"}


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (["wij=/dev/x"], "data.0: which volume? Expected data.0=vol-... or data.0=/dev/..."),
        (["data.9=/dev/x"], "no volume is called `data.9`; expected one of data.0 data.1 data.2"),
        (["data.0=vol-x; id"], "arguments: `data.0=vol-x; id`; expected VOLUME=vol-... or VOLUME="),
        (["--volumes", "none"], "--volumes: none cannot be read"),
        (["--wait", "long"], "--wait: `long`; expected seconds"),
        (["--force"], "no option --force; see --help"),
    ],
)
def test_the_script_refuses_before_it_does_anything(
    given: list[str], reason: str, tmp_path: Path
) -> None:
    script = tmp_path / "script"
    script.write_text(blockyard.provision(B083, "lvm"))
    refused = subprocess.run(
        ["bash", script, *given], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith(f"script: {reason}")


@pytest.mark.parametrize(
    ("device", "lines"),
    [
        (stripe("128KiB", 2, ONE), ["-d su=128k,sw=2", "stripe 128k d.0 d.1"]),
        (stripe("8MiB", 2, ONE), ["-d su=8m,sw=2 -l su=32k", "extent 8m", "stripe 8m d.0 d.1"]),
        (stripe("4KiB", 1, ONE), ["", "linear d.0"]),
        (
            {"linear": [ONE, {"linear": [ONE, ONE]}]},
            ["", "linear d.0", "linear d.1.0", "linear d.1.1"],
        ),
        ({"linear": [ONE, stripe("1MiB", 2, ONE)]}, ["", "linear d.0", "stripe 1m d.1.0 d.1.1"]),
        # The same addresses lie on the same volumes.
        (
            stripe("1MiB", 2, {"linear": [ONE, ONE]}),
            ["-d su=1m,sw=2 -l su=32k", "stripe 1m d.0.0 d.1.0", "stripe 1m d.0.1 d.1.1"],
        ),
    ],
)
def test_what_lvm_has_a_form_for(device: Json, lines: list[str]) -> None:
    found = script_of({"name": "s", "storage": {"d": device}})
    found = [line for line in found if not line.startswith(("host ", "volume "))]
    assert found == [f"filesystem d /mnt/d {lines[0]}".rstrip(), *lines[1:]]


def settings_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if line and not line.startswith(";")]


def test_the_settings_of_iris() -> None:
    scenario = ROOT / "scenarios/intersystems-2023/test1-io2.yaml"
    text = blockyard.provision(scenario, "iris", {"workload.writers.wdparm.outstanding": 512})
    assert settings_of(text) == [
        "[config]",
        "wijdir=/mnt/wij/wij/",
        "targwijsz=102400",
        "Asyncwij=16",
        "wduseasyncio=1",
        "wdparm=16,32,512,128",
        "globals=0,0,589824,0,0,0",
        "[Journal]",
        "CurrentDirectory=/mnt/journal/journal/",
        "FileSizeLimit=1024",
        "[Actions]",
        "CreateDatabase:Name=WRITERS,Directory=/mnt/data/writers/",
        "CreateDatabase:Name=READERS,Directory=/mnt/data/readers/",
    ]
    backup = blockyard.provision(
        EXAMPLES / "iris-mirror.yaml", "iris", host="backup", mounts="/iris"
    )
    assert "wijdir=/iris/data-backup/wij/" in settings_of(backup)
    assert "CurrentDirectory=/iris/journal-backup/journal/" in settings_of(backup)
    # Each setting has its reason above it.
    lines = text.splitlines()
    for place, line in enumerate(lines):
        if "=" in line and not line.startswith(";"):
            assert lines[place - 1].startswith("; ")


def test_names_are_quoted_wherever_they_stand(tmp_path: Path) -> None:
    scenario = {"name": HOSTILE, "storage": {"data": ONE}}
    local, _ = parsed(blockyard.provision(scenario, "terraform"))
    assert local["scenario"] == HOSTILE
    resources = template(blockyard.provision(scenario, "cloudformation"))["Resources"]
    assert tags(resources["VolumeData"]["Properties"])["Name"] == f"{HOSTILE} data"
    script = tmp_path / "script"
    script.write_text(blockyard.provision(scenario, "lvm"))
    shown = subprocess.run(
        ["bash", script, "--help"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert shown.stdout.startswith("Usage: script [OPTION]")
    assert [path.name for path in tmp_path.iterdir()] == ["script"]
    with pytest.raises(ScenarioError, match="begins what CloudFormation looks up"):
        blockyard.provision({**scenario, "name": "{{resolve:ssm:x}}"}, "cloudformation")


@pytest.mark.parametrize("name", ["on", "y", "0123", "0o17", "1e3", "12:30", "2022-11-10", "~"])
def test_what_some_yaml_reads_as_another_type_is_quoted(name: str) -> None:
    written = blockyard.provision({"name": name, "storage": {"data": ONE}}, "cloudformation")
    assert f"Value: '{name}'\n" in written


DATABASE = {"kind": "ranwrite", "on": "d", "cache": "1GiB", "file_size": "1GiB", "processes": 1}
READERS = {"kind": "ranread", "on": "d", "file_size": "1GiB", "processes": 1}
NOTHING = "nothing says where database, WIJ and journal lie"
LOCAL = {
    "name": "s",
    "host": {"instance": "i3.4xlarge"},
    "storage": {"d": {"type": "instance-store"}},
}


@pytest.mark.parametrize(
    ("form", "scenario", "options", "reason"),
    [
        ("pulumi", B083, {}, "format: `pulumi`; expected terraform, cloudformation, lvm, iris"),
        ("terraform", LOCAL, {}, "scenario: storage: nothing to buy: there are only disks"),
        (
            "cloudformation",
            {"name": "s", "storage": {"d": {"type": "unlimited", "size": "1GiB"}}},
            {},
            "scenario: storage.d: `unlimited` is only for tests; expected a volume type",
        ),
        ("terraform", B083, {"host": "x"}, "host: `x`; expected one of the scenario's: host"),
        ("terraform", B083, {"mounts": "/x"}, "mounts: `/x`; terraform mounts nothing"),
        (
            "terraform",
            EXAMPLES / "iris-mirror.yaml",
            {},
            "hosts: primary in us-east-1 and far in us-west-2; expected one region",
        ),
        (
            "terraform",
            {"name": "s", "storage": {"d": stripe("4KiB", 64, ONE)}},
            {},
            "storage.d: more than 63 volumes on a host",
        ),
        (
            "cloudformation",
            {
                "name": "s",
                "host": {"instance": "m5.large"},
                "storage": {"d": stripe("4KiB", 27, ONE)},
            },
            {},
            "storage: 27 volumes on host; m5.large takes 26 beside its root volume",
        ),
        ("lvm", MIRROR, {}, "hosts: lvm is for one: state its `host`, a or b"),
        ("lvm", B083, {"mounts": "/a b"}, "mounts: `/a b`; expected an absolute path of letters"),
        ("lvm", EXAMPLES / "iris-mirror.yaml", {"host": "witness"}, "no device lies on it"),
        ("lvm", SHARED, {"host": "a-1"}, "storage.data: the cluster pair activates and mounts it"),
        (
            "lvm",
            {"name": "s", "storage": {"d": stripe("4KiB", 2, stripe("4KiB", 2, ONE))}},
            {},
            "storage.d: a stripe of stripes; LVM stripes over volumes",
        ),
        (
            "lvm",
            {"name": "s", "storage": {"d": {"mirror": {"legs": {"a": ONE, "b": ONE}}}}},
            {},
            "storage.d.mirror: both legs are on one host",
        ),
        ("iris", EXAMPLES / "linear.yaml", {}, NOTHING),
        (
            "iris",
            {
                "name": "s",
                "duration": "1s",
                "storage": {"d": {"type": "gp3", "size": "90GiB"}},
                "workload": {"a_b": DATABASE, "A-b": READERS},
            },
            {},
            "workload.A-b: its database would be A-B, as that of a_b; expected another name",
        ),
        ("iris", EXAMPLES / "iris-mirror.yaml", {"host": "witness"}, NOTHING),
    ],
)
def test_what_has_no_meaning_is_refused(
    form: str, scenario: Path | Mapping[str, object], options: dict[str, Json], reason: str
) -> None:
    with pytest.raises(ScenarioError) as refused:
        blockyard.provision(scenario, form, **options)
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.slow
def test_the_command_writes_a_file_or_the_screen(blockyard: Blockyard, tmp_path: Path) -> None:
    shown = blockyard("provision", EXAMPLES / "gp3.yaml", "--format", "terraform")
    assert (shown.returncode, shown.stderr) == (0, "")
    out = tmp_path / "gp3.tf"
    written = blockyard("provision", EXAMPLES / "gp3.yaml", "--format", "terraform", "-o", out)
    assert (written.returncode, written.stdout, out.read_text()) == (0, "", shown.stdout)
    more = ["--set", "storage.data.size=1TiB"]
    larger = blockyard("provision", EXAMPLES / "gp3.yaml", "--format", "terraform", *more)
    assert "size = 1024," in larger.stdout
    missing = blockyard("provision", EXAMPLES / "gp3.yaml")
    assert "Missing option '--format'. Choose from: terraform, cloud" in one_line(missing)
    unknown = blockyard("provision", EXAMPLES / "gp3.yaml", "--format", "ansible")
    assert unknown.returncode == 2
    assert "'ansible' is not one of 'terraform'" in one_line(unknown)
    event = blockyard("provision", EXAMPLES / "event-modify.yaml", "--format", "terraform")
    assert "events: left out; this is the layout before any" in event.stderr
    # Nothing is left out where nothing is written.
    taken = ["--format", "terraform", "-o", out]
    refused = blockyard("provision", EXAMPLES / "event-modify.yaml", *taken)
    assert one_line(refused).endswith("gp3.tf exists already; it is not overwritten")


@pytest.mark.skipif(shutil.which("terraform") is None, reason="terraform is not installed")
def test_terraform_would_format_nothing(tmp_path: Path) -> None:
    scenarios: list[Path | dict[str, Json]] = [*SCENARIOS, SHARED]
    for number, scenario in enumerate(scenarios):
        (tmp_path / f"{number}.tf").write_text(blockyard.provision(scenario, "terraform"))
    checked = subprocess.run(
        ["terraform", "fmt", "-check", "-diff", tmp_path], capture_output=True, text=True
    )
    assert (checked.returncode, checked.stdout) == (0, "")


@pytest.mark.slow
def test_linters_find_nothing(tmp_path: Path) -> None:
    templates = []
    scenarios: tuple[Path | dict[str, Json], ...] = (B083, MIRROR, SHARED)
    for number, scenario in enumerate(scenarios):
        templates.append(tmp_path / f"{number}.yaml")
        templates[-1].write_text(blockyard.provision(scenario, "cloudformation"))
    script = tmp_path / "script"
    script.write_text(blockyard.provision(B083, "lvm"))
    for tool, files in (("cfn-lint", templates), ("shellcheck", [script])):
        found = subprocess.run(
            [TOOLS / tool, *files], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert (found.returncode, found.stdout) == (0, ""), found.stderr
