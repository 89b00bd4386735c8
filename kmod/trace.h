/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints. A vGPU is named by its client's name, an engine by its name; a
 * context by its id in the context status buffer.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM gslot

#if !defined(_GSLOT_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _GSLOT_TRACE_H

#include <linux/tracepoint.h>

#include "compat.h"
#include "core/engines.h"

TRACE_DEFINE_ENUM(GSLOT_RCS0);
TRACE_DEFINE_ENUM(GSLOT_BCS0);
TRACE_DEFINE_ENUM(GSLOT_VCS0);
TRACE_DEFINE_ENUM(GSLOT_VECS0);

#define gslot_show_engine(engine) \
	__print_symbolic(engine, { GSLOT_RCS0, "rcs0" }, { GSLOT_BCS0, "bcs0" }, \
			 { GSLOT_VCS0, "vcs0" }, { GSLOT_VECS0, "vecs0" })

/* What a request is, at each station of its life. */
DECLARE_EVENT_CLASS(gslot_request,
		    TP_PROTO(const char *client, enum gslot_engine_id engine, u32 ctx_id,
			     u64 seqno, u32 tail),
		    TP_ARGS(client, engine, ctx_id, seqno, tail),

		    TP_STRUCT__entry(__string(client, client)
				     __field(u32, engine)
				     __field(u32, ctx_id)
				     __field(u64, seqno)
				     __field(u32, tail)),

		    TP_fast_assign(gslot_assign_str(client, client);
				   __entry->engine = engine;
				   __entry->ctx_id = ctx_id;
				   __entry->seqno = seqno;
				   __entry->tail = tail;),

		    TP_printk("%s %s ctx=%u seqno=%llu tail=0x%x", __get_str(client),
			      gslot_show_engine(__entry->engine), __entry->ctx_id,
			      __entry->seqno, __entry->tail)
);

/* It is prepared and waits in its V-Channel. */
DEFINE_EVENT(gslot_request, gslot_request_queue,
	     TP_PROTO(const char *client, enum gslot_engine_id engine, u32 ctx_id, u64 seqno,
		      u32 tail),
	     TP_ARGS(client, engine, ctx_id, seqno, tail)
);

/* It goes into an ELSP port. */
DEFINE_EVENT(gslot_request, gslot_request_submit,
	     TP_PROTO(const char *client, enum gslot_engine_id engine, u32 ctx_id, u64 seqno,
		      u32 tail),
	     TP_ARGS(client, engine, ctx_id, seqno, tail)
);

/* It left its V-Channel; @result is enum gslot_request_result. */
TRACE_EVENT(gslot_request_retire,
	    TP_PROTO(const char *client, enum gslot_engine_id engine, u32 ctx_id, u64 seqno,
		     u32 result),
	    TP_ARGS(client, engine, ctx_id, seqno, result),

	    TP_STRUCT__entry(__string(client, client)
			     __field(u32, engine)
			     __field(u32, ctx_id)
			     __field(u64, seqno)
			     __field(u32, result)),

	    TP_fast_assign(gslot_assign_str(client, client);
			   __entry->engine = engine;
			   __entry->ctx_id = ctx_id;
			   __entry->seqno = seqno;
			   __entry->result = result;),

	    TP_printk("%s %s ctx=%u seqno=%llu %s", __get_str(client),
		      gslot_show_engine(__entry->engine), __entry->ctx_id, __entry->seqno,
		      __print_symbolic(__entry->result,
				       { 0, "done" }, { 1, "cancelled" }, { 2, "hung" }))
);

/* The GPU passes from one vGPU to another ("-": nobody). */
TRACE_EVENT(gslot_switch,
	    TP_PROTO(const char *from, const char *to, u64 ran_ns, u64 switch_ns),
	    TP_ARGS(from, to, ran_ns, switch_ns),

	    TP_STRUCT__entry(__string(from, from)
			     __string(to, to)
			     __field(u64, ran_ns)
			     __field(u64, switch_ns)),

	    TP_fast_assign(gslot_assign_str(from, from);
			   gslot_assign_str(to, to);
			   __entry->ran_ns = ran_ns;
			   __entry->switch_ns = switch_ns;),

	    TP_printk("%s -> %s ran=%llu ns switch=%llu ns", __get_str(from), __get_str(to),
		      __entry->ran_ns, __entry->switch_ns)
);

/* One entry of the context status buffer. */
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
		      __entry->status,
		      __print_flags(__entry->status, "|",
				    { 0x0001, "active" }, { 0x0002, "preempted" },
				    { 0x0004, "switch" }, { 0x0008, "idle" },
				    { 0x0010, "complete" }, { 0x8000, "lite" }),
		      __entry->ctx_id)
);

/* A command streamer stopped with an error. */
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
