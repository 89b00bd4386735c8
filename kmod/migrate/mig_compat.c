// SPDX-License-Identifier: GPL-2.0
/*
 * Does a stream fit this vGPU? Its guest has seen the part, its fuses and the sizes of graphics
 * memory, and does not look again. Host addresses are not compared: a vGPU never sees one.
 */
#include "migrate_priv.h"
#include "base/guest_error.h"
#include "vgpu/vgpu.h"

static int compat_refuse(struct gslot_mig *mig, const struct gslot_mig_header *header,
			 const char *what, u64 src, u64 dst)
{
	gslot_guest_err(gslot_vgpu_guest_errors(mig->vgpu), GSLOT_GUEST_ERR_MIGRATION,
			"%s is %#llx at the source (%s), and %#llx here", what, src, header->type,
			dst);
	return -EINVAL;
}

static int compat_check_fields(struct gslot_mig *mig, const struct gslot_mig_header *src,
			       const struct gslot_mig_header *dst)
{
	const struct {
		const char *what;
		u64 src;
		u64 dst;
	} fields[] = {
		{ "the PCI vendor", src->vendor, dst->vendor },
		{ "the PCI device", src->device, dst->device },
		{ "the revision", src->revision, dst->revision },
		{ "the generation", src->gen, dst->gen },
		{ "the number of fences", src->nr_fences, dst->nr_fences },
		{ "the version of PVINFO", src->pvinfo_version, dst->pvinfo_version },
		{ "the capabilities in PVINFO", src->pvinfo_caps, dst->pvinfo_caps },
		{ "the size of the GGTT", src->ggtt_size, dst->ggtt_size },
		{ "low graphics memory", src->low_size, dst->low_size },
		{ "high graphics memory", src->high_size, dst->high_size },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(fields); i++)
		if (fields[i].src != fields[i].dst)
			return compat_refuse(mig, src, fields[i].what, fields[i].src,
					     fields[i].dst);
	return 0;
}

static u32 compat_fuse_offset(const struct gslot_mig_header *header, u32 i)
{
	return i < header->nr_fuses ? header->fuse[i].offset : U32_MAX;
}

/* Return: the value of the fuse at @offset, 0 if it is not the @i-th; then that one is next. */
static u32 compat_take_fuse(const struct gslot_mig_header *header, u32 *i, u32 offset)
{
	if (*i == header->nr_fuses || header->fuse[*i].offset != offset)
		return 0;
	return header->fuse[(*i)++].value;
}

/* Both have them by ascending offset. A guest reads 0 from one that its host does not know. */
static int compat_check_fuses(struct gslot_mig *mig, const struct gslot_mig_header *src,
			      const struct gslot_mig_header *dst)
{
	u32 s = 0, d = 0, offset, value, expected;
	char what[32];

	while (s < src->nr_fuses || d < dst->nr_fuses) {
		offset = min(compat_fuse_offset(src, s), compat_fuse_offset(dst, d));
		value = compat_take_fuse(src, &s, offset);
		expected = compat_take_fuse(dst, &d, offset);
		if (value == expected)
			continue;
		snprintf(what, sizeof(what), "the fuse at %#x", offset);
		return compat_refuse(mig, src, what, value, expected);
	}
	return 0;
}

/* @src: a header of a valid form. Return: 0; or -EINVAL, and the log says what differs. */
int mig_check_compatible(struct gslot_mig *mig, const struct gslot_mig_header *src)
{
	struct gslot_mig_header dst;

	gslot_vgpu_describe(mig->vgpu, &dst);
	return compat_check_fields(mig, src, &dst) ?: compat_check_fuses(mig, src, &dst);
}
