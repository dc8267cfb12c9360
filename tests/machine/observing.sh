# What `observe` finds on devices of known latency and errors: memory that takes 20 ms an IO
# (null_blk), the same below dm-delay, which adds 30 ms, and below dm-flakey, which fails half of it.
# Given is the command `blockyard`.

for module in null_blk dm-delay dm-flakey; do
    if ! modprobe --dry-run $module 2>/dev/null; then
        printf '[lacks]\n%s\n' $module
        return
    fi
done
modprobe null_blk nr_devices=3 gb=1 irqmode=2 completion_nsec=20000000 || echo 'failed: null_blk'
mount -t tracefs tracefs /sys/kernel/tracing
half=$((1 << 20))
dmsetup create slowed --table "0 $((2 * half)) delay /dev/nullb1 0 30" || echo 'failed: dm-delay'
dmsetup create flaky <<END || echo 'failed: dm-flakey'
0 $half linear /dev/nullb2 0
$half $half flakey /dev/nullb2 $half 0 1000
END
mknod /tmp/slowed b $(dmsetup info --noheadings --columns --separator ' ' --options major,minor slowed)
mknod /tmp/flaky b $(dmsetup info --noheadings --columns --separator ' ' --options major,minor flaky)

# `reads NAME DEVICE OPTION …`: 20 reads, one after the other, and how long all of them take.
reads() {
    begun=$(date +%s%N)
    dd "if=$2" of=/dev/null bs=4k count=20 iflag=direct conv=noerror,sync $3 >/tmp/dd 2>&1
    echo "$1 $(($(date +%s%N) - begun))"
}

mkfifo /tmp/go
load() {
    read -r _ </tmp/go
    reads plain /dev/nullb0
    reads slowed /tmp/slowed
    reads whole /tmp/flaky
    reads failing /tmp/flaky skip=$((half / 8))
}
load >/tmp/took &
blockyard observe --device nullb0 --device /tmp/slowed --device /tmp/flaky --pid $! --interval 1s \
    --buffer 1MiB --out /tmp/observed --json >/tmp/observed.json 2>/tmp/refused &
observing=$!
until ls -d /sys/kernel/tracing/instances/* >/tmp/instances 2>&1; do
    kill -0 $observing || break
    sleep 1
done
sleep 1
echo >/tmp/go
wait $observing
echo "[took]"
cat /tmp/took
echo "[observed]"
cat /tmp/observed.json /tmp/refused
dmsetup remove slowed
dmsetup remove flaky
rmmod null_blk
