/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: arithmetic of the command streamer: MI_MATH, MI_ATOMIC
 * and predication (PRM Skylake volume 2a and volume 6, "ALU").
 */
#include "gen9_compat.h"
#include "gen9_int.h"

/* Instructions and operands of MI_MATH. */
#define ALU_OPCODE(dw)      ((dw) >> 20)
#define ALU_OPERAND1(dw)    (((dw) >> 10) & 0x3ff)
#define ALU_OPERAND2(dw)    ((dw) & 0x3ff)
#define ALU_LOAD            0x080
#define ALU_LOADINV         0x480
#define ALU_LOAD0           0x081
#define ALU_LOAD1           0x481
#define ALU_ADD             0x100
#define ALU_SUB             0x101
#define ALU_AND             0x102
#define ALU_OR              0x103
#define ALU_XOR             0x104
#define ALU_STORE           0x180
#define ALU_STOREINV        0x580
#define ALU_SRCA            0x20
#define ALU_ACCU            0x31
#define ALU_ZF              0x32
#define ALU_CF              0x33

typedef struct Alu {
    uint64_t a, b, accu;
    uint64_t zf, cf;            /* all ones or 0 */
} Alu;

static uint64_t flag(bool set)
{
    return set ? ~0ULL : 0;
}

static uint64_t alu_operand(Gen9Engine *e, const Alu *alu, unsigned operand)
{
    switch (operand) {
    case ALU_ACCU:
        return alu->accu;
    case ALU_ZF:
        return alu->zf;
    case ALU_CF:
        return alu->cf;
    }
    return operand < RING_NR_GPR ? gen9_ereg64(e, RING_GPR(operand)) : 0;
}

static void alu_set_source(Alu *alu, unsigned operand, uint64_t value)
{
    if (operand == ALU_SRCA) {
        alu->a = value;
    } else {
        alu->b = value;
    }
}

static void alu_compute(Alu *alu, unsigned opcode)
{
    alu->cf = 0;
    switch (opcode) {
    case ALU_ADD:
        alu->accu = alu->a + alu->b;
        alu->cf = flag(alu->accu < alu->a);
        break;
    case ALU_SUB:
        alu->accu = alu->a - alu->b;
        alu->cf = flag(alu->a < alu->b);
        break;
    case ALU_AND:
        alu->accu = alu->a & alu->b;
        break;
    case ALU_OR:
        alu->accu = alu->a | alu->b;
        break;
    case ALU_XOR:
        alu->accu = alu->a ^ alu->b;
        break;
    }
    alu->zf = flag(alu->accu == 0);
}

Gen9Exec gen9_mi_math(Gen9Engine *e, const uint32_t *cmd, unsigned n)
{
    Alu alu = { 0 };

    for (unsigned i = 1; i < n; i++) {
        unsigned opcode = ALU_OPCODE(cmd[i]);
        unsigned to = ALU_OPERAND1(cmd[i]);
        uint64_t value = alu_operand(e, &alu, ALU_OPERAND2(cmd[i]));

        switch (opcode) {
        case ALU_LOAD:
            alu_set_source(&alu, to, value);
            break;
        case ALU_LOADINV:
            alu_set_source(&alu, to, ~value);
            break;
        case ALU_LOAD0:
            alu_set_source(&alu, to, 0);
            break;
        case ALU_LOAD1:
            alu_set_source(&alu, to, ~0ULL);
            break;
        case ALU_ADD:
        case ALU_SUB:
        case ALU_AND:
        case ALU_OR:
        case ALU_XOR:
            alu_compute(&alu, opcode);
            break;
        case ALU_STORE:
        case ALU_STOREINV:
            if (to < RING_NR_GPR) {
                gen9_ereg64_set(e, RING_GPR(to),
                                opcode == ALU_STORE ? value : ~value);
            }
            break;
        }
    }
    return GEN9_EXEC_NEXT;
}

/* ---- MI_ATOMIC ---- */

static uint64_t atomic_result(unsigned op, bool qword, uint64_t m,
                              uint64_t op1, uint64_t op2)
{
    int64_t sm = qword ? (int64_t)m : (int32_t)m;
    int64_t s1 = qword ? (int64_t)op1 : (int32_t)op1;

    switch (op & 0x1f) {
    case 0x01:
        return m & op1;
    case 0x02:
        return m | op1;
    case 0x03:
        return m ^ op1;
    case 0x04:
        return op1;
    case 0x05:
        return m + 1;
    case 0x06:
        return m - 1;
    case 0x07:
        return m + op1;
    case 0x08:
        return m - op1;
    case 0x09:
        return op1 - m;
    case 0x0a:
        return sm > s1 ? m : op1;
    case 0x0b:
        return sm < s1 ? m : op1;
    case 0x0c:
        return MAX(m, op1);
    case 0x0d:
        return MIN(m, op1);
    case 0x0e:
        return m == op1 ? op2 : m;      /* compare and write */
    }
    return m;
}

Gen9Exec gen9_mi_atomic(Gen9Engine *e, const uint32_t *cmd, unsigned n,
                        bool ggtt)
{
    bool qword = (cmd[0] & (3u << 19)) == MI_ATOMIC_QWORD;
    uint64_t addr = gen9_addr(cmd[1] & ~3u, cmd[2]);
    uint64_t op1, op2, m, result;

    if (cmd[0] & MI_ATOMIC_INLINE) {
        op1 = gen9_addr(n > 3 ? cmd[3] : 0, n > 5 ? cmd[5] : 0);
        op2 = gen9_addr(n > 4 ? cmd[4] : 0, n > 6 ? cmd[6] : 0);
    } else {
        op1 = gen9_ereg64(e, RING_GPR(0));
        op2 = gen9_ereg64(e, RING_GPR(1));
    }
    m = 0;
    if (!gen9_mem(e, ggtt, addr, &m, qword ? 8 : 4, false)) {
        return GEN9_EXEC_HALT;
    }
    if (!qword) {
        op1 = (uint32_t)op1;
        op2 = (uint32_t)op2;
    }
    result = atomic_result(MI_ATOMIC_OP(cmd[0]), qword, m, op1, op2);
    if (!gen9_mem(e, ggtt, addr, &result, qword ? 8 : 4, true)) {
        return GEN9_EXEC_HALT;
    }
    if (cmd[0] & MI_ATOMIC_RETURN) {
        gen9_ereg64_set(e, RING_GPR(4), m);
    }
    return GEN9_EXEC_NEXT;
}

/* ---- predication ---- */

static bool predicate_compare(Gen9Engine *e, unsigned op)
{
    uint64_t delta = gen9_ereg64(e, RING_PREDICATE_SRC0) -
                     gen9_ereg64(e, RING_PREDICATE_SRC1);
    bool equal;

    switch (op) {
    case 0:
        return true;
    case 1:
        return false;
    case 2:
        return delta == 0;
    }
    equal = delta == gen9_ereg64(e, RING_PREDICATE_DATA);
    gen9_ereg64_set(e, RING_PREDICATE_DATA, delta);
    return equal;
}

void gen9_mi_predicate(Gen9Engine *e, uint32_t dw0)
{
    bool old = gen9_ereg(e, RING_PREDICATE_RESULT) & 1;
    bool value = predicate_compare(e, dw0 & 3);

    switch ((dw0 >> 3) & 3) {           /* combine with the result so far */
    case 1:
        value = value && old;
        break;
    case 2:
        value = value || old;
        break;
    case 3:
        value = value != old;
        break;
    }
    switch ((dw0 >> 6) & 3) {           /* keep, -, load, load inverted */
    case 2:
        gen9_ereg_set(e, RING_PREDICATE_RESULT, value);
        break;
    case 3:
        gen9_ereg_set(e, RING_PREDICATE_RESULT, !value);
        break;
    }
}

#define RING_PREDICATE_RESULT_2 0x3bc

/*
 * Whether MI_SET_PREDICATE turns the command into a NOOP: any but itself, and
 * so the end of the batch, too.
 */
bool gen9_predicated_off(Gen9Engine *e)
{
    unsigned op = MI_OPCODE(e->cmd[0]);
    bool off;

    if (likely(!e->predicate) || gen9_level(e) == GEN9_LEVEL_RING) {
        return false;
    }
    if (CMD_CLIENT(e->cmd[0]) == CMD_CLIENT_MI &&
        op == OP_MI_SET_PREDICATE) {
        return false;
    }
    switch (e->predicate) {
    case 1:
        off = !(gen9_ereg(e, RING_PREDICATE_RESULT_2) & 1);
        break;
    case 2:
        off = gen9_ereg(e, RING_PREDICATE_RESULT_2) & 1;
        break;
    case 3:
        off = !(gen9_ereg(e, RING_PREDICATE_RESULT) & 1);
        break;
    case 4:
        off = gen9_ereg(e, RING_PREDICATE_RESULT) & 1;
        break;
    default:
        off = e->predicate == 0xf;
    }
    return off;
}
