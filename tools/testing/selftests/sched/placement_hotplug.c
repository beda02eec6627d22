// SPDX-License-Identifier: GPL-2.0
/*
 * Where tasks run that may use only some of the CPUs, while CPUs go offline and
 * come back.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../kselftest.h"
#include "sched_util.h"

#define TOGGLES		8

static struct topology topo;

static void test_toggle(int cpu, const cpu_set_t *cpus)
{
	static const char title[] = "forks while a CPU goes and comes";
	int i, err, toggles = 0, mark = undo_mark();
	struct churn *churn[2] = { NULL, NULL };
	bool ok = true;

	undo_write(online_file(cpu), "1");
	err = 0;
	for (i = 0; i < 2 && !err; i++) {
		churn[i] = churn_start(i ? SPIN_THREADS : SPIN_FORKS, cpus);
		err = churn[i] ? churn_wait(churn[i], 1) : -errno;
	}
	for (; toggles < TOGGLES && !err; toggles++) {
		err = set_online(cpu, false);
		for (i = 0; i < 2 && !err; i++)
			err = churn_wait(churn[i], 8);
		if (!err)
			err = set_online(cpu, true);
		for (i = 0; i < 2 && !err; i++)
			err = churn_wait(churn[i], 8);
	}
	if (err)
		ksft_print_msg("%s: toggle %d: %s\n", title, toggles, strerror(-err));
	for (i = 1; i >= 0; i--) {
		if (!churn[i]) {
			ok = false;
			continue;
		}
		churn_stop(churn[i]);
		ksft_print_msg("%s: CPU %d of %s, %d %s, %d outside of the mask%s%s\n", title, cpu,
			       show_cpus(cpus), churn[i]->nr_done, i ? "threads" : "processes",
			       churn[i]->strays, churn[i]->error ? ", " : "",
			       churn[i]->error ? strerror(-churn[i]->error) : "");
		ok = ok && !churn[i]->error && !churn[i]->strays;
	}
	undo_to(mark);
	ksft_test_result(ok && !err, "%s: %d times\n", title, toggles);
}

static void test_offline_mask(int cpu)
{
	static const char title[] = "mask of an offline CPU";
	cpu_set_t set, before, after;
	int ret, err, mark = undo_mark();

	undo_write(online_file(cpu), "1");
	err = set_online(cpu, false);
	if (err) {
		undo_to(mark);
		ksft_test_result_fail("%s: %s\n", title, strerror(-err));
		return;
	}
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_getaffinity(0, sizeof(before), &before);
	ret = sched_setaffinity(0, sizeof(set), &set);
	err = errno;
	sched_getaffinity(0, sizeof(after), &after);
	undo_to(mark);
	sched_setaffinity(0, sizeof(topo.cpus), &topo.cpus);
	ksft_test_result(ret && err == EINVAL && CPU_EQUAL(&before, &after),
			 "%s is refused, and changes nothing\n", title);
}

/* Every second one of the first eight CPUs, of which the upper four are away */
static void test_half_offline(void)
{
	static const char title[] = "every second CPU, half of them offline";
	const char *skip = feature_problem(feature_read(FEATURE));
	cpu_set_t mask, usable, online;
	int cpu, err = 0, mark = undo_mark();
	struct spread_sum sum;

	CPU_ZERO(&mask);
	CPU_ZERO(&usable);
	for (cpu = 0; cpu < 8; cpu++) {
		if (!CPU_ISSET(cpu, &topo.cpus) ||
		    (cpu >= 4 && access(online_file(cpu), W_OK))) {
			ksft_test_result_skip("%s: needs CPUs 0 to 7\n", title);
			return;
		}
		if (!(cpu & 1))
			CPU_SET(cpu, &mask);
		if (!(cpu & 1) && cpu < 4)
			CPU_SET(cpu, &usable);
	}
	for (cpu = 4; cpu < 8 && !err; cpu++) {
		undo_write(online_file(cpu), "1");
		err = set_online(cpu, false);
	}
	memset(&sum, 0, sizeof(sum));
	if (!err)
		err = read_online(&online) ? 0 : -EIO;
	if (!err) {
		spread_rounds(title, SPIN_THREADS, 2 * CPU_COUNT(&usable) - 1, &mask, NULL, NULL,
			      &sum);
		err = sum.err;
	}
	undo_to(mark);
	if (!skip)
		skip = sum.skip;
	if (err)
		ksft_test_result_fail("%s: %s\n", title, strerror(-err));
	else if (sum.strays)
		ksft_test_result_fail("%s: %d outside of the mask\n", title, sum.strays);
	else if (skip)
		ksft_test_result_skip("%s: %s\n", title, skip);
	else
		ksft_test_result(sum.most <= 2, "%s: at most %d a CPU\n", title, sum.most);
}

int main(void)
{
	cpu_set_t before, after, cpus;
	int i, cpu = -1;

	undo_init();
	ksft_print_header();
	topology_init(&topo);
	if (geteuid())
		return ksft_exit_skip("needs root\n");
	if (!read_online(&before))
		return ksft_exit_skip("cannot read which CPUs are online\n");

	/* Four CPUs of different LLCs, if there are */
	pick_per_llc(&topo, 1, 4, &cpus);
	if (CPU_COUNT(&cpus) < 2)
		pick_per_llc(&topo, 4, 1, &cpus);
	if (CPU_COUNT(&cpus) < 2)
		cpus = topo.cpus;
	if (CPU_COUNT(&cpus) < 2)
		return ksft_exit_skip("needs two CPUs\n");
	for (i = CPU_COUNT(&cpus) - 1; i >= 0 && cpu < 0; i--) {
		cpu = nth_cpu(&cpus, i);
		if (!cpu || access(online_file(cpu), W_OK))
			cpu = -1;
	}
	if (cpu < 0)
		return ksft_exit_skip("no CPU can go offline\n");

	ksft_set_plan(4);
	test_offline_mask(cpu);
	test_toggle(cpu, &cpus);
	test_half_offline();
	ksft_test_result(read_online(&after) && CPU_EQUAL(&before, &after),
			 "CPUs online: %s, before: %s\n", show_cpus(&after), show_cpus(&before));

	ksft_exit(!ksft_get_fail_cnt());
}
