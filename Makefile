# SPDX-License-Identifier: GPL-2.0
#
# gslot: the module, and the targets to test it. 'make help' lists them.

KDIR ?= /lib/modules/$(shell uname -r)/build
# The layers of 'make check', which runs three at a time: of those in real time, and of the others,
# the longest first (tools/check -j).
CHECK := iommu measured package hosts build module gen8 unit fuzz model fair
# The layers of 'make check-all', which runs all tests of each, two layers at a time: the longest
# first.
LAYERS := debug guests module hosts package iommu build gen8 unit fuzz measured model fair

all:
	@test -d $(KDIR) || { echo "no kernel headers in $(KDIR);" \
		"install linux-headers-$$(uname -r) or give KDIR=" >&2; exit 1; }
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

install: all
	$(MAKE) -C $(KDIR) M=$(CURDIR) INSTALL_MOD_PATH=$(DESTDIR) modules_install
	install -D -t $(DESTDIR)/usr/local/sbin tools/gslot-bind
	install -D -t $(DESTDIR)/usr/local/bin tools/gslot-top tools/gslot-stream
	install -D -m 644 -t $(DESTDIR)/usr/local/share/man/man1 docs/gslot-top.1 \
		docs/gslot-stream.1
	install -D -m 644 -t $(DESTDIR)/usr/local/share/man/man8 docs/gslot-bind.8

deb:
	@tools/make-deb

define HELP
Build
  all (default)    gslot.ko for the running kernel; KDIR= for another
  install          install it and its tools; a package is better for more than a try
  deb              the Debian package gslot-dkms, in build/deb/
  compdb           compile_commands.json, for clangd
  version          print the version, which is in dkms.conf
  clean            remove what all and the checks made
  distclean        remove build/ as well

Test (needs root; what it needs goes to build/)
  setup            make all that the tests need
  check-quick      unit, and build for 6.12 alone, in three minutes: before each commit
  check            what every change must pass, in half an hour:
                   $(CHECK)
  check-all        all tests of all layers, in two hours and a half;
                   CONTINUE=1: but not those that passed on this commit
  check-hostile    a hostile guest until interrupted, or COUNT= operations; SEED= to repeat

  check-unit       the core and the device model, natively; T=NAME: these tests only
  check-fuzz       fuzzers of the core and the device model, for ten seconds each;
                   F=NAME: this one only; FUZZ_SECONDS=
  check-model      the device model under the stock i915
  check-build      the module for Linux 6.1, 6.12 and the newest; sparse, kernel-doc, checkpatch
  check-module     the module on the device model, driven by VFIO clients
  check-measured   the tests that measure shares of time, in counted time
  check-fair       the scheduler on the model against its bound, in counted time
  check-gen8       the model as a Broadwell: i915 on it, the module, a guest
  check-iommu      the module's tests behind an IOMMU
  check-guests     whole guests: libvirt, QEMU, KVM, i915
  check-hosts      guests on hosts of other kernels, on one that sleeps, and moving between two
  check-package    the Debian package: install, reboot, a guest, upgrade, remove
  check-debug      the module on a kernel with KASAN, lockdep, kmemleak, fault injection

  qemu             rebuild QEMU after a change in qemu-patches/
  modules-test     rebuild the module for the test host
  debug-kernel     build the kernel of check-debug

Measure
  bench T=WHAT     measure in the test host (bench-WHAT is the same):
    submit         the cost of a submission
    request        the time of a request, without a guest
    streams        the cost of a vGPU to compute programs, and of a second, idle vGPU
    switch         the cost of a switch of vGPUs
    pages          the cost of a guest's page tables: a change, and each submission
    swap           the cost of a limit of pinned memory
    migrate        the downtime of a migration, and what it sends
    fair           the fairness of policies
    overlap        the gain from scheduling each engine on its own
    oversub        the utilisation of an oversubscribed GPU
    placement      the time to place vGPUs
    policy         the time of a policy to pick the next vGPU of an engine
    interrupt      the time of the interrupt handler, and of the scheduler in it
  sim T=WHAT       simulate (sim-WHAT is the same):
    slots          the cost of a switch with slots, by placement policy
    oversub        the same as the bench
    fair           the fairness of policies
    swap           what policies of memory reclaim pin, and the least that can be pinned

Look
  demo             guests sharing one GPU, in front of you
  shell            a shell in the test host, with the module loaded
  figures          draw the figures of docs/ from the measurements
endef
export HELP

version:
	@sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf

help:
	@echo "$$HELP"

setup:
	@tools/setup

qemu:
	@tools/make-qemu

modules-test:
	@tools/build-module

ifneq ($(filter check check-quick check-all,$(MAKECMDGOALS)),)
ifneq ($(T)$(F),)
$(error T= and F= are for check-unit and check-fuzz: with one test these targets would pass)
endif
endif

check: setup
	@QUICK= tools/check -j 3 $(CHECK)

check-quick: setup
	@QUICK=1 tools/check -j 2 build unit

check-all: setup
	@ALL=1 tools/check -j 2 $(if $(CONTINUE),-c) $(LAYERS)

$(LAYERS:%=check-%): check-%: setup
	@ALL=1 tools/check $*

debug-kernel: setup
	@tools/make-debug-kernel

compdb: setup modules-test
	@tools/compdb

check-hostile: setup
	@COUNT=$(COUNT) tools/check hostile

demo: setup
	@tools/demo

shell: setup modules-test
	@tools/vm --interactive -- /gslot/tools/load-module

# bench-WHAT and sim-WHAT are tools/bench-WHAT and tools/sim-WHAT, with one exception.
BENCHES := submit request streams switch pages swap migrate fair overlap oversub interrupt
NATIVE_BENCHES := placement policy
SIMS := slots oversub fair swap

bench sim:
	@[ '$(T)' ] || { echo 'make $@ T=WHAT: see make help' >&2; exit 2; }
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
	rm -f compile_commands.json gslot.ko gslot.mod gslot.mod.c .gslot.* gslot.o \
		modules.order Module.symvers .module-common.o
	rm -rf build/module build/unit build/fuzz build/deb build/clients build/selftests \
		build/check build/vm

distclean: clean
	rm -rf build

.PHONY: all install deb compdb version help setup qemu modules-test check check-quick check-all \
	$(LAYERS:%=check-%) debug-kernel check-hostile demo shell bench sim $(BENCHES:%=bench-%) \
	$(NATIVE_BENCHES:%=bench-%) $(SIMS:%=sim-%) figures clean distclean
