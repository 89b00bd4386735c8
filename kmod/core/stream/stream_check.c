// SPDX-License-Identifier: GPL-2.0
/*
 * The form of headers and payloads: what is not in use is 0. So a later version can give it a
 * meaning, and no reader of this one takes that for something else.
 */
#include "stream_priv.h"

#define ENGINE_FLAGS	(GSLOT_MIG_ENGINE_HUNG | GSLOT_MIG_ENGINE_BATCH)

static bool check_zeros(const void *from, size_t len)
{
	const u8 *byte = from, *end = byte + len;

	while (byte < end)
		if (*byte++)
			return false;
	return true;
}

/* Are at most all elements of an array in use, and the others 0? */
#define CHECK_TAIL(array, used)							\
	((used) <= ARRAY_SIZE(array) &&						\
	 check_zeros(&(array)[(used)], sizeof(array) - (used) * sizeof((array)[0])))

/* It goes into the log: no control characters, and nothing behind its end. */
static bool check_name(const char *name)
{
	u32 len = 0;

	while (len < GSLOT_MIG_TYPE_SIZE && name[len] >= '!' && name[len] <= '~')
		len++;
	return len < GSLOT_MIG_TYPE_SIZE && check_zeros(name + len, GSLOT_MIG_TYPE_SIZE - len);
}

static bool check_fuses(const struct gslot_mig_header *header)
{
	u32 i;

	if (!CHECK_TAIL(header->fuse, header->nr_fuses))
		return false;
	for (i = 1; i < header->nr_fuses; i++)
		if (header->fuse[i].offset <= header->fuse[i - 1].offset)
			return false;
	return true;
}

/* Return: 0 or -errno, as gslot_stream_read(). */
int stream_check_header(const struct gslot_mig_header *header)
{
	if (header->magic != GSLOT_MIG_MAGIC)
		return -EINVAL;
	if (header->version != GSLOT_MIG_VERSION)
		return -EOPNOTSUPP;
	if (header->crc != stream_header_crc(*header))
		return -EBADMSG;
	if (!check_name(header->type) || !check_fuses(header) ||
	    !check_zeros(header->reserved, sizeof(header->reserved)))
		return -EINVAL;
	return 0;
}

static bool check_batch(const struct gslot_mig_engine *engine)
{
	const struct gslot_mig_batch *batch = &engine->batch;

	if (engine->flags & GSLOT_MIG_ENGINE_BATCH)
		return !batch->flags && !batch->reserved;
	return check_zeros(batch, sizeof(*batch));
}

static bool check_engine(const struct gslot_mig_engine *engine)
{
	return !(engine->flags & ~ENGINE_FLAGS) &&
	       check_zeros(engine->reserved, sizeof(engine->reserved)) &&
	       CHECK_TAIL(engine->elsp, engine->nr_elsp) &&
	       CHECK_TAIL(engine->active, engine->nr_active) &&
	       CHECK_TAIL(engine->submit, engine->nr_submits) && check_batch(engine);
}

/* Is what a payload does not use 0? @type: one of this version; so is the payload's length. */
bool stream_payload_valid(u32 type, const void *payload)
{
	switch (type) {
	case GSLOT_MIG_PVINFO:
		return !((const struct gslot_mig_pvinfo *)payload)->reserved;
	case GSLOT_MIG_ENGINE:
		return check_engine(payload);
	case GSLOT_MIG_END:
		return !((const struct gslot_mig_end *)payload)->reserved;
	default:
		return true;
	}
}
