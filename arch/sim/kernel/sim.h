/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the simulated machine share. */
#ifndef _ARCH_SIM_KERNEL_SIM_H
#define _ARCH_SIM_KERNEL_SIM_H

#include <linux/cpumask.h>
#include <linux/init.h>
#include <linux/sched.h>

#include <asm/sim_host.h>

#include "compat.h"

/* ---- engine.c ---- */

extern u64 sim_time;	/* virtual time of the event being handled */
extern u64 sim_charged;	/* kernel time used in it so far */
extern struct sim_params sim_params;

/**
 * sim_clock - the clock of the CPU whose code runs
 *
 * A CPU in the middle of kernel code is ahead of the event it handles by what
 * that code has cost; so the clocks of two CPUs may differ by as much.
 *
 * Return: virtual nanoseconds.
 */
static inline u64 sim_clock(void)
{
	return sim_time + sim_charged;
}

void __sim_charge_jitter(unsigned int ns);

/**
 * sim_charge - let the kernel code of the current CPU take time
 * @c: what for
 */
static inline void sim_charge(enum sim_cost c)
{
	if (unlikely(sim_params.jitter))
		__sim_charge_jitter(sim_params.cost[c]);
	else
		sim_charged += sim_params.cost[c];
}

void *sim_stack_switch(unsigned long *save_sp, unsigned long new_sp, void *ret);
void sim_stack_start(void);
void sim_stack_entered(void);

/* The sanitizer's: we go to the stack at @bottom, we have come from another */
void __sanitizer_start_switch_fiber(void **fake, const void *bottom, size_t size);
void __sanitizer_finish_switch_fiber(void *fake, const void **bottom, size_t *size);

void sim_task_start(struct task_struct *prev);
void sim_new_stack(struct task_struct *p, void (*fn)(void *arg), void *arg);

void sim_engine_init(int nr_cpus, struct task_struct *boot);
void sim_engine_run(void);
void sim_engine_stop(void);
void sim_register_clocks(void);
void sim_timer_start(int cpu);
/* Nobody is inside a read-side section: all CPUs are in user mode or idle. */
bool sim_nobody_spins(void);
int sim_nr_cpus(void);

/* ---- boot.c ---- */

/* From sim.lds.S */
extern char __per_cpu_start[], __per_cpu_end[];
extern initcall_entry_t __sim_initcall_early[], __sim_initcall_start[], __sim_initcall_end[];

/* No header has them: only init/main.c calls them */
void radix_tree_init(void);
void mm_cache_init(void);

/* ---- print.c ---- */

void sim_missing(const char *name);

/* ---- task.c ---- */

/* The way back to user mode: reschedule, task work. */
void sim_exit_to_user(void);
void sim_syscall_enter(void);
void sim_syscall_exit(void);

/* ---- memory.c ---- */

void sim_memory_init(void);

/* ---- shim.c ---- */

void sim_shim_init(void);
void sim_percpu_init(void *base, size_t used, size_t size);
void sim_run_rcu(void);
bool sim_rcu_pending(void);
void sim_workqueue_start(void);
void sim_lib_init(void);

/* ---- trace.c ---- */

void sim_trace_start(void);
void sim_trace_exec(void);

/* ---- check.c ---- */

void sim_check_event(int cpu);
void sim_violation(const char *invariant, const char *fmt, ...) __printf(2, 3);
void sim_check_domains(int cpu);
void sim_check_switch(struct task_struct *next);
void sim_check_start(void);

/* ---- kunit.c ---- */

void sim_kunit_line(const char *line);

/* ---- cgroup.c ---- */

void sim_cgroup_start(void);

#endif /* _ARCH_SIM_KERNEL_SIM_H */
