/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints of a request, from submission to interrupt: docs/tracing.md. Common fields:
 *   vgpu	the vGPU's UUID, or "-"
 *   engine	the engine, by name
 *   lrca	a context: the guest's address of its image
 *   ctx	a context on the hardware: its id in the context status buffer (CSB)
 *   seqno	a request: its number among those of its vGPU on its engine
 *   from, to, tail, at	of a request: offsets in its context's ring, bytes
 *   addr	graphics address of the guest
 *   place	graphics address in the physical GGTT
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM gslot

#if !defined(_GSLOT_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _GSLOT_TRACE_H

#include <linux/tracepoint.h>

#include "base/compat.h"
#include "core/regs/engines.h"

TRACE_DEFINE_ENUM(GSLOT_RCS0);
TRACE_DEFINE_ENUM(GSLOT_BCS0);
TRACE_DEFINE_ENUM(GSLOT_VCS0);
TRACE_DEFINE_ENUM(GSLOT_VECS0);

#define gslot_show_engine(engine) \
	__print_symbolic(engine, { GSLOT_RCS0, "rcs0" }, { GSLOT_BCS0, "bcs0" }, \
			 { GSLOT_VCS0, "vcs0" }, { GSLOT_VECS0, "vecs0" })

/* A bit mask of engines. */
#define gslot_show_engines(engines) \
	__print_flags(engines, "|", { 1, "rcs0" }, { 2, "bcs0" }, { 4, "vcs0" }, { 8, "vecs0" })

/* enum gslot_request_result */
#define gslot_show_result(result) \
	__print_symbolic(result, { 0, "done" }, { 1, "cancelled" }, { 2, "hung" }, { 3, "error" })

/* What a function returned: 0 or -errno. -EINTR: a part is done, as the lock is contended. */
#define gslot_show_return(ret) \
	__print_symbolic(-(ret), { 0, "ok" }, { EPERM, "EPERM" }, { EINTR, "EINTR" }, \
			 { E2BIG, "E2BIG" }, { EAGAIN, "EAGAIN" }, { ENOMEM, "ENOMEM" }, \
			 { EFAULT, "EFAULT" }, { EBUSY, "EBUSY" }, { EINVAL, "EINVAL" }, \
			 { EFBIG, "EFBIG" }, { ENOSPC, "ENOSPC" }, { EBADMSG, "EBADMSG" }, \
			 { EMSGSIZE, "EMSGSIZE" }, { EOPNOTSUPP, "EOPNOTSUPP" }, \
			 { EDQUOT, "EDQUOT" }, { ENOBUFS, "ENOBUFS" }, \
			 { ESTALE, "ESTALE" }, { ENODEV, "ENODEV" }, { EIO, "EIO" })

/* The lower half of a CSB entry. */
#define gslot_show_status(status) \
	__print_flags(status, "|", { 0x0001, "active" }, { 0x0002, "preempted" }, \
		      { 0x0004, "switch" }, { 0x0008, "idle" }, { 0x0010, "complete" }, \
		      { 0x8000, "lite" })

/* The guest submitted by its fourth write to ELSP: the valid ones of two descriptors, or 0. */
TRACE_EVENT(gslot_guest_submit,
	    TP_PROTO(const char *vgpu, enum gslot_engine_id engine, u64 desc0, u64 desc1),
	    TP_ARGS(vgpu, engine, desc0, desc1),
	    TP_STRUCT__entry(__string(vgpu, vgpu)
			     __field(u32, engine)
			     __field(u64, desc0)
			     __field(u64, desc1)),
	    TP_fast_assign(gslot_assign_str(vgpu, vgpu);
			   __entry->engine = engine;
			   __entry->desc0 = desc0;
			   __entry->desc1 = desc1;),
	    TP_printk("%s %s lrca=0x%llx then=0x%llx desc=0x%llx,0x%llx", __get_str(vgpu),
		      gslot_show_engine(__entry->engine), __entry->desc0 & 0xfffff000,
		      __entry->desc1 & 0xfffff000, __entry->desc0, __entry->desc1)
);

/* Sync of the shadow GGTT: tables compared, entries that had changed, entries without memory. */
TRACE_EVENT(gslot_ggtt_sync,
	    TP_PROTO(const char *vgpu, u64 tables, u64 entries, u64 bad, int ret),
	    TP_ARGS(vgpu, tables, entries, bad, ret),
	    TP_STRUCT__entry(__string(vgpu, vgpu)
			     __field(u32, tables)
			     __field(u32, entries)
			     __field(u32, bad)
			     __field(int, ret)),
	    TP_fast_assign(gslot_assign_str(vgpu, vgpu);
			   __entry->tables = tables;
			   __entry->entries = entries;
			   __entry->bad = bad;
			   __entry->ret = ret;),
	    TP_printk("%s tables=%u entries=%u bad=%u %s", __get_str(vgpu), __entry->tables,
		      __entry->entries, __entry->bad, gslot_show_return(__entry->ret))
);

/* A range of low graphics memory was given a place in the physical aperture; fence -1: none. */
TRACE_EVENT(gslot_aperture_place,
	    TP_PROTO(const char *vgpu, u64 addr, u32 pages, u64 place, int fence),
	    TP_ARGS(vgpu, addr, pages, place, fence),
	    TP_STRUCT__entry(__string(vgpu, vgpu)
			     __field(u64, addr)
			     __field(u64, place)
			     __field(u32, pages)
			     __field(int, fence)),
	    TP_fast_assign(gslot_assign_str(vgpu, vgpu);
			   __entry->addr = addr;
			   __entry->place = place;
			   __entry->pages = pages;
			   __entry->fence = fence;),
	    TP_printk("%s addr=0x%llx pages=%u place=0x%llx fence=%d", __get_str(vgpu),
		      __entry->addr, __entry->pages, __entry->place, __entry->fence)
);

/* A range lost its place in the physical aperture to a range of vGPU @to, perhaps the same. */
TRACE_EVENT(gslot_aperture_demote,
	    TP_PROTO(const char *vgpu, u64 addr, u32 pages, const char *to),
	    TP_ARGS(vgpu, addr, pages, to),
	    TP_STRUCT__entry(__string(vgpu, vgpu)
			     __string(to, to)
			     __field(u64, addr)
			     __field(u32, pages)),
	    TP_fast_assign(gslot_assign_str(vgpu, vgpu);
			   gslot_assign_str(to, to);
			   __entry->addr = addr;
			   __entry->pages = pages;),
	    TP_printk("%s addr=0x%llx pages=%u for %s", __get_str(vgpu), __entry->addr,
		      __entry->pages, __get_str(to))
);

/* Graphics memory of a vGPU, and where it is in the physical GGTT. */
DECLARE_EVENT_CLASS(gslot_addr_place,
		    TP_PROTO(const char *vgpu, u64 addr, u64 place),
		    TP_ARGS(vgpu, addr, place),
		    TP_STRUCT__entry(__string(vgpu, vgpu)
				     __field(u64, addr)
				     __field(u64, place)),
		    TP_fast_assign(gslot_assign_str(vgpu, vgpu);
				   __entry->addr = addr;
				   __entry->place = place;),
		    TP_printk("%s addr=0x%llx place=0x%llx", __get_str(vgpu), __entry->addr,
			      __entry->place)
);

/* 64 KB that commands name became resident: they were given a run of physical entries. */
DEFINE_EVENT(gslot_addr_place, gslot_resident_load,
	     TP_PROTO(const char *vgpu, u64 addr, u64 place),
	     TP_ARGS(vgpu, addr, place)
);

/* An address in a request's commands, before its gslot_request_prepare. */
DEFINE_EVENT(gslot_addr_place, gslot_request_name,
	     TP_PROTO(const char *vgpu, u64 addr, u64 place),
	     TP_ARGS(vgpu, addr, place)
);

/* With places: a vGPU's place changed, from one first slot to another; -1: none. */
TRACE_EVENT(gslot_place_move,
	    TP_PROTO(const char *vgpu, s32 from, s32 to),
	    TP_ARGS(vgpu, from, to),
	    TP_STRUCT__entry(__string(vgpu, vgpu)
			     __field(s32, from)
			     __field(s32, to)),
	    TP_fast_assign(gslot_assign_str(vgpu, vgpu);
			   __entry->from = from;
			   __entry->to = to;),
	    TP_printk("%s from=%d to=%d", __get_str(vgpu), __entry->from, __entry->to)
);

/* With places: physical entries were loaded for a vGPU that gets the GPU now, or next. */
TRACE_EVENT(gslot_place_load,
	    TP_PROTO(const char *vgpu, u32 why, u32 entries, u64 ns),
	    TP_ARGS(vgpu, why, entries, ns),
	    TP_STRUCT__entry(__string(vgpu, vgpu)
			     __field(u32, why)
			     __field(u32, entries)
			     __field(u64, ns)),
	    TP_fast_assign(gslot_assign_str(vgpu, vgpu);
			   __entry->why = why;
			   __entry->entries = entries;
			   __entry->ns = ns;),
	    TP_printk("%s why=%s entries=%u ns=%llu", __get_str(vgpu),
		      __print_symbolic(__entry->why, { 0, "switch" }, { 2, "ahead" }),
		      __entry->entries, __entry->ns)
);

/* Sync of a context's shadow page tables: tables compared, updated, and invalid. */
TRACE_EVENT(gslot_ppgtt_sync,
	    TP_PROTO(const char *vgpu, enum gslot_engine_id engine, u32 lrca, u64 compared,
		     u64 updated, u64 invalid, int ret),
	    TP_ARGS(vgpu, engine, lrca, compared, updated, invalid, ret),
	    TP_STRUCT__entry(__string(vgpu, vgpu)
			     __field(u32, engine)
			     __field(u32, lrca)
			     __field(u32, compared)
			     __field(u32, updated)
			     __field(u32, invalid)
			     __field(int, ret)),
	    TP_fast_assign(gslot_assign_str(vgpu, vgpu);
			   __entry->engine = engine;
			   __entry->lrca = lrca;
			   __entry->compared = compared;
			   __entry->updated = updated;
			   __entry->invalid = invalid;
			   __entry->ret = ret;),
	    TP_printk("%s %s lrca=0x%x compared=%u updated=%u invalid=%u %s", __get_str(vgpu),
		      gslot_show_engine(__entry->engine), __entry->lrca, __entry->compared,
		      __entry->updated, __entry->invalid, gslot_show_return(__entry->ret))
);

/* A context's ring was scanned and copied; if not, why, and the refused command (bad_cmd). */
TRACE_EVENT(gslot_request_prepare,
	    TP_PROTO(const char *vgpu, enum gslot_engine_id engine, u32 lrca, u32 from, u32 to,
		     u32 bad_cmd, int ret),
	    TP_ARGS(vgpu, engine, lrca, from, to, bad_cmd, ret),
	    TP_STRUCT__entry(__string(vgpu, vgpu)
			     __field(u32, engine)
			     __field(u32, lrca)
			     __field(u32, from)
			     __field(u32, to)
			     __field(u32, bad_cmd)
			     __field(int, ret)),
	    TP_fast_assign(gslot_assign_str(vgpu, vgpu);
			   __entry->engine = engine;
			   __entry->lrca = lrca;
			   __entry->from = from;
			   __entry->to = to;
			   __entry->bad_cmd = bad_cmd;
			   __entry->ret = ret;),
	    TP_printk("%s %s lrca=0x%x from=0x%x to=0x%x bad_cmd=0x%x %s", __get_str(vgpu),
		      gslot_show_engine(__entry->engine), __entry->lrca, __entry->from,
		      __entry->to, __entry->bad_cmd, gslot_show_return(__entry->ret))
);

/* A request; its ring ends at tail. */
DECLARE_EVENT_CLASS(gslot_request,
		    TP_PROTO(const char *vgpu, enum gslot_engine_id engine, u32 lrca, u32 ctx_id,
			     u64 seqno, u32 tail),
		    TP_ARGS(vgpu, engine, lrca, ctx_id, seqno, tail),
		    TP_STRUCT__entry(__string(vgpu, vgpu)
				     __field(u32, engine)
				     __field(u32, lrca)
				     __field(u32, ctx_id)
				     __field(u64, seqno)
				     __field(u32, tail)),
		    TP_fast_assign(gslot_assign_str(vgpu, vgpu);
				   __entry->engine = engine;
				   __entry->lrca = lrca;
				   __entry->ctx_id = ctx_id;
				   __entry->seqno = seqno;
				   __entry->tail = tail;),
		    TP_printk("%s %s lrca=0x%x ctx=%u seqno=%llu tail=0x%x", __get_str(vgpu),
			      gslot_show_engine(__entry->engine), __entry->lrca,
			      __entry->ctx_id, __entry->seqno, __entry->tail)
);

/* A prepared request was queued in its V-Channel; ctx is of the context's last submission. */
DEFINE_EVENT(gslot_request, gslot_request_queue,
	     TP_PROTO(const char *vgpu, enum gslot_engine_id engine, u32 lrca, u32 ctx_id,
		      u64 seqno, u32 tail),
	     TP_ARGS(vgpu, engine, lrca, ctx_id, seqno, tail)
);

/* A request was written to ELSP of the hardware. */
DEFINE_EVENT(gslot_request, gslot_request_submit,
	     TP_PROTO(const char *vgpu, enum gslot_engine_id engine, u32 lrca, u32 ctx_id,
		      u64 seqno, u32 tail),
	     TP_ARGS(vgpu, engine, lrca, ctx_id, seqno, tail)
);

/* A request was retired from its V-Channel. */
TRACE_EVENT(gslot_request_retire,
	    TP_PROTO(const char *vgpu, enum gslot_engine_id engine, u32 lrca, u32 ctx_id,
		     u64 seqno, u32 result),
	    TP_ARGS(vgpu, engine, lrca, ctx_id, seqno, result),
	    TP_STRUCT__entry(__string(vgpu, vgpu)
			     __field(u32, engine)
			     __field(u32, lrca)
			     __field(u32, ctx_id)
			     __field(u64, seqno)
			     __field(u32, result)),
	    TP_fast_assign(gslot_assign_str(vgpu, vgpu);
			   __entry->engine = engine;
			   __entry->lrca = lrca;
			   __entry->ctx_id = ctx_id;
			   __entry->seqno = seqno;
			   __entry->result = result;),
	    TP_printk("%s %s lrca=0x%x ctx=%u seqno=%llu %s", __get_str(vgpu),
		      gslot_show_engine(__entry->engine), __entry->lrca, __entry->ctx_id,
		      __entry->seqno, gslot_show_result(__entry->result))
);

/* A saved context was copied to the guest's memory: its registers, or its whole image. */
TRACE_EVENT(gslot_context_export,
	    TP_PROTO(const char *vgpu, enum gslot_engine_id engine, u32 lrca, u32 at, bool image),
	    TP_ARGS(vgpu, engine, lrca, at, image),
	    TP_STRUCT__entry(__string(vgpu, vgpu)
			     __field(u32, engine)
			     __field(u32, lrca)
			     __field(u32, at)
			     __field(bool, image)),
	    TP_fast_assign(gslot_assign_str(vgpu, vgpu);
			   __entry->engine = engine;
			   __entry->lrca = lrca;
			   __entry->at = at;
			   __entry->image = image;),
	    TP_printk("%s %s lrca=0x%x at=0x%x %s", __get_str(vgpu),
		      gslot_show_engine(__entry->engine), __entry->lrca, __entry->at,
		      __print_symbolic(__entry->image, { 0, "registers" }, { 1, "image" }))
);

/* An entry of the guest's CSB; id is the upper half of the context's descriptor. */
TRACE_EVENT(gslot_guest_csb,
	    TP_PROTO(const char *vgpu, enum gslot_engine_id engine, u32 status, u32 id),
	    TP_ARGS(vgpu, engine, status, id),
	    TP_STRUCT__entry(__string(vgpu, vgpu)
			     __field(u32, engine)
			     __field(u32, status)
			     __field(u32, id)),
	    TP_fast_assign(gslot_assign_str(vgpu, vgpu);
			   __entry->engine = engine;
			   __entry->status = status;
			   __entry->id = id;),
	    TP_printk("%s %s status=0x%x (%s) id=0x%x", __get_str(vgpu),
		      gslot_show_engine(__entry->engine), __entry->status,
		      gslot_show_status(__entry->status), __entry->id)
);

/* An MSI to the guest, and the engines that have something pending by its master register. */
TRACE_EVENT(gslot_guest_irq,
	    TP_PROTO(const char *vgpu, u32 master),
	    TP_ARGS(vgpu, master),
	    TP_STRUCT__entry(__string(vgpu, vgpu)
			     __field(u32, master)),
	    TP_fast_assign(gslot_assign_str(vgpu, vgpu);
			   __entry->master = master;),
	    TP_printk("%s master=0x%x (%s)", __get_str(vgpu), __entry->master,
		      __print_flags(__entry->master & 0x7fffffff, "|", { 0x01, "rcs0" },
				    { 0x02, "bcs0" }, { 0x04, "vcs0" }, { 0x40, "vecs0" }))
);

/* The guest reset engines, or its device: all of them. */
TRACE_EVENT(gslot_guest_reset,
	    TP_PROTO(const char *vgpu, u32 engines),
	    TP_ARGS(vgpu, engines),
	    TP_STRUCT__entry(__string(vgpu, vgpu)
			     __field(u32, engines)),
	    TP_fast_assign(gslot_assign_str(vgpu, vgpu);
			   __entry->engines = engines;),
	    TP_printk("%s %s", __get_str(vgpu), gslot_show_engines(__entry->engines))
);

/* The module reset an engine: the vGPU, context and result of the request that was on it. */
TRACE_EVENT(gslot_engine_reset,
	    TP_PROTO(const char *vgpu, enum gslot_engine_id engine, u32 lrca, u32 result),
	    TP_ARGS(vgpu, engine, lrca, result),
	    TP_STRUCT__entry(__string(vgpu, vgpu)
			     __field(u32, engine)
			     __field(u32, lrca)
			     __field(u32, result)),
	    TP_fast_assign(gslot_assign_str(vgpu, vgpu);
			   __entry->engine = engine;
			   __entry->lrca = lrca;
			   __entry->result = result;),
	    TP_printk("%s %s lrca=0x%x %s", __get_str(vgpu), gslot_show_engine(__entry->engine),
		      __entry->lrca, gslot_show_result(__entry->result))
);

/* enum sched_engine_state */
#define gslot_show_engine_state(state) \
	__print_symbolic(state, { 0, "free" }, { 1, "owned" }, { 2, "draining" }, { 3, "late" }, \
			 { 4, "failed" }, { 5, "resetting" })

/* The state of an engine changes; its owner, or "-". */
TRACE_EVENT(gslot_engine_state,
	    TP_PROTO(const char *vgpu, enum gslot_engine_id engine, u32 from, u32 to),
	    TP_ARGS(vgpu, engine, from, to),
	    TP_STRUCT__entry(__string(vgpu, vgpu)
			     __field(u32, engine)
			     __field(u32, from)
			     __field(u32, to)),
	    TP_fast_assign(gslot_assign_str(vgpu, vgpu);
			   __entry->engine = engine;
			   __entry->from = from;
			   __entry->to = to;),
	    TP_printk("%s %s %s -> %s", __get_str(vgpu), gslot_show_engine(__entry->engine),
		      gslot_show_engine_state(__entry->from), gslot_show_engine_state(__entry->to))
);

TRACE_DEFINE_ENUM(VFIO_DEVICE_STATE_ERROR);
TRACE_DEFINE_ENUM(VFIO_DEVICE_STATE_STOP);
TRACE_DEFINE_ENUM(VFIO_DEVICE_STATE_RUNNING);
TRACE_DEFINE_ENUM(VFIO_DEVICE_STATE_STOP_COPY);
TRACE_DEFINE_ENUM(VFIO_DEVICE_STATE_RESUMING);
TRACE_DEFINE_ENUM(VFIO_DEVICE_STATE_RUNNING_P2P);
TRACE_DEFINE_ENUM(VFIO_DEVICE_STATE_PRE_COPY);
TRACE_DEFINE_ENUM(VFIO_DEVICE_STATE_PRE_COPY_P2P);

/* enum vfio_device_mig_state */
#define gslot_show_mig_state(state) \
	__print_symbolic(state, { VFIO_DEVICE_STATE_ERROR, "ERROR" }, \
			 { VFIO_DEVICE_STATE_STOP, "STOP" }, \
			 { VFIO_DEVICE_STATE_RUNNING, "RUNNING" }, \
			 { VFIO_DEVICE_STATE_STOP_COPY, "STOP_COPY" }, \
			 { VFIO_DEVICE_STATE_RESUMING, "RESUMING" }, \
			 { VFIO_DEVICE_STATE_RUNNING_P2P, "RUNNING_P2P" }, \
			 { VFIO_DEVICE_STATE_PRE_COPY, "PRE_COPY" }, \
			 { VFIO_DEVICE_STATE_PRE_COPY_P2P, "PRE_COPY_P2P" })

/* The user changes a vGPU's state of migration, by one arc. */
TRACE_EVENT(gslot_mig_state,
	    TP_PROTO(const char *vgpu, u32 from, u32 to, int ret),
	    TP_ARGS(vgpu, from, to, ret),
	    TP_STRUCT__entry(__string(vgpu, vgpu)
			     __field(u32, from)
			     __field(u32, to)
			     __field(int, ret)),
	    TP_fast_assign(gslot_assign_str(vgpu, vgpu);
			   __entry->from = from;
			   __entry->to = to;
			   __entry->ret = ret;),
	    TP_printk("%s %s -> %s %s", __get_str(vgpu), gslot_show_mig_state(__entry->from),
		      gslot_show_mig_state(__entry->to), gslot_show_return(__entry->ret))
);

/* In pre-copy submissions of a vGPU are held, or processed again; how many pages it has pinned. */
TRACE_EVENT(gslot_precopy_hold,
	    TP_PROTO(const char *vgpu, bool held, u64 pinned),
	    TP_ARGS(vgpu, held, pinned),
	    TP_STRUCT__entry(__string(vgpu, vgpu)
			     __field(bool, held)
			     __field(u64, pinned)),
	    TP_fast_assign(gslot_assign_str(vgpu, vgpu);
			   __entry->held = held;
			   __entry->pinned = pinned;),
	    TP_printk("%s %s pinned=%llu", __get_str(vgpu), __entry->held ? "held" : "resumed",
		      __entry->pinned)
);

/* A report of a vGPU's dirty log: the number of dirty pages in a range. */
TRACE_EVENT(gslot_dirty_log,
	    TP_PROTO(const char *vgpu, u64 first, u64 last, u64 pages, int ret),
	    TP_ARGS(vgpu, first, last, pages, ret),
	    TP_STRUCT__entry(__string(vgpu, vgpu)
			     __field(u64, first)
			     __field(u64, last)
			     __field(u64, pages)
			     __field(int, ret)),
	    TP_fast_assign(gslot_assign_str(vgpu, vgpu);
			   __entry->first = first;
			   __entry->last = last;
			   __entry->pages = pages;
			   __entry->ret = ret;),
	    TP_printk("%s gfn 0x%llx-0x%llx: pages=%llu %s", __get_str(vgpu), __entry->first,
		      __entry->last, __entry->pages, gslot_show_return(__entry->ret))
);

/* Pages of a vGPU were unpinned, for the host or a limit, in a step with that idle time. */
TRACE_EVENT(gslot_shrink,
	    TP_PROTO(const char *vgpu, u32 idle_ms, u64 pages),
	    TP_ARGS(vgpu, idle_ms, pages),
	    TP_STRUCT__entry(__string(vgpu, vgpu)
			     __field(u32, idle_ms)
			     __field(u64, pages)),
	    TP_fast_assign(gslot_assign_str(vgpu, vgpu);
			   __entry->idle_ms = idle_ms;
			   __entry->pages = pages;),
	    TP_printk("%s idle=%u ms pages=%llu", __get_str(vgpu), __entry->idle_ms,
		      __entry->pages)
);

/* A vGPU needs pages for which there is no room; @token: enum gslot_exec_room. */
TRACE_EVENT(gslot_room,
	    TP_PROTO(const char *vgpu, u32 pages, u32 token),
	    TP_ARGS(vgpu, pages, token),
	    TP_STRUCT__entry(__string(vgpu, vgpu)
			     __field(u32, pages)
			     __field(u32, token)),
	    TP_fast_assign(gslot_assign_str(vgpu, vgpu);
			   __entry->pages = pages;
			   __entry->token = token;),
	    TP_printk("%s pages=%u token=%u", __get_str(vgpu), __entry->pages, __entry->token)
);

/* An error of a vGPU (base/guest_error.h), without the log's rate limit. */
TRACE_EVENT(gslot_guest_error,
	    TP_PROTO(const char *vgpu, const char *cause, struct va_format *what),
	    TP_ARGS(vgpu, cause, what),
	    TP_STRUCT__entry(__string(vgpu, vgpu)
			     __string(cause, cause)
			     __vstring(what, what->fmt, what->va)),
	    TP_fast_assign(gslot_assign_str(vgpu, vgpu);
			   gslot_assign_str(cause, cause);
			   __assign_vstr(what, what->fmt, what->va);),
	    TP_printk("%s %s: %s", __get_str(vgpu), __get_str(cause), __get_str(what))
);

/* Engines passed from one vGPU to another, after how long with it, and how long the switch took. */
TRACE_EVENT(gslot_switch,
	    TP_PROTO(u32 engines, const char *from, const char *to, u64 ran_ns, u64 switch_ns),
	    TP_ARGS(engines, from, to, ran_ns, switch_ns),
	    TP_STRUCT__entry(__string(from, from)
			     __string(to, to)
			     __field(u64, ran_ns)
			     __field(u64, switch_ns)
			     __field(u32, engines)),
	    TP_fast_assign(gslot_assign_str(from, from);
			   gslot_assign_str(to, to);
			   __entry->engines = engines;
			   __entry->ran_ns = ran_ns;
			   __entry->switch_ns = switch_ns;),
	    TP_printk("%s %s -> %s ran=%llu ns switch=%llu ns",
		      gslot_show_engines(__entry->engines), __get_str(from), __get_str(to),
		      __entry->ran_ns, __entry->switch_ns)
);

/* An entry of the hardware's CSB. */
TRACE_EVENT(gslot_csb,
	    TP_PROTO(enum gslot_engine_id engine, u32 status, u32 ctx_id),
	    TP_ARGS(engine, status, ctx_id),
	    TP_STRUCT__entry(__field(u32, engine)
			     __field(u32, status)
			     __field(u32, ctx_id)),
	    TP_fast_assign(__entry->engine = engine;
			   __entry->status = status;
			   __entry->ctx_id = ctx_id;),
	    TP_printk("%s status=0x%x (%s) ctx=%u", gslot_show_engine(__entry->engine),
		      __entry->status, gslot_show_status(__entry->status), __entry->ctx_id)
);

/* A command streamer stopped with an error: EIR, fault register, fault address. */
TRACE_EVENT(gslot_fault,
	    TP_PROTO(enum gslot_engine_id engine, u32 eir, u32 fault, u64 addr),
	    TP_ARGS(engine, eir, fault, addr),
	    TP_STRUCT__entry(__field(u32, engine)
			     __field(u32, eir)
			     __field(u32, fault)
			     __field(u64, addr)),
	    TP_fast_assign(__entry->engine = engine;
			   __entry->eir = eir;
			   __entry->fault = fault;
			   __entry->addr = addr;),
	    TP_printk("%s eir=0x%x fault=0x%x addr=0x%llx", gslot_show_engine(__entry->engine),
		      __entry->eir, __entry->fault, __entry->addr)
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
