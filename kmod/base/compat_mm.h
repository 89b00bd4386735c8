/* SPDX-License-Identifier: GPL-2.0 */
/* What changed in memory management; see compat.h. */
#ifndef _GSLOT_BASE_COMPAT_MM_H
#define _GSLOT_BASE_COMPAT_MM_H

#include <linux/mm.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/version.h>

/* 6.3: vma->vm_flags is changed through functions. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_set(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags |= flags;
}
#endif

/* 6.7: shrinkers are allocated, and have a pointer to private data. */
typedef unsigned long (*gslot_shrink_fn)(struct shrinker *shrinker, struct shrink_control *sc);
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
struct gslot_old_shrinker {
	struct shrinker shrinker;
	void *data;
};

static inline void *gslot_shrinker_data(struct shrinker *shrinker)
{
	return container_of(shrinker, struct gslot_old_shrinker, shrinker)->data;
}

static inline struct shrinker *gslot_shrinker_create(const char *name, gslot_shrink_fn count,
						     gslot_shrink_fn scan, void *data)
{
	struct gslot_old_shrinker *s = kzalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return NULL;
	s->data = data;
	s->shrinker.count_objects = count;
	s->shrinker.scan_objects = scan;
	s->shrinker.seeks = DEFAULT_SEEKS;
	if (!register_shrinker(&s->shrinker, "gslot:%s", name))
		return &s->shrinker;
	kfree(s);
	return NULL;
}

static inline void gslot_shrinker_destroy(struct shrinker *shrinker)
{
	unregister_shrinker(shrinker);
	kfree(container_of(shrinker, struct gslot_old_shrinker, shrinker));
}
#else
static inline void *gslot_shrinker_data(struct shrinker *shrinker)
{
	return shrinker->private_data;
}

static inline struct shrinker *gslot_shrinker_create(const char *name, gslot_shrink_fn count,
						     gslot_shrink_fn scan, void *data)
{
	struct shrinker *shrinker = shrinker_alloc(0, "gslot:%s", name);

	if (!shrinker)
		return NULL;
	shrinker->private_data = data;
	shrinker->count_objects = count;
	shrinker->scan_objects = scan;
	shrinker_register(shrinker);
	return shrinker;
}

static inline void gslot_shrinker_destroy(struct shrinker *shrinker)
{
	shrinker_free(shrinker);
}
#endif

/* 6.17: there is no pfn_t any more. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
#include <linux/pfn_t.h>
static inline vm_fault_t gslot_insert_mixed(struct vm_fault *vmf, unsigned long pfn)
{
	return vmf_insert_mixed(vmf->vma, vmf->address, __pfn_to_pfn_t(pfn, PFN_DEV));
}
#else
static inline vm_fault_t gslot_insert_mixed(struct vm_fault *vmf, unsigned long pfn)
{
	return vmf_insert_mixed(vmf->vma, vmf->address, pfn);
}
#endif

#endif
