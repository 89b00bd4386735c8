#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A guest's stock i915 finds the amount of graphics memory that an administrator has set when it is
# loaded. Changing the amount while the guest works does not disturb it, and the minimum is enough
# for it.
set -u
. "$(dirname "$0")/lib.sh"

# size UUID ATTRIBUTE [VALUE]: print or write the attribute
size() {
	local file=/sys/bus/mdev/devices/$1/gslot/$2

	if (($# == 3)); then echo "$3" >"$file"; else cat "$file"; fi
}

# has UUID ATTRIBUTE VALUE: the attribute has that value
has() {
	[[ $(size "$1" "$2") == "$3" ]] || { echo "# $2: $(size "$1" "$2")"; false; }
}

# guest_found NAME KIND BASE SIZE: its i915 found that range of graphics memory, KiB
guest_found() {
	grep -q "] $2 graphic memory: base $3 size ${4}KiB" "/out/$1/dmesg" ||
		{ grep 'graphic memory' "/out/$1/dmesg" | sed 's/^/# /'; false; }
}

uuid=$(vgpu_create) || exit 1
check "more high graphics memory than its type has" size "$uuid" high_mb 512
check "more low graphics memory than its type has" size "$uuid" low_mb 128
guest_start resize "$uuid" "gem_test store_rcs store_bcs && touch /out/half &&
	while [ ! -e /out/on ]; do sleep 0.1; done;
	gem_test store_rcs store_bcs && gem_draw --picture 1 --out /out/picture.ppm; $hold"
guest_go resize
check "the guest does half of its work" wait_for 600 guest_says resize half
check "more high graphics memory while the guest runs" size "$uuid" high_mb 1024
check "takes effect at once" has "$uuid" high_mb_now 1024
check "more low graphics memory while the guest runs" size "$uuid" low_mb 192
check "takes effect at once" has "$uuid" low_mb_now 192
check "less high graphics memory while the guest runs" size "$uuid" high_mb 64
check "the reduction waits: a driver uses high graphics memory from the top" \
	has "$uuid" high_mb_now 1024
touch /out/resize/on
check "the guest completes its work" wait_for 600 guest_says resize "done"
check "nothing was refused" nothing_refused "$uuid"
guest_end resize
check "the guest's tests pass" guest_wait resize
check "its log is clean" guest_log_clean resize
check "its picture is correct" guest_drew resize
check "i915 found low graphics memory" guest_found resize Mappable 0x0 131072
check "i915 found high graphics memory" guest_found resize Unmappable 0x10000000 524288
check "the reduction takes effect after the guest" has "$uuid" high_mb_now 64

check "the minimum of low graphics memory" size "$uuid" low_mb 2
check "the minimum of high graphics memory" size "$uuid" high_mb 16
guest_start least "$uuid" "gem_test store_rcs store_bcs; $hold"
guest_go least
check "the guest completes its work" wait_for 600 guest_says least "done"
guest_end least
check "the guest's tests pass with the minimum" guest_wait least
check "its log is clean" guest_log_clean least
check "i915 found the minimum" guest_found least Unmappable 0x10000000 16384
check "the vGPU is removed" vgpu_remove "$uuid"
check "the host's log is clean" log_clean
tap_done
