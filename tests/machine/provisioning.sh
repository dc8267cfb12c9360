# The script of `blockyard provision --format lvm`, on emulated volumes and on disks of the machine.
# Given are the script, `provision`, two emulated volumes, `fresh`, and /dev/vdk to /dev/vdn.

printf %s "$provision" >/tmp/provision.sh

# `provision NAME OPTION …` says under [NAME] what the script says, and its status.
provision() {
    echo "[$1]"
    shift
    bash /tmp/provision.sh "$@" >/tmp/output 2>&1
    echo "$? $(cat /tmp/output)"
}

# As udev would link it.
first=$(echo "$fresh" | head -n 1)
second=$(echo "$fresh" | tail -n 1)
mkdir -p /dev/disk/by-id
ln -s "$first" /dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0123456789abcdef0
cat >/tmp/ids <<END
# As Terraform writes them, with those of another host.
fresh.0=vol-0123456789abcdef0
fresh.1=$second
elsewhere=vol-0ff0
END
BLOCKYARD_VOLUMES='grown.0=/dev/vdk
grown.1.0=/dev/vdl
grown.1.1=/dev/vdm'
export BLOCKYARD_VOLUMES
before=$(cat /etc/fstab)

provision missing --volumes /tmp/ids --wait 1 fresh.1=vol-0bad
provision dry --quick --volumes /tmp/ids --dry-run
[ "$before" = "$(cat /etc/fstab)" ] && [ -z "$(vgs vg_fresh 2>/dev/null)" ] && echo untouched

printf x | dd of=/dev/vdl bs=1 seek=3000000 conv=notrunc status=none
provision full --quick --volumes /tmp/ids
dd if=/dev/zero of=/dev/vdl bs=1 seek=3000000 count=1 conv=notrunc status=none
# Of another gigabyte 32 MiB, behind what file systems and partitions begin with.
tr '\0' x </dev/zero | dd of=/dev/vdn bs=1M seek=16 count=32 iflag=fullblock status=none
provision held --quick --volumes /tmp/ids fresh.1=/dev/vdn
quietly mkswap /dev/vdm
provision swap --volumes /tmp/ids
quietly dd if=/dev/zero of=/dev/vdm bs=4k count=1 conv=notrunc

# An earlier run may have been interrupted here.
quietly pvcreate /dev/vdl
provision made --quick --volumes /tmp/ids
echo kept >/mnt/fresh/file
state() {
    cat /etc/fstab /proc/mounts
    vgs --noheadings -o vg_name,vg_seqno,vg_uuid
    stat -c %Z /mnt/fresh /mnt/grown
}
# The machine has what this one has in /tmp, also folders of such names as a file here might have.
as_made=$(state)
provision again --volumes /tmp/ids
if [ "$(state)" = "$as_made" ]; then echo unchanged; else printf '%s\n' "$as_made" "$(state)"; fi
echo "[shape]"
lvs --noheadings --segments --units k -o lv_name,stripes,stripe_size vg_fresh vg_grown
echo "[ahead]"
lvs --noheadings -o lv_name,lv_read_ahead vg_fresh vg_grown
blockdev --getra /dev/vg_fresh/lv_fresh
quietly lvchange --readahead auto vg_fresh/lv_fresh
provision tuned --volumes /tmp/ids
quietly lvchange --readahead 8 vg_fresh/lv_fresh
provision chosen --volumes /tmp/ids
echo "[geometry]"
xfs_info /mnt/fresh | sed -n 's/.*\(sunit=[0-9]* *swidth=[0-9]* blks\).*/\1/p' | head -n 1
grep -c nofail /etc/fstab
ls -A . | grep pwned

umount /mnt/fresh
quietly vgchange --activate n vg_fresh
provision resumed --volumes /tmp/ids
cat /mnt/fresh/file
provision other --volumes /tmp/ids fresh.1=/dev/vdj

umount /mnt/fresh /mnt/grown
quietly vgchange --activate n vg_fresh vg_grown
