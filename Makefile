# SPDX-License-Identifier: GPL-2.0
#
# gslot: the module, and the targets to test it. 'make help' lists them.

KDIR ?= /lib/modules/$(shell uname -r)/build
# What 'make check' runs, two layers at a time: those that take longest first.
CHECK := iommu measured package guests build gen8 module unit fuzz fair model
# With all tests of each layer: 'make check-all', one at a time.
LAYERS := unit build fuzz model module measured fair gen8 iommu guests package debug

all:
	@test -d $(KDIR) || { echo "no kernel headers in $(KDIR); install linux-headers-$$(uname -r) or give KDIR=" >&2; exit 1; }
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

install: all
	$(MAKE) -C $(KDIR) M=$(CURDIR) INSTALL_MOD_PATH=$(DESTDIR) modules_install
	install -D -t $(DESTDIR)/usr/local/sbin tools/gslot-bind
	install -D -t $(DESTDIR)/usr/local/bin tools/gslot-top
	install -D -m 644 -t $(DESTDIR)/usr/local/share/man/man1 docs/gslot-top.1
	install -D -m 644 -t $(DESTDIR)/usr/local/share/man/man8 docs/gslot-bind.8

deb:
	@tools/make-deb

help:
	@echo 'all (default)    gslot.ko for the running kernel; KDIR= for another'
	@echo 'install          install it, gslot-bind and gslot-top; "deb" is better for more than a try'
	@echo 'deb              the Debian package gslot-dkms, in build/deb/'
	@echo 'setup            make all that the tests need, in build/ (needs root)'
	@echo 'check            what each change must pass, in half an hour: $(CHECK)'
	@echo 'check-quick      unit and build, in a few minutes: before each commit'
	@echo 'check-all        all tests of all layers, in an hour and a half: $(LAYERS)'
	@echo 'check-LAYER      all tests of one layer:'
	@echo 'check-unit       the core and the device model, natively'
	@echo 'check-fuzz       fuzzers of the core and the device model, for a minute'
	@echo 'check-model      the device model under the stock i915'
	@echo 'check-build      the module for Linux 6.1, 6.12 and the newest; sparse, kernel-doc, checkpatch'
	@echo 'check-module     the module on the device model, driven by VFIO clients'
	@echo 'check-measured   those that measure shares of time, in counted time'
	@echo 'check-fair       the scheduler on the model, beside its bound, in counted time'
	@echo 'check-gen8       the model as a Broadwell: i915 on it, the module, a guest'
	@echo 'check-iommu      the same behind an IOMMU'
	@echo 'check-guests     whole guests: libvirt, QEMU, KVM, i915'
	@echo 'check-package    the Debian package: install, reboot, a guest, upgrade, remove'
	@echo 'check-debug      the module on a kernel with KASAN, lockdep, kmemleak, fault injection'
	@echo 'check-hostile    a hostile guest until told to stop, or COUNT= operations (not in check)'
	@echo 'demo             guests sharing one GPU, in front of you'
	@echo 'shell            a shell in the test host, the module loaded'
	@echo 'qemu             rebuild QEMU after a change in qemu-patches/'
	@echo 'modules-test     rebuild the module for the test host'
	@echo 'debug-kernel     build the kernel of check-debug'
	@echo 'bench-submit     what a submission costs'
	@echo 'bench-streams    what a vGPU costs programs that compute, and another one that is idle'
	@echo 'bench-switch     what a switch of vGPUs costs'
	@echo 'bench-pages      what a page costs that page tables of a guest name, or name no more'
	@echo 'bench-fair       how fair policies are'
	@echo 'bench-overlap    what is gained by a turn for each engine'
	@echo 'bench-oversub    how much of a GPU is used when more of it is sold than there is'
	@echo 'bench-placement  how long the placement of vGPUs takes'
	@echo 'bench-policy     how long policies take to decide who is given an engine'
	@echo 'bench-interrupt  how long the interrupt takes, and the scheduler in it'
	@echo 'figures          draw that and how fair policies are, for docs/'
	@echo 'sim-slots        what it would cost with slots, by each placement policy'
	@echo 'sim-oversub      the same as bench-oversub, simulated'
	@echo 'sim-fair         how fair policies are'
	@echo 'clean            remove what all and the checks made'
	@echo 'distclean        remove build/ as well'

setup:
	@tools/setup

qemu:
	@tools/make-qemu

modules-test:
	@tools/build-module

check: setup
	@tools/check -j 2 $(CHECK)

check-quick: setup
	@tools/check -j 2 build unit

check-all: setup
	@ALL=1 tools/check $(LAYERS)

$(LAYERS:%=check-%): check-%: setup
	@ALL=1 tools/check $*

debug-kernel: setup
	@tools/make-debug-kernel

check-hostile: setup
	@COUNT=$(COUNT) tools/check hostile

demo: setup
	@tools/demo

shell: setup modules-test
	@tools/vm --interactive -- /gslot/tools/load-module

bench-submit: setup modules-test
	@tools/bench-submit

bench-streams: setup modules-test
	@tools/bench-streams

bench-pages: setup modules-test
	@tools/bench-pages

bench-placement: setup
	@tools/bench-placement

bench-policy: setup
	@tools/bench-policy

sim-slots: setup
	@tools/sim-slots

sim-oversub: setup
	@tools/sim-oversub

sim-fair: setup
	@tools/sim-fair

bench-fair: setup modules-test
	@tools/bench-fair

bench-interrupt: setup modules-test
	@tools/bench-interrupt

bench-overlap: setup modules-test
	@tools/bench-fair --set overlap --vgpus 2

bench-switch: setup modules-test
	@tools/bench-switch

bench-oversub: setup modules-test
	@tools/bench-oversub

figures: setup
	@tools/figures

clean:
	find kmod \( -name '*.o' -o -name '.*.cmd' \) -delete
	rm -f gslot.ko gslot.mod gslot.mod.c .gslot.* gslot.o modules.order Module.symvers .module-common.o
	rm -rf build/module build/unit build/clients build/selftests build/check build/vm

distclean: clean
	rm -rf build

.PHONY: all install deb help setup qemu modules-test check check-quick check-all $(LAYERS:%=check-%) debug-kernel \
	check-hostile demo shell bench-submit bench-streams bench-switch bench-fair bench-overlap \
	bench-oversub bench-pages bench-placement bench-policy bench-interrupt figures sim-slots sim-oversub \
	sim-fair clean distclean
