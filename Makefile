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

version:
	@sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf

help:
	@echo 'all (default)    gslot.ko for the running kernel; KDIR= for another'
	@echo 'install          install it, gslot-bind and gslot-top; "deb" is better for more than a try'
	@echo 'deb              the Debian package gslot-dkms, in build/deb/'
	@echo 'version          print the version, which is in dkms.conf'
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
	@echo 'bench T=WHAT     measure (bench-WHAT is the same):'
	@echo '  submit         what a submission costs'
	@echo '  streams        what a vGPU costs programs that compute, and another one that is idle'
	@echo '  switch         what a switch of vGPUs costs'
	@echo '  pages          what page tables of a guest cost: a change, and each submission'
	@echo '  fair           how fair policies are'
	@echo '  overlap        what is gained by a turn for each engine'
	@echo '  oversub        how much of a GPU is used when more of it is sold than there is'
	@echo '  placement      how long the placement of vGPUs takes'
	@echo '  policy         how long policies take to decide who is given an engine'
	@echo '  interrupt      how long the interrupt takes, and the scheduler in it'
	@echo 'sim T=WHAT       simulate (sim-WHAT is the same):'
	@echo '  slots          what a switch would cost with slots, by each placement policy'
	@echo '  oversub        the same as the bench'
	@echo '  fair           how fair policies are'
	@echo 'figures          draw what docs/ show of these'
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

# bench-WHAT and sim-WHAT are tools/bench-WHAT and tools/sim-WHAT, but for one.
BENCHES := submit streams switch pages fair overlap oversub interrupt
NATIVE_BENCHES := placement policy
SIMS := slots oversub fair

bench sim:
	@[ '$(T)' ] || { echo 'make $@ T=WHAT: make help has what there is' >&2; exit 2; }
	@$(MAKE) --no-print-directory $@-$(T)

$(BENCHES:%=bench-%): bench-%: setup modules-test
	@$(or $(COMMAND_$*),tools/bench-$*)

COMMAND_overlap := tools/bench-fair --set overlap --vgpus 2

$(NATIVE_BENCHES:%=bench-%) $(SIMS:%=sim-%): setup
	@tools/$@

figures: setup
	@tools/figures

clean:
	find kmod \( -name '*.o' -o -name '.*.cmd' \) -delete
	rm -f gslot.ko gslot.mod gslot.mod.c .gslot.* gslot.o modules.order Module.symvers .module-common.o
	rm -rf build/module build/unit build/clients build/selftests build/check build/vm

distclean: clean
	rm -rf build

.PHONY: all install deb version help setup qemu modules-test check check-quick check-all $(LAYERS:%=check-%) debug-kernel \
	check-hostile demo shell bench sim $(BENCHES:%=bench-%) $(NATIVE_BENCHES:%=bench-%) $(SIMS:%=sim-%) \
	figures clean distclean
