/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_SIM_SPINLOCK_H
#define _ASM_SIM_SPINLOCK_H

#include <asm/spinlock_types.h>

/*
 * One host thread: a lock is met held only if its holder waits in cpu_relax()
 * on another CPU. Wait likewise; a deadlock is reported by the engine.
 */
void sim_lock_wait(void *lock);

static __always_inline int arch_spin_is_locked(arch_spinlock_t *l)
{
	return l->held;
}

static __always_inline int arch_spin_is_contended(arch_spinlock_t *l)
{
	return 0;
}

static __always_inline int arch_spin_value_unlocked(arch_spinlock_t l)
{
	return !l.held;
}

static __always_inline int arch_spin_trylock(arch_spinlock_t *l)
{
	if (l->held)
		return 0;
	l->held = 1;
	return 1;
}

static __always_inline void arch_spin_lock(arch_spinlock_t *l)
{
	while (__builtin_expect(l->held, 0))
		sim_lock_wait(l);
	l->held = 1;
}

static __always_inline void arch_spin_unlock(arch_spinlock_t *l)
{
	l->held = 0;
}

static __always_inline int arch_read_trylock(arch_rwlock_t *l)
{
	if (l->holders < 0)
		return 0;
	l->holders++;
	return 1;
}

static __always_inline void arch_read_lock(arch_rwlock_t *l)
{
	while (__builtin_expect(l->holders < 0, 0))
		sim_lock_wait(l);
	l->holders++;
}

static __always_inline void arch_read_unlock(arch_rwlock_t *l)
{
	l->holders--;
}

static __always_inline int arch_write_trylock(arch_rwlock_t *l)
{
	if (l->holders)
		return 0;
	l->holders = -1;
	return 1;
}

static __always_inline void arch_write_lock(arch_rwlock_t *l)
{
	while (__builtin_expect(l->holders, 0))
		sim_lock_wait(l);
	l->holders = -1;
}

static __always_inline void arch_write_unlock(arch_rwlock_t *l)
{
	l->holders = 0;
}

#endif /* _ASM_SIM_SPINLOCK_H */
