"""`blockyard provision`: new instances, alarms on limits, snapshots of all volumes at once."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import blockyard
from blockyard import ScenarioError
from conftest import ROOT, Blockyard
from provisioned import Json, parsed, resolved, tags, template
from test_provision import B083, EXAMPLES, MIRROR, SHARED, TOOLS

pytestmark = pytest.mark.filterwarnings("ignore:.*events. left out.*:UserWarning")

NITRO = ["VolumeIOPSExceededCheck", "VolumeThroughputExceededCheck", "VolumeStalledIOCheck"]

STORE: dict[str, Json] = {
    "name": "store",
    "host": {"instance": "i4i.4xlarge"},
    "storage": {"d": {"type": "instance-store"}},
}


def one(instance: str | None = "r6i.4xlarge", **volume: object) -> dict[str, Json]:
    """A scenario of one volume."""
    host = {"host": {"instance": instance}} if instance else {}
    return {"name": "one", **host, "storage": {"d": {"size": "100GiB", **volume}}}


def resources_of(scenario: object, kind: str, *, with_instance: bool = False) -> Json:
    """The properties of a template's resources of one type, by their names."""
    text = blockyard.provision(scenario, "cloudformation", with_instance=with_instance)  # type: ignore[arg-type]
    found = template(text)["Resources"].items()
    return {name: of["Properties"] for name, of in found if of["Type"] == f"AWS::{kind}"}


@pytest.mark.parametrize("scenario", [B083, MIRROR, EXAMPLES / "two-hosts.yaml"])
def test_instances_are_of_the_scenarios_types(scenario: Path) -> None:
    layout = resolved(scenario)
    types = {host["name"]: host["instance"] for host in layout["hosts"]}
    local, resources = parsed(blockyard.provision(scenario, "terraform", with_instance=True))
    assert {name: of["instance_type"] for name, of in local["hosts"].items()} == types
    made = resources["aws_instance"]
    assert made["metadata_options"][0]["http_tokens"] == "required"
    assert made["root_block_device"][0]["encrypted"] is True
    assert made["root_block_device"][0]["volume_type"] == "gp3"
    # A new instance leaves its volumes: their zone is known before it is there.
    zone = resources["aws_ebs_volume"]["availability_zone"]
    assert zone == "${data.aws_subnet.this[each.value.host].availability_zone}"
    found = resources_of(scenario, "EC2::Instance", with_instance=True).values()
    assert sorted(of["InstanceType"] for of in found) == sorted(types.values())
    for of in found:
        assert of["MetadataOptions"]["HttpTokens"] == "required"
        assert of["BlockDeviceMappings"][0]["Ebs"]["Encrypted"] is True
        assert tags(of)["Scenario"] == layout["name"]


def test_without_being_asked_for_no_instance_is_made() -> None:
    _, resources = parsed(blockyard.provision(B083, "terraform"))
    assert "aws_instance" not in resources
    assert resources_of(B083, "EC2::Instance") == {}


def test_an_instance_may_have_only_its_own_disks() -> None:
    local, resources = parsed(blockyard.provision(STORE, "terraform", with_instance=True))
    assert list(resources) == ["aws_instance"]
    assert "volumes" not in local
    text = blockyard.provision(STORE, "cloudformation", with_instance=True)
    kinds = [of["Type"] for of in template(text)["Resources"].values()]
    assert kinds == ["AWS::EC2::Instance"]
    assert list(template(text)["Outputs"]) == ["InstanceId"]


def test_types_without_bandwidth_for_volumes_are_not_asked_to_be_optimized() -> None:
    for instance, optimized in (("t2.large", False), ("r6i.4xlarge", True)):
        scenario = one(instance, type="gp3")
        local, _ = parsed(blockyard.provision(scenario, "terraform", with_instance=True))
        assert local["hosts"]["host"]["ebs_optimized"] is optimized
        (of,) = resources_of(scenario, "EC2::Instance", with_instance=True).values()
        assert of["EbsOptimized"] is optimized


def test_the_image_is_of_the_types_architecture() -> None:
    for instance, architecture in (("r6i.4xlarge", "x86_64"), ("r7g.4xlarge", "arm64")):
        text = blockyard.provision(one(instance, type="gp3"), "terraform", with_instance=True)
        assert f"Linux for {architecture}." in text


@pytest.mark.parametrize(
    ("scenario", "form", "reason"),
    [
        (one(None, type="gp3"), "terraform", "host: which instance is made? Expected `host: {"),
        (
            one("r6i.4xxlarge", type="gp3"),
            "terraform",
            "host.instance: no instance type is called `r6i.4xxlarge`",
        ),
        (one(type="gp3"), "lvm", "with_instance: lvm makes no instances"),
        (
            {
                "name": "s",
                "host": {"instance": "r6i.4xlarge"},
                "storage": {
                    "d": {
                        "stripe": {"chunk": "64KiB", "width": 28},
                        "of": {"type": "gp3", "size": "1GiB"},
                    }
                },
            },
            "cloudformation",
            "storage: 28 volumes on host; r6i.4xlarge takes 26 beside its root volume",
        ),
    ],
)
def test_what_cannot_be_made_is_refused(scenario: dict[str, Json], form: str, reason: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        blockyard.provision(scenario, form, with_instance=True)
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("form", ["terraform", "cloudformation"])
def test_a_node_whose_disks_its_cluster_attaches_has_nothing_to_buy(form: str) -> None:
    scenario = EXAMPLES / "failover-shared-disk.yaml"
    for with_instance in (False, True):
        with pytest.raises(ScenarioError, match="storage: nothing to buy for b: "):
            blockyard.provision(scenario, form, host="b", with_instance=with_instance)


def alarms_of(scenario: object) -> list[tuple[str, int, str]]:
    """Each alarm of a template: metric, periods and dimensions."""
    found = resources_of(scenario, "CloudWatch::Alarm").values()
    return [
        (
            of["MetricName"],
            of["EvaluationPeriods"],
            " ".join(it["Name"] for it in of["Dimensions"]),
        )
        for of in found
    ]


def test_each_volume_and_instance_is_watched() -> None:
    found = alarms_of(B083)
    for metric in NITRO:
        minutes = 2 if "Stalled" in metric else 5
        assert found.count((metric, minutes, "VolumeId InstanceId")) == 7
    assert found.count(("InstanceEBSIOPSExceededCheck", 5, "InstanceId")) == 1
    assert found.count(("InstanceEBSThroughputExceededCheck", 5, "InstanceId")) == 1
    assert len(found) == 3 * 7 + 2


@pytest.mark.parametrize(
    ("scenario", "metrics"),
    [
        (one(type="gp2"), [*NITRO, "BurstBalance", "InstanceEBS"]),
        (one(type="gp3"), [*NITRO, "InstanceEBS"]),
        (one(type="standard"), ["VolumeStalledIOCheck", "InstanceEBS"]),
        # Xen reports burst balances alone, and bare metal nothing of itself.
        (one("m4.large", type="gp2"), ["BurstBalance"]),
        (one("m5.metal", type="gp3"), NITRO),
        # Of shared volumes no limits are reported, but by each instance whether IO stalls.
        (SHARED, ["VolumeStalledIOCheck", "VolumeStalledIOCheck", "InstanceEBS", "InstanceEBS"]),
        # Whoever attaches them knows the instances.
        (EXAMPLES / "failover-shared-disk.yaml", []),
    ],
)
def test_only_what_exists_is_watched(scenario: object, metrics: list[str]) -> None:
    found = [metric for metric, *_ in alarms_of(scenario) if not metric.endswith("tExceededCheck")]
    found = ["InstanceEBS" if it.startswith("Instance") else it for it in found]
    wanted = [metric for metric in metrics if not metric.endswith("tExceededCheck")]
    assert sorted(found) == sorted(wanted)


def test_terraform_watches_the_same(tmp_path: Path) -> None:
    """Terraform itself works out which alarms a configuration has."""
    cases = [B083, one(type="gp2"), one(type="standard"), one("m4.large", type="gp2"), SHARED]
    for number, scenario in enumerate(cases):
        text = blockyard.provision(scenario, "terraform")  # type: ignore[arg-type]
        local, resources = parsed(text)
        wanted = sorted(metric for metric, *_ in alarms_of(scenario) if metric in NITRO)
        found = evaluated(text, "local.volume_alarms[*].metric", tmp_path / str(number))
        assert sorted(found) == wanted
        balance = resources.get("aws_cloudwatch_metric_alarm.balance")
        has_balance = any(metric == "BurstBalance" for metric, *_ in alarms_of(scenario))
        assert (balance is not None) == has_balance
        assert set(local["volume_checks"]) == set(NITRO)


def evaluated(text: str, expression: str, folder: Path) -> Json:
    """What an expression of a configuration's variables and locals is."""
    if shutil.which("terraform") is None:
        pytest.skip("terraform is not installed")
    folder.mkdir()
    # All that needs no provider.
    blocks = re.findall(r"^(?:variable|locals)\b.*?^}$", text, re.MULTILINE | re.DOTALL)
    (folder / "main.tf").write_text("\n".join(blocks))
    names = re.findall(r'^variable "(\w+)" {\n(?:(?!^}).*\n)*?^}', text, re.MULTILINE)
    given: Json = {name: "x" for name in names if name in ("instance_id", "availability_zone")}
    if "instance_ids" in names:
        hosts = parsed(text)[0]["hosts"]
        given = {"instance_ids": dict.fromkeys(hosts, "x")}
        given["availability_zones"] = dict.fromkeys(hosts, "x")
    (folder / "terraform.tfvars.json").write_text(json.dumps(given))
    done = subprocess.run(
        ["terraform", "console"],
        cwd=folder,
        input=f"jsonencode({expression})",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(json.loads(done.stdout))


def test_a_topic_and_a_role_are_up_to_the_user() -> None:
    of = template(blockyard.provision(B083, "cloudformation"))
    defaults = {name: it.get("Default") for name, it in of["Parameters"].items()}
    assert (defaults["Alarms"], defaults["AlarmTopicArn"]) == ("true", "")
    assert defaults["SnapshotRoleArn"] == ""
    assert of["Resources"]["Snapshots"]["Condition"] == "HasSnapshotRoleArn"
    for alarm in of["Resources"].values():
        if alarm["Type"] == "AWS::CloudWatch::Alarm":
            assert alarm["Condition"] == "HasAlarms"
            name, (condition, topics, _) = alarm["Properties"]["AlarmActions"]
            assert (name, condition) == ("If", "HasAlarmTopicArn")
            assert topics == [("Ref", "AlarmTopicArn")]


def test_snapshots_are_of_all_volumes_of_an_instance_at_once() -> None:
    details = resources_of(B083, "DLM::LifecyclePolicy")["Snapshots"]["PolicyDetails"]
    assert details["ResourceTypes"] == ["INSTANCE"]
    assert details["Parameters"] == {"ExcludeBootVolume": True}
    assert details["TargetTags"] == [{"Key": "Scenario", "Value": "B.083"}]
    for own in (False, True):
        text = blockyard.provision(B083, "terraform", with_instance=own)
        _, resources = parsed(text)
        policy = resources["aws_dlm_lifecycle_policy"]
        assert policy["count"] == "${var.snapshot_role_arn == null ? 0 : 1}"
        assert policy["policy_details"][0]["resource_types"] == ["INSTANCE"]
        # The policy finds instances by a tag, which those that exist get from it.
        assert ("aws_ec2_tag.snapshots" in resources) != own


@pytest.mark.slow
def test_linters_find_nothing_in_new_instances(tmp_path: Path) -> None:
    scenarios: list[object] = [B083, MIRROR, SHARED, STORE, one(type="st1", size="1TiB")]
    files = []
    for number, scenario in enumerate(scenarios):
        files.append(tmp_path / f"{number}.yaml")
        text = blockyard.provision(scenario, "cloudformation", with_instance=True)  # type: ignore[arg-type]
        files[-1].write_text(text)
        text = blockyard.provision(scenario, "terraform", with_instance=True)  # type: ignore[arg-type]
        (tmp_path / f"{number}.tf").write_text(text)
    found = subprocess.run(
        [TOOLS / "cfn-lint", *files], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (found.returncode, found.stdout) == (0, ""), found.stderr
    formatted = subprocess.run(
        ["terraform", "fmt", "-check", "-diff", tmp_path], capture_output=True, text=True
    )
    assert (formatted.returncode, formatted.stdout) == (0, "")


@pytest.mark.slow
def test_the_command_has_the_option(blockyard: Blockyard) -> None:
    example = ROOT / "scenarios/intersystems-2022/b083.yaml"
    shown = blockyard("provision", example, "--format", "terraform", "--with-instance")
    assert 'resource "aws_instance" "this"' in shown.stdout
