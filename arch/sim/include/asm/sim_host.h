/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The border between the simulated kernel and the program around it.
 *
 * Both sides include this file: arch/sim, compiled with the kernel's headers,
 * and tools/sched/sim, compiled with libc's. So it uses plain C types only.
 * The kernel side defines sim_*, the program side host_*; no other symbol
 * crosses the border.
 *
 * Everything runs in one host thread. A simulated task has a coroutine stack
 * of SIM_STACK_SIZE bytes; the program's code that acts for a task runs on it
 * and may be suspended inside every sim_ function marked "task context". Code
 * between two such calls takes no virtual time and is atomic.
 */
#ifndef _ASM_SIM_HOST_H
#define _ASM_SIM_HOST_H

#define SIM_MAX_CPUS	512
#define SIM_MAX_NODES	64
#define SIM_COMM_LEN	16
#define SIM_MASK_WORDS	(SIM_MAX_CPUS / 64)
#define SIM_STACK_SIZE	(64 << 10)

typedef unsigned long long sim_u64;

/**
 * struct sim_mask - a set of CPUs, bit c of word c / 64 is CPU c
 * @w: the words
 */
struct sim_mask {
	sim_u64 w[SIM_MASK_WORDS];
};

/**
 * struct sim_cpu_topo - where one CPU is
 * @package: socket
 * @node: NUMA node
 * @llc: last-level cache, numbered over the whole machine
 * @cluster: cluster, numbered over the machine; equal to @core if there is none
 * @core: physical core, numbered over the machine
 * @capacity: capacity of the CPU, 1024 for the biggest
 */
struct sim_cpu_topo {
	int package, node, llc, cluster, core;
	int capacity;
};

/**
 * struct sim_machine - the machine to boot
 * @nr_cpus: CPUs, at most SIM_MAX_CPUS
 * @nr_nodes: NUMA nodes, at most SIM_MAX_NODES
 * @has_clusters: the machine has clusters between core and LLC
 * @numa_in_package: an x86 machine with several nodes a package, whose kernel
 *	has no domain of the package then
 * @reclaim_distance: nodes farther apart are not balanced on fork and exec
 * @cpu: one entry a CPU
 * @distance: NUMA distances, 10 for local
 */
struct sim_machine {
	int nr_cpus, nr_nodes;
	int has_clusters;
	int numa_in_package;
	int reclaim_distance;
	struct sim_cpu_topo cpu[SIM_MAX_CPUS];
	unsigned char distance[SIM_MAX_NODES][SIM_MAX_NODES];
};

/* What kernel code costs, in virtual nanoseconds a path: see sim_cost_name() */
enum sim_cost {
	SIM_COST_IRQ,		/* entry and exit of an interrupt */
	SIM_COST_TICK,		/* the tick's handler, beside the interrupt */
	SIM_COST_SWITCH,	/* a context switch */
	SIM_COST_WAKEUP,	/* a wakeup, beside the CPUs it looks at */
	SIM_COST_FORK,		/* fork or clone, the caller's part */
	SIM_COST_EXEC,		/* exec */
	SIM_COST_EXIT,		/* exit */
	SIM_COST_SYSCALL,	/* entry and exit of a system call */
	SIM_COST_SCAN,		/* a CPU looked at in a walk over a mask */
	SIM_COST_IPI,		/* from sending an IPI to its arrival */
	SIM_COST_IPI_SEND,	/* for the sender */
	SIM_COST_IDLE_EXIT,	/* leaving the idle state */
	SIM_COST_TIMER,		/* programming the timer */
	SIM_COST_RELAX,		/* one turn of a busy-wait loop */
	SIM_NR_COSTS
};

/**
 * struct sim_params - how to simulate
 * @seed: order of simultaneous events and jitter; 0 for neither
 * @jitter: largest deviation of a cost, in thousandths of it (seed not 0)
 * @cost: virtual nanoseconds a path
 * @invariants: check the invariants at every event
 * @imbalance_periods: longest time, in balance periods of the domain, that an
 *	idle CPU may stand beside two runnable tasks that it may run
 * @observe_idle: fill in the events' allowed_idle; costs a walk over the CPUs
 * @quiet: do not print what the kernel prints below a warning
 */
struct sim_params {
	sim_u64 seed;
	unsigned int jitter;
	unsigned int cost[SIM_NR_COSTS];
	int invariants;
	unsigned int imbalance_periods;
	int observe_idle;
	int quiet;
};

/* ---- kernel side: before and around a run ---- */

/* Default parameters. */
void sim_defaults(struct sim_params *p);
/* Name of a cost, for options and reports; NULL beyond the last. */
const char *sim_cost_name(int cost);
/*
 * Boot @m and run until @init, the first task, returns. Once a process.
 * @init is in task context, unrestricted, on whatever CPU it was placed.
 */
void sim_boot(const struct sim_machine *m, const struct sim_params *p,
	      void (*init)(void *arg), void *arg);
/* Change seed and jitter from now on; for runs that share a boot by fork(2). */
void sim_reseed(sim_u64 seed);
/* Violations found so far (each was told to host_violation()). */
unsigned long sim_violations(void);
/* Virtual nanoseconds since power on, as the current CPU sees it. */
sim_u64 sim_now(void);
/* Events delivered so far. */
sim_u64 sim_events(void);
/* CPU that the current task is on, its PID. */
int sim_cpu(void);
int sim_pid(void);
/* A pseudo-random number below @n from the run's seed (seed 0: fixed series). */
unsigned int sim_random(unsigned int n);
/* Print CPU @cpu's domains as /sys/kernel/debug/sched/domains names them. */
void sim_print_domains(int cpu);
/* "6.1.192-steer" and the like. */
const char *sim_release(void);
/* Run the KUnit suites that are linked in; the TAP goes to host_write(). Task context. */
int sim_kunit(void);

/* ---- kernel side: what a task does; task context, 0 or -errno ---- */

/* Compute for @ns nanoseconds of CPU time, wherever the scheduler lets us. */
void sim_run(sim_u64 ns);
/* Sleep for @ns / until virtual time @t, with the timer slack of the task. */
void sim_sleep(sim_u64 ns);
void sim_sleep_until(sim_u64 t);
void sim_yield(void);

/* A new thread of the current process (shares the address space) ... */
#define SIM_THREAD	1
/* ... without it a new process, with a copy of the address space. */

/**
 * struct sim_clone - a task to be made
 * @flags: SIM_THREAD or 0
 * @name: comm of the new task, cut to SIM_COMM_LEN - 1
 * @fn: what it does, on its own stack; the task exits when it returns
 * @arg: handed to @fn
 */
struct sim_clone {
	int flags;
	const char *name;
	void (*fn)(void *arg);
	void *arg;
};

/* fork or clone; the new PID or -errno. */
int sim_clone(const struct sim_clone *c);
/* exec: the real placement, a fresh address space, comm @name. */
int sim_exec(const char *name);
/* Resident set of the current address space, in 4 KB pages. */
void sim_set_rss(unsigned long pages);
/* End the current task; does not return. */
void sim_exit(void);

/* Wait queues: FIFO, futex-like; a wakeup with nobody waiting is lost. */
struct sim_waitq;
struct sim_waitq *sim_waitq_new(void);
void sim_waitq_free(struct sim_waitq *q);
void sim_wait(struct sim_waitq *q);
/* 0 if woken, 1 if @ns have passed. */
int sim_wait_timeout(struct sim_waitq *q, sim_u64 ns);
/* Wake up to @nr waiters; how many there were. Interrupt-free task context. */
int sim_wake(struct sim_waitq *q, int nr);
/* Wake the first waiter as a pipe's writer does, who is about to sleep; 1 if there was one. */
int sim_wake_sync(struct sim_waitq *q);

/* sched_setaffinity(2), sched_getaffinity(2); @pid 0 is the current task. */
int sim_setaffinity(int pid, const struct sim_mask *mask);
int sim_getaffinity(int pid, struct sim_mask *mask);

/* The policies of sched(7). */
enum sim_policy { SIM_NORMAL, SIM_FIFO, SIM_RR, SIM_BATCH, SIM_IDLE = 5, SIM_DEADLINE };

/**
 * struct sim_attr - what sched_setattr(2) takes
 * @policy: an enum sim_policy
 * @nice: for SIM_NORMAL and SIM_BATCH
 * @priority: for SIM_FIFO and SIM_RR
 * @runtime: for SIM_DEADLINE, ns
 * @deadline: for SIM_DEADLINE, ns
 * @period: for SIM_DEADLINE, ns
 * @util_min: clamp, 0..1024, -1 to leave it
 * @util_max: clamp, 0..1024, -1 to leave it
 */
struct sim_attr {
	int policy, nice, priority;
	sim_u64 runtime, deadline, period;
	int util_min, util_max;
};

int sim_setattr(int pid, const struct sim_attr *attr);
/* setpriority(2): the nice level alone, of any policy. */
int sim_nice(int pid, int nice);

/*
 * Control groups, cgroup v2 with the cpu and cpuset controllers. Paths are
 * relative to the root ("" is the root itself), all controllers are enabled
 * for every group's children.
 */
int sim_cgroup_mkdir(const char *path);
int sim_cgroup_rmdir(const char *path);
/* Write a file such as "cpu.max" or "cpuset.cpus", as echo would. */
int sim_cgroup_write(const char *path, const char *file, const char *value);
/* Read one; bytes or -errno. */
int sim_cgroup_read(const char *path, const char *file, char *buf, int size);
/* Move the process of @pid (its threads too) into a group. */
int sim_cgroup_attach(const char *path, int pid);

/* Take CPU @cpu down or bring it up, through the real hotplug states. */
int sim_cpu_down(int cpu);
int sim_cpu_up(int cpu);

/* Write or read a debugfs file by its path below the mount: "sched/features". */
int sim_debugfs_write(const char *path, const char *value);
int sim_debugfs_read(const char *path, char *buf, int size);
/* Set a sched feature by name, "NO_" in front clears it; -ENOENT if unknown. */
int sim_feature(const char *name);

/* ---- program side ---- */

enum sim_event_type {
	SIM_EV_WAKING,		/* pid is being woken, by the current task */
	SIM_EV_WAKEUP,		/* pid is on a runqueue; target = CPU */
	SIM_EV_WAKEUP_NEW,	/* likewise, its first time */
	SIM_EV_SWITCH,		/* pid -> next_pid on cpu */
	SIM_EV_MIGRATE,		/* pid goes from CPU orig to CPU target */
	SIM_EV_FORK,		/* pid has made next_pid */
	SIM_EV_EXEC,		/* pid has become comm */
	SIM_EV_EXIT,		/* pid ends */
};

/**
 * struct sim_event - a scheduler tracepoint that was hit
 * @time: virtual nanoseconds
 * @type: an enum sim_event_type
 * @cpu: CPU that ran the code
 * @cur_pid: task that ran there (0: idle)
 * @cur_comm: its name
 * @pid: the task, see the type
 * @prio: kernel priority of @pid
 * @state: SWITCH: state letters of the previous task as ftrace prints them
 * @target: CPU, see the type
 * @orig: CPU, see the type
 * @next_pid: SWITCH: the next task, FORK: the child
 * @next_prio: its priority
 * @comm: name of @pid
 * @next_comm: name of @next_pid
 * @allowed_idle: WAKEUP, WAKEUP_NEW: an allowed CPU was idle at that moment
 */
struct sim_event {
	sim_u64 time;
	int type;
	int cpu, cur_pid, pid, prio;
	int target, orig, next_pid, next_prio;
	int allowed_idle;
	const char *state, *comm, *next_comm, *cur_comm;
};

/* A tracepoint was hit. Must not call back into the kernel. */
void host_event(const struct sim_event *e);
/* Text of the kernel: level is '0'..'7' as in KERN_INFO. */
void host_write(char level, const char *text, unsigned long len);
/* An invariant does not hold: its short name, and the whole story. */
void host_violation(const char *invariant, const char *text);
/* The kernel gave up; does not return. */
void host_panic(const char *text) __attribute__((noreturn));
void host_backtrace(void);
/* Memory: zeroed, 64-byte aligned; NULL if there is none. */
void *host_alloc(unsigned long size);
void host_free(void *p);
void *host_realloc(void *p, unsigned long size);
/* Zeroed pages for good, paid for when they are touched; NULL if there are none. */
void *host_map(unsigned long size);
/* A stack of SIM_STACK_SIZE bytes with a guard page below; never NULL. */
void *host_stack_alloc(void);
void host_stack_free(void *stack);
/* The stack is used anew from its top: a sanitizer forgets the old frames. */
void host_stack_reset(void *stack);

#endif /* _ASM_SIM_HOST_H */
