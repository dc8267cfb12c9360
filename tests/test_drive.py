"""Was it the drive? Labelled incidents, simulated, and what the commands say."""

import dataclasses
import json
import random
from pathlib import Path
from typing import Any

import pytest
import yaml

import blockyard as by
from blockyard.questions.known_storage import KnownStorage
from blockyard.questions.known_volumes import volume_ids
from conftest import Blockyard, one_line

Tree = dict[str, Any]

M4 = {"instance": "m4.large"}
GP3: Tree = {"type": "gp3", "size": "100GiB"}
GP2: Tree = {"type": "gp2", "size": "33GiB"}
WIDE: Tree = {**GP3, "iops": 6000, "throughput": "500MiB/s"}


def reads(rate: float, block: str = "8KiB", on: str = "data") -> Tree:
    """A job whose reads come due at random."""
    kind = {"kind": "ranread", "on": on, "file_size": "1GiB", "block": block}
    return {**kind, "rate": f"{rate:.0f}/s"}


def io1(iops: int) -> Tree:
    return {"type": "io1", "size": "100GiB", "iops": iops}


def drawn(label: str, chance: random.Random) -> tuple[Tree, Tree, Tree]:
    """The scenario of an incident beyond its job, the job, and what the user knows of it."""
    iops = chance.randint(3, 12) * 100
    at = {"at": f"{chance.randint(4, 8)}s"}
    match label:
        case "volume_limit":
            volume = {**io1(iops), "tokens": "0%"}
            return {"storage": {"data": volume}}, reads(iops * 1.3), io1(iops)
        case "throughput":
            return {"storage": {"data": GP3}}, reads(chance.randint(600, 900), "256KiB"), GP3
        case "instance_limit":
            storage = {"host": M4, "storage": {"data": WIDE}}
            return storage, reads(chance.randint(300, 600), "256KiB"), WIDE
        case "credits":
            volume = {**GP2, "burst_balance": "0.1%", "tokens": "0%"}
            return {"storage": {"data": volume}}, reads(chance.randint(600, 1500)), GP2
        case "degraded":
            event = {**at, "degrade": "data", "to": f"{chance.randint(10, 40)}%", "for": "1h"}
            storage = {"storage": {"data": io1(iops)}, "events": [event]}
            return storage, reads(iops * 0.6), io1(iops)
        case "hung":
            event = {**at, "pause": "data", "for": f"{chance.randint(3, 6)}s"}
            return {"storage": {"data": io1(iops)}, "events": [event]}, reads(100), io1(iops)
        case _:
            return {"storage": {"data": io1(iops)}}, reads(iops * 0.6), io1(iops)


def judged(folder: Path, scenario: Tree, known: Tree) -> tuple[Tree, str]:
    """The verdict on a simulated load, from its means and the storage that is known."""
    head = {"name": "incident", "as_of": "2026-10-01", "duration": "20s"}
    path = folder / f"{len(list(folder.iterdir()))}.yaml"
    path.write_text(json.dumps(head | scenario))
    run = by.simulate(path)
    said = json.dumps({"name": "known", "as_of": "2026-10-01"} | known)
    seen = dataclasses.replace(run, scenario=None, stored=None, storage=said)
    verdict, sentence = seen.told.was_it_the_drive()
    return json.loads(verdict), sentence


@pytest.mark.parametrize(
    "label",
    ["volume_limit", "throughput", "instance_limit", "credits", "degraded", "hung", "not_storage"],
)
def test_a_simulated_incident_is_told_from_others(label: str, tmp_path: Path) -> None:
    chance = random.Random(label)
    for _ in range(4):
        scenario, job, volume = drawn(label, chance)
        known: Tree = {"storage": {"data": volume}}
        if "host" in scenario:
            known["host"] = scenario["host"]
        verdict, sentence = judged(tmp_path, scenario | {"workload": {"reads": job}}, known)
        cause = verdict["cause"]
        assert cause["kind"] == {"throughput": "volume_limit"}.get(label, label), sentence
        if label in ("volume_limit", "throughput", "instance_limit"):
            assert cause["limit"]["counts"] == ("ios" if label == "volume_limit" else "bytes")


def iostat(seconds: list[tuple[int, float]]) -> str:
    """What `iostat -x -t 1` prints of reads of 8 KiB: how many in each second, and their ms."""
    head = "Device r/s rkB/s rrqm/s %rrqm r_await rareq-sz w/s wkB/s wrqm/s %wrqm w_await wareq-sz"
    text = "Linux 6.1.0 (host)\t2026-11-21\t_x86_64_\t(8 CPU)\n"
    for second, (ios, ms) in enumerate(seconds):
        text += f"\n2026-11-21T01:00:{second:02}+0000\n{head} aqu-sz %util\n"
        text += f"nvme1n1 {ios} {8 * ios} 0 0 {ms} 8 0 0 0 0 0 0 {ios * ms / 1000:.2f} 100\n"
    return text


def test_a_file_of_iostat_is_judged_on_the_storage_that_is_named(
    blockyard: Blockyard, tmp_path: Path
) -> None:
    (tmp_path / "slow.txt").write_text(iostat([(0, 0.0), *[(900, 0.8)] * 4, *[(180, 90.0)] * 9]))
    assert "Was it the drive?" not in blockyard("report", "slow.txt").stdout
    options = ("--volume", "nvme1n1=gp2,size=60GiB", "--instance", "m5.large")
    finished = blockyard("report", "slow.txt", *options)
    said = " ".join(finished.stdout.split())
    assert "Was it the drive? Yes, burst credits were used up" in said, finished.stderr
    assert "nvme1n1 was at its baseline of 180 IOPS" in said
    finished = blockyard("report", "slow.txt", "--volume", "io1,iops=3000,size=60GiB")
    assert "Was it the drive? Yes: nvme1n1 was slow" in " ".join(finished.stdout.split())
    finished = blockyard("report", "slow.txt", *options, "--volume", "nvme2n1=gp3")
    wrong = "--volume: nvme2n1=gp3: no such device is observed; expected nvme1n1"
    assert (finished.returncode, one_line(finished)) == (2, f"blockyard: {wrong}")


def test_python_says_what_the_command_says(tmp_path: Path) -> None:
    file = tmp_path / "slow.txt"
    file.write_text(iostat([(0, 0.0), *[(900, 0.8)] * 4, *[(180, 90.0)] * 9]))
    unknown = by.load(file).drive
    assert unknown is not None
    assert unknown["cause"] == {"kind": "unknown", "why": "no_volume"}
    known = {"volume": "nvme1n1=gp2,size=60GiB", "instance": "m5.large"}
    verdict = by.load(file, volume=known["volume"], instance=known["instance"]).drive
    assert verdict is not None
    assert (verdict["cause"]["kind"], verdict["device"]) == ("credits", "nvme1n1")
    layout = {"name": "known", "storage": {"nvme1n1": {"type": "gp2", "size": "60GiB"}}}
    assert by.load(file, on=layout).drive == verdict
    other = {"name": "other", "storage": {"data": GP2, "wal": GP3}}
    with pytest.raises(by.ScenarioError, match=r"^on: has data and wal, but nvme1n1 had IO"):
        by.load(file, on=other)
    with pytest.raises(by.ScenarioError, match=r"^volume: `iops`; expected size"):
        by.observe("1h", volume="gp3,iops")
    with pytest.raises(by.ScenarioError, match=r"^on: has the volumes already"):
        by.load(file, volume=["gp3"], on=layout)
    with pytest.raises(by.ScenarioError, match=r"^volume: nvme9n1=gp3: no such device"):
        by.load(file, volume=["nvme1n1=gp2", "nvme9n1=gp3"])


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        (["--volume", "gp9"], "`gp9`"),
        (["--volume", "gp3,iops"], "--volume: `iops`; expected size, iops, throughput"),
        (["--volume", "gp3,speed=3"], "--volume: `speed=3`; expected size, iops, throughput"),
        (["--volume", "gp3,iops=99999999"], "gp3 allows 3,000 to 80,000 IOPS"),
        (["--instance", "m5.large"], "--instance: expected --volume too"),
        (["--volume", "gp3", "--instance", "m5.lrge"], "`m5.lrge`"),
        (["--on", "nothing.yaml"], "nothing.yaml"),
    ],
)
def test_storage_that_cannot_be_is_refused_before_it_is_observed(
    blockyard: Blockyard, options: list[str], wrong: str
) -> None:
    finished = blockyard("observe", *options, "--duration", "1h")
    assert finished.returncode == 2
    assert wrong in one_line(finished)


@pytest.mark.parametrize(
    ("scenario", "wrong"),
    [("bin.yaml", "bin.yaml: not UTF-8 text"), ("nope", "nope: No such file or directory")],
)
def test_a_scenario_that_cannot_be_read_is_refused_in_words(
    blockyard: Blockyard, tmp_path: Path, scenario: str, wrong: str
) -> None:
    (tmp_path / "bin.yaml").write_bytes(b"\xfe\x80")
    finished = blockyard("observe", "--duration", "1h", "--on", scenario)
    assert finished.returncode == 2
    assert one_line(finished) == f"blockyard: {wrong}"


def answers(folder: Path, *, instances: int = 1) -> Path:
    """AWS's answers: in each instance a gp2 volume for data and one for the log."""
    folder.mkdir()
    reservations, volumes = [], []
    for host in range(instances):
        instance = f"i-0123456789abcde{host:02d}"
        kind = {"InstanceId": instance, "InstanceType": "m5.large", "RootDeviceName": "/dev/xvda"}
        reservations.append({"Instances": [kind]})
        for number, gib in enumerate((60, 1000)):
            volumes.append(
                {
                    "VolumeId": f"vol-0abc12345678de{host}f{number}",
                    "VolumeType": "gp2",
                    "Size": gib,
                    "Iops": 3 * gib,
                    "AvailabilityZone": "us-east-1a",
                    "Attachments": [{"InstanceId": instance, "Device": f"/dev/sd{'fg'[number]}"}],
                }
            )
    (folder / "instances.json").write_text(json.dumps({"Reservations": reservations}))
    (folder / "volumes.json").write_text(json.dumps({"Volumes": volumes}))
    return folder


def test_answers_of_aws_tell_which_volume_a_device_is(tmp_path: Path) -> None:
    file = answers(tmp_path / "answers", instances=2)
    known = KnownStorage.of(None, None, file)
    for device, serial in (
        ("nvme1n1", "vol0abc12345678de1f0 "),
        ("nvme0n1", "AWS0123"),
        ("vda", ""),
    ):
        place = tmp_path / "sys" / device / "device"
        place.mkdir(parents=True)
        if serial:
            (place / "serial").write_text(serial + "\n")
    ids = volume_ids(["nvme1n1", "nvme0n1", "vda", "gone"], tmp_path / "sys")
    assert ids == {"nvme1n1": "vol-0abc12345678de1f0"}
    found = yaml.safe_load(known.text({"nvme1n1": None, "vda": 7}, ids))
    assert found["storage"] == {"nvme1n1": {"type": "gp2", "size": "60GiB"}}
    assert found["host"] == {"instance": "m5.large"}
    with pytest.raises(by.ScenarioError, match="no observed device has the id of a volume"):
        known.text({"vda": 7}, {})
    with pytest.raises(by.ScenarioError, match=r"nvme1n1 is vol-1, which is not in .*answers"):
        known.text({"nvme1n1": None}, {"nvme1n1": "vol-1"})
    with pytest.raises(by.ScenarioError, match="has 2 instances and databases"):
        known.text({"nvme1n1": None})


def test_a_report_takes_answers_of_aws(blockyard: Blockyard, tmp_path: Path) -> None:
    text = iostat([(0, 0.0), *[(900, 0.8)] * 4, *[(180, 90.0)] * 9])
    (tmp_path / "slow.txt").write_text(text.replace("nvme1n1", "sdf"))
    finished = blockyard("report", "slow.txt", "--on", answers(tmp_path / "answers"))
    said = " ".join(finished.stdout.split())
    assert "sdf was at its baseline of 180 IOPS" in said, finished.stderr
    (tmp_path / "node.prom").write_text(scrapes("exceeded", volume="vol-0abc12345678de0f1"))
    finished = blockyard("report", "node.prom", "--on", tmp_path / "answers")
    said = " ".join(finished.stdout.split())
    assert "Was it the drive? Yes: vol-0abc12345678de0f1 was at its limit" in said, finished.stderr


def scrapes(exceeded: str, *, volume: str = "vol-0abc12345678def01") -> str:
    """Scrapes of the EBS CSI driver: 3,000 reads of 16 KiB a second, slow after ten seconds."""
    text = "# HELP aws_ebs_csi_read_ops_total The total number of completed read operations.\n"
    label = f'{{instance_id="i-0123456789abcdef0",volume_id="{volume}"}}'
    took_s = exceeded_s = 0.0
    for second in range(41):
        slow = second > 10
        took_s += 3000 * (20e-3 if slow else 0.5e-3)
        exceeded_s += slow
        values = {
            "read_ops": 3000 * second,
            "read_bytes": 3000 * second << 14,
            "read_seconds": took_s,
        }
        values |= {"write_ops": 0, "write_bytes": 0, "write_seconds": 0}
        values |= {f"{name}_seconds": 0 for name in ("exceeded_tp", "ec2_exceeded_iops")}
        values |= {"exceeded_iops_seconds": 0, "ec2_exceeded_tp_seconds": 0, exceeded: exceeded_s}
        moment = 1_795_251_600_000 + 1000 * second
        for name, value in values.items():
            text += f"aws_ebs_csi_{name}_total{label} {value:.9e} {moment}\n"
        text += f"aws_ebs_csi_volume_queue_length{label} 60 {moment}\n"
    return text


@pytest.mark.parametrize(
    ("exceeded", "kind", "said"),
    [
        ("exceeded_iops_seconds", "volume_limit", "Yes: vol-0abc12345678def01 was at its limit"),
        ("ec2_exceeded_tp_seconds", "instance_limit", "No, the instance: "),
        ("volume_is_sound_seconds", "unknown", "Cannot know: what the volume is decides"),
    ],
)
def test_the_csi_drivers_counters_tell_of_limits(
    exceeded: str, kind: str, said: str, blockyard: Blockyard, tmp_path: Path
) -> None:
    (tmp_path / "node.prom").write_text(scrapes(exceeded))
    verdict = by.load(tmp_path / "node.prom").drive
    assert verdict is not None
    assert verdict["cause"]["kind"] == kind
    finished = blockyard("report", "node.prom")
    assert f"Was it the drive? {said}" in " ".join(finished.stdout.split()), finished.stderr


def test_of_the_csi_drivers_counters_all_are_needed(blockyard: Blockyard, tmp_path: Path) -> None:
    whole = scrapes("exceeded_iops_seconds")
    (tmp_path / "node.prom").write_text(whole.replace("ec2_exceeded_tp", "other"))
    finished = blockyard("report", "node.prom")
    assert "no aws_ebs_csi_ec2_exceeded_tp_seconds_total of vol-0abc" in one_line(finished)
    (tmp_path / "node.prom").write_text(whole.replace("write_bytes", "other"))
    finished = blockyard("report", "node.prom")
    assert "no aws_ebs_csi_write_bytes_total; " in one_line(finished)
