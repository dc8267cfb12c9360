"""Asks Netflix's service-capacity-modeling for a cluster; runs in its own environment.

Arguments: GiB of data, reads and writes a second. Prints JSON.
"""

import json
import sys
import time

from service_capacity_modeling.capacity_planner import planner
from service_capacity_modeling.interface import (
    CapacityDesires,
    DataShape,
    QueryPattern,
    certain_int,
)

size, reads, writes = map(int, sys.argv[1:])
desires = CapacityDesires(
    service_tier=1,
    query_pattern=QueryPattern(
        estimated_read_per_second=certain_int(reads),
        estimated_write_per_second=certain_int(writes),
        estimated_mean_read_size_bytes=certain_int(8192),
        estimated_mean_write_size_bytes=certain_int(8192),
    ),
    data_shape=DataShape(estimated_state_size_gib=certain_int(size)),
)
begin = time.process_time()
plans = planner.plan_certain(
    model_name="org.netflix.cassandra",
    region="us-east-1",
    desires=desires,
    num_results=1,
    extra_model_arguments={"require_attached_disks": True, "require_local_disks": False},
)
took = time.process_time() - begin
clusters = plans[0].candidate_clusters
zone = clusters.zonal[0]
(drive,) = zone.attached_drives
print(
    json.dumps(
        {
            "took_s": took,
            "nodes": zone.count,
            "instance": zone.instance.name,
            "vcpu": zone.instance.cpu,
            "type": drive.name,
            "size_gib": drive.size_gib,
            "reads": drive.read_io_per_s,
            "writes": drive.write_io_per_s,
        }
    )
)
