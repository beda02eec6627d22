/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_SIM_ATOMIC_H
#define _ASM_SIM_ATOMIC_H

#include <linux/types.h>
#include <asm/cmpxchg.h>
#include <asm/barrier.h>

/* One host thread: plain arithmetic is atomic. */
#define ATOMIC64_INIT(i)		{ (i) }
#define arch_atomic_read(v)		READ_ONCE((v)->counter)
#define arch_atomic_set(v, i)		WRITE_ONCE(((v)->counter), (i))
#define arch_atomic64_read(v)		READ_ONCE((v)->counter)
#define arch_atomic64_set(v, i)		WRITE_ONCE(((v)->counter), (i))

#define SIM_ATOMIC(type, vtype, prefix, op, c)				\
static __always_inline void prefix##_##op(type i, vtype *v)		\
{									\
	v->counter = v->counter c i;					\
}									\
static __always_inline type prefix##_fetch_##op(type i, vtype *v)	\
{									\
	type old = v->counter;						\
									\
	v->counter = old c i;						\
	return old;							\
}									\
static __always_inline type prefix##_##op##_return(type i, vtype *v)	\
{									\
	return v->counter = v->counter c i;				\
}

SIM_ATOMIC(int, atomic_t, arch_atomic, add, +)
SIM_ATOMIC(int, atomic_t, arch_atomic, sub, -)
SIM_ATOMIC(int, atomic_t, arch_atomic, and, &)
SIM_ATOMIC(int, atomic_t, arch_atomic, or, |)
SIM_ATOMIC(int, atomic_t, arch_atomic, xor, ^)
SIM_ATOMIC(s64, atomic64_t, arch_atomic64, add, +)
SIM_ATOMIC(s64, atomic64_t, arch_atomic64, sub, -)
SIM_ATOMIC(s64, atomic64_t, arch_atomic64, and, &)
SIM_ATOMIC(s64, atomic64_t, arch_atomic64, or, |)
SIM_ATOMIC(s64, atomic64_t, arch_atomic64, xor, ^)

#define arch_atomic_add_return		arch_atomic_add_return
#define arch_atomic_sub_return		arch_atomic_sub_return
#define arch_atomic_fetch_add		arch_atomic_fetch_add
#define arch_atomic_fetch_sub		arch_atomic_fetch_sub
#define arch_atomic_fetch_and		arch_atomic_fetch_and
#define arch_atomic_fetch_or		arch_atomic_fetch_or
#define arch_atomic_fetch_xor		arch_atomic_fetch_xor
#define arch_atomic64_add_return	arch_atomic64_add_return
#define arch_atomic64_sub_return	arch_atomic64_sub_return
#define arch_atomic64_fetch_add		arch_atomic64_fetch_add
#define arch_atomic64_fetch_sub		arch_atomic64_fetch_sub
#define arch_atomic64_fetch_and		arch_atomic64_fetch_and
#define arch_atomic64_fetch_or		arch_atomic64_fetch_or
#define arch_atomic64_fetch_xor		arch_atomic64_fetch_xor

#define arch_atomic_xchg(v, n)		arch_xchg(&(v)->counter, (n))
#define arch_atomic_cmpxchg(v, o, n)	arch_cmpxchg(&(v)->counter, (o), (n))
#define arch_atomic64_xchg(v, n)	arch_xchg(&(v)->counter, (n))
#define arch_atomic64_cmpxchg(v, o, n)	arch_cmpxchg(&(v)->counter, (o), (n))

/* 5.10: the instrumented wrappers are wanted */
#define ARCH_ATOMIC

#endif /* _ASM_SIM_ATOMIC_H */
