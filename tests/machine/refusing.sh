# What bench refuses where disks are pooled, joined or divided: LVM, RAID, partitions.
# Given is the command `blockyard`.

# `bench NAME TARGET OPTION …` says under [NAME] what bench says of the target.
bench() {
    name=$1
    shift
    echo "[$name]"
    $inside blockyard bench /tmp/writes.yaml --out "/tmp/$name" --map "data=$@" >/tmp/output 2>&1
    echo "$? $(cat /tmp/output)"
}
quietly() { "$@" >/tmp/quiet 2>&1 || { echo "failed: $*"; cat /tmp/quiet; }; }

cat >/tmp/writes.yaml <<'END'
name: writes
duration: 1s
storage: {data: {type: gp3, size: 1GiB}}
workload:
  writers:
    kind: access_spec
    on: data
    file_size: 1MiB
    pattern: {size: 4KiB, read: 0%, random: 100%}
    outstanding: 1
    processes: 1
END

printf 'label: gpt\n,200MiB\n' | quietly sfdisk -q /dev/vda
quietly pvcreate /dev/vda1
bench volume /dev/vda1
quietly vgcreate disks /dev/vda1 /dev/vdb /dev/vdc /dev/vdd /dev/vde
quietly lvcreate --yes --name data --stripes 5 --stripesize 64k --extents 10 disks
bench pooled /dev/vdb --overwrite /dev/vdb
bench pooled-partition /dev/vda --overwrite /dev/vda
bench striped /dev/disks/data
echo "[stripes]"
lvs --noheadings --options stripes disks/data

quietly mdadm --create /dev/md0 --run --level=0 --raid-devices=2 --metadata=1.2 /dev/vdf /dev/vdg
bench joined /dev/vdf --overwrite /dev/vdf
bench array /dev/md0
quietly mdadm --stop /dev/md0
bench member /dev/vdf

printf 'label: gpt\n,64MiB\n,64MiB\n' | quietly sfdisk -q /dev/vdh
quietly mkfs.ext4 -q /dev/vdh1
quietly mount /dev/vdh1 /mnt
bench divided /dev/vdh --overwrite /dev/vdh
bench neighbour /dev/vdh2
quietly umount /mnt

quietly mkfs.btrfs -q /dev/vdi
quietly mount /dev/vdi /mnt
bench btrfs /dev/vdi --overwrite /dev/vdi
quietly umount /mnt

# A root file system three steps above a disk: volume, partition, disk.
quietly mkfs.ext4 -q /dev/disks/data
quietly mount /dev/disks/data /mnt
for path in /*; do
    if [ -h "$path" ]; then
        cp -P "$path" /mnt
    elif [ -d "$path" ] && [ "$path" != /mnt ]; then
        mkdir -p "/mnt$path"
        mount --rbind "$path" "/mnt$path"
    fi
done
inside="chroot /mnt"
bench system /dev/vda --overwrite /dev/vda
inside=

mount --bind /dev/null "$(command -v blkid)"
bench unprobed /dev/vdj
