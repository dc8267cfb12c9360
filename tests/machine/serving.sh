# Emulated volumes under LVM, DRBD and file systems, by the kernel's NBD client and FUSE.
# Given are the command `blockyard` and the folder `machine` of this file. The processors are slow:
# the only rates that are judged are far below what they reach.

quietly() { "$@" >/tmp/quiet 2>&1 || { echo "failed: $*"; cat /tmp/quiet; }; }

# `serve NAME OPTION …` starts a service, whose process is $server, and waits until it serves.
# `$service` ends as it ends.
serve() {
    name=$1
    shift
    blockyard emulate /tmp/$name.yaml "$@" >/tmp/$name.out 2>/tmp/$name.err &
    service=$!
    for _ in $(seq 600); do
        [ -s /tmp/$name.out ] && break
        kill -0 $service 2>/dev/null || break
        sleep 0.1
    done
    server=$(cat /run/loaded/$service.process)
    # The lines come at once, one after the other.
    sleep 0.5
    cat /tmp/$name.out /tmp/$name.err
}

# `reads DEVICE DEPTH`: 16 KiB every 4 MiB, so that each volume of a stripe gets the same;
# random reads would be spread unevenly for longer than this lasts. DEPTH is half a second's reads:
# with fewer a volume of the stripe has none now and then, and with more the time in which the last
# ones end lowers fio's rate.
reads() {
    fio --name=reads --filename="$1" --rw=read:4080k --bs=16k --direct=1 --ioengine=libaio \
        --iodepth="$2" --size=1000m --time_based --ramp_time=5 --runtime=8 --output-format=json
}

# The legs of a mirror, and beside them a stripe of 100 IOPS each and no credits, which idle volumes
# would earn. A fifth of these is left: this machine must reach what is judged, however slow it is.
cp "$machine/../../benchmarks/mirrors/mirror.yaml" /tmp/volumes.yaml
stripe='{stripe: {chunk: 4MiB, width: 5}, of: {type: io1, size: 33GiB, iops: 100}}'
degraded='[{at: 0s, degrade: data, to: 20%, for: 1h}]'
fresh='{stripe: {chunk: 4MiB, width: 2}, of: {type: gp3, size: 1GiB}}'
cat >/tmp/disk.yaml <<'END'
{name: disk, storage: {disk: {type: unlimited, size: 1GiB}}}
END

echo "[served]"
serve volumes --set "storage.data=$stripe" --set "storage.fresh=$fresh" --set "events=$degraded" --as block --each-volume --out /tmp/run-volumes
devices_of() { sed -n "s/^$1\.[^ ]* \([^ ]*\) .*/\1/p" /tmp/volumes.out; }
echo "[mirrored]"
python3 -S "$machine/drbd.py" ABC $(devices_of mirrored)
echo "[parted]"
python3 -S "$machine/drbd_outages.py" $(devices_of mirrored)
devices=$(devices_of data)
quietly vgcreate pool $devices
quietly lvcreate --yes --name data --stripes 5 --stripesize 4m --size 10G pool
echo "[layout]"
lvs --noheadings --units k --options stripes,stripe_size pool/data
echo "[striped]"
reads /dev/pool/data 50
quietly vgchange --activate n pool
echo "[one]"
reads "$(echo "$devices" | head -n 1)" 10
fresh=$(devices_of fresh)
. "$machine/provisioning.sh"
echo "[stopped]"
kill $server
wait $service
echo "status $?"
cat /tmp/volumes.err
cat /sys/class/block/nbd0/size

mkdir /tmp/files /tmp/backing /tmp/mounted
echo "[killed]"
serve disk --as fuse=/tmp/files --backing /tmp/backing --out /tmp/run-disk
loop=$(losetup --find --show --direct-io=on /tmp/files/disk)
quietly mkfs.xfs -q "$loop"
quietly mount "$loop" /tmp/mounted
for number in $(seq 20); do
    head -c 300000 /dev/urandom >/tmp/mounted/$number
done
sync -f /tmp/mounted/1
(cd /tmp/mounted && sha256sum [0-9]*) >/tmp/sums
# More is under way, and not flushed.
(while :; do dd if=/dev/zero of=/tmp/mounted/more bs=64k count=64 2>/dev/null || break; done) &
writer=$!
sleep 1
kill -9 $server
wait $service
kill $writer
wait $writer
umount -l /tmp/mounted
losetup --detach "$loop"
umount -l /tmp/files
echo "[restarted]"
serve disk --as fuse=/tmp/files --backing /tmp/backing --out /tmp/run-again
loop=$(losetup --find --show --direct-io=on /tmp/files/disk)
quietly mount "$loop" /tmp/mounted
(cd /tmp/mounted && sha256sum --quiet --check /tmp/sums && echo intact)
quietly umount /tmp/mounted
quietly xfs_repair -n "$loop"
echo "[in use]"
quietly mount "$loop" /tmp/mounted
kill $server
wait $service
echo "status $?"
cat /tmp/disk.err
umount -l /tmp/mounted
losetup --detach "$loop"
