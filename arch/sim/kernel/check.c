// SPDX-License-Identifier: GPL-2.0
/*
 * Invariants: what holds between two events, whatever the workload does.
 *
 * Between events nobody is inside the scheduler: no runqueue's lock is held,
 * unless a CPU spins in cpu_relax() with it, and then that runqueue is passed
 * over. So what is compared here is stable, and none of it needs a lock.
 *
 * Every event: the counters of the CPU it was for. Every switch, wakeup and
 * migration: affinity. The rest, and the counters of all CPUs, once in
 * SCAN_EVENTS events and at least every SCAN_NS: a scan.
 *
 * A real kernel has races and delays that are no faults, so what is not exact
 * has a bound, which is far above what was ever seen of an unmodified kernel.
 * With each bound is said what it leaves room for.
 */
#include <linux/cgroup.h>
#include <linux/cpu.h>
#include <linux/cpuset.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/sched/cputime.h>
#include <linux/sched/signal.h>
#include <linux/tick.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>

#include <trace/events/cgroup.h>
#include <trace/events/sched.h>

#include <kernel/sched/sched.h>
#include "sim.h"

#define SCAN_EVENTS	1024
#define SCAN_NS		(10 * NSEC_PER_MSEC)

/* The same violation of the same CPU or task is told once in so long */
#define TELL_NS		(100 * NSEC_PER_MSEC)

/*
 * A running task whose mask changes goes on until the stopper of its CPU has
 * moved it: the wakeup of that, an IPI and a switch, microseconds. A task on
 * its way to a runqueue may be enqueued there before. The change itself is not
 * seen, only that the mask is another one than before.
 */
#define MASK_NS		NSEC_PER_MSEC

/*
 * A cpuset that changes moves its tasks one after the other and waits for each
 * that runs; hotplug has that done later by a worker. Both are fair tasks, who
 * may be left with the 5 % that realtime tasks don't get.
 */
#define CPUSET_NS	(5 * NSEC_PER_SEC)

/*
 * A CPU that goes down is first inactive, then waits for several steps of
 * hotplug, done by fair tasks; meanwhile 5.10 lets user tasks run there.
 */
#define INACTIVE_NS	(10 * NSEC_PER_SEC)

/* What is left on a CPU that is offline already is stoppers and the like, about to park */
#define OFFLINE_NS	(100 * NSEC_PER_MSEC)

/* From TASK_WAKING to a runqueue it takes an IPI, longer where interrupts are off */
#define WAKING_NS	(10 * NSEC_PER_MSEC)

/*
 * A busy CPU has a tick, and serves need_resched on its way to user mode; a
 * long way is a system call that walks all CPUs.
 */
#define STALL_NS	(100 * NSEC_PER_MSEC)

/*
 * What a fair task waits: one that has had a tick more than its due lets the
 * others catch up, and its share says for how long: tick / share. Or others have
 * the credit of a sleeper, which they use up the slower the heavier they are
 * all together. Several such delays add up, so WAIT_TICKS of them, and WAIT_NS
 * for what has no formula.
 */
#define WAIT_NS		(5 * NSEC_PER_SEC)
#define WAIT_TICKS	8

#define CLOCK_NS	NSEC_PER_USEC

/*
 * All times here are those of events, sim_time: they never go back, while the
 * clock of a CPU whose kernel code took long may be ahead of the next event.
 */

/* Levels of domains, with those of NUMA */
#define MAX_LEVELS	16

/**
 * struct cpu_state - what is remembered of a CPU
 * @switches: of its runqueue at its last event
 * @idle_since: it has been idle since then without a switch; 0: it is not
 * @idle_at: when it was last seen idle
 * @over_since: it has had two or more fair tasks, and no others, since then; 0: it
 *	has not
 * @demanded_since: an idle CPU has had to pull from it since then; 0: none has
 * @inactive_since: not active since then; 0: it is
 * @offline_since: not online but with something to run since then; 0: it is not so
 * @clock: of its runqueue at the last scan
 * @scan_switches: of its runqueue at the last scan
 * @stalled_since: since then neither has changed; 0: it has nothing to do
 * @sd: its lowest domain
 * @throttled_at: when it last had a task in a throttled group
 * @narrow_at: when it last had a task that may not run on the whole domain of
 *	this level, or a throttled one
 */
struct cpu_state {
	u64 switches;
	u64 idle_since, idle_at, over_since, demanded_since, inactive_since;
	u64 clock, scan_switches, stalled_since, offline_since;
	struct sched_domain *sd;
	u64 throttled_at, narrow_at[MAX_LEVELS];
};

/**
 * struct task_state - what is remembered of a task
 * @start: which task with this PID
 * @mask: its affinity when it was last looked at
 * @mask_since: when that was first seen
 * @queued_since: it has been on its runqueue since then
 * @odd_since: since when it is neither asleep nor on a runqueue; 0: it is not
 * @outside_since: since when it is on a CPU that its cpuset lacks; 0: it is not
 * @ran: its CPU time at the last scan
 * @waited: how long others of its class ran since @ran changed
 * @share: the smallest share that it had meanwhile: 1 / @share
 * @group: its task group when it was last enqueued or began to run
 * @group_at: when that was
 */
struct task_state {
	u64 start;
	struct cpumask mask;
	u64 mask_since, queued_since, odd_since, outside_since;
	u64 ran, waited, share;
	struct task_group *group;
	u64 group_at;
};

#define CHUNK		256

static struct cpu_state cpu_states[NR_CPUS];
static struct task_state *task_states[PID_MAX_LIMIT / CHUNK];
static unsigned long violations;
static unsigned int nr_events;
static u64 last_scan, last_attach;
static bool started;

/* ---- telling ---- */

/**
 * sim_violation - tell the program around the kernel that an invariant does not hold
 * @invariant: its short name
 * @fmt: format of the whole story
 */
void sim_violation(const char *invariant, const char *fmt, ...)
{
	static char text[1024];
	va_list ap;

	violations++;
	va_start(ap, fmt);
	vscnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	host_violation(invariant, text);
}

/**
 * sim_violations - violations so far
 *
 * Return: their number.
 */
unsigned long sim_violations(void)
{
	return violations;
}

/* What a violation is about: a CPU or, beyond all CPUs, a task */
#define TASK_KEY(p)	(NR_CPUS + (p)->pid)

/* Was the same told just now? A slot that is shared only lets more through. */
static bool told(const char *what, int key)
{
	static struct {
		const char *what;
		int key;
		u64 time;
	} slots[256], *s;

	s = &slots[hash_64((unsigned long)what + key, 8)];
	if (s->what == what && s->key == key && sim_time - s->time < TELL_NS)
		return true;
	s->what = what;
	s->key = key;
	s->time = sim_time;
	return false;
}

static __printf(4, 5) void tell(const char *invariant, const char *what, int key,
				const char *fmt, ...)
{
	struct va_format vaf = { .fmt = fmt };
	u64 now = sim_clock();
	va_list ap;

	if (told(what, key))
		return;
	va_start(ap, fmt);
	vaf.va = &ap;
	sim_violation(invariant, "at %llu.%06llu ms: %pV", now / NSEC_PER_MSEC,
		      now % NSEC_PER_MSEC, &vaf);
	va_end(ap);
}

/* ---- what is remembered ---- */

static void note_group(struct task_struct *p, struct task_state *s)
{
	s->group = p->sched_task_group;
	s->group_at = sim_time;
}

/* Its state, up to date about its mask. */
static struct task_state *state_of(struct task_struct *p)
{
	struct task_state **chunk = &task_states[p->pid / CHUNK], *s;

	if (unlikely(!*chunk)) {
		*chunk = host_alloc(CHUNK * sizeof(**chunk));
		if (!*chunk)
			panic("no memory for the invariants' checks");
	}
	s = *chunk + p->pid % CHUNK;
	if (unlikely(s->start != p->start_time || !s->start)) {
		memset(s, 0, sizeof(*s));
		s->start = p->start_time;
		s->queued_since = sim_time;
		note_group(p, s);
	}
	if (unlikely(!cpumask_equal(&s->mask, p->cpus_ptr))) {
		cpumask_copy(&s->mask, p->cpus_ptr);
		s->mask_since = sim_time;
	}
	return s;
}

/* ---- counters ---- */

/* A runqueue's counter, and what its queues say it should be. */
static void expect(struct rq *rq, const char *what, unsigned long found, unsigned long expected)
{
	if (unlikely(found != expected))
		tell("counters", what, cpu_of(rq), "CPU %d: %s is %ld, should be %ld", cpu_of(rq),
		     what, found, expected);
}

static struct sched_entity *entity_of(struct rb_node *node)
{
	return rb_entry(node, struct sched_entity, run_node);
}

/**
 * struct fair_count - the entities of one cfs_rq, by its own tree
 * @nr: entities
 * @h_nr: tasks in them
 * @idle_h_nr: of these, the SCHED_IDLE ones
 * @load: sum of the entities' weights
 */
struct fair_count {
	unsigned long nr, h_nr, idle_h_nr, load;
};

static unsigned long check_cfs_rq(struct rq *rq, struct cfs_rq *cfs_rq, bool deep);

/* The counters of groups below are checked by themselves; @return: own tasks. */
static unsigned long count_entity(struct rq *rq, struct sched_entity *se, struct fair_count *c,
				  bool deep)
{
	struct cfs_rq *group = se->my_q;
	unsigned long tasks = 0;

	c->nr++;
	c->load += se->load.weight;
	if (!group) {
		c->h_nr++;
		c->idle_h_nr += task_has_idle_policy(container_of(se, struct task_struct, se));
		return 1;
	}
	c->h_nr += group->h_nr_running;
	c->idle_h_nr += sim_cfs_rq_idle(group) ? group->h_nr_running : group->idle_h_nr_running;
	expect(rq, "runnable_weight of a group", se->runnable_weight, group->h_nr_running);
	if (deep)
		tasks = check_cfs_rq(rq, group, deep);
	return tasks;
}

static void expect_cfs(struct cfs_rq *cfs_rq, const char *what, unsigned long found,
		       unsigned long expected)
{
	char path[64] = "/";

	if (likely(found == expected))
		return;
	if (cfs_rq->tg->css.cgroup)
		cgroup_path(cfs_rq->tg->css.cgroup, path, sizeof(path));
	tell("counters", what, cpu_of(cfs_rq->rq),
	     "CPU %d: %s of task group %s is %ld, should be %ld", cpu_of(cfs_rq->rq), what,
	     path, found, expected);
}

/* Current is not in the tree. @deep: its groups too. Returns the tasks seen. */
static unsigned long check_cfs_rq(struct rq *rq, struct cfs_rq *cfs_rq, bool deep)
{
	struct fair_count c = { };
	unsigned long tasks = 0;
	struct rb_node *node;

	for (node = rb_first_cached(&cfs_rq->tasks_timeline); node; node = rb_next(node))
		tasks += count_entity(rq, entity_of(node), &c, deep);
	if (cfs_rq->curr && cfs_rq->curr->on_rq)
		tasks += count_entity(rq, cfs_rq->curr, &c, deep);
	expect_cfs(cfs_rq, "cfs nr_running", cfs_rq->nr_running, c.nr);
	expect_cfs(cfs_rq, "h_nr_running", cfs_rq->h_nr_running, c.h_nr);
	expect_cfs(cfs_rq, "idle_h_nr_running", cfs_rq->idle_h_nr_running, c.idle_h_nr);
	expect_cfs(cfs_rq, "load", cfs_rq->load.weight, c.load);
	return tasks;
}

static void check_fair(struct rq *rq)
{
	check_cfs_rq(rq, &rq->cfs, true);
}

/* Throttled groups and those below are in no tree, but their tasks are in the list. */
static void check_groups(struct rq *rq)
{
	unsigned long tasks = 0, listed = 0;
	struct task_group *tg;
	struct task_struct *p;

	list_for_each_entry_rcu(tg, &task_groups, list)
		tasks += check_cfs_rq(rq, tg->cfs_rq[cpu_of(rq)], false);
	list_for_each_entry(p, &rq->cfs_tasks, se.group_node)
		listed++;
	expect(rq, "length of cfs_tasks", listed, tasks);
}

static void check_rt(struct rq *rq)
{
	struct rt_prio_array *array = &rq->rt.active;
	unsigned long nr = 0, rr = 0;
	struct sched_rt_entity *se;
	int prio;

	/* With groups, what is queued may be one */
	BUILD_BUG_ON(IS_ENABLED(CONFIG_RT_GROUP_SCHED));
	for (prio = sched_find_first_bit(array->bitmap); prio < MAX_RT_PRIO;
	     prio = find_next_bit(array->bitmap, MAX_RT_PRIO, prio + 1)) {
		list_for_each_entry(se, &array->queue[prio], run_list) {
			nr++;
			rr += container_of(se, struct task_struct, rt)->policy == SCHED_RR;
		}
	}
	expect(rq, "rt_nr_running", rq->rt.rt_nr_running, nr);
	expect(rq, "rr_nr_running", rq->rt.rr_nr_running, rr);
}

static void check_dl(struct rq *rq)
{
	struct rb_node *node;
	unsigned long nr = 0;

	for (node = rb_first_cached(&rq->dl.root); node; node = rb_next(node))
		nr++;
	expect(rq, "dl_nr_running", rq->dl.dl_nr_running, nr);
}

/* Each class adds its tasks; those of a throttled rt_rq are taken out. */
static void check_nr_running(struct rq *rq)
{
	unsigned long nr = rq->cfs.h_nr_running + rq->dl.dl_nr_running;

	if (rq->rt.rt_queued)
		nr += rq->rt.rt_nr_running;
	if (rq->stop)
		nr += task_on_rq_queued(rq->stop);
	expect(rq, "nr_running", rq->nr_running, nr);
}

struct clamp_count {
	unsigned long tasks[UCLAMP_CNT][UCLAMP_BUCKETS];
};

/* A task that was enqueued before clamps were first used is not active */
static void count_clamps(struct clamp_count *c, struct task_struct *p)
{
	unsigned int id;

	for (id = 0; id < UCLAMP_CNT; id++)
		if (p->uclamp[id].active)
			c->tasks[id][p->uclamp[id].bucket_id]++;
}

static void check_uclamp(struct rq *rq)
{
	struct sched_rt_entity *se;
	struct clamp_count c = { };
	struct task_struct *p;
	unsigned int id;
	int i;

	if (!static_branch_unlikely(&sched_uclamp_used))
		return;
	list_for_each_entry(p, &rq->cfs_tasks, se.group_node)
		count_clamps(&c, p);
	for (i = 0; rq->rt.rt_nr_running && i < MAX_RT_PRIO; i++)
		list_for_each_entry(se, &rq->rt.active.queue[i], run_list)
			count_clamps(&c, container_of(se, struct task_struct, rt));
	for (id = 0; id < UCLAMP_CNT; id++) {
		struct uclamp_rq *u = &rq->uclamp[id];
		unsigned long any = 0, value = 0;

		for (i = 0; i < UCLAMP_BUCKETS; i++) {
			expect(rq, id == UCLAMP_MIN ? "uclamp min bucket" : "uclamp max bucket",
			       u->bucket[i].tasks, c.tasks[id][i]);
			any += c.tasks[id][i];
			if (c.tasks[id][i])
				value = max_t(unsigned long, value, u->bucket[i].value);
		}
		if (any)
			expect(rq, id == UCLAMP_MIN ? "uclamp min" : "uclamp max", u->value, value);
	}
}

static void check_iowait(struct rq *rq)
{
	int nr = atomic_read(&rq->nr_iowait);

	expect(rq, "nr_iowait", nr, max(nr, 0));
}

static bool throttled(struct cfs_rq *cfs_rq)
{
	return cfs_rq->throttle_count || cfs_rq->throttled;
}

/*
 * A task of a throttled group that is moved to another group becomes runnable
 * without a wakeup, and nobody tells an idle CPU: sched_move_task() only cares
 * for one that is current. It waits for whatever that CPU does next.
 */
static bool all_moved(struct rq *rq)
{
	struct task_struct *p;

	if (rq->nr_running > rq->cfs.h_nr_running)
		return false;
	list_for_each_entry(p, &rq->cfs_tasks, se.group_node) {
		struct task_state *s = state_of(p);

		if (!throttled(p->se.cfs_rq) && s->group == p->sched_task_group &&
		    s->group_at > last_attach)
			return false;
	}
	return true;
}

/*
 * Whoever makes a task runnable lets the CPU look again. What it runs instead
 * is the lowest there is, and it has no reason to stop.
 */
static void check_resched(struct rq *rq)
{
	struct task_struct *curr = rq->curr;
	int cpu = cpu_of(rq);

	if (test_tsk_need_resched(curr) || !cpu_online(cpu))
		return;
	if (curr == rq->idle && rq->nr_running && !all_moved(rq))
		tell("resched", "idle", cpu, "CPU %d: idles with %u runnable and no need_resched",
		     cpu, rq->nr_running);
	if (curr->prio < MAX_RT_PRIO)
		return;
	if (rq->dl.dl_nr_running || (rq->rt.rt_queued && rq->rt.rt_nr_running))
		tell("resched", "class", cpu,
		     "CPU %d: runs pid %d (%s) with %lu deadline and %lu realtime tasks runnable and no need_resched",
		     cpu, curr->pid, curr->comm, (unsigned long)rq->dl.dl_nr_running,
		     (unsigned long)rq->rt.rt_nr_running);
}

/*
 * The counters of a runqueue: one line for each. @every: at each event of the
 * CPU, so it must not cost more than a walk over what is queued there.
 */
static const struct {
	bool every;
	void (*check)(struct rq *rq);
} rq_checks[] = {
	{ true,		check_fair },
	{ false,	check_groups },
	{ true,		check_rt },
	{ true,		check_dl },
	{ true,		check_nr_running },
	{ true,		check_uclamp },
	{ true,		check_iowait },
	{ true,		check_resched },
};

static void check_rq(int cpu, bool all)
{
	struct rq *rq = cpu_rq(cpu);
	int i;

	if (sim_rq_locked(rq))
		return;
	for (i = 0; i < ARRAY_SIZE(rq_checks); i++)
		if (all || rq_checks[i].every)
			rq_checks[i].check(rq);
}

static void forget_all(void)
{
	u64 now = sim_time;
	int i;

	for (i = 0; i < ARRAY_SIZE(task_states); i++)
		if (task_states[i])
			memset(task_states[i], 0, CHUNK * sizeof(*task_states[i]));
	memset(cpu_states, 0, sizeof(cpu_states));
	for (i = 0; i < nr_cpu_ids; i++)
		cpu_states[i].idle_at = now;
	last_scan = now;
}

/* Keep track of what the CPU does; @now is never 0 that late. */
static void note_cpu(int cpu)
{
	struct cpu_state *c = &cpu_states[cpu];
	struct rq *rq = cpu_rq(cpu);
	bool idle = rq->curr == rq->idle && !rq->nr_running;
	u64 now = sim_time;

	/* Tasks that come and go between two looks have switched it */
	if (!idle || c->switches != rq->nr_switches)
		c->idle_since = 0;
	if (idle) {
		c->idle_at = now;
		if (!c->idle_since)
			c->idle_since = now;
	}
	c->switches = rq->nr_switches;
	if (rq->cfs.h_nr_running < rq->cfs.idle_h_nr_running + 2 || rq->rt.rt_nr_running ||
	    rq->dl.dl_nr_running)
		c->over_since = 0;
	else if (!c->over_since)
		c->over_since = now;
	if (cpu_active(cpu))
		c->inactive_since = 0;
	else if (!c->inactive_since)
		c->inactive_since = now;
	/* Other domains balance anew */
	if (c->sd != rcu_access_pointer(rq->sd)) {
		c->sd = rcu_access_pointer(rq->sd);
		sim_check_domains(cpu);
		if (c->idle_since)
			c->idle_since = now;
		if (c->over_since)
			c->over_since = now;
	}
}

/* ---- affinity ---- */

/*
 * Where no allowed CPU is active, the scheduler is about to widen the mask and
 * takes any CPU until then.
 */
static bool nowhere_to_go(struct task_struct *p)
{
	return !cpumask_intersects(p->cpus_ptr, cpu_active_mask);
}

/* A task runs or is queued on @cpu, perhaps from before its mask changed. */
static void check_affinity(struct task_struct *p, int cpu, const char *what)
{
	struct task_state *s = state_of(p);

	if (likely(cpumask_test_cpu(cpu, p->cpus_ptr)) || nowhere_to_go(p) ||
	    sim_time - s->mask_since < MASK_NS)
		return;
	tell("affinity", "affinity", TASK_KEY(p), "CPU %d: pid %d (%s) %s, but may only use %*pbl",
	     cpu, p->pid, p->comm, what, cpumask_pr_args(p->cpus_ptr));
}

/*
 * A CPU is chosen with p->pi_lock or the runqueue's lock held: the mask is what
 * it is. A CPU that goes down is no choice, but is left out by the masks of the
 * realtime and deadline classes somewhat later than it is inactive.
 */
static void check_target(struct task_struct *p, int cpu)
{
	bool online_will_do = p->flags & PF_KTHREAD || p->prio < MAX_RT_PRIO;
	bool may = online_will_do ? cpu_online(cpu) : cpu_active(cpu);

	state_of(p);
	if (nowhere_to_go(p))
		return;
	if (!cpumask_test_cpu(cpu, p->cpus_ptr))
		tell("affinity", "target", TASK_KEY(p),
		     "CPU %d: pid %d (%s) goes from CPU %d to CPU %d, but may only use %*pbl",
		     sim_this_cpu, p->pid, p->comm, task_cpu(p), cpu,
		     cpumask_pr_args(p->cpus_ptr));
	else if (!may)
		tell("affinity", "inactive target", TASK_KEY(p),
		     "CPU %d: pid %d (%s) goes from CPU %d to CPU %d, which is not %s",
		     sim_this_cpu, p->pid, p->comm, task_cpu(p), cpu,
		     cpu_online(cpu) ? "active" : "online");
}

static void probe_wakeup(void *unused, struct task_struct *p)
{
	struct task_state *s;

	if (!sim_params.invariants || !started)
		return;
	check_affinity(p, task_cpu(p), "is enqueued");
	s = state_of(p);
	s->queued_since = sim_time;
	s->odd_since = 0;
	note_group(p, s);
}

static void probe_migrate(void *unused, struct task_struct *p, int cpu)
{
	struct task_state *s;

	if (!sim_params.invariants || !started)
		return;
	check_target(p, cpu);
	s = state_of(p);
	s->queued_since = sim_time;
	note_group(p, s);
}

static void probe_fork(void *unused, struct task_struct *parent, struct task_struct *child)
{
	if (!sim_params.invariants || !started)
		return;
	/* It never had another mask: no allowance for the place of its first wakeup */
	state_of(child)->mask_since = 0;
}

/* All of its moves are made, which may have taken several events. */
static void probe_attach(void *unused, struct cgroup *to, const char *path,
			 struct task_struct *p, bool threadgroup)
{
	last_attach = sim_time;
}

/**
 * sim_check_switch - check a task that is about to run
 * @next: the task, current of the CPU's runqueue already
 */
void sim_check_switch(struct task_struct *next)
{
	int cpu = sim_this_cpu;

	if (!started)
		return;
	if (next->pid) {
		check_affinity(next, cpu, "is switched to");
		if (!cpu_online(cpu) && !(next->flags & PF_KTHREAD))
			tell("affinity", "offline", cpu,
			     "CPU %d: switches to pid %d (%s), but is offline", cpu, next->pid,
			     next->comm);
		note_group(next, state_of(next));
	} else if (next != cpu_rq(cpu)->idle) {
		tell("affinity", "idle task", cpu, "CPU %d: switches to another CPU's idle task",
		     cpu);
	}
}

/*
 * A user task may only use the CPUs of its cpuset. One whose mask had no active
 * CPU left was given any; it keeps them until the cpuset changes.
 */
static void check_cpuset(struct task_struct *p, struct task_state *s, u64 now)
{
	static struct cpumask allowed;
	int cpu = task_cpu(p);

	if (p->flags & (PF_KTHREAD | PF_EXITING) || cpumask_equal(p->cpus_ptr, cpu_possible_mask)) {
		s->outside_since = 0;
		return;
	}
	cpuset_cpus_allowed(p, &allowed);
	if (likely(cpumask_test_cpu(cpu, &allowed))) {
		s->outside_since = 0;
		return;
	}
	if (!s->outside_since)
		s->outside_since = now;
	if (now - s->outside_since > CPUSET_NS)
		tell("affinity", "cpuset", TASK_KEY(p),
		     "CPU %d: pid %d (%s) is here, but its cpuset has had %*pbl only for %llu ms",
		     cpu, p->pid, p->comm, cpumask_pr_args(&allowed),
		     (now - s->outside_since) / NSEC_PER_MSEC);
}

/* ---- wakeups and waiting ---- */

/*
 * On its way to a runqueue is a task for as long as the wakeup takes. A new one
 * is not meant: its parent may be preempted before it wakes it.
 */
static void check_waking(struct task_struct *p, struct task_state *s, u64 now)
{
	unsigned int state = sim_task_state(p);

	if (p->on_rq || (state != TASK_RUNNING && state != TASK_WAKING)) {
		s->odd_since = 0;
		return;
	}
	if (!s->odd_since)
		s->odd_since = now;
	if (now - s->odd_since > WAKING_NS)
		tell("lost-wakeup", "lost-wakeup", TASK_KEY(p),
		     "CPU %d: pid %d (%s) is %s, but has been on no runqueue for %llu ms",
		     task_cpu(p), p->pid, p->comm, state == TASK_WAKING ? "waking" : "runnable",
		     (now - s->odd_since) / NSEC_PER_MSEC);
}

/*
 * By how much slower virtual time runs for the task than the CPU's: one over the
 * part that is due to it, or for a heavy one that of a task of nice 0.
 */
static u64 inverse_share(struct task_struct *p)
{
	struct sched_entity *se;
	u64 share = 1;

	for (se = &p->se; se; se = se->parent) {
		u64 weight = clamp_t(u64, se->load.weight, 1, NICE_0_LOAD);

		share *= max_t(u64, DIV_ROUND_UP_ULL(se->cfs_rq->load.weight, weight), 1);
		/* Hours: no bound */
		share = min_t(u64, share, 1 << 24);
	}
	return share;
}

/*
 * A fair task that waits sees those of its class run, and by then its own turn
 * comes. Not counted: the time of realtime and deadline tasks, as sampled by
 * the scans, and of throttled groups.
 */
static void check_waiting(struct task_struct *p, struct task_state *s, u64 now)
{
	struct rq *rq = task_rq(p);
	u64 bound;

	if (p->on_rq != TASK_ON_RQ_QUEUED || p->on_cpu || p->se.sum_exec_runtime != s->ran ||
	    p->sched_class != &fair_sched_class || throttled(p->se.cfs_rq) ||
	    !cpu_online(cpu_of(rq))) {
		s->ran = p->se.sum_exec_runtime;
		s->waited = 0;
		s->share = 0;
		return;
	}
	if (rq->curr->prio < MAX_RT_PRIO || (rq->curr == rq->idle && all_moved(rq)))
		return;
	/* Longer than that nothing happened at all: it may have been asleep */
	s->waited += min_t(u64, now - last_scan, 2 * SCAN_NS);
	s->share = max(s->share, inverse_share(p));
	bound = WAIT_NS + WAIT_TICKS * s->share * max_t(u64, TICK_NSEC, sysctl_sched_latency);
	if (s->waited > bound)
		tell("stuck", "stuck", TASK_KEY(p),
		     "CPU %d: pid %d (%s), nice %d, has waited for %llu ms while others ran, should be below %llu ms; %u fair tasks here",
		     cpu_of(rq), p->pid, p->comm, task_nice(p), s->waited / NSEC_PER_MSEC,
		     bound / NSEC_PER_MSEC, rq->cfs.h_nr_running);
}

/* A CPU with something to run runs it, and lets the others have their turn. */
static void check_progress(int cpu, u64 now)
{
	struct cpu_state *c = &cpu_states[cpu];
	struct rq *rq = cpu_rq(cpu);
	bool resched = test_tsk_need_resched(rq->curr);

	if (!rq->nr_running || rq->nr_switches != c->scan_switches ||
	    (rq->clock != c->clock && !resched) || (rq->curr == rq->idle && all_moved(rq)))
		c->stalled_since = 0;
	else if (!c->stalled_since)
		c->stalled_since = now;
	c->scan_switches = rq->nr_switches;
	c->clock = rq->clock;
	if (c->stalled_since && now - c->stalled_since > STALL_NS)
		tell("stall", "stall", cpu, "CPU %d: %u runnable, but pid %d (%s)%s for %llu ms",
		     cpu, rq->nr_running, rq->curr->pid, rq->curr->comm,
		     resched ? " does not go in spite of need_resched" : " has had no tick",
		     (now - c->stalled_since) / NSEC_PER_MSEC);
	if (cpu_online(cpu) || !rq->nr_running)
		c->offline_since = 0;
	else if (!c->offline_since)
		c->offline_since = now;
	if (c->offline_since && now - c->offline_since > OFFLINE_NS)
		tell("stuck", "offline", cpu, "CPU %d: is offline with %u runnable", cpu,
		     rq->nr_running);
	if (c->inactive_since && now - c->inactive_since > INACTIVE_NS && rq->curr->pid &&
	    !(rq->curr->flags & PF_KTHREAD) && !nowhere_to_go(rq->curr))
		tell("affinity", "inactive", cpu,
		     "CPU %d: runs pid %d (%s), but has not been active for %llu ms", cpu,
		     rq->curr->pid, rq->curr->comm, (now - c->inactive_since) / NSEC_PER_MSEC);
}

/* A task that blocks while it waits for I/O or a lock counts as load, on any CPU. */
static void check_uninterruptible(unsigned long sleeping)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		if (sim_rq_locked(cpu_rq(cpu)))
			return;
		sum += cpu_rq(cpu)->nr_uninterruptible;
	}
	if (sum != sleeping)
		tell("counters", "nr_uninterruptible", 0,
		     "all CPUs: sum of nr_uninterruptible is %ld, should be %ld", sum, sleeping);
}

static void check_tasks(u64 now)
{
	struct task_struct *g, *p;
	unsigned long sleeping = 0;

	for_each_process_thread(g, p) {
		struct task_state *s = state_of(p);

		check_waking(p, s, now);
		check_waiting(p, s, now);
		if (p->on_rq) {
			check_affinity(p, task_cpu(p), p->on_cpu ? "runs" : "is queued");
			check_cpuset(p, s, now);
		} else if (sim_task_state(p) != TASK_NEW) {
			/* A new task still has its parent's */
			sleeping += p->sched_contributes_to_load;
		}
	}
	check_uninterruptible(sleeping);
}

/* ---- work conservation ---- */

/*
 * An idle CPU beside one with a queue pulls, in its balance of the lowest domain
 * that has both, if the kernel's rules let it. They leave these alone:
 *
 * - Between single CPUs (threads of a core, cores of an LLC without SMT), two
 *   tasks against none are balanced, whatever others may or may not do. That
 *   much is always demanded.
 * - Groups of several CPUs with a common cache are compared by their numbers of
 *   tasks, or of idle CPUs if the puller has no domain below, and half the
 *   difference moves: it must be two. So a core with one thread offline and two
 *   tasks keeps them beside a core with one and an idle thread, and when idle it
 *   takes none from a core with more tasks than threads. Nor does it try another
 *   group than the busiest.
 * - Larger domains balance if the busiest group is overloaded: more tasks than
 *   CPUs, and these busy. A group with an idle CPU has to help itself first. (The
 *   imbalance that NUMA allows is one between groups that are not overloaded.)
 * - A task that may not use the whole domain marks the group it could not leave
 *   as imbalanced, which changes all comparisons further up.
 * - Throttled tasks stay in the list that the balance looks through, as long as
 *   what is runnable, and count as ones that may not move.
 * - A CPU that stopped its tick when it had no domains, since it had just come
 *   online, is not known as idle to those who balance for such CPUs, until it has
 *   had something to do.
 * - CPUs of less capacity need not take what needs more.
 * - Fair tasks that don't come to run, because realtime or deadline tasks do, have
 *   no utilization, and so there is none to pull.
 *
 * The balance may fail several times, as for a task that is cache-hot; every
 * time it may wait for max_interval, or for a tick if that is longer. How often
 * is sim_params.imbalance_periods. Half of that time long the one CPU must have
 * been idle without a break, the other one busy with a queue, and the task there;
 * from then on, for the other half, every scan must find it so.
 */

static u64 period_of(struct sched_domain *sd)
{
	return max3(sd->max_interval * NSEC_PER_MSEC, sd->balance_interval * NSEC_PER_MSEC,
		    (unsigned long)TICK_NSEC);
}

/* The tasks here that cannot use all of a domain, for each level. */
static void note_narrow(int cpu, u64 now)
{
	int level, narrowest = MAX_LEVELS;
	struct rq *rq = cpu_rq(cpu);
	static struct cpumask span;
	struct sched_domain *sd;
	struct task_struct *p;

	list_for_each_entry(p, &rq->cfs_tasks, se.group_node) {
		if (throttled(p->se.cfs_rq)) {
			cpu_states[cpu].throttled_at = now;
			narrowest = 0;
			break;
		}
		if (cpumask_subset(cpu_active_mask, p->cpus_ptr) || kthread_is_per_cpu(p))
			continue;
		for_each_domain(cpu, sd) {
			cpumask_and(&span, sched_domain_span(sd), cpu_active_mask);
			if (sd->level < narrowest && !cpumask_subset(&span, p->cpus_ptr)) {
				narrowest = sd->level;
				break;
			}
		}
	}
	for (level = narrowest; level < MAX_LEVELS; level++)
		cpu_states[cpu].narrow_at[level] = now;
}

static bool recently_narrow(struct sched_domain *sd, u64 since)
{
	/* The spans of other CPUs are others where they overlap */
	int level = sd->flags & SD_OVERLAP ? MAX_LEVELS - 1 : min(sd->level, MAX_LEVELS - 1);
	int cpu;

	for_each_cpu(cpu, sched_domain_span(sd))
		if (cpu_states[cpu].narrow_at[level] >= since)
			return true;
	return false;
}

struct group_count {
	unsigned int cpus, tasks, idle;
	u64 idle_at;
};

static void count_group(struct sched_group *g, struct group_count *c)
{
	int cpu;

	memset(c, 0, sizeof(*c));
	for_each_cpu_and(cpu, sched_group_span(g), cpu_active_mask) {
		c->cpus++;
		c->tasks += cpu_rq(cpu)->nr_running;
		c->idle += !cpu_rq(cpu)->nr_running;
		c->idle_at = max(c->idle_at, cpu_states[cpu].idle_at);
	}
}

/* Would the balance move a task from @g, a group with more tasks than CPUs? */
static bool moves(struct sched_domain *sd, struct sched_group *g, struct group_count *other,
		  struct group_count *local)
{
	if (!(sd->flags & SD_SHARE_PKG_RESOURCES))
		return local->tasks < local->cpus;
	if (g->group_weight == 1 || (sd->child && sd->child->flags & SD_PREFER_SIBLING))
		return other->tasks >= local->tasks + 2;
	return local->idle >= other->idle + 2;
}

/* Do the rules say that an idle CPU, for which @sd is, pulls from @busy? */
static bool demanded(struct sched_domain *sd, int busy, u64 since)
{
	struct group_count local, other;
	struct sched_group *g = sd->groups;
	bool single = !sd->child && g->group_weight == 1, found = false;

	if (sd->flags & SD_ASYM_CPUCAPACITY)
		return false;
	count_group(g, &local);
	for (g = g->next; g != sd->groups; g = g->next) {
		single &= g->group_weight == 1;
		count_group(g, &other);
		/* One of these is the busiest, and none other is tried */
		if (other.tasks > other.cpus && !moves(sd, g, &other, &local))
			return false;
		if (cpumask_test_cpu(busy, sched_group_span(g)))
			found |= !other.idle && other.idle_at < since && other.tasks > other.cpus;
	}
	if (single)
		return found && cpu_states[busy].throttled_at < since;
	return found && !recently_narrow(sd, since);
}

/* Some group that it is in has a quota: when that is used up is no matter here */
static bool limited(struct task_struct *p)
{
	struct sched_entity *se;

	for (se = &p->se; se; se = se->parent)
		if (se->cfs_rq->runtime_enabled)
			return true;
	return false;
}

static struct task_struct *find_movable(int busy, int idle, u64 since)
{
	struct task_struct *p;

	list_for_each_entry(p, &cpu_rq(busy)->cfs_tasks, se.group_node) {
		struct task_state *s;

		if (p->on_cpu || task_has_idle_policy(p) || kthread_is_per_cpu(p) ||
		    !cpumask_test_cpu(idle, p->cpus_ptr) || limited(p))
			continue;
		s = state_of(p);
		if (s->queued_since < since && s->mask_since < since)
			return p;
	}
	return NULL;
}

/**
 * struct pull - a CPU that is to pull from another one
 * @idle: it
 * @sd: for which domain
 * @p: the task
 * @bound: how long that may take
 */
struct pull {
	int idle;
	struct sched_domain *sd;
	struct task_struct *p;
	u64 bound;
};

/* Does it balance, or does somebody do so for it? */
static bool idle_and_known(int cpu)
{
	return !tick_nohz_tick_stopped_cpu(cpu) || cpu_rq(cpu)->nohz_tick_stopped;
}

/* Does some idle CPU have to pull from @busy, for half the bound by now? */
static bool find_puller(int busy, const struct cpumask *idle, u64 now, struct pull *pull)
{
	struct sched_group *rejected = NULL;
	int cpu;

	for_each_cpu(cpu, idle) {
		u64 since = max(cpu_states[busy].over_since, cpu_states[cpu].idle_since), half;
		struct sched_domain *sd;

		for_each_domain(cpu, sd)
			if (cpumask_test_cpu(busy, sched_domain_span(sd)))
				break;
		/* What the rules say of one CPU of a group, they do of the others */
		if (!sd || sd->groups == rejected)
			continue;
		pull->bound = sim_params.imbalance_periods * period_of(sd);
		half = pull->bound / 2;
		if (now - since <= half)
			continue;
		if (!demanded(sd, busy, now - half)) {
			rejected = sd->groups;
			continue;
		}
		pull->p = find_movable(busy, cpu, now - half);
		if (pull->p) {
			pull->idle = cpu;
			pull->sd = sd;
			return true;
		}
	}
	return false;
}

static void check_busy(int busy, const struct cpumask *idle, u64 now)
{
	struct cpu_state *c = &cpu_states[busy];
	struct pull pull;

	if (!find_puller(busy, idle, now, &pull)) {
		c->demanded_since = 0;
		return;
	}
	if (!c->demanded_since)
		c->demanded_since = now;
	if (now - c->demanded_since <= pull.bound / 2)
		return;
	tell("work-conservation", "work-conservation", busy,
	     "CPU %d: has had two fair tasks and more for %llu ms, and pid %d (%s) waits there, while CPU %d, which it may use, has been idle for %llu ms; %u balance periods of the domain %*pbl (%s) are %llu ms",
	     busy, (now - c->over_since) / NSEC_PER_MSEC, pull.p->pid, pull.p->comm, pull.idle,
	     (now - cpu_states[pull.idle].idle_since) / NSEC_PER_MSEC, sim_params.imbalance_periods,
	     cpumask_pr_args(sched_domain_span(pull.sd)), pull.sd->name,
	     pull.bound / NSEC_PER_MSEC);
}

static void check_balance(u64 now)
{
	u64 least = sim_params.imbalance_periods * TICK_NSEC / 2;
	static struct cpumask idle;
	int cpu;

	cpumask_clear(&idle);
	for_each_cpu(cpu, cpu_active_mask)
		if (cpu_states[cpu].idle_since && now - cpu_states[cpu].idle_since > least &&
		    idle_and_known(cpu))
			cpumask_set_cpu(cpu, &idle);
	for_each_cpu(cpu, cpu_active_mask)
		if (cpu_states[cpu].over_since && now - cpu_states[cpu].over_since > least)
			check_busy(cpu, &idle, now);
		else
			cpu_states[cpu].demanded_since = 0;
}

/* ---- time ---- */

static void check_clock(u64 now)
{
	s64 off = ktime_get() - sim_clock();

	if (abs(off) > CLOCK_NS)
		tell("timekeeping", "timekeeping", 0, "ktime_get() is off by %lld ns", off);
}

/* ---- when ---- */

static void scan(void)
{
	u64 now = sim_time;
	int cpu;

	for_each_possible_cpu(cpu) {
		check_rq(cpu, true);
		note_cpu(cpu);
		note_narrow(cpu, now);
		check_progress(cpu, now);
	}
	check_tasks(now);
	check_balance(now);
	check_clock(now);
	last_scan = now;
}

/**
 * sim_check_event - check what holds between events
 * @cpu: the CPU that the event before was for
 */
void sim_check_event(int cpu)
{
	if (!started)
		return;
	check_rq(cpu, false);
	note_cpu(cpu);
	if (++nr_events % SCAN_EVENTS == 0 || sim_time - last_scan >= SCAN_NS)
		scan();
}

/**
 * sim_check_start - boot is over, the invariants hold from now on
 */
void sim_check_start(void)
{
	if (!sim_params.invariants)
		return;
	forget_all();
	/* Probes cost time, so only who checks has them */
	if (register_trace_sched_wakeup(probe_wakeup, NULL) ||
	    register_trace_sched_wakeup_new(probe_wakeup, NULL) ||
	    register_trace_sched_migrate_task(probe_migrate, NULL) ||
	    register_trace_sched_process_fork(probe_fork, NULL) ||
	    register_trace_cgroup_attach_task(probe_attach, NULL))
		panic("cannot attach to the scheduler's tracepoints");
	started = true;
}
