// SPDX-License-Identifier: GPL-2.0
/*
 * Clusters while their CPUs go offline and come back, under load.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../kselftest.h"
#include "cluster_util.h"

#define TOGGLES		8
#define ROUNDS		20

static struct clusters before, now;
static struct pairs *pairs;
static const char *no_level;

/* Return: false if anything is not as it was, less the CPUs that are offline */
static bool as_before(void)
{
	int cpu, nr, bad, err = clusters_read(&now);
	cpu_set_t want;

	if (err) {
		ksft_print_msg("cannot read the clusters: %s\n", strerror(-err));
		return false;
	}
	bad = clusters_check(&now);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &now.online))
			continue;
		CPU_AND(&want, &before.cpu[cpu].cluster, &now.online);
		if (CPU_EQUAL(&want, &now.cpu[cpu].cluster) &&
		    now.cpu[cpu].id == before.cpu[cpu].id)
			continue;
		ksft_print_msg("CPU %d: cluster %d of %s, should be %d of %s\n", cpu,
			       now.cpu[cpu].id, show_cpus(&now.cpu[cpu].cluster),
			       before.cpu[cpu].id, show_cpus(&want));
		bad++;
	}
	err = cluster_domains_check(&now, !no_level, &nr);
	return !bad && (!err || err == -ENOENT);
}

/* The load has to go on, wherever it ran before */
static bool toggle(int cpu, bool on)
{
	int err = set_online(cpu, on);

	if (!err)
		err = pairs_wait(pairs, ROUNDS);
	if (err)
		ksft_print_msg("CPU %d goes %s: %s\n", cpu, on ? "online" : "offline",
			       strerror(-err));
	return !err;
}

static void test_one(int cpu)
{
	bool ok = true, back;
	int i;

	for (i = 0; i < TOGGLES && ok; i++)
		ok = toggle(cpu, false) && as_before() && toggle(cpu, true);
	back = as_before();
	ksft_test_result(ok && back, "one CPU of a cluster, %d times\n", i);
}

static void test_all(const cpu_set_t *cluster)
{
	int i, nr = CPU_COUNT(cluster);
	bool ok = true;

	for (i = 0; i < nr && ok; i++)
		ok = toggle(nth_cpu(cluster, i), false) && as_before();
	ksft_test_result(ok, "all %d CPUs of a cluster go offline\n", nr);
	for (i = 0, ok = true; i < nr && ok; i++)
		ok = toggle(nth_cpu(cluster, i), true) && as_before();
	ksft_test_result(ok, "and come back\n");
}

/* Return: a CPU whose whole cluster can go offline, or -1 */
static int find_cluster(void)
{
	int cpu, i, other;

	for (cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--) {
		const cpu_set_t *cluster = &before.cpu[cpu].cluster;

		if (!CPU_ISSET(cpu, &before.online) || !cluster_is_level(&before, cpu))
			continue;
		for (i = 0; (other = nth_cpu(cluster, i)) >= 0; i++) {
			if (access(online_file(other), W_OK))
				break;
		}
		if (other < 0)
			return cpu;
	}
	return -1;
}

int main(void)
{
	int cpu, i, err, mark, wakeups;
	const cpu_set_t *cluster;
	const char *skip;

	undo_init();
	ksft_print_header();
	if (geteuid())
		return ksft_exit_skip("needs root\n");
	err = clusters_read(&before);
	skip = clusters_problem(&before, err);
	if (skip)
		return ksft_exit_skip("%s\n", skip);
	if (err)
		return ksft_exit_fail_msg("clusters in sysfs: %s\n", strerror(-err));
	cpu = find_cluster();
	if (cpu < 0)
		return ksft_exit_skip("no cluster can go offline\n");
	cluster = &before.cpu[cpu].cluster;
	if (CPU_COUNT(cluster) > 32)
		return ksft_exit_skip("clusters of more than 32 CPUs\n");

	ksft_set_plan(5);
	no_level = level_problem(&before);
	ksft_print_msg("CPU %d of the cluster %s%s%s\n", cpu, show_cpus(cluster),
		       no_level ? ": " : "", no_level ? : "");
	mark = undo_mark();
	for (i = 0; i < CPU_COUNT(cluster); i++)
		undo_write(online_file(nth_cpu(cluster, i)), "1");
	pairs = pairs_start(clusters_count(&before, &before.online), &before.online, &before);
	err = pairs ? pairs_wait(pairs, 1) : -errno;
	if (err)
		return ksft_exit_fail_msg("cannot make pairs: %s\n", strerror(-err));
	test_one(cpu);
	test_all(cluster);
	err = pairs_stop(pairs);
	pairs_near(pairs, &wakeups);
	ksft_test_result(!err, "pairs went on all the time, %d wakeups\n", wakeups);
	undo_to(mark);
	ksft_test_result(as_before() && CPU_EQUAL(&now.online, &before.online),
			 "CPUs online: %s, before: %s\n", show_cpus(&now.online),
			 show_cpus(&before.online));

	ksft_exit(!ksft_get_fail_cnt());
}
