# --- Which block device an EBS volume is ---

# The device of an EBS volume: on Nitro the serial number of its NVMe controller is its id.
find_ebs() {
    local id=${1/-/} name=$2 serial
    local link=/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_$id
    if [[ -e $link ]]; then
        echo "$link"
    elif [[ $(cat /sys/hypervisor/type 2>/dev/null) == xen ]]; then
        # Drivers of Xen call /dev/sdf /dev/xvdf.
        echo "${name/#\/dev\/sd//dev/xvd}"
    else
        for serial in /sys/class/nvme/*/serial; do
            [[ -e $serial && $(tr -d ' ' <"$serial") == "$id" ]] || continue
            serial=${serial%/serial}
            echo "/dev/${serial##*/}n1"
        done
    fi
}

