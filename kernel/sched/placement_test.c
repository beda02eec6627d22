// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of task placement: what find_idlest_group() and its helpers
 * decide for tasks with and without a restricted affinity.
 *
 * Part of fair.c, since what they test is static there. The first suite works
 * on statistics made up for the purpose; the second asks about the machine's
 * own domains, with a task that only exists on paper.
 */
#include <kunit/test.h>

#include "numa_imbalance.h"

#define TEST_PCT	117	/* imbalance_pct of most domains */

/* A group of which nothing but its flags is looked at. */
struct placement_group {
	struct sched_group_capacity sgc;
	struct sched_group sg;
};

static struct sched_group *test_group(struct placement_group *pg)
{
	memset(pg, 0, sizeof(*pg));
	pg->sg.sgc = &pg->sgc;
	return &pg->sg;
}

/* Statistics of a whole group of @weight CPUs at full capacity. */
static struct sg_lb_stats test_stats(unsigned int weight, unsigned int running,
				     unsigned long util)
{
	struct sg_lb_stats sgs = {
		.group_weight	= weight,
		.allowed_weight	= weight,
		.group_capacity	= weight * SCHED_CAPACITY_SCALE,
		.allowed_capacity = weight * SCHED_CAPACITY_SCALE,
		.sum_nr_running	= running,
		.sum_h_nr_running = running,
		.idle_cpus	= running < weight ? weight - running : 0,
		.group_util	= util,
		.group_runnable	= util,
		.group_load	= running * SCHED_CAPACITY_SCALE,
	};

	sgs.avg_load = sgs.group_load * SCHED_CAPACITY_SCALE / sgs.group_capacity;
	return sgs;
}

/* The same as seen by a task that may use @weight CPUs of a larger group. */
static struct sg_lb_stats limited_stats(unsigned int weight, unsigned int running,
					unsigned int idle)
{
	struct sg_lb_stats sgs = test_stats(weight, running, 0);

	sgs.group_limited = true;
	sgs.idle_cpus = idle;
	sgs.group_type = sgs_allowed_type(&sgs);
	return sgs;
}

static void limit_test(struct kunit *test)
{
	unsigned int llcs, weight;

	/* One LLC: an eighth of the node, at least 1. */
	KUNIT_EXPECT_EQ(test, numa_imbalance_limit(1, 1), 1U);
	KUNIT_EXPECT_EQ(test, numa_imbalance_limit(4, 1), 1U);
	KUNIT_EXPECT_EQ(test, numa_imbalance_limit(8, 1), 1U);
	KUNIT_EXPECT_EQ(test, numa_imbalance_limit(15, 1), 1U);
	KUNIT_EXPECT_EQ(test, numa_imbalance_limit(16, 1), 2U);
	KUNIT_EXPECT_EQ(test, numa_imbalance_limit(24, 1), 3U);
	KUNIT_EXPECT_EQ(test, numa_imbalance_limit(128, 1), 16U);
	/* A node so odd that the division gave no LLC at all. */
	KUNIT_EXPECT_EQ(test, numa_imbalance_limit(8, 0), 1U);

	/* Several: their number, however large they are. */
	for (llcs = 2; llcs <= 16; llcs++)
		for (weight = llcs; weight <= 16 * llcs; weight += llcs)
			KUNIT_EXPECT_EQ(test, numa_imbalance_limit(weight, llcs), llcs);
}

static void tolerated_test(struct kunit *test)
{
	/* Up to a pair apart, and no more running than the limit. */
	KUNIT_EXPECT_TRUE(test, numa_imbalance_tolerated(0, 1, 1));
	KUNIT_EXPECT_TRUE(test, numa_imbalance_tolerated(2, 4, 4));
	KUNIT_EXPECT_FALSE(test, numa_imbalance_tolerated(2, 5, 4));
	KUNIT_EXPECT_FALSE(test, numa_imbalance_tolerated(3, 4, 4));
	KUNIT_EXPECT_FALSE(test, numa_imbalance_tolerated(1, 1, 0));
}

/* Every type that group_classify() can give, and what takes precedence. */
static void classify_test(struct kunit *test)
{
	struct placement_group pg;
	struct sched_group *group = test_group(&pg);
	struct sg_lb_stats sgs;

	/* Fewer tasks than CPUs: spare, however busy they are. */
	sgs = test_stats(4, 3, 4 * SCHED_CAPACITY_SCALE);
	KUNIT_EXPECT_EQ(test, (int)group_classify(TEST_PCT, group, &sgs), (int)group_has_spare);

	/* As many as CPUs: decided by the utilization. */
	sgs = test_stats(4, 4, 4 * 512);
	KUNIT_EXPECT_EQ(test, (int)group_classify(TEST_PCT, group, &sgs), (int)group_has_spare);
	sgs = test_stats(4, 4, 4 * SCHED_CAPACITY_SCALE);
	KUNIT_EXPECT_EQ(test, (int)group_classify(TEST_PCT, group, &sgs), (int)group_fully_busy);

	/* More than CPUs: overloaded only once the capacity is used. */
	sgs = test_stats(4, 5, 4 * 512);
	KUNIT_EXPECT_EQ(test, (int)group_classify(TEST_PCT, group, &sgs), (int)group_has_spare);
	sgs = test_stats(4, 5, 4 * SCHED_CAPACITY_SCALE);
	KUNIT_EXPECT_EQ(test, (int)group_classify(TEST_PCT, group, &sgs), (int)group_overloaded);
	/* ... or once tasks wait for it. */
	sgs = test_stats(4, 5, 4 * 512);
	sgs.group_runnable = 8 * SCHED_CAPACITY_SCALE;
	KUNIT_EXPECT_EQ(test, (int)group_classify(TEST_PCT, group, &sgs), (int)group_overloaded);

	sgs = test_stats(4, 1, 100);
	sgs.group_misfit_task_load = 1;
	KUNIT_EXPECT_EQ(test, (int)group_classify(TEST_PCT, group, &sgs), (int)group_misfit_task);

	sgs.group_asym_packing = 1;
	KUNIT_EXPECT_EQ(test, (int)group_classify(TEST_PCT, group, &sgs), (int)group_asym_packing);

	pg.sgc.imbalance = 1;
	KUNIT_EXPECT_EQ(test, (int)group_classify(TEST_PCT, group, &sgs), (int)group_imbalanced);

	sgs.sum_nr_running = 5;
	sgs.group_util = 4 * SCHED_CAPACITY_SCALE;
	KUNIT_EXPECT_EQ(test, (int)group_classify(TEST_PCT, group, &sgs), (int)group_overloaded);
}

/* The type for a limited task comes from counts; utilization has no say. */
static void allowed_type_test(struct kunit *test)
{
	unsigned int weight, running;
	struct sg_lb_stats sgs;

	for (weight = 1; weight <= 4; weight++) {
		for (running = 0; running <= 9; running++) {
			int want = running < weight ? group_has_spare :
				   running == weight ? group_fully_busy : group_overloaded;

			sgs = test_stats(weight, running, 0);
			KUNIT_EXPECT_EQ(test, (int)sgs_allowed_type(&sgs), want);
			sgs = test_stats(weight, running, weight * SCHED_CAPACITY_SCALE);
			KUNIT_EXPECT_EQ(test, (int)sgs_allowed_type(&sgs), want);
		}
	}

	/* Three tasks on one of two CPUs: the other one is idle, hence spare. */
	sgs = test_stats(2, 3, 0);
	sgs.idle_cpus = 1;
	KUNIT_EXPECT_EQ(test, (int)sgs_allowed_type(&sgs), (int)group_has_spare);

	/* Too small for the task: after overloaded, before the rest. */
	sgs = test_stats(2, 1, 0);
	sgs.group_misfit_task_load = 1;
	KUNIT_EXPECT_EQ(test, (int)sgs_allowed_type(&sgs), (int)group_misfit_task);
	sgs = test_stats(2, 3, 0);
	sgs.group_misfit_task_load = 1;
	KUNIT_EXPECT_EQ(test, (int)sgs_allowed_type(&sgs), (int)group_overloaded);
}

/* A domain that spans @first to @last, under @parent. */
static struct sched_domain *test_domain(struct kunit *test, int first, int last,
					struct sched_domain *parent)
{
	struct sched_domain *sd;

	sd = kunit_kzalloc(test, sizeof(*sd) + cpumask_size(), GFP_KERNEL);
	if (!sd)
		return NULL;
	for (; first <= last; first++) {
		cpumask_set_cpu(first, sched_domain_span(sd));
		sd->span_weight++;
	}
	RCU_INIT_POINTER(sd->parent, parent);
	return sd;
}

/* A task on paper: not yet woken, asleep on CPU 0; its mask is still empty. */
static struct task_struct *paper_task(struct kunit *test)
{
	struct task_struct *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);

	if (!p)
		return NULL;
	p->cpus_ptr = &p->cpus_mask;
	p->sched_class = &fair_sched_class;
	p->se.load.weight = scale_load(NICE_0_LOAD);
#ifdef CONFIG_CGROUP_SCHED
	p->sched_task_group = &root_task_group;
#endif
#ifdef CONFIG_NUMA_BALANCING
	p->numa_preferred_nid = NUMA_NO_NODE;
#endif
	return p;
}

/* @bits: the mask, from CPU 0 on */
static void paper_mask(struct task_struct *p, unsigned long bits)
{
	cpumask_clear(&p->cpus_mask);
	*cpumask_bits(&p->cpus_mask) = bits;
	p->nr_cpus_allowed = hweight_long(bits);
}

static bool limited(struct sched_domain *sd, struct task_struct *p)
{
	bool ret;

	rcu_read_lock();
	ret = task_limited(sd, p);
	rcu_read_unlock();
	return ret;
}

/* Which tasks are placed by counting, in which domains. */
static void task_limited_test(struct kunit *test)
{
	struct task_struct *p = paper_task(test);
	struct sched_domain *top, *low, *far, *part;

	if (!sched_feat(NUMA_AFFINITY) || nr_cpu_ids < 3)
		return;
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, p);
	top = test_domain(test, 0, nr_cpu_ids - 1, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, top);
	low = test_domain(test, 0, 1, top);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, low);
	far = test_domain(test, nr_cpu_ids - 1, nr_cpu_ids - 1, top);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, far);
	part = test_domain(test, 0, 1, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, part);

	/* Anywhere: never. More bits than CPUs, as init has them, as well. */
	cpumask_setall(&p->cpus_mask);
	p->nr_cpus_allowed = nr_cpu_ids;
	KUNIT_EXPECT_FALSE(test, limited(top, p));
	KUNIT_EXPECT_FALSE(test, limited(low, p));
	p->nr_cpus_allowed = nr_cpu_ids + 1;
	KUNIT_EXPECT_FALSE(test, limited(top, p));

	/* A few: in every domain, also in the one that they fill. */
	paper_mask(p, 0x3);
	KUNIT_EXPECT_TRUE(test, limited(top, p));
	KUNIT_EXPECT_TRUE(test, limited(low, p));
	KUNIT_EXPECT_TRUE(test, limited(far, p));
	/* ... but not if they are all that a partition has. */
	KUNIT_EXPECT_FALSE(test, limited(part, p));

	/*
	 * Two CPUs of which one is in the partition, as if the other were
	 * offline: the numbers agree, the masks do not.
	 */
	paper_mask(p, 0x5);
	KUNIT_EXPECT_TRUE(test, limited(part, p));
	paper_mask(p, 0x7);
	if (nr_cpu_ids > 3)
		KUNIT_EXPECT_FALSE(test, limited(part, p));
}

/* 0x55 with CPUs 4 to 7 offline; a mask longer than the span of a domain. */
static void task_limited_long_test(struct kunit *test)
{
	struct task_struct *p = paper_task(test);
	struct sched_domain *online, *llc;

	if (!sched_feat(NUMA_AFFINITY) || nr_cpu_ids < 8)
		return;
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, p);
	online = test_domain(test, 0, 3, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, online);

	paper_mask(p, 0x55);
	KUNIT_EXPECT_TRUE(test, limited(online, p));
	paper_mask(p, 0x5f);
	KUNIT_EXPECT_FALSE(test, limited(online, p));

	/* An LLC that the mask fills, of a machine of which it has half. */
	llc = test_domain(test, 0, 1, online);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, llc);
	paper_mask(p, 0xf3);
	if (nr_cpu_ids > 8)
		KUNIT_EXPECT_TRUE(test, limited(llc, p));

	/* Two CPUs of each of four LLCs: as many as an LLC has, and not all. */
	if (nr_cpu_ids < 16)
		return;
	online = test_domain(test, 0, nr_cpu_ids - 1, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, online);
	llc = test_domain(test, 0, 3, online);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, llc);
	paper_mask(p, 0x3333);
	KUNIT_EXPECT_TRUE(test, limited(llc, p));
}

/* Weight, capacity and type for a limited task. */
static void limit_stats_test(struct kunit *test)
{
	struct sg_lb_stats sgs;

	/* One CPU of this group, taken: neither idle nor of the group's size. */
	sgs = test_stats(4, 1, 100);
	sgs.group_type = group_has_spare;
	sgs.allowed_weight = 1;
	sgs.allowed_capacity = 1000;
	sgs.idle_cpus = 0;
	sgs_limit(&sgs);
	KUNIT_EXPECT_TRUE(test, sgs.group_limited);
	KUNIT_EXPECT_EQ(test, sgs.group_weight, 1U);
	KUNIT_EXPECT_EQ(test, sgs.group_capacity, 1000UL);
	KUNIT_EXPECT_EQ(test, (int)sgs.group_type, (int)group_fully_busy);

	/* Two of four, with a task each. */
	sgs = test_stats(4, 2, 0);
	sgs.allowed_weight = 2;
	sgs.allowed_capacity = 2 * SCHED_CAPACITY_SCALE;
	sgs.idle_cpus = 0;
	sgs_limit(&sgs);
	KUNIT_EXPECT_EQ(test, sgs.group_weight, 2U);
	KUNIT_EXPECT_EQ(test, sgs.group_capacity, 2UL * SCHED_CAPACITY_SCALE);
	KUNIT_EXPECT_EQ(test, (int)sgs.group_type, (int)group_fully_busy);

	/* All of it, packed with tasks that have no utilization yet. */
	sgs = test_stats(4, 12, 0);
	sgs.group_type = group_has_spare;
	sgs_limit(&sgs);
	KUNIT_EXPECT_EQ(test, sgs.group_weight, 4U);
	KUNIT_EXPECT_EQ(test, (int)sgs.group_type, (int)group_overloaded);

	/* A balance that failed below the group hides no idle CPU. */
	sgs = test_stats(4, 1, 0);
	sgs.group_type = group_imbalanced;
	sgs.allowed_weight = 2;
	sgs.idle_cpus = 1;
	sgs_limit(&sgs);
	KUNIT_EXPECT_EQ(test, (int)sgs.group_type, (int)group_has_spare);

	/* Nothing counted: no division by nothing. */
	sgs = test_stats(4, 0, 0);
	sgs.allowed_weight = 0;
	sgs.allowed_capacity = 0;
	sgs_limit(&sgs);
	KUNIT_EXPECT_GT(test, sgs.group_capacity, 0UL);
}

/* CPUs that only run SCHED_IDLE tasks are free for anybody else. */
static void sched_idle_test(struct kunit *test)
{
	struct sg_lb_stats sgs = test_stats(2, 3, 0);

	/* Two background tasks on one CPU, a normal one on the other. */
	sgs.sched_idle_cpus = 1;
	sgs.sched_idle_running = 2;
	sgs_limit(&sgs);
	KUNIT_EXPECT_EQ(test, sgs.idle_cpus, 1U);
	KUNIT_EXPECT_EQ(test, sgs.sum_nr_running, 1U);
	KUNIT_EXPECT_EQ(test, (int)sgs.group_type, (int)group_has_spare);

	/* A task that came between the two reads makes no huge count. */
	sgs = test_stats(1, 1, 0);
	sgs.sched_idle_cpus = 1;
	sgs.sched_idle_running = 2;
	sgs_limit(&sgs);
	KUNIT_EXPECT_EQ(test, sgs.sum_nr_running, 0U);
}

static void cmp_taken_test(struct kunit *test)
{
	struct sg_lb_stats a, b;

	/* Tasks per allowed CPU, not tasks: 3 on 2 against 7 on 4. */
	a = limited_stats(2, 3, 0);
	b = limited_stats(4, 7, 0);
	KUNIT_EXPECT_LT(test, sgs_cmp_taken(&a, &b), 0);
	KUNIT_EXPECT_GT(test, sgs_cmp_taken(&b, &a), 0);
	b = limited_stats(4, 6, 0);
	KUNIT_EXPECT_EQ(test, sgs_cmp_taken(&a, &b), 0);

	/* 8 tasks on 4 CPUs against 7: within the margin of the load. */
	a = limited_stats(4, 8, 0);
	b = limited_stats(4, 7, 0);
	KUNIT_EXPECT_GT(test, sgs_cmp_taken(&a, &b), 0);

	/* Nothing chosen yet: anything is better, at any load. */
	b = (struct sg_lb_stats){ .avg_load = UINT_MAX, .group_type = group_overloaded };
	KUNIT_EXPECT_LT(test, sgs_cmp_taken(&a, &b), 0);
}

/* The choice between two groups that are not the local one. */
static void pick_test(struct kunit *test)
{
	struct placement_group pa, pb;
	struct sched_group *ga = test_group(&pa), *gb = test_group(&pb);
	struct sg_lb_stats a, b;
	int ta, tb;

	/* A lower type wins, whatever else. */
	for (ta = group_has_spare; ta <= group_overloaded; ta++) {
		for (tb = group_has_spare; tb <= group_overloaded; tb++) {
			if (ta == tb)
				continue;
			a = test_stats(4, 4, 0);
			b = test_stats(4, 4, 0);
			a.group_type = ta;
			b.group_type = tb;
			KUNIT_EXPECT_EQ(test, (int)update_pick_idlest(ga, &a, gb, &b),
					(int)(tb < ta));
		}
	}

	/* Spare: idle CPUs, then utilization. */
	a = test_stats(4, 2, 100);
	b = test_stats(4, 1, 900);
	a.group_type = group_has_spare;
	b.group_type = group_has_spare;
	KUNIT_EXPECT_TRUE(test, update_pick_idlest(ga, &a, gb, &b));
	KUNIT_EXPECT_FALSE(test, update_pick_idlest(gb, &b, ga, &a));
	b = test_stats(4, 2, 50);
	b.group_type = group_has_spare;
	KUNIT_EXPECT_TRUE(test, update_pick_idlest(ga, &a, gb, &b));
	b.group_util = 100;
	KUNIT_EXPECT_FALSE(test, update_pick_idlest(ga, &a, gb, &b));

	/* Busy: the load, for a task that may go anywhere. */
	a = test_stats(4, 5, 0);
	b = test_stats(4, 6, 0);
	a.group_type = group_overloaded;
	b.group_type = group_overloaded;
	b.avg_load = a.avg_load - 1;
	KUNIT_EXPECT_TRUE(test, update_pick_idlest(ga, &a, gb, &b));
	a.group_type = group_fully_busy;
	b.group_type = group_fully_busy;
	KUNIT_EXPECT_TRUE(test, update_pick_idlest(ga, &a, gb, &b));
	b.avg_load = a.avg_load;
	KUNIT_EXPECT_FALSE(test, update_pick_idlest(ga, &a, gb, &b));
}

/* The rest of the types among their like, and no group yet. */
static void pick_rare_test(struct kunit *test)
{
	struct placement_group pa, pb;
	struct sched_group *ga = test_group(&pa), *gb = test_group(&pb);
	struct sg_lb_stats none = { .avg_load = UINT_MAX, .group_type = group_overloaded };
	struct sg_lb_stats a = test_stats(4, 5, 0), b = test_stats(4, 6, 0);

	/* The types that never win. */
	a.group_type = group_imbalanced;
	b.group_type = group_imbalanced;
	KUNIT_EXPECT_FALSE(test, update_pick_idlest(ga, &a, gb, &b));
	a.group_type = group_asym_packing;
	b.group_type = group_asym_packing;
	KUNIT_EXPECT_FALSE(test, update_pick_idlest(ga, &a, gb, &b));

	/* Misfit: the group with the biggest CPU. */
	a.group_type = group_misfit_task;
	b.group_type = group_misfit_task;
	pa.sgc.max_capacity = 512;
	pb.sgc.max_capacity = 1024;
	KUNIT_EXPECT_TRUE(test, update_pick_idlest(ga, &a, gb, &b));
	KUNIT_EXPECT_FALSE(test, update_pick_idlest(gb, &b, ga, &a));

	/* Anything is better than nothing. */
	a = limited_stats(1, 40, 0);
	KUNIT_EXPECT_TRUE(test, update_pick_idlest(NULL, &none, ga, &a));
}

/* A task that may use a few CPUs of each group, none of them idle. */
static void pick_limited_test(struct kunit *test)
{
	struct placement_group pa, pb;
	struct sched_group *ga = test_group(&pa), *gb = test_group(&pb);
	struct sg_lb_stats a, b;

	/* A limited task: fewer tasks a CPU, though the load says otherwise. */
	a = limited_stats(1, 3, 0);
	b = limited_stats(1, 2, 0);
	a.avg_load = 100;
	KUNIT_EXPECT_TRUE(test, update_pick_idlest(ga, &a, gb, &b));
	KUNIT_EXPECT_FALSE(test, update_pick_idlest(gb, &b, ga, &a));
	/* Equally many: the load again. */
	a = limited_stats(1, 2, 0);
	a.avg_load = b.avg_load + 1;
	KUNIT_EXPECT_TRUE(test, update_pick_idlest(ga, &a, gb, &b));

	/* The pile of vanilla: nine just-forked tasks, low utilization. */
	a = limited_stats(1, 9, 0);
	b = limited_stats(1, 1, 0);
	KUNIT_EXPECT_TRUE(test, update_pick_idlest(ga, &a, gb, &b));
	KUNIT_EXPECT_FALSE(test, update_pick_idlest(gb, &b, ga, &a));
}

/*
 * Fork bursts on paper: so many tasks into groups of the given allowed weights,
 * each where update_pick_idlest() says. None of them ever runs, so only counts
 * and load change. Return: the most tasks that one CPU must hold.
 */
static unsigned int burst(unsigned int *weights, unsigned int groups, unsigned int tasks)
{
	struct placement_group pg;
	struct sched_group *group = test_group(&pg);
	unsigned int running[8] = { }, i, t, worst = 0;

	for (t = 0; t < tasks; t++) {
		struct sg_lb_stats best = { .avg_load = UINT_MAX, .group_type = group_overloaded };
		int pick = -1;

		for (i = 0; i < groups; i++) {
			struct sg_lb_stats sgs = limited_stats(weights[i], running[i],
				running[i] < weights[i] ? weights[i] - running[i] : 0);

			if (update_pick_idlest(pick < 0 ? NULL : group, &best, group, &sgs)) {
				best = sgs;
				pick = i;
			}
		}
		running[pick]++;
	}

	for (i = 0; i < groups; i++)
		worst = max(worst, DIV_ROUND_UP(running[i], weights[i]));
	return worst;
}

/* No CPU gets one task more than an even spread has to give it. */
static void burst_test(struct kunit *test)
{
	static const unsigned int shapes[][8] = {
		{ 4, 4 }, { 1, 1, 1, 1, 1, 1, 1, 1 }, { 5, 3 }, { 1, 7 }, { 2, 3, 4 }, { 1 },
	};
	unsigned int s, i, tasks;

	if (!sched_feat(NUMA_AFFINITY))
		return;

	for (s = 0; s < ARRAY_SIZE(shapes); s++) {
		unsigned int weights[8], groups, cpus = 0;

		for (i = 0; i < 8 && shapes[s][i]; i++) {
			weights[i] = shapes[s][i];
			cpus += weights[i];
		}
		groups = i;
		for (tasks = 1; tasks <= 4 * cpus; tasks++)
			KUNIT_EXPECT_EQ(test, burst(weights, groups, tasks),
					DIV_ROUND_UP(tasks, cpus));
	}
}

/* What calculate_imbalance() makes of two groups in a domain with @flags. */
static struct lb_env imbalance_env(int flags, struct sg_lb_stats *local,
				   struct sg_lb_stats *busiest, bool siblings)
{
	static struct sched_domain sd;	/* read only while this returns */
	struct sd_lb_stats sds = {
		.local_stat	= *local,
		.busiest_stat	= *busiest,
		.prefer_sibling	= siblings,
		.total_load	= local->group_load + busiest->group_load,
		.total_capacity	= local->group_capacity + busiest->group_capacity,
	};
	struct lb_env env = { .sd = &sd, .idle = CPU_IDLE };

	sds.avg_load = sds.total_load * SCHED_CAPACITY_SCALE / sds.total_capacity;
	memset(&sd, 0, sizeof(sd));
	sd.flags = flags;
	sd.imbalance_pct = TEST_PCT;
	sd.imb_numa_nr = 4;
	calculate_imbalance(&env, &sds);
	return env;
}

/* How many tasks move between groups that have spare capacity. */
static void balance_spare_test(struct kunit *test)
{
	/* tasks: local, busiest; moved: within a node, between nodes */
	static const struct {
		unsigned int local, busiest;
		long plain, numa;
	} cases[] = {
		{ 0, 2, 1, 0 },		/* a pair stays on its node */
		{ 0, 3, 1, 1 },
		{ 0, 4, 2, 2 },
		{ 3, 5, 1, 0 },
		{ 4, 6, 1, 1 },		/* more than four on the node */
		{ 2, 3, 0, 0 },
		{ 3, 3, 0, 0 },
	};
	unsigned int i;

	if (!sched_feat(NUMA_AFFINITY))
		return;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sg_lb_stats local = test_stats(8, cases[i].local, 0);
		struct sg_lb_stats busiest = test_stats(8, cases[i].busiest, 0);
		struct lb_env env;

		local.group_type = group_has_spare;
		busiest.group_type = group_has_spare;

		/* By tasks, where siblings come first; by idle CPUs elsewhere. */
		env = imbalance_env(0, &local, &busiest, true);
		KUNIT_EXPECT_EQ(test, (int)env.migration_type, (int)migrate_task);
		KUNIT_EXPECT_EQ(test, env.imbalance, cases[i].plain);
		env = imbalance_env(0, &local, &busiest, false);
		KUNIT_EXPECT_EQ(test, (int)env.migration_type, (int)migrate_task);
		KUNIT_EXPECT_EQ(test, env.imbalance, cases[i].plain);
		env = imbalance_env(SD_NUMA, &local, &busiest, false);
		KUNIT_EXPECT_EQ(test, (int)env.migration_type, (int)migrate_task);
		KUNIT_EXPECT_EQ(test, env.imbalance, cases[i].numa);
	}
}

/* What is moved, and how much of it, once a group is more than busy. */
static void balance_busy_test(struct kunit *test)
{
	struct sg_lb_stats local = test_stats(4, 1, 1000);
	struct sg_lb_stats busiest = test_stats(4, 8, 4096);
	struct lb_env env;

	/* Spare capacity is filled by utilization ... */
	local.group_type = group_has_spare;
	busiest.group_type = group_overloaded;
	env = imbalance_env(0, &local, &busiest, false);
	KUNIT_EXPECT_EQ(test, (int)env.migration_type, (int)migrate_util);
	KUNIT_EXPECT_EQ(test, env.imbalance, 4 * SCHED_CAPACITY_SCALE - 1000);

	/* ... and by a task if an idle CPU finds no capacity left. */
	local.group_util = 4 * SCHED_CAPACITY_SCALE;
	env = imbalance_env(0, &local, &busiest, false);
	KUNIT_EXPECT_EQ(test, (int)env.migration_type, (int)migrate_task);
	KUNIT_EXPECT_EQ(test, env.imbalance, 1L);

	/* Both overloaded: the load meets in the middle, 1.5 tasks a CPU. */
	local = test_stats(4, 5, 4096);
	busiest = test_stats(4, 7, 4096);
	local.group_type = group_overloaded;
	busiest.group_type = group_overloaded;
	env = imbalance_env(0, &local, &busiest, false);
	KUNIT_EXPECT_EQ(test, (int)env.migration_type, (int)migrate_load);
	KUNIT_EXPECT_EQ(test, env.imbalance, SCHED_CAPACITY_SCALE);

	/* A local group above the average pulls nothing. */
	local = test_stats(4, 4, 4096);
	busiest = test_stats(4, 4, 4096);
	local.group_type = group_fully_busy;
	busiest.group_type = group_overloaded;
	env = imbalance_env(0, &local, &busiest, false);
	KUNIT_EXPECT_EQ(test, env.imbalance, 0L);
}

/* The types that ask for one particular task. */
static void balance_special_test(struct kunit *test)
{
	struct sg_lb_stats local = test_stats(4, 1, 1000);
	struct sg_lb_stats busiest = test_stats(4, 3, 3000);
	struct lb_env env;

	local.group_type = group_has_spare;
	busiest.group_type = group_misfit_task;
	busiest.group_misfit_task_load = 700;
	env = imbalance_env(SD_ASYM_CPUCAPACITY, &local, &busiest, false);
	KUNIT_EXPECT_EQ(test, (int)env.migration_type, (int)migrate_misfit);
	KUNIT_EXPECT_EQ(test, env.imbalance, 1L);

	busiest.group_type = group_asym_packing;
	env = imbalance_env(0, &local, &busiest, false);
	KUNIT_EXPECT_EQ(test, (int)env.migration_type, (int)migrate_task);
	KUNIT_EXPECT_EQ(test, env.imbalance, 3L);

	busiest.group_type = group_imbalanced;
	env = imbalance_env(0, &local, &busiest, false);
	KUNIT_EXPECT_EQ(test, (int)env.migration_type, (int)migrate_task);
	KUNIT_EXPECT_EQ(test, env.imbalance, 1L);
}

static struct kunit_case placement_cases[] = {
	KUNIT_CASE(limit_test),
	KUNIT_CASE(tolerated_test),
	KUNIT_CASE(classify_test),
	KUNIT_CASE(allowed_type_test),
	KUNIT_CASE(task_limited_test),
	KUNIT_CASE(task_limited_long_test),
	KUNIT_CASE(limit_stats_test),
	KUNIT_CASE(sched_idle_test),
	KUNIT_CASE(cmp_taken_test),
	KUNIT_CASE(pick_test),
	KUNIT_CASE(pick_rare_test),
	KUNIT_CASE(pick_limited_test),
	KUNIT_CASE(burst_test),
	KUNIT_CASE(balance_spare_test),
	KUNIT_CASE(balance_busy_test),
	KUNIT_CASE(balance_special_test),
	{}
};

static struct kunit_suite placement_suite = {
	.name = "sched-placement",
	.test_cases = placement_cases,
};

/* A CPU's lowest domain, and the one above another; under rcu_read_lock() */
static struct sched_domain *domain_of(int cpu)
{
	return rcu_dereference(cpu_rq(cpu)->sd);
}

static struct sched_domain *domain_above(struct sched_domain *sd)
{
	return rcu_dereference(sd->parent);
}

#define TEST_TARGETS	24

/*
 * Every CPU's every domain, with tasks bound to one CPU: the walk never gives
 * a group without an allowed CPU, whether the mask holds the local group, a
 * remote one, or nothing of the domain.
 */
static void domains_single_test(struct kunit *test)
{
	struct task_struct *p = paper_task(test);
	int domains = 0, bad = 0, cpu, target, i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, p);

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		/* A large machine: itself, its neighbours, and far ones. */
		for (i = 0; i < TEST_TARGETS; i++) {
			struct sched_domain *sd;

			target = (cpu + (i < 8 ? i : i * nr_cpu_ids / TEST_TARGETS)) % nr_cpu_ids;
			if (!cpu_online(target))
				continue;

			cpumask_clear(&p->cpus_mask);
			cpumask_set_cpu(target, &p->cpus_mask);
			p->nr_cpus_allowed = 1;

			rcu_read_lock();
			for (sd = domain_of(cpu); sd; sd = domain_above(sd)) {
				struct sched_group *g = find_idlest_group(sd, p, cpu);
				bool inside = cpumask_test_cpu(target, sched_domain_span(sd));
				bool local = cpumask_test_cpu(target, sched_group_span(sd->groups));

				domains++;
				if (!inside || local)
					bad += !!g;
				else
					bad += !g || !cpumask_test_cpu(target, sched_group_span(g));
			}
			rcu_read_unlock();
		}
		cond_resched();
	}
	cpus_read_unlock();

	KUNIT_EXPECT_EQ(test, bad, 0);
	if (!domains)
		kunit_info(test, "one CPU: no domain to ask");
}

/* Two CPUs of a group, then of a remote one: counted as two, not as its size. */
static void domains_count_test(struct kunit *test)
{
	struct task_struct *p = paper_task(test);
	int asked = 0, cpu;

	if (!sched_feat(NUMA_AFFINITY))
		return;
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, p);

	cpus_read_lock();
	rcu_read_lock();
	for_each_online_cpu(cpu) {
		struct sched_domain *sd;

		for (sd = domain_of(cpu); sd; sd = domain_above(sd)) {
			struct sched_group *group = sd->groups;

			do {
				const struct cpumask *span = sched_group_span(group);
				struct sg_lb_stats sgs;
				int one = cpumask_first(span), two = cpumask_next(one, span);

				if (group->group_weight < 3)
					continue;
				cpumask_clear(&p->cpus_mask);
				cpumask_set_cpu(one, &p->cpus_mask);
				cpumask_set_cpu(two, &p->cpus_mask);
				p->nr_cpus_allowed = 2;
				update_sg_wakeup_stats(sd, group, &sgs, p, task_limited(sd, p));
				KUNIT_EXPECT_TRUE(test, sgs.group_limited);
				KUNIT_EXPECT_EQ(test, sgs.group_weight, 2U);
				KUNIT_EXPECT_EQ(test, sgs.group_capacity,
						capacity_of(one) + capacity_of(two));

				cpumask_copy(&p->cpus_mask, cpu_possible_mask);
				p->nr_cpus_allowed = nr_cpu_ids;
				update_sg_wakeup_stats(sd, group, &sgs, p, task_limited(sd, p));
				KUNIT_EXPECT_FALSE(test, sgs.group_limited);
				KUNIT_EXPECT_EQ(test, sgs.group_weight, group->group_weight);
				asked++;
			} while (group = group->next, group != sd->groups);
		}
	}
	rcu_read_unlock();
	cpus_read_unlock();

	if (!asked)
		kunit_info(test, "no group of three CPUs here");
}

/* The limit that the domains were given follows the rule. */
static void domains_limit_test(struct kunit *test)
{
	int cpu;

	cpus_read_lock();
	rcu_read_lock();
	for_each_online_cpu(cpu) {
		struct sched_domain *sd, *child;
		unsigned int node, limit;

		for (sd = domain_of(cpu); sd; sd = domain_above(sd)) {
			/* The first NUMA domain of a CPU whose node is a level below. */
			child = rcu_dereference(sd->child);
			if (!(sd->flags & SD_NUMA) || !child || (child->flags & SD_NUMA))
				continue;
			node = cpumask_weight(sched_domain_span(child));
			limit = numa_imbalance_limit(node, node / per_cpu(sd_llc_size, cpu));
			KUNIT_EXPECT_EQ(test, sd->imb_numa_nr, limit);
		}
	}
	rcu_read_unlock();
	cpus_read_unlock();
}

static struct kunit_case placement_domain_cases[] = {
	KUNIT_CASE(domains_single_test),
	KUNIT_CASE(domains_count_test),
	KUNIT_CASE(domains_limit_test),
	{}
};

static struct kunit_suite placement_domain_suite = {
	.name = "sched-placement-domains",
	.test_cases = placement_domain_cases,
};

kunit_test_suites(&placement_suite, &placement_domain_suite);
