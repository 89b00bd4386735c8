#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What an administrator says a vGPU is to have of graphics memory is what its guest's stock i915
# finds when it is loaded. It may be changed while the guest works, who is not disturbed by it; and
# the least that may be asked for is enough for it.
set -u
. "$(dirname "$0")/lib.sh"

# size UUID ATTRIBUTE [VALUE]: its value, or write it
size() {
	local file=/sys/bus/mdev/devices/$1/gslot/$2

	if (($# == 3)); then echo "$3" >"$file"; else cat "$file"; fi
}

# has UUID ATTRIBUTE VALUE: it has that value
has() {
	[[ $(size "$1" "$2") == "$3" ]] || { echo "# $2: $(size "$1" "$2")"; false; }
}

# guest_found NAME KIND BASE SIZE: so much graphics memory, KiB
guest_found() {
	grep -q "] $2 graphic memory: base $3 size ${4}KiB" "/out/$1/dmesg" ||
		{ grep 'graphic memory' "/out/$1/dmesg" | sed 's/^/# /'; false; }
}

uuid=$(vgpu_create) || exit 1
check "more graphics memory than its type has" size "$uuid" high_mb 512
check "of both kinds" size "$uuid" low_mb 128
guest_start resize "$uuid" "gem_test store_rcs store_bcs && touch /out/half &&
	while [ ! -e /out/on ]; do sleep 0.1; done;
	gem_test store_rcs store_bcs && gem_draw --picture 1 --out /out/picture.ppm; $hold"
guest_go resize
check "half of its work" wait_for 600 guest_says resize half
check "much more, while the guest runs" size "$uuid" high_mb 1024
check "is there at once" has "$uuid" high_mb_now 1024
check "and of low" size "$uuid" low_mb 192
check "is there at once" has "$uuid" low_mb_now 192
check "less" size "$uuid" high_mb 64
check "waits: a driver uses high graphics memory from above" has "$uuid" high_mb_now 1024
touch /out/resize/on
check "at its end" wait_for 600 guest_says resize "done"
check "nothing was refused" nothing_refused "$uuid"
guest_end resize
check "the guest is content" guest_wait resize
check "its log is clean" guest_log_clean resize
check "the picture" guest_drew resize
check "i915 found low graphics memory" guest_found resize Mappable 0x0 131072
check "i915 found high graphics memory" guest_found resize Unmappable 0x10000000 524288
check "what waited is so" has "$uuid" high_mb_now 64

check "as little as there may be" size "$uuid" low_mb 2
check "of both kinds" size "$uuid" high_mb 16
guest_start least "$uuid" "gem_test store_rcs store_bcs; $hold"
guest_go least
check "at its end" wait_for 600 guest_says least "done"
guest_end least
check "the guest is content with the least" guest_wait least
check "its log is clean" guest_log_clean least
check "i915 found that much" guest_found least Unmappable 0x10000000 16384
check "the vGPU goes away" vgpu_remove "$uuid"
check "the host's log is clean" log_clean
tap_done
