"""AWS's bulk price list of EC2 as tests write it: a few products, and more if wanted."""

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

BOX = {
    "operatingSystem": "Linux",
    "tenancy": "Shared",
    "preInstalledSw": "NA",
    "capacitystatus": "Used",
}


@dataclass
class Offer:
    """A product, its price on demand, and its reserved ones: attributes, hour, upfront."""

    sku: str
    usage: str
    unit: str
    usd: str
    attributes: dict[str, str] = field(default_factory=dict)
    reserved: list[tuple[str, str, str, str, str]] = field(default_factory=list)


def box(sku: str, name: str, usd: str, prefix: str, **other: str) -> Offer:
    """An instance type on demand."""
    attributes = BOX | {"instanceType": name} | other
    return Offer(sku, f"{prefix}BoxUsage:{name}", "Hrs", usd, attributes)


def offers(prefix: str = "USW2-") -> list[Offer]:
    """What a region has: all that is wanted, and much that is not."""
    r6i = box("R6I", "r6i.large", "0.126", prefix)
    r6i.reserved = [
        ("1yr", "No Upfront", "standard", "0.079", "0"),
        ("1yr", "All Upfront", "standard", "0", "657"),
        ("3yr", "All Upfront", "standard", "0", "1314"),
        ("3yr", "Partial Upfront", "standard", "0.0261", "686"),
        ("1yr", "No Upfront", "convertible", "0.09", "0"),
    ]
    ebs = [
        ("VolumeUsage", "GB-Mo", "0.05"),
        ("VolumeIOUsage", "IOs", "0.00000005"),
        ("VolumeUsage.gp2", "GB-Mo", "0.1"),
        ("VolumeUsage.gp3", "GB-Mo", "0.08"),
        ("VolumeP-IOPS.gp3", "IOPS-Mo", "0.005"),
        ("VolumeP-Throughput.gp3", "GiBps-mo", "40.96"),
        ("VolumeUsage.piops", "GB-Mo", "0.125"),
        ("VolumeP-IOPS.piops", "IOPS-Mo", "0.065"),
        ("VolumeUsage.io2", "GB-month", "0.125"),
        ("VolumeP-IOPS.io2", "IOPS-Mo", "0.065"),
        ("VolumeP-IOPS.io2.tier2", "IOPS-Mo", "0.0455"),
        ("VolumeP-IOPS.io2.tier3", "IOPS-Mo", "0.03185"),
        ("VolumeUsage.st1", "GB-Mo", "0.045"),
        ("VolumeUsage.sc1", "GB-Mo", "0.015"),
        ("SnapshotUsage", "GB-Mo", "0.05"),
        # Not wanted, though they look like it.
        ("SnapshotUsageUnderBilling", "GB-Mo", "0.9"),
        ("VolumeUsage.gp2.outposts", "GB-Mo", "0"),
        ("VolumeUsage.gp9", "GB-Mo", "0.7"),
        ("FastSnapshotRestore", "hours", "0.9"),
    ]
    return [
        *(
            Offer(f"E{n}", f"{prefix}EBS:{use}", unit, usd)
            for n, (use, unit, usd) in enumerate(ebs)
        ),
        r6i,
        box("WIN", "r6i.large", "0.218", prefix, operatingSystem="Windows"),
        box("DED", "r6i.large", "0.1386", prefix, tenancy="Dedicated"),
        box("NEW", "z99.large", "0.5", prefix),
        box("R3", "r3.xlarge", "0.333", prefix),
        Offer(
            "OPT", f"{prefix}EBSOptimized:r3.xlarge", "Hrs", "0.02", {"instanceType": "r3.xlarge"}
        ),
        Offer(
            "LZ",
            "USW2-LAX1-EBS:VolumeUsage.gp3",
            "GB-Mo",
            "0.3",
            {"locationType": "AWS Local Zone"},
        ),
    ]


def _attributes(offer: Offer, region: str) -> dict[str, str]:
    about = {"usagetype": offer.usage, "locationType": "AWS Region", "regionCode": region}
    return about | offer.attributes


def as_json(region: str = "us-west-2", some: list[Offer] | None = None) -> dict[str, Any]:
    """The JSON form."""
    some = offers() if some is None else some

    def term(code: str, about: dict[str, str], *prices: tuple[str, str]) -> dict[str, Any]:
        dimensions = {
            f"{code}.{number}": {"unit": unit, "pricePerUnit": {"USD": usd}}
            for number, (unit, usd) in enumerate(prices)
        }
        return {code: {"priceDimensions": dimensions, "termAttributes": about}}

    def reservations(offer: Offer) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for number, (years, option, offering, hour, upfront) in enumerate(offer.reserved):
            about = {
                "LeaseContractLength": years,
                "PurchaseOption": option,
                "OfferingClass": offering,
            }
            prices = ("Hrs", hour), ("Quantity", upfront)
            found |= term(f"{offer.sku}.{number}", about, *prices)
        return found

    return {
        "formatVersion": "v1.0",
        "offerCode": "AmazonEC2",
        "publicationDate": "2026-10-06T17:24:54Z",
        "products": {it.sku: {"sku": it.sku, "attributes": _attributes(it, region)} for it in some},
        "terms": {
            "OnDemand": {it.sku: term(it.sku, {}, (it.unit, it.usd)) for it in some},
            "Reserved": {it.sku: reservations(it) for it in some if it.reserved},
        },
    }


COLUMNS = {
    "usageType": "usagetype",
    "Location Type": "locationType",
    "Operating System": "operatingSystem",
    "Tenancy": "tenancy",
    "Pre Installed S/W": "preInstalledSw",
    "CapacityStatus": "capacitystatus",
    "Instance Type": "instanceType",
    "Region Code": "regionCode",
}
HEADER = [
    *("SKU", "OfferTermCode", "TermType", "Unit", "PricePerUnit", "Currency"),
    *("LeaseContractLength", "PurchaseOption", "OfferingClass", *COLUMNS),
]
HEAD = (
    '"FormatVersion","v1.0"\n"Disclaimer","This pricing list is for informational purposes only."\n'
    '"Publication Date","2026-10-06T17:24:54Z"\n"Version","20261006172454"\n'
    '"OfferCode","AmazonEC2"\n'
)


def as_csv(region: str = "us-west-2", some: list[Offer] | None = None) -> str:
    """The CSV form."""
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(HEADER)
    writer.writerows(_rows(region, offers() if some is None else some))
    return HEAD + text.getvalue()


def _rows(region: str, some: list[Offer]) -> Iterator[list[str]]:
    for offer in some:
        about = _attributes(offer, region)
        rest = [about.get(key, "") for key in COLUMNS.values()]
        yield [offer.sku, "D", "OnDemand", offer.unit, offer.usd, "USD", "", "", "", *rest]
        for number, (years, option, offering, hour, upfront) in enumerate(offer.reserved):
            for unit, usd in (("Hrs", hour), ("Quantity", upfront)):
                term = [years, option, offering]
                yield [offer.sku, f"T{number}", "Reserved", unit, usd, "USD", *term, *rest]


def write(folder: Path, name: str, region: str = "us-west-2") -> Path:
    """A price list of either form, by the name's ending."""
    path = folder / name
    json_form = json.dumps(as_json(region))
    path.write_text(json_form if name.endswith(".json") else as_csv(region))
    return path
