# SPDX-License-Identifier: GPL-2.0
# The devices of the test hosts' QEMU, for configure --with-devices-x86_64. With all of QEMU's
# devices its build takes a third longer.
CONFIG_Q35=y
CONFIG_VTD=y
CONFIG_HPET=y
CONFIG_ISA_DEBUG=y
CONFIG_GEN9_GPU=y
CONFIG_VIRTIO_PCI=y
CONFIG_VIRTIO_SERIAL=y
CONFIG_VIRTIO_BLK=y
CONFIG_VIRTIO_NET=y
CONFIG_VIRTIO_9P=y
