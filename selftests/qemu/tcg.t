#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# TCG with two processors and SVM, as the test host uses it: tcg.elf in build/qemu's QEMU, with no
# operating system. Runs in build/root, as part of 'make check-model', and prints TAP.
set -u

# isa-debug-exit turns N into 2 * N + 1.
timeout 60 /gslot/build/qemu/bin/qemu-system-x86_64 -L /usr/share/seabios -L /usr/share/qemu \
	-machine q35 -accel tcg,thread=multi -cpu max -smp 2 -m 64 -nodefaults -vga none \
	-display none -no-reboot -serial stdio -device isa-debug-exit,iobase=0xf4,iosize=4 \
	-kernel /gslot/build/selftests/qemu/tcg.elf </dev/null
rc=$?
((rc == 1)) || { echo "# exit code $rc"; exit 1; }
