# The script of `blockyard provision --format migration`, on loop devices and disks of the machine.
# Given is the script, `migrate`, of old.yaml to new.yaml, and two disks of a GiB, $moved and $onto.

printf %s "$migrate" >/tmp/migrate.sh
export FAKE_AWS=/tmp/fake-aws
mkdir -p $FAKE_AWS /dev/disk/by-id /tmp/fake-bin /mnt/data /mnt/wij /mnt/logs
cp "$machine/aws.sh" /tmp/fake-bin/aws
chmod +x /tmp/fake-bin/aws

# `migrate NAME OPTION …` says under [NAME] what the script says, and its status.
migrate() {
    echo "[$1]"
    shift
    PATH=/tmp/fake-bin:$PATH bash /tmp/migrate.sh --volumes /tmp/volumes "$@" >/tmp/output 2>&1
    echo "$? $(cat /tmp/output)"
}

# `loop FILE`: a loop device over a sparse file of a GiB.
loop() {
    truncate --size 1G "/tmp/$1"
    losetup --find --show "/tmp/$1"
}

# `volume NAME ID TYPE IOPS MIBS DEVICE`: a volume of a GiB that is attached.
volume() {
    echo "$1=$2" >>/tmp/volumes
    printf '%s\t1\t%s\t%s\tus-east-1a\ti-0a\n' "$3" "$4" "$5" >"$FAKE_AWS/$2"
    ln -s "$6" "/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol${2#vol-}"
}

# `formatted DEVICE OPTION … DISK …`: a file system on a logical volume, as the script of lvm makes it.
formatted() {
    name=$1 shape=$2 options=$3
    shift 3
    quietly vgcreate vg_$name "$@"
    quietly lvcreate --name lv_$name $shape --extents 100%PVS vg_$name
    quietly mkfs.xfs -q $options /dev/vg_$name/lv_$name
    uuid=$(blkid -p -s UUID -o value /dev/vg_$name/lv_$name)
    echo "UUID=$uuid /mnt/$name xfs defaults,noatime,nofail 0 0" >>/etc/fstab
    quietly mount /mnt/$name
    head -c 3000000 /dev/urandom >/mnt/$name/file
    (cd /mnt/$name && sha256sum file) >/tmp/sum-$name
}

zero=$(loop data.0) one=$(loop data.1) grown=$(loop logs)
for file in data.0 data.1; do
    volume $file vol-0d${file#data.} gp2 3 None "$([ $file = data.0 ] && echo "$zero" || echo "$one")"
done
volume logs vol-0e0 gp2 3 None "$grown"
echo /tmp/logs >$FAKE_AWS/vol-0e0.file
volume wij vol-0f0 standard None None "$moved"
for number in 0 1 2; do echo "vol-0a$number $(loop new.$number)"; done >/tmp/loops
# In the order of the steps: what is moved is written, and so lies on a disk.
{ cat /tmp/loops; echo "vol-0b0 $onto"; } >$FAKE_AWS/pool
formatted data "--stripes 2 --stripesize 64k" "-d su=64k,sw=2" "$zero" "$one"
formatted wij "" "" "$moved"
formatted logs "" "" "$grown"
before=$(df --output=size /mnt/logs | tail -n 1)

migrate shown --dry-run
echo "[asked]"
grep -v describe $FAKE_AWS/calls
migrate begun
migrate waiting
exec 9>>/mnt/data/file
migrate busy --stopped
exec 9>&-
migrate copied --stopped
migrate repeated --stopped
echo "[after]"
cat /tmp/volumes.after
echo "[contents]"
for name in data wij logs; do
    (cd /mnt/$name && sha256sum --quiet --check /tmp/sum-$name && echo $name)
done
echo "[segments]"
lvs --noheadings --segments --units k -o vg_name,stripes,stripe_size vg_data vg_wij vg_logs vg_data_old
pvs --noheadings -o pv_name,vg_name "$moved" "$onto" | tr -s ' '
[ "$(df --output=size /mnt/logs | tail -n 1)" -gt $((before * 19 / 10)) ] && echo larger
grep -c nofail /etc/fstab
echo "[calls]"
grep -v describe $FAKE_AWS/calls
printf 'io1\t1\t100\tNone\tus-east-1a\ti-0a\n' >$FAKE_AWS/vol-0e0
migrate other

umount /mnt/data /mnt/wij /mnt/logs
quietly vgchange --activate n vg_data vg_wij vg_logs
losetup --detach-all
