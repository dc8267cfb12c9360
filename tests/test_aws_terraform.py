"""`terraform show -json` as what there is today."""

import json
from pathlib import Path

import pytest

import blockyard as by
from blockyard.formats.aws import terraform
from blockyard.formats.foreign import ForeignError
from conftest import Blockyard, one_line

INSTANCE = "i-0fedcba9876543210"


def resource(kind: str, name: str, **values: object) -> dict[str, object]:
    address = f"{kind}.{name}"
    return {"address": address, "mode": "managed", "type": kind, "name": name, "values": values}


def state() -> dict[str, object]:
    """An instance in the root module, its volumes in a module within a module."""
    root = {
        "device_name": "/dev/xvda",
        "volume_id": "vol-0aaaaaaaaaaaaaaa0",
        "volume_type": "gp3",
        "volume_size": 20,
        "iops": 3000,
        "throughput": 125,
    }
    listed = {"device_name": "/dev/sdf", "volume_id": "vol-0aaaaaaaaaaaaaaa1"}
    instance = resource(
        "aws_instance",
        "web",
        id=INSTANCE,
        instance_type="r6i.xlarge",
        availability_zone="us-east-1c",
        root_block_device=[root],
        ebs_block_device=[{**listed, "volume_type": "gp2", "volume_size": 1000}],
        tags={"Name": "web"},
    )
    volume = resource(
        "aws_ebs_volume",
        "data",
        id="vol-0aaaaaaaaaaaaaaa1",
        type="gp2",
        size=1000,
        iops=3000,
        throughput=0,
        availability_zone="us-east-1c",
        tags=None,
    )
    attachment = resource(
        "aws_volume_attachment",
        "data",
        device_name="/dev/sdf",
        instance_id=INSTANCE,
        volume_id="vol-0aaaaaaaaaaaaaaa1",
    )
    inner = {"address": "module.db.module.disk", "resources": [volume, attachment]}
    child = {"address": "module.db", "child_modules": [inner]}
    image = {"address": "data.aws_ami.a", "mode": "data", "type": "aws_ami", "values": {}}
    root_module = {"resources": [instance, image], "child_modules": [child]}
    return {
        "format_version": "1.0",
        "terraform_version": "1.9.8",
        "values": {"root_module": root_module},
    }


def written(folder: Path, tree: object) -> Path:
    path = folder / "tf.json"
    path.write_text(json.dumps(tree))
    return path


def test_a_plan_starts_from_terraforms_state(tmp_path: Path, blockyard: Blockyard) -> None:
    path = written(tmp_path, state())
    wanted = ["--size", "600GiB", "--read-iops", "2000", "--no-prove", "--json"]
    done = blockyard("plan", "--from", path, *wanted)
    assert done.returncode == 0, done.stderr
    today = json.loads(done.stdout)["current"]["layout"]
    assert (today["instance"], today["data"]["type"]) == ("r6i.xlarge", "gp2")
    assert (today["data"]["count"], today["data"]["size"]) == (1, 1000 << 30)
    by_hand = by.plan({"size": "600GiB", "reads": {"iops": 2000}}, since=path, prove=False)
    assert by_hand.saving is not None


def test_volumes_of_the_instance_and_of_their_own_are_one(tmp_path: Path) -> None:
    text = terraform.layout(written(tmp_path, state()))
    assert text.count("type: gp2") == 1
    assert "root" not in text.split("storage:")[1]


def test_an_account_can_be_terraforms(tmp_path: Path, blockyard: Blockyard) -> None:
    done = blockyard("import", "aws", written(tmp_path, state()))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"web ({INSTANCE}, r6i.xlarge): 2 volumes; no figures")


def test_what_is_only_planned_is_refused_with_what_to_do(tmp_path: Path) -> None:
    tree = state()
    tree["planned_values"] = tree.pop("values")
    text = json.dumps(tree).replace(f'"instance_id": "{INSTANCE}"', '"instance_id": null')
    path = tmp_path / "plan.json"
    path.write_text(text)
    with pytest.raises(ForeignError, match="of the state, after `terraform apply`"):
        terraform.layout(path)


def test_several_instances_are_named(tmp_path: Path, blockyard: Blockyard) -> None:
    tree = json.loads(json.dumps(state()).replace(INSTANCE, "i-0fedcba9876543211"))
    both = state()
    both["values"] = {
        "root_module": {
            "child_modules": [tree["values"]["root_module"], state()["values"]["root_module"]]  # type: ignore[index]
        }
    }
    text = json.dumps(both).replace("vol-0aaaaaaaaaaaaaaa", "vol-0bbbbbbbbbbbbbbb", 4)
    path = tmp_path / "tf.json"
    path.write_text(text)
    done = blockyard("plan", "--from", path, "--size", "1TiB", "--read-iops", "10")
    assert done.returncode == 2
    said = one_line(done)
    assert "tf.json: 2 instances and databases with volumes (i-0fedcba987654321" in said
    assert "expected one: `blockyard import aws` writes a scenario of each" in said


def test_modules_without_end_are_refused(tmp_path: Path) -> None:
    module: dict[str, object] = {}
    for _ in range(80):
        module = {"child_modules": [module]}
    path = written(tmp_path, {"format_version": "1.0", "values": {"root_module": module}})
    with pytest.raises(ForeignError, match="more than 64 modules within each other"):
        terraform.layout(path)
