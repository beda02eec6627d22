// SPDX-License-Identifier: GPL-2.0
/*
 * Where tasks run that may use only some of the CPUs: the first CPU after fork
 * and exec, and the way from one set of CPUs to another.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest.h"
#include "sched_util.h"

#define ROUNDS		5
#define EXECS		10

static struct topology topo;

/*
 * One CPU an LLC shows best that a group of CPUs is not its idle CPUs, two that
 * the same holds within the LLC.
 */
static bool pick_cpus(int per_llc, cpu_set_t *cpus, const char *title)
{
	pick_per_llc(&topo, per_llc, MAX_LLCS, cpus);
	if (CPU_COUNT(cpus) >= 2)
		return true;
	ksft_test_result_skip("%s: there are less than two %s\n", title,
			      per_llc > 1 ? "CPUs, or no cache in sysfs" : "LLCs");
	return false;
}

/*
 * With the creator there are as many tasks as CPUs. The creator runs on one of
 * them, so at each fork there is an idle CPU, and that has to be taken.
 */
static void test_spread(enum spin_kind kind, const char *title)
{
	const char *skip = feature_problem(feature_read(FEATURE));
	struct spread_sum sum;
	cpu_set_t cpus;

	if (!pick_cpus(1, &cpus, title))
		return;
	spread_rounds(title, kind, CPU_COUNT(&cpus) - 1, &cpus, NULL, NULL, &sum);
	if (!skip)
		skip = sum.skip;
	if (sum.err)
		ksft_test_result_fail("%s: %s\n", title, strerror(-sum.err));
	else if (sum.strays)
		ksft_test_result_fail("%s: %d outside of the mask\n", title, sum.strays);
	else if (skip)
		ksft_test_result_skip("%s: %s\n", title, skip);
	else
		ksft_test_result(sum.most == 1 && !sum.beside_creator,
				 "%s: at most %d a CPU, %d beside the creator, in %d rounds\n",
				 title, sum.most, sum.beside_creator, sum.rounds);
}

/*
 * With the creator there are twice as many tasks as CPUs. Each goes to a CPU
 * that no other has less tasks than, so two is the most.
 */
static void test_oversubscribed(enum spin_kind kind, int per_llc, const char *title)
{
	const char *skip = feature_problem(feature_read(FEATURE));
	struct spread_sum sum;
	cpu_set_t cpus;

	if (!pick_cpus(per_llc, &cpus, title))
		return;
	spread_rounds(title, kind, 2 * CPU_COUNT(&cpus) - 1, &cpus, NULL, NULL, &sum);
	if (!skip)
		skip = sum.skip;
	if (sum.err)
		ksft_test_result_fail("%s: %s\n", title, strerror(-sum.err));
	else if (sum.strays)
		ksft_test_result_fail("%s: %d outside of the mask\n", title, sum.strays);
	else if (skip)
		ksft_test_result_skip("%s: %s\n", title, skip);
	else
		ksft_test_result(sum.most <= 2, "%s: at most %d a CPU in %d rounds\n", title,
				 sum.most, sum.rounds);
}

/* Nothing is promised; the figures show what the feature is for */
static void test_feature_off(void)
{
	static const char title[] = "feature off";
	enum feature_state state = feature_read(FEATURE);
	const char *file = features_file();
	int mark = undo_mark();
	struct spread_sum sum;
	cpu_set_t cpus;

	if (!pick_cpus(1, &cpus, title))
		return;
	if (state != FEATURE_ON && state != FEATURE_OFF) {
		ksft_test_result_skip("%s: %s\n", title, feature_problem(state));
		return;
	}
	undo_write(file, state == FEATURE_ON ? FEATURE : "NO_" FEATURE);
	sum.err = feature_write(FEATURE, false);
	if (!sum.err)
		spread_rounds(title, SPIN_THREADS, 2 * CPU_COUNT(&cpus) - 1, &cpus, NULL, NULL,
			      &sum);
	undo_to(mark);
	ksft_test_result(!sum.err && !sum.strays && feature_read(FEATURE) == state,
			 "%s: threads start in their mask, at most %d a CPU\n", title, sum.most);
}

static int set_all(struct spin *spin, const cpu_set_t *sets, int nr_sets)
{
	int i;

	for (i = 0; i < spin->nr; i++) {
		struct spinner *task = &spin->task[i];
		const cpu_set_t *set = &sets[i % nr_sets];

		spin_mask_begin(task);
		if (sched_setaffinity(task->tid, sizeof(*set), set))
			return -errno;
		spin_mask_end(task, set);
	}
	return 0;
}

/*
 * Shrink, move, widen. When sched_setaffinity() has returned, the task must not
 * run elsewhere, not even for an instant.
 */
static void test_change_running(void)
{
	static const char title[] = "change the mask of running threads";
	cpu_set_t one[CPU_SETSIZE], here, there, all;
	int i, n, round, err, step = 0, mark = undo_mark();
	struct spin *spin;

	if (CPU_COUNT(&topo.cpus) < 2 || !topo.nr_llcs) {
		ksft_test_result_skip("%s: less than two CPUs, or no cache in sysfs\n", title);
		return;
	}
	all = topo.cpus;
	here = topo.llc[0];
	there = topo.llc[topo.nr_llcs - 1];
	if (topo.nr_llcs == 1) {
		/* Halves of the only LLC */
		for (i = 0, n = CPU_COUNT(&here) / 2; i < n; i++)
			CPU_CLR(nth_cpu(&here, 0), &here);
		CPU_XOR(&there, &there, &here);
	}
	n = CPU_COUNT(&here);
	for (i = 0; i < n; i++) {
		CPU_ZERO(&one[i]);
		CPU_SET(nth_cpu(&here, i), &one[i]);
	}
	ksft_print_msg("%s: %s, single CPUs, %s, %s\n", title, show_cpus(&here),
		       show_cpus(&there), show_cpus(&all));

	spin = spin_start(SPIN_THREADS, 8, &here, NULL, NULL);
	if (!spin) {
		ksft_test_result_fail("%s: %s\n", title, strerror(errno));
		return;
	}
	err = spin_wait_made(spin);
	if (!err)
		err = spin_wait_started(spin);
	for (round = 0; round < ROUNDS && !err; round++) {
		for (step = 0; step < 5 && !err; step++) {
			switch (step) {
			case 0:
				err = set_all(spin, one, n);
				break;
			case 1:
				err = set_all(spin, &there, 1);
				break;
			case 2:
				err = set_all(spin, &all, 1);
				break;
			case 3:
				err = set_all(spin, one, 1);
				break;
			case 4:
				err = set_all(spin, &here, 1);
				break;
			}
			if (!err)
				err = spin_wait_seen(spin);
			sleep_ms(50);
		}
	}
	for (i = 0; i < spin->nr; i++) {
		if (spin->task[i].stray >= 0)
			ksft_print_msg("%s: thread %d was seen on CPU %d\n", title, i,
				       spin->task[i].stray);
	}
	n = spin_strays(spin);
	spin_stop(spin);
	undo_to(mark);
	if (err)
		ksft_test_result_fail("%s: round %d, step %d: %s\n", title, round, step,
				      strerror(-err));
	else
		ksft_test_result(!n, "%s: %d of 8 were seen outside of it\n", title, n);
}

/* Return: 0 when the kernel refuses @set and leaves the affinity alone */
static int refuses(const cpu_set_t *set, size_t size, const char *what)
{
	cpu_set_t before, after;
	int ret, err;

	sched_getaffinity(0, sizeof(before), &before);
	ret = sched_setaffinity(0, size, set);
	err = errno;
	sched_getaffinity(0, sizeof(after), &after);
	if (!ret)
		ksft_print_msg("%s: accepted\n", what);
	else if (err != EINVAL)
		ksft_print_msg("%s: %s\n", what, strerror(err));
	else if (!CPU_EQUAL(&before, &after))
		ksft_print_msg("%s: affinity changed to %s\n", what, show_cpus(&after));
	else
		return 0;
	sched_setaffinity(0, sizeof(before), &before);
	return 1;
}

static void test_bad_masks(void)
{
	cpu_set_t set, mine;
	int cpu, bad;

	/* From the whole of the CPUs, and from a single one */
	CPU_ZERO(&set);
	bad = refuses(&set, sizeof(set), "empty mask");
	bad += refuses(&set, 0, "mask of no bytes");
	sched_getaffinity(0, sizeof(mine), &mine);
	CPU_SET(nth_cpu(&mine, CPU_COUNT(&mine) - 1), &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		bad++;
	CPU_ZERO(&set);
	bad += refuses(&set, sizeof(set), "empty mask, one CPU before");
	sched_setaffinity(0, sizeof(mine), &mine);
	ksft_test_result(!bad, "empty mask is refused\n");

	CPU_ZERO(&set);
	for (cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--) {
		char path[64];

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d", cpu);
		if (!access(path, F_OK))
			break;
		CPU_SET(cpu, &set);
	}
	if (!CPU_COUNT(&set))
		ksft_test_result_skip("CPUs that do not exist: all %d do\n", CPU_SETSIZE);
	else
		ksft_test_result(!refuses(&set, sizeof(set), "CPUs that do not exist"),
				 "mask of CPUs that do not exist is refused\n");
}

/* First and last CPU of each LLC, in turns from the front and from the middle */
static void test_single_cpu(void)
{
	static const char title[] = "single CPU";
	int cpus[2 * MAX_LLCS];
	int i, n = 0, k, err, bad = 0;
	struct spread res;
	cpu_set_t set;

	for (i = 0; i < topo.nr_llcs; i++) {
		cpus[n++] = nth_cpu(&topo.llc[i], 0);
		k = CPU_COUNT(&topo.llc[i]);
		if (k > 1)
			cpus[n++] = nth_cpu(&topo.llc[i], k - 1);
	}
	if (!n) {
		ksft_test_result_skip("%s: no cache in sysfs\n", title);
		return;
	}
	for (i = 0; i < n && i < 16; i++) {
		int cpu = cpus[(i & 1) * (n / 2) + i / 2];

		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		err = spread_run(i & 2 ? SPIN_THREADS : SPIN_FORKS, 3, &set, NULL, NULL, &res);
		if (err)
			ksft_print_msg("CPU %d: %s\n", cpu, strerror(-err));
		else if (res.strays)
			ksft_print_msg("CPU %d: first CPUs: %s\n", cpu, res.text);
		bad += err || res.strays;
	}
	ksft_test_result(!bad, "%s: all forks stay on it, on %d of %d CPUs\n", title, i - bad, i);
}

/* The program that is executed: say where that was */
static int say_where(const char *arg)
{
	int cpu = this_cpu();

	return write(atoi(arg), &cpu, sizeof(cpu)) != sizeof(cpu);
}

/* Return: CPU on which a program starts that is executed on busy CPU @busy */
static int exec_from(int busy, const cpu_set_t *cpus)
{
	int cpu = -1, fd[2];
	char arg[16];
	pid_t pid;

	if (pipe(fd))
		return -1;
	pid = fork();
	if (!pid) {
		cpu_set_t one;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		snprintf(arg, sizeof(arg), "%d", fd[1]);
		CPU_ZERO(&one);
		CPU_SET(busy, &one);
		if (!sched_setaffinity(0, sizeof(one), &one) &&
		    !sched_setaffinity(0, sizeof(*cpus), cpus))
			execl("/proc/self/exe", "placement", "--where", arg, NULL);
		_exit(127);
	}
	close(fd[1]);
	if (pid > 0) {
		if (read(fd[0], &cpu, sizeof(cpu)) != sizeof(cpu))
			cpu = -1;
		waitpid(pid, NULL, 0);
	}
	close(fd[0]);
	return cpu;
}

static void test_exec(void)
{
	static const char title[] = "exec from a busy CPU";
	int i, cpu, busy, err, bad = 0, stayed = 0;
	cpu_set_t cpus, one;
	struct spin *spin;
	const char *skip;
	char text[256];
	size_t len = 0;

	pick_per_llc(&topo, 1, MAX_LLCS, &cpus);
	if (CPU_COUNT(&cpus) < 2)
		pick_per_llc(&topo, 4, MAX_LLCS, &cpus);
	if (CPU_COUNT(&cpus) < 2) {
		ksft_test_result_skip("%s: less than two CPUs, or no cache in sysfs\n", title);
		ksft_test_result_skip("%s: moves away\n", title);
		return;
	}
	busy = nth_cpu(&cpus, 0);
	CPU_ZERO(&one);
	CPU_SET(busy, &one);
	spin = spin_start(SPIN_THREADS, 1, &one, NULL, NULL);
	err = spin ? spin_wait_made(spin) : -errno;
	if (!err)
		err = spin_wait_started(spin);
	for (i = 0; i < EXECS && !err; i++) {
		cpu = exec_from(busy, &cpus);
		bad += cpu < 0 || !CPU_ISSET(cpu, &cpus);
		stayed += cpu == busy;
		len += snprintf(text + len, sizeof(text) - len, " %d", cpu);
	}
	if (spin)
		spin_stop(spin);
	if (err) {
		ksft_test_result_fail("%s: %s\n", title, strerror(-err));
		ksft_test_result_skip("%s: moves away\n", title);
		return;
	}
	ksft_print_msg("%s %d, mask %s: runs on%s\n", title, busy, show_cpus(&cpus), text);
	ksft_test_result(!bad, "%s: %d of %d outside of the mask\n", title, bad, EXECS);
	skip = feature_problem(feature_read(FEATURE));
	if (skip)
		ksft_test_result_skip("%s: moves away: %s\n", title, skip);
	else
		ksft_test_result(stayed < EXECS, "%s: moves away, %d of %d times\n", title,
				 EXECS - stayed, EXECS);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--where"))
		return say_where(argv[2]);

	undo_init();
	ksft_print_header();
	ksft_set_plan(13);

	topology_init(&topo);
	ksft_print_msg("%d CPUs, %d LLCs used\n", CPU_COUNT(&topo.cpus), topo.nr_llcs);

	test_spread(SPIN_THREADS, "spread of threads");
	test_spread(SPIN_FORKS, "spread of processes");
	test_oversubscribed(SPIN_THREADS, 1, "oversubscribed threads");
	test_oversubscribed(SPIN_FORKS, 1, "oversubscribed processes");
	test_oversubscribed(SPIN_THREADS, 2, "oversubscribed threads, two CPUs an LLC");
	test_oversubscribed(SPIN_FORKS, 2, "oversubscribed processes, two CPUs an LLC");
	test_feature_off();
	test_change_running();
	test_bad_masks();
	test_single_cpu();
	test_exec();

	ksft_exit(!ksft_get_fail_cnt());
}
