// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "migration.h"
#include "tap.h"
#include "vgpu.h"

const char *const mig_state_names[MIG_NR_STATES] = {
	"ERROR", "STOP", "RUNNING", "STOP_COPY", "RESUMING", "RUNNING_P2P", "PRE_COPY",
	"PRE_COPY_P2P",
};

/* @flags: VFIO_DEVICE_FEATURE_*; @data: in and out. 0 or -errno. */
static int feature(struct vfio *v, u32 flags, void *data, u32 len)
{
	u64 buf[8] = { 0 };
	struct vfio_device_feature *f = (void *)buf;
	int ret;

	f->argsz = sizeof(*f) + len;
	f->flags = flags;
	if (len)
		memcpy(f->data, data, len);
	ret = ioctl(v->fd, VFIO_DEVICE_FEATURE, f) < 0 ? -errno : 0;
	if (len)
		memcpy(data, f->data, len);
	return ret;
}

long mig_flags(struct vfio *v)
{
	u64 flags = 0;
	int ret = feature(v, VFIO_DEVICE_FEATURE_GET | VFIO_DEVICE_FEATURE_MIGRATION, &flags,
			  sizeof(flags));

	return ret ? ret : (long)flags;
}

int mig_set(struct vfio *v, enum mig_state state, int *fd)
{
	struct vfio_device_feature_mig_state s = { .device_state = state, .data_fd = -1 };
	int ret = feature(v, VFIO_DEVICE_FEATURE_SET | VFIO_DEVICE_FEATURE_MIG_DEVICE_STATE, &s,
			  sizeof(s));

	if (ret)
		s.data_fd = -1;
	if (fd)
		*fd = s.data_fd;
	else if (s.data_fd >= 0)
		close(s.data_fd);
	return ret;
}

int mig_get(struct vfio *v)
{
	struct vfio_device_feature_mig_state s = { .data_fd = -1 };
	int ret = feature(v, VFIO_DEVICE_FEATURE_GET | VFIO_DEVICE_FEATURE_MIG_DEVICE_STATE, &s,
			  sizeof(s));

	return ret ? ret : (int)s.device_state;
}

long mig_data_size(struct vfio *v)
{
	u64 size = 0;
	int ret = feature(v, VFIO_DEVICE_FEATURE_GET | VFIO_DEVICE_FEATURE_MIG_DATA_SIZE, &size,
			  sizeof(size));

	return ret ? ret : (long)size;
}

int mig_log_probe(struct vfio *v)
{
	return feature(v, VFIO_DEVICE_FEATURE_PROBE | VFIO_DEVICE_FEATURE_SET |
		       VFIO_DEVICE_FEATURE_DMA_LOGGING_START, NULL, 0);
}

int mig_log_start(struct vfio *v, const struct mig_range *ranges, u32 count)
{
	struct vfio_device_feature_dma_logging_control control = {
		.page_size = PAGE_SIZE, .num_ranges = count, .ranges = (u64)ranges,
	};

	return feature(v, VFIO_DEVICE_FEATURE_SET | VFIO_DEVICE_FEATURE_DMA_LOGGING_START,
		       &control, sizeof(control));
}

int mig_log_stop(struct vfio *v)
{
	return feature(v, VFIO_DEVICE_FEATURE_SET | VFIO_DEVICE_FEATURE_DMA_LOGGING_STOP, NULL, 0);
}

int mig_log_report(struct vfio *v, u64 iova, u64 size, u64 page_size, u64 *map)
{
	struct vfio_device_feature_dma_logging_report report = {
		.iova = iova, .length = size, .page_size = page_size, .bitmap = (u64)map,
	};

	return feature(v, VFIO_DEVICE_FEATURE_GET | VFIO_DEVICE_FEATURE_DMA_LOGGING_REPORT,
		       &report, sizeof(report));
}

bool mig_has_pre_copy(struct vfio *v)
{
	return mig_flags(v) >= 0 && mig_flags(v) & VFIO_MIGRATION_PRE_COPY;
}

int mig_pre_copy_info(int fd, u64 *initial, u64 *dirty)
{
	struct vfio_precopy_info info = { .argsz = sizeof(info), .flags = ~0u };

	if (ioctl(fd, VFIO_MIG_GET_PRECOPY_INFO, &info))
		return -errno;
	if (info.flags)
		tap_die("PRECOPY_INFO has flags: 0x%x", info.flags);
	*initial = info.initial_bytes;
	*dirty = info.dirty_bytes;
	return 0;
}

int mig_read(int fd, struct mig_stream *stream)
{
	ssize_t n;

	do {
		stream->data = realloc(stream->data, stream->len + MB(1));
		if (!stream->data)
			tap_die("no memory");
		n = read(fd, stream->data + stream->len, MB(1));
		if (n < 0)
			return -errno;
		stream->len += n;
	} while (n);
	return 0;
}

int mig_save(struct vfio *v, struct mig_stream *stream)
{
	int fd, ret = mig_set(v, MIG_STOP_COPY, &fd);

	if (ret)
		return ret;
	memset(stream, 0, sizeof(*stream));
	ret = fd < 0 ? -EBADF : mig_read(fd, stream);
	close(fd);
	return ret;
}

static int write_all(int fd, const struct mig_stream *stream, size_t piece)
{
	size_t done = 0, n;
	ssize_t ret;

	while (done < stream->len) {
		n = stream->len - done < piece ? stream->len - done : piece;
		ret = write(fd, stream->data + done, n);
		if (ret < 0)
			return -errno;
		done += ret;
	}
	return 0;
}

int mig_load(struct vfio *v, const struct mig_stream *stream, size_t piece)
{
	int fd, ret = mig_set(v, MIG_RESUMING, &fd);

	if (ret)
		return ret;
	ret = fd < 0 ? -EBADF : write_all(fd, stream, piece);
	close(fd);
	return ret;
}

void mig_free(struct mig_stream *stream)
{
	free(stream->data);
	memset(stream, 0, sizeof(*stream));
}

int mig_open(struct vfio *v, const char *uuid, const struct vgpu *guest)
{
	int ret = vfio_open(v, uuid);

	if (!ret)
		ret = vfio_dma_map(v, guest->ram.base, guest->ram.ptr, guest->ram.size);
	if (ret)
		vfio_close(v);
	return ret;
}

/* As QEMU: the config space and the MSI while the device still resumes. */
static void restore_msi(struct vfio *from, struct vfio *to, int msi)
{
	vfio_config_write(to, 4, 2, vfio_config_read(from, 4, 2));
	vfio_set_msi(to, msi);
}

int mig_move(struct vgpu *vgpu, const char *uuid)
{
	struct mig_stream stream = { 0 };
	struct vfio to;
	int ret;

	ret = mig_open(&to, uuid, vgpu);
	if (ret)
		return ret;
	ret = mig_save(&vgpu->dev, &stream);
	if (!ret)
		ret = mig_load(&to, &stream, MB(1));
	mig_free(&stream);
	if (!ret) {
		restore_msi(&vgpu->dev, &to, vgpu->msi);
		ret = mig_set(&to, MIG_STOP, NULL);
	}
	if (ret) {
		vfio_close(&to);
		mig_set(&vgpu->dev, MIG_RUNNING, NULL);
		return ret;
	}
	vgpu_rebind(vgpu, uuid, &to);
	return mig_set(&vgpu->dev, MIG_RUNNING, NULL);
}
