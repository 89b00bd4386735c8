#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The PCI side of the device model, by QEMU's own framework (qemu-patches/tests/qtest). Runs in
# build/root, as part of 'make check-model', and prints TAP.
set -u

bin=/gslot/build/qemu/bin
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# The framework's command line has no option for the firmware's directory.
cat >"$dir/qemu-system-x86_64" <<END
#!/bin/sh
exec $bin/qemu-system-x86_64 -L /usr/share/seabios -L /usr/share/qemu "\$@"
END
chmod +x "$dir/qemu-system-x86_64"
QTEST_QEMU_BINARY=$dir/qemu-system-x86_64 "$bin/tests/qtest/gen9gpu-test" --tap -k
