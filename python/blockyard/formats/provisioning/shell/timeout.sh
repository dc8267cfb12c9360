# --- How long Linux waits for a volume ---

readonly timeout_rule=/etc/udev/rules.d/61-ebs-io-timeout.rules

# AWS recommends the highest timeout that the kernel takes, as on Xen: 30 s, Linux's own, fail IO of
# a volume that stalls for longer, and a file system is shut down for good where a wait would do
# ("NVMe I/O operation timeout for Amazon EBS volumes" in its user guide). The rule needs no new
# start and no other kernel command line; disks of the instance keep their timeout.
timeout_text() {
    cat <<'END'
# Made by `blockyard provision --format lvm`: IO to EBS volumes waits as long as it must.
ACTION=="add|change", SUBSYSTEM=="block", ENV{DEVTYPE}=="disk", KERNEL=="nvme*", ATTRS{model}=="Amazon Elastic Block Store*", ATTR{queue/io_timeout}="4294967295"
END
}

# Whether one of the volumes is an NVMe device whose timeout can be set, and is not at its highest
# already, as Amazon Linux has it.
has_timeout() {
    local name
    [[ $(cat /sys/module/nvme_core/parameters/io_timeout 2>/dev/null) != 4294967295 ]] || return 1
    for name in "${volumes[@]}"; do
        [[ ${slot[$name]} == local || ${path[$name]} != /dev/nvme* ]] || break
    done
    [[ ${slot[$name]} != local && ${path[$name]} == /dev/nvme* ]] || return 1
    [[ -e /sys/class/block/${path[$name]##*/}/queue/io_timeout ]] || {
        echo "This kernel sets IO timeouts only at its start: add nvme_core.io_timeout=255, or" \
            "from Linux 4.15 on nvme_core.io_timeout=4294967295, to its command line." >&2
        return 1
    }
}

set_timeout() {
    has_timeout || return 0
    [[ $(cat "$timeout_rule" 2>/dev/null) != "$(timeout_text)" ]] || return 0
    run write_timeout_rule
    # Without udev, as in a container, it holds from the next start on.
    ! command -v udevadm >/dev/null || run udevadm control --reload
    ! command -v udevadm >/dev/null || run udevadm trigger --subsystem-match=block --sysname-match='nvme*'
}

# Whole or not at all.
write_timeout_rule() {
    local new
    mkdir -p "${timeout_rule%/*}"
    new=$(mktemp -p "${timeout_rule%/*}")
    chmod 644 "$new"
    timeout_text >"$new"
    mv "$new" "$timeout_rule"
}

