/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The stream of a vGPU's state, which a migration carries from one host to another.
 *
 * It is a header, then records, then the record GSLOT_MIG_END. All fields are little endian, and no
 * struct has padding. Addresses are those that the guest uses: graphics addresses, and in its own
 * page table entries its bus addresses. The stream contains no host address. What is not in use is
 * 0: reserved fields, unknown flags, and elements behind a count. A reader refuses other values.
 *
 * Types are in ascending order, and a type occurs once, but for those that say otherwise.
 *
 * Versions. GSLOT_MIG_VERSION is the version of the header and of the frame of a record. Each type
 * of record has a version of its own, 1 unless its comment says otherwise.
 *	A new field of the header, or of a record's frame: the next GSLOT_MIG_VERSION. Only @magic
 *	and @version are at the same place in all versions.
 *	A payload of another size, or a field with another meaning: the next version of that type.
 *	State that no record has: a new type. It is mandatory unless a guest can do without it.
 * A writer writes the latest versions. A reader accepts all that a release has written: of each,
 * the unit test core_stream_test keeps a stream as data. A reader refuses a header of another
 * version, a mandatory record of a type or version that it does not know, and any error. It skips
 * optional records that it does not know.
 */
#ifndef _UAPI_GSLOT_MIGRATION_H
#define _UAPI_GSLOT_MIGRATION_H

#ifdef __KERNEL__
#include <linux/build_bug.h>
#else
#include <assert.h>
#endif
#include <linux/types.h>

/* These structs are the bytes of a stream: gslot drives GPUs of x86 machines only. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "A stream is little endian."
#endif

/* The format does not depend on the compiler. */
#define GSLOT_MIG_SIZE_IS(type, size) \
	static_assert(sizeof(struct type) == (size), "struct " #type " is part of the format")

#define GSLOT_MIG_MAGIC		0x67696d746f6c7367ULL	/* "gslotmig" */
#define GSLOT_MIG_VERSION	1

#define GSLOT_MIG_NR_ENGINES	4	/* rcs0, bcs0, vcs0, vecs0 */
#define GSLOT_MIG_NR_FENCES	32
#define GSLOT_MIG_NR_FUSES	16	/* room for them */
#define GSLOT_MIG_NR_IRQ_GROUPS	32
#define GSLOT_MIG_CONFIG_SIZE	256
#define GSLOT_MIG_TYPE_SIZE	32
#define GSLOT_MIG_NR_GUEST_REGS	12

/* The longest payload of a record, bytes. */
#define GSLOT_MIG_RECORD_MAX	0x8000

/* A fused register */
struct gslot_mig_fuse {
	__u32 offset;		/* offset in BAR0 */
	__u32 value;		/* as the guest reads it */
};

GSLOT_MIG_SIZE_IS(gslot_mig_fuse, 8);

/* What the destination must have in common with the source */
struct gslot_mig_header {
	__u64 magic;		/* GSLOT_MIG_MAGIC */
	__u32 version;		/* GSLOT_MIG_VERSION */
	__u32 crc;		/* CRC32C of this struct, with 0 here */
	__u16 vendor;		/* PCI ids of the GPU */
	__u16 device;
	__u8 revision;
	__u8 gen;		/* its generation */
	__u8 nr_fences;		/* always GSLOT_MIG_NR_FENCES in this version */
	__u8 nr_fuses;		/* elements of @fuse in use */
	__u32 pvinfo_version;	/* of the PVINFO page: the major version, and << 16 the minor one */
	__u32 pvinfo_caps;	/* its capabilities: a driver reads both when it probes */
	/* Bytes of addresses that the guest's page table has entries for: a constant, too */
	__u64 ggtt_size;
	__u64 low_size;		/* low graphics memory, bytes */
	__u64 high_size;	/* high graphics memory, bytes */
	/*
	 * Name of the source's mdev type, for people: printable ASCII without spaces,
	 * NUL-terminated and filled up with NULs
	 */
	char type[GSLOT_MIG_TYPE_SIZE];
	/* By ascending offset. A fuse that is not named reads 0 */
	struct gslot_mig_fuse fuse[GSLOT_MIG_NR_FUSES];
	__u32 reserved[4];
};

GSLOT_MIG_SIZE_IS(gslot_mig_header, 232);

/* A reader that does not know the record, or its version, must refuse the stream. */
#define GSLOT_MIG_MANDATORY	0x01

/* The frame of a record: what comes before its payload */
struct gslot_mig_record {
	__u16 type;		/* enum gslot_mig_type */
	__u8 version;		/* version of the payload's format */
	__u8 flags;		/* GSLOT_MIG_MANDATORY; of a type and version always the same */
	__u32 length;		/* size of the payload, bytes; at most GSLOT_MIG_RECORD_MAX */
	__u32 index;		/* number of the record, from 0 */
	__u32 crc;		/* CRC32C of this struct, with 0 here, and of the payload */
};

GSLOT_MIG_SIZE_IS(gslot_mig_record, 16);

/* Types of records. Those of later versions may come in between. */
enum gslot_mig_type {
	/*
	 * struct gslot_mig_run, as of GSLOT_MIG_GGTT: what that table had while the guest still
	 * ran, so that it can be sent before. Any number of records; only in a stream that was
	 * begun in PRE_COPY. It is mandatory, as GSLOT_MIG_GGTT then names only what changed
	 */
	GSLOT_MIG_GGTT_EARLY = 0x08,
	GSLOT_MIG_CONFIG = 0x10,	/* PCI configuration space, GSLOT_MIG_CONFIG_SIZE bytes */
	GSLOT_MIG_PVINFO = 0x20,	/* struct gslot_mig_pvinfo */
	/*
	 * struct gslot_mig_reg, several, by ascending offset; any number of records. Registers
	 * that are not named are 0, whatever their values at power-on
	 */
	GSLOT_MIG_REGS = 0x30,
	GSLOT_MIG_IRQ = 0x40,		/* struct gslot_mig_irq */
	/* Values of the fence registers, __u64 each, GSLOT_MIG_NR_FENCES of them */
	GSLOT_MIG_FENCES = 0x50,
	/*
	 * struct gslot_mig_run, several, by ascending entry; any number of records. Entries that
	 * are not named have the values of GSLOT_MIG_GGTT_EARLY, and are 0 if not named there
	 */
	GSLOT_MIG_GGTT = 0x60,
	GSLOT_MIG_ENGINE = 0x70,	/* struct gslot_mig_engine; one for each engine, in order */
	GSLOT_MIG_DEBTS = 0x80,		/* struct gslot_mig_debt for each engine */
	GSLOT_MIG_COUNTERS = 0x90,	/* struct gslot_mig_counters; optional */
	GSLOT_MIG_END = 0xffff,		/* struct gslot_mig_end; nothing follows */
};

/* What the guest has written to the PVINFO page */
struct gslot_mig_pvinfo {
	__u32 display_ready;
	__u32 g2v_notify;	/* the last notification */
	/* The registers from cursor_x_hot to the descriptor of a context */
	__u32 guest[GSLOT_MIG_NR_GUEST_REGS];
	__u32 frames;		/* frames that it has reported, as it reads them */
	__u32 reserved;
};

GSLOT_MIG_SIZE_IS(gslot_mig_pvinfo, 64);

/* A register with a value that is not 0 */
struct gslot_mig_reg {
	__u32 offset;		/* offset in BAR0 */
	__u32 value;
};

GSLOT_MIG_SIZE_IS(gslot_mig_reg, 8);

/* Interrupts. The registers of group i begin at 0x44300 + 16 * i */
struct gslot_mig_irq {
	__u32 imr[GSLOT_MIG_NR_IRQ_GROUPS];	/* masked bits, by group */
	__u32 iir[GSLOT_MIG_NR_IRQ_GROUPS];	/* latched bits */
	__u32 ier[GSLOT_MIG_NR_IRQ_GROUPS];	/* enabled bits */
	__u32 ring_imr[GSLOT_MIG_NR_ENGINES];	/* masked bits, by engine */
	__u32 master;				/* 1: the master interrupt is enabled */
	__u32 msi_pending;			/* 1: an MSI was due, and was not sent */
};

GSLOT_MIG_SIZE_IS(gslot_mig_irq, 408);

/* In gslot_mig_run.count: each entry is one page further than the last; else all are the same. */
#define GSLOT_MIG_RUN_ASCENDING	0x80000000u

/* Entries of the guest's global page table */
struct gslot_mig_run {
	__u32 entry;		/* number of the first: its graphics address, in pages */
	__u32 count;		/* how many, at least 1; with GSLOT_MIG_RUN_ASCENDING */
	__u64 pte;		/* the first one's value */
};

GSLOT_MIG_SIZE_IS(gslot_mig_run, 16);

/* Where a context was preempted in a batch of its own address space */
struct gslot_mig_batch {
	__u32 lrca;		/* the context */
	__u32 head;		/* RING_HEAD that was saved with it */
	__u64 addr;		/* BB_ADDR, with its valid bit */
	__u64 second_addr;	/* SBB_ADDR; 0: not in a second-level batch */
	__u32 flags;		/* none yet */
	__u32 reserved;
};

GSLOT_MIG_SIZE_IS(gslot_mig_batch, 32);

/* The engine is hung: it has no events for the guest until the guest resets it. */
#define GSLOT_MIG_ENGINE_HUNG	0x01
/* gslot_mig_engine.batch is valid. */
#define GSLOT_MIG_ENGINE_BATCH	0x02

#define GSLOT_MIG_NR_ACTIVE	2
#define GSLOT_MIG_NR_ELSP	3	/* writes of an incomplete submission */
/* A guest that submits more before the first one is promoted replaces the last. */
#define GSLOT_MIG_NR_SUBMITS	3

/* A virtual engine */
struct gslot_mig_engine {
	__u8 engine;		/* its number */
	__u8 flags;		/* GSLOT_MIG_ENGINE_* */
	__u8 nr_active;		/* elements of @active in use */
	__u8 nr_submits;	/* elements of @submit in use */
	__u8 nr_elsp;		/* elements of @elsp in use */
	__u8 csb_ptr;		/* write pointer of the context status buffer */
	__u8 reserved[2];
	__u32 head;		/* RING_HEAD as the guest reads it */
	__u32 tail;		/* RING_TAIL */
	__u32 start;		/* RING_START */
	__u32 elsp[GSLOT_MIG_NR_ELSP];	/* an incomplete submission */
	/* Descriptors of the list that the guest was told runs */
	__u64 active[GSLOT_MIG_NR_ACTIVE];
	/* Lists that follow, in order, two descriptors each */
	__u64 submit[GSLOT_MIG_NR_SUBMITS][2];
	struct gslot_mig_batch batch;	/* where the first context stopped */
};

GSLOT_MIG_SIZE_IS(gslot_mig_engine, 128);

/* What the vGPU owes the other vGPUs on an engine */
struct gslot_mig_debt {
	__u64 debt_ns;		/* time that others waited for it to yield */
	__u64 resets_ns;	/* time until its budget of resets is whole again */
};

GSLOT_MIG_SIZE_IS(gslot_mig_debt, 16);

/* Counters of debugfs */
struct gslot_mig_counters {
	__u64 flushes;		/* writes of the GGTT's flush register */
	__u64 submits;		/* execlist submissions */
	__u64 resets;		/* engine resets by the guest */
};

GSLOT_MIG_SIZE_IS(gslot_mig_counters, 24);

/* The end of a stream */
struct gslot_mig_end {
	__u32 records;		/* number of records before it */
	__u32 reserved;
};

GSLOT_MIG_SIZE_IS(gslot_mig_end, 8);

#endif
