// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of wakeups on clusters: which CPU is taken.
 *
 * Part of fair.c, since what they test is static there. The first suite scans
 * masks made up for the purpose. The second asks select_idle_sibling() about the
 * machine that it runs on: CPUs that are to be busy have a wakeup pending while
 * it decides, which is what an idle CPU looks like that is about to run a task.
 */
#include <kunit/test.h>

#define TEST_CLUSTERS	2
#define TEST_WIDTH	4	/* CPUs in each */

/* Which CPUs are idle to test_probe_cpu(), and how often it was asked */
static struct cpumask test_idle;
static unsigned int test_visits;

static int test_probe_cpu(struct task_struct *p, int cpu, struct cpumask *cpus, int *idle_cpu)
{
	test_visits++;
	return cpumask_test_cpu(cpu, &test_idle) ? cpu : -1;
}

/* Cores of two: a CPU of an idle core, else the first idle CPU is noted. */
static int test_probe_core(struct task_struct *p, int core, struct cpumask *cpus, int *idle_cpu)
{
	int first = core & ~1;

	test_visits++;
	if (cpumask_test_cpu(first, &test_idle) && cpumask_test_cpu(first + 1, &test_idle))
		return core;
	if (*idle_cpu < 0 && cpumask_test_cpu(core, &test_idle))
		*idle_cpu = core;
	cpumask_clear_cpu(first, cpus);
	cpumask_clear_cpu(first + 1, cpus);
	return -1;
}

static void test_range(struct cpumask *mask, int first, int nr)
{
	cpumask_clear(mask);
	while (nr--)
		cpumask_set_cpu(first + nr, mask);
}

struct scan_masks {
	struct cpumask cluster, cpus;
};

static void scan_allow_all(struct scan_masks *m)
{
	test_range(&m->cpus, 0, TEST_CLUSTERS * TEST_WIDTH);
}

/* An LLC of two clusters, of which the second is scanned. */
static struct scan_masks *scan_masks(struct kunit *test)
{
	struct scan_masks *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, m);
	/* Masks end there */
	if (nr_cpu_ids < TEST_CLUSTERS * TEST_WIDTH) {
		kunit_info(test, "fewer than %d CPUs: nothing to scan",
			   TEST_CLUSTERS * TEST_WIDTH);
		return NULL;
	}
	test_range(&m->cluster, TEST_WIDTH, TEST_WIDTH);
	scan_allow_all(m);
	cpumask_clear(&test_idle);
	test_visits = 0;
	return m;
}

static int scan(struct scan_masks *m, int target, int *nr)
{
	int idle_cpu = -1;

	return cluster_scan(&m->cluster, &m->cpus, target, nr, test_probe_cpu, NULL, &idle_cpu);
}

/* For every target and every set of idle CPUs: the next one behind the target. */
static void scan_order_test(struct kunit *test)
{
	struct scan_masks *m = scan_masks(test);
	unsigned int set, i;
	int target, want;

	if (!m)
		return;
	for (target = TEST_WIDTH; target < 2 * TEST_WIDTH; target++) {
		for (set = 0; set < 1U << TEST_WIDTH; set++) {
			scan_allow_all(m);
			/* The other cluster is idle, and is not looked at */
			cpumask_andnot(&test_idle, &m->cpus, &m->cluster);
			for (i = 0; i < TEST_WIDTH; i++) {
				if (set & (1U << i))
					cpumask_set_cpu(TEST_WIDTH + i, &test_idle);
			}
			want = -1;
			for (i = TEST_WIDTH; i; i--) {
				int cpu = TEST_WIDTH + (target + i) % TEST_WIDTH;

				if (cpumask_test_cpu(cpu, &test_idle))
					want = cpu;
			}
			KUNIT_EXPECT_EQ(test, scan(m, target, NULL), want);
		}
	}
}

/* Only CPUs that the task may use are looked at, and those of no second time. */
static void scan_allowed_test(struct kunit *test)
{
	struct scan_masks *m = scan_masks(test);

	if (!m)
		return;
	cpumask_copy(&test_idle, &m->cluster);
	cpumask_clear_cpu(6, &m->cpus);
	KUNIT_EXPECT_EQ(test, scan(m, 5, NULL), 7);
	KUNIT_EXPECT_EQ(test, test_visits, 1U);

	cpumask_clear(&test_idle);
	KUNIT_EXPECT_EQ(test, scan(m, 5, NULL), -1);
	KUNIT_EXPECT_EQ(test, test_visits, 4U);
	KUNIT_EXPECT_FALSE(test, cpumask_intersects(&m->cpus, &m->cluster));
	KUNIT_EXPECT_EQ(test, cpumask_weight(&m->cpus),
			(unsigned int)((TEST_CLUSTERS - 1) * TEST_WIDTH));

	KUNIT_EXPECT_EQ(test, scan(m, 5, NULL), -1);
	KUNIT_EXPECT_EQ(test, test_visits, 4U);
}

/* The cluster's visits count, and none is left for the LLC when they run out. */
static void scan_limit_test(struct kunit *test)
{
	struct scan_masks *m = scan_masks(test);
	int nr;

	if (!m)
		return;
	cpumask_set_cpu(7, &test_idle);
	/* The way to CPU 7 from CPU 4: 5, 6, 7. One more than may be visited: */
	nr = 4;
	KUNIT_EXPECT_EQ(test, scan(m, 4, &nr), 7);
	KUNIT_EXPECT_EQ(test, nr, 1);
	KUNIT_EXPECT_EQ(test, test_visits, 3U);

	scan_allow_all(m);
	nr = 3;
	KUNIT_EXPECT_EQ(test, scan(m, 4, &nr), -1);
	KUNIT_EXPECT_EQ(test, nr, 1);
	KUNIT_EXPECT_EQ(test, test_visits, 5U);

	/* Nothing may be visited */
	scan_allow_all(m);
	nr = 1;
	KUNIT_EXPECT_EQ(test, scan(m, 4, &nr), -1);
	KUNIT_EXPECT_EQ(test, nr, 1);
	KUNIT_EXPECT_EQ(test, test_visits, 5U);

	cpumask_clear(&test_idle);
	nr = 33;
	KUNIT_EXPECT_EQ(test, scan(m, 4, &nr), -1);
	KUNIT_EXPECT_EQ(test, nr, 29);
}

/* An idle core behind a half busy one; and the idle thread of the latter. */
static void scan_core_test(struct kunit *test)
{
	struct scan_masks *m = scan_masks(test);
	int idle_cpu = -1;

	if (!m)
		return;
	cpumask_set_cpu(5, &test_idle);
	cpumask_set_cpu(6, &test_idle);
	cpumask_set_cpu(7, &test_idle);
	KUNIT_EXPECT_EQ(test, cluster_scan(&m->cluster, &m->cpus, 4, NULL, test_probe_core,
					   NULL, &idle_cpu), 6);
	KUNIT_EXPECT_EQ(test, idle_cpu, 5);
	/* The half busy core is not visited again, by either of its threads */
	KUNIT_EXPECT_EQ(test, test_visits, 2U);
	KUNIT_EXPECT_FALSE(test, cpumask_test_cpu(4, &m->cpus));
}

static struct kunit_case cluster_scan_cases[] = {
	KUNIT_CASE(scan_order_test),
	KUNIT_CASE(scan_allowed_test),
	KUNIT_CASE(scan_limit_test),
	KUNIT_CASE(scan_core_test),
	{}
};

static struct kunit_suite cluster_scan_suite = {
	.name = "sched-cluster-scan",
	.test_cases = cluster_scan_cases,
};

/*
 * The machine's own clusters: two of one LLC, the first without the CPU of the
 * test, and in each two cores that are not the test's.
 */
struct cluster_pair {
	struct task_struct *p;	/* Exists on paper only */
	struct cpumask llc;		/* Without the CPU of the test */
	int target, mate, away, away_mate;
};

/* The first CPU of a core of @mask that is neither @cpu's nor @here's, or -1. */
static int pair_core(const struct cpumask *mask, int cpu, int here)
{
	int i;

	for_each_cpu(i, mask) {
		if ((cpu < 0 || !cpumask_test_cpu(i, topology_sibling_cpumask(cpu))) &&
		    !cpumask_test_cpu(i, topology_sibling_cpumask(here)))
			return cpumask_first(topology_sibling_cpumask(i));
	}
	return -1;
}

static bool pair_find(struct cluster_pair *c, int here)
{
	struct sched_domain *sd, *other, *llc;
	int cpu, i;

	for_each_online_cpu(cpu) {
		sd = rcu_dereference(per_cpu(sd_cluster, cpu));
		llc = rcu_dereference(per_cpu(sd_llc, cpu));
		if (!sd || cpumask_test_cpu(here, sched_domain_span(sd)))
			continue;
		c->target = pair_core(sched_domain_span(sd), -1, here);
		c->mate = pair_core(sched_domain_span(sd), c->target, here);
		for_each_cpu(i, sched_domain_span(llc)) {
			other = rcu_dereference(per_cpu(sd_cluster, i));
			if (!other || cpumask_test_cpu(i, sched_domain_span(sd)))
				continue;
			c->away = pair_core(sched_domain_span(other), -1, here);
			c->away_mate = pair_core(sched_domain_span(other), c->away, here);
			if (c->mate < 0 || c->away < 0 || c->away_mate < 0)
				continue;
			cpumask_copy(&c->llc, sched_domain_span(llc));
			cpumask_clear_cpu(here, &c->llc);
			return true;
		}
	}
	return false;
}

static int cluster_init(struct kunit *test)
{
	struct cluster_pair *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	int here = raw_smp_processor_id();
	bool found;

	if (!c)
		return -ENOMEM;
	c->p = kunit_kzalloc(test, sizeof(*c->p), GFP_KERNEL);
	if (!c->p)
		return -ENOMEM;
	cpumask_copy(&c->p->cpus_mask, cpu_possible_mask);
	c->p->cpus_ptr = &c->p->cpus_mask;
	c->p->nr_cpus_allowed = nr_cpu_ids;

	/* The test's own CPU is never idle; the thread ends with the case */
	set_cpus_allowed_ptr(current, cpumask_of(here));
	rcu_read_lock();
	/* Where clusters do not matter to wakeups, there is nothing to ask */
	found = cluster_wakeup() && pair_find(c, here);
	rcu_read_unlock();
	test->priv = found ? c : NULL;
	return 0;
}

/* Let the CPUs of @mask that are not in @idle look busy, or idle again. */
static void cluster_pend(const struct cpumask *mask, const struct cpumask *idle,
			 unsigned int pending)
{
	int cpu;

	for_each_cpu(cpu, mask) {
		if (!cpumask_test_cpu(cpu, idle))
			WRITE_ONCE(cpu_rq(cpu)->ttwu_pending, pending);
	}
}

/*
 * Wake a task that was last on @prev and before that on @recent, with just the
 * CPUs of @idle left idle in the target's LLC, and tell the core that is taken by its
 * first CPU. A CPU that the machine itself uses at the moment would spoil the
 * question: then ask again, and tell -1 if it never comes to rest.
 */
static int cluster_wake(struct cluster_pair *c, int prev, int recent, const struct cpumask *idle)
{
	int cpu, taken = -1, tries;
	unsigned long flags;
	struct sched_domain_shared *sds;
	u64 limit;
	bool calm;

	for (tries = 0; tries < 300; tries++) {
		local_irq_save(flags);
		rcu_read_lock();
		sds = rcu_dereference(per_cpu(sd_llc_shared, c->target));
		calm = sds;
		for_each_cpu(cpu, &c->llc)
			calm &= available_idle_cpu(cpu);
		if (calm) {
			cluster_pend(&c->llc, idle, 1);
			limit = steer_swap_scan_limit(this_rq(), sds, STEER_SCAN_ALL);
			c->p->recent_used_cpu = recent;
			taken = select_idle_sibling(c->p, prev, c->target);
			steer_swap_scan_limit(this_rq(), sds, limit);
			for_each_cpu(cpu, &c->llc)
				calm &= available_idle_cpu(cpu) == cpumask_test_cpu(cpu, idle);
			cluster_pend(&c->llc, idle, 0);
		}
		rcu_read_unlock();
		local_irq_restore(flags);
		if (calm)
			return cpumask_first(topology_sibling_cpumask(taken));
		schedule_timeout_uninterruptible(1);
	}
	return -1;
}

static void expect_wake(struct kunit *test, int prev, int recent, const struct cpumask *idle,
			int want)
{
	struct cluster_pair *c = test->priv;
	int taken = cluster_wake(c, prev, recent, idle);

	if (taken < 0)
		kunit_info(test, "the machine is busy: previous %d, recent %d not asked",
			   prev, recent);
	else
		KUNIT_EXPECT_EQ_MSG(test, taken, want,
				    "target %d, previous %d, recent %d, idle %*pbl",
				    c->target, prev, recent, cpumask_pr_args(idle));
}

/* The cores of the CPUs given; a negative one is none. */
static const struct cpumask *cluster_idle(struct cpumask *mask, int a, int b, int c)
{
	cpumask_clear(mask);
	if (a >= 0)
		cpumask_or(mask, mask, topology_sibling_cpumask(a));
	if (b >= 0)
		cpumask_or(mask, mask, topology_sibling_cpumask(b));
	if (c >= 0)
		cpumask_or(mask, mask, topology_sibling_cpumask(c));
	return mask;
}

static void wake_order_test(struct kunit *test)
{
	struct cluster_pair *c = test->priv;
	struct cpumask *idle = kunit_kzalloc(test, sizeof(*idle), GFP_KERNEL);
	int t, m, a, b;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, idle);
	if (!c) {
		kunit_info(test, "no wakeup minds clusters here: nothing to ask");
		return;
	}
	t = c->target;
	m = c->mate;
	a = c->away;
	b = c->away_mate;

	/* The target itself is the best there is */
	expect_wake(test, a, b, cluster_idle(idle, t, m, a), t);
	/* Previous and recent CPU in the cluster */
	expect_wake(test, m, b, cluster_idle(idle, m, b, -1), m);
	expect_wake(test, a, m, cluster_idle(idle, a, m, -1), m);
	/* An idle CPU of the cluster comes before both in another one */
	expect_wake(test, a, b, cluster_idle(idle, a, b, m), m);
	expect_wake(test, t, b, cluster_idle(idle, b, m, -1), m);
	/* Without one the previous, then the recent CPU is remembered */
	expect_wake(test, a, b, cluster_idle(idle, a, b, -1), a);
	expect_wake(test, t, b, cluster_idle(idle, a, b, -1), b);
	/* With neither, and none in the cluster: the rest of the LLC */
	expect_wake(test, t, t, cluster_idle(idle, a, -1, -1), a);
	expect_wake(test, b, t, cluster_idle(idle, a, -1, -1), a);
	/* Nothing is idle: the target */
	expect_wake(test, a, b, cluster_idle(idle, -1, -1, -1), t);
}

/* CPUs that the task may not use are not taken, nor remembered. */
static void wake_allowed_test(struct kunit *test)
{
	struct cluster_pair *c = test->priv;
	struct cpumask *idle = kunit_kzalloc(test, sizeof(*idle), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, idle);
	if (!c) {
		kunit_info(test, "no wakeup minds clusters here: nothing to ask");
		return;
	}
	cluster_idle(idle, c->away, c->mate, -1);
	cpumask_andnot(&c->p->cpus_mask, &c->p->cpus_mask, topology_sibling_cpumask(c->mate));
	expect_wake(test, c->away, c->away, idle, c->away);
	cpumask_andnot(&c->p->cpus_mask, &c->p->cpus_mask, topology_sibling_cpumask(c->away));
	expect_wake(test, c->away, c->away, idle, c->target);
}

/* Every CPU's cluster is less than its LLC, more than its core, and symmetric. */
static void cluster_domains_test(struct kunit *test)
{
	struct sched_domain *sd, *llc;
	unsigned int nr = 0;
	int cpu, i;

	cpus_read_lock();
	rcu_read_lock();
	for_each_online_cpu(cpu) {
		sd = rcu_dereference(per_cpu(sd_cluster, cpu));
		if (!sd)
			continue;
		nr++;
		llc = rcu_dereference(per_cpu(sd_llc, cpu));
		KUNIT_EXPECT_TRUE(test, llc);
		if (!llc)
			continue;
		KUNIT_EXPECT_TRUE(test, cpumask_test_cpu(cpu, sched_domain_span(sd)));
		KUNIT_EXPECT_TRUE(test, cpumask_subset(sched_domain_span(sd),
						       sched_domain_span(llc)));
		KUNIT_EXPECT_LT(test, sd->span_weight, llc->span_weight);
		KUNIT_EXPECT_FALSE(test, cpumask_subset(sched_domain_span(sd),
							topology_sibling_cpumask(cpu)));
		for_each_cpu(i, sched_domain_span(sd)) {
			struct sched_domain *other = rcu_dereference(per_cpu(sd_cluster, i));

			KUNIT_EXPECT_TRUE(test, other &&
					  cpumask_equal(sched_domain_span(sd),
							sched_domain_span(other)));
		}
	}
	rcu_read_unlock();
	/* The key tells the same */
	KUNIT_EXPECT_EQ(test, nr > 0, static_key_enabled(&sched_cluster_present));
	cpus_read_unlock();
}

static struct kunit_case cluster_wake_cases[] = {
	KUNIT_CASE(wake_order_test),
	KUNIT_CASE(wake_allowed_test),
	KUNIT_CASE(cluster_domains_test),
	{}
};

static struct kunit_suite cluster_wake_suite = {
	.name = "sched-cluster-wake",
	.init = cluster_init,
	.test_cases = cluster_wake_cases,
};

kunit_test_suites(&cluster_scan_suite, &cluster_wake_suite);
