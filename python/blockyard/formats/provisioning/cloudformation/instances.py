"""The instances that a template's volumes are attached to: those that exist, or new ones."""

from collections.abc import Iterator
from dataclasses import dataclass

from blockyard.formats.provisioning.layout import Host, Layout
from blockyard.formats.provisioning.yaml_text import Call, Node


@dataclass(frozen=True)
class Hosts:
    """The hosts of a template, and what stands for them in it."""

    layout: Layout
    # What tells a host's parameters and resources from others', by its name; of one host nothing.
    names: dict[str, str]
    # Whether the template makes them.
    own: bool

    def host(self, name: str) -> Host:
        """Give the host of a name."""
        return next(host for host in self.layout.hosts if host.name == name)

    def instance(self, name: str) -> Call:
        """Refer to a host's instance."""
        return Call("Ref", f"{'Instance' if self.own else 'InstanceId'}{self.names[name]}")

    def zone(self, name: str) -> Call:
        """Refer to the zone that a host is in."""
        if self.own:
            return Call("GetAtt", f"Instance{self.names[name]}.AvailabilityZone")
        return Call("Ref", f"AvailabilityZone{self.names[name]}")


@dataclass(frozen=True)
class Need:
    """A parameter for what must be known of a host."""

    name: str
    # What stands for it in a command.
    example: str
    definition: dict[str, Node]


def needed(hosts: Hosts, attached: set[str], placed: set[str]) -> list[Need]:
    """Give the parameters without defaults: of new instances, or of those that exist."""
    if hosts.own:
        return list(_of_new(hosts))
    return [need for host in hosts.names for need in _of_existing(hosts, host, attached, placed)]


def _of_new(hosts: Hosts) -> Iterator[Need]:
    architectures = {hosts.host(name).architecture or "" for name in hosts.names}
    about = f"The image of the instances, Linux for {' and '.join(sorted(architectures))}"
    yield Need("ImageId", "ami-...", {"Type": "AWS::EC2::Image::Id", "Description": about})
    for name, of in hosts.names.items():
        about = f"The subnet{_of(name, of)}, in whose zone its volumes are"
        yield Need(
            f"SubnetId{of}",
            "subnet-...",
            {"Type": "AWS::EC2::Subnet::Id", "Description": about},
        )
    yield Need(
        "SecurityGroupIds",
        "sg-...",
        {
            "Type": "List<AWS::EC2::SecurityGroup::Id>",
            "Description": "Security groups of the instances",
        },
    )


def _of_existing(hosts: Hosts, name: str, attached: set[str], placed: set[str]) -> Iterator[Need]:
    of, kind = hosts.names[name], hosts.host(name).instance
    if name in attached:
        about = f"The instance{_of(name, of)} that volumes are attached to"
        about += f", of type {kind}" if kind else ""
        definition: dict[str, Node] = {"Type": "AWS::EC2::Instance::Id", "Description": about}
        yield Need(f"InstanceId{of}", "i-...", definition)
    if name in placed:
        definition = {
            "Type": "AWS::EC2::AvailabilityZone::Name",
            "Description": f"The zone of the instance{_of(name, of)}",
        }
        yield Need(f"AvailabilityZone{of}", "...", definition)


def _of(name: str, of: str) -> str:
    return f" of {name}" if of else ""


#: Parameters of new instances that may be left empty, and what each is.
_OPTIONAL = {
    "KeyName": "Key pair for SSH; none by default",
    "InstanceProfile": "Name of the profile with the role of the instances; none by default",
}


def optional(hosts: Hosts) -> dict[str, Node]:
    """Give the parameters that may be left empty."""
    return {
        name: {"Type": "String", "Default": "", "Description": about}
        for name, about in (_OPTIONAL if hosts.own else {}).items()
    }


def root_device(hosts: Hosts) -> dict[str, Node]:
    """Give the parameter for the name of an image's root device, which must be met exactly."""
    about = "The image's root device: /dev/xvda of Amazon Linux, /dev/sda1 of Ubuntu and Red Hat"
    parameter: dict[str, Node] = {"Type": "String", "Default": "/dev/xvda", "Description": about}
    return {"RootDevice": parameter} if hosts.own else {}


def given(parameter: str) -> Call:
    """Refer to a parameter that may be left empty."""
    return Call("If", [f"Has{parameter}", Call("Ref", parameter), Call("Ref", "AWS::NoValue")])


def resources(hosts: Hosts) -> Iterator[tuple[str, Node]]:
    """Give the instances that are made."""
    for name, of in hosts.names.items() if hosts.own else ():
        host = hosts.host(name)
        properties: dict[str, Node] = {
            "InstanceType": host.instance or "",
            "ImageId": Call("Ref", "ImageId"),
            "SubnetId": Call("Ref", f"SubnetId{of}"),
            "SecurityGroupIds": Call("Ref", "SecurityGroupIds"),
            "KeyName": given("KeyName"),
            "IamInstanceProfile": given("InstanceProfile"),
            # Types without published limits for volumes have no bandwidth of their own for these.
            "EbsOptimized": host.sustained is not None,
            "DisableApiTermination": True,
            "MetadataOptions": {"HttpEndpoint": "enabled", "HttpTokens": "required"},
            "BlockDeviceMappings": [
                {
                    "DeviceName": Call("Ref", "RootDevice"),
                    "Ebs": {
                        "VolumeType": "gp3",
                        "Encrypted": True,
                        "KmsKeyId": given("KmsKeyId"),
                    },
                }
            ],
            "Tags": [
                {"Key": "Name", "Value": f"{hosts.layout.name} {name}"},
                {"Key": "Scenario", "Value": hosts.layout.name},
                {"Key": "Host", "Value": name},
            ],
        }
        yield (
            f"Instance{of}",
            {
                "Type": "AWS::EC2::Instance",
                "DeletionPolicy": "Delete",
                "UpdateReplacePolicy": "Delete",
                "Properties": properties,
            },
        )
