/* SPDX-License-Identifier: GPL-2.0 */
/*
 * KVM's write tracking, which changed in 6.6, and which a kernel may lack: then
 * gslot_kvm_track_begin() fails. As compat.h; that one needs none of KVM's headers.
 */
#ifndef _GSLOT_BASE_COMPAT_KVM_H
#define _GSLOT_BASE_COMPAT_KVM_H

#include <linux/kvm_types.h>
#include <linux/types.h>

#if IS_ENABLED(CONFIG_KVM_EXTERNAL_WRITE_TRACKING)
#include <linux/kvm_host.h>
#include <asm/kvm_page_track.h>
#endif

struct gslot_kvm_put;
struct gslot_kvm_track;
struct kvm;
struct page;
struct vm_area_struct;

/**
 * struct gslot_kvm_track_ops - what happens to tracked pages
 * @write: a virtual CPU has written to one: the data is in memory. May sleep, but not wait for a
 *	change of KVM's memory slots
 * @remove: these pages leave the guest's memory; likewise. Those that are tracked still are:
 *	gslot_kvm_track_remove() is called for them
 */
struct gslot_kvm_track_ops {
	void (*write)(struct gslot_kvm_track *track, gpa_t gpa, const u8 *data, int len);
	void (*remove)(struct gslot_kvm_track *track, gfn_t gfn, unsigned long count);
};

/* A registration with a guest's KVM */
struct gslot_kvm_track {
#if IS_ENABLED(CONFIG_KVM_EXTERNAL_WRITE_TRACKING)
	struct kvm_page_track_notifier_node node;	/* KVM's part */
#endif
	struct kvm *kvm;		/* the guest's; NULL: not registered */
	struct gslot_kvm_put *put;	/* before 6.6: puts the reference to @kvm */
	const struct gslot_kvm_track_ops *ops;
};

#if IS_ENABLED(CONFIG_KVM_EXTERNAL_WRITE_TRACKING)
int gslot_kvm_init(void);
void gslot_kvm_exit(void);
int gslot_kvm_track_begin(struct gslot_kvm_track *track, struct kvm *kvm,
			  const struct gslot_kvm_track_ops *ops);
void gslot_kvm_track_end(struct gslot_kvm_track *track);
int gslot_kvm_track_add(struct gslot_kvm_track *track, gfn_t gfn);
void gslot_kvm_track_remove(struct gslot_kvm_track *track, gfn_t gfn);
bool gslot_kvm_find(struct gslot_kvm_track *track, const struct vm_area_struct *vma,
		    unsigned long address, gfn_t *gfn);
bool gslot_kvm_track_page(struct gslot_kvm_track *track, gfn_t gfn, struct page *page);
#else
static inline int gslot_kvm_init(void)
{
	return 0;
}

static inline void gslot_kvm_exit(void) { }

static inline int gslot_kvm_track_begin(struct gslot_kvm_track *track, struct kvm *kvm,
					const struct gslot_kvm_track_ops *ops)
{
	return -EOPNOTSUPP;
}

static inline void gslot_kvm_track_end(struct gslot_kvm_track *track) { }

static inline int gslot_kvm_track_add(struct gslot_kvm_track *track, gfn_t gfn)
{
	return -EOPNOTSUPP;
}

static inline void gslot_kvm_track_remove(struct gslot_kvm_track *track, gfn_t gfn) { }

static inline bool gslot_kvm_find(struct gslot_kvm_track *track, const struct vm_area_struct *vma,
				  unsigned long address, gfn_t *gfn)
{
	return false;
}

static inline bool gslot_kvm_track_page(struct gslot_kvm_track *track, gfn_t gfn, struct page *page)
{
	return false;
}
#endif

#endif
