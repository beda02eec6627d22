// SPDX-License-Identifier: GPL-2.0
/*
 * Where tasks run that a cpuset limits to a few CPUs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../kselftest.h"
#include "sched_util.h"

#define ROUNDS		5

static struct topology topo;
static char group[128];		/* Directory of the test's cgroup */
static bool v1;
static bool noprefix;		/* cgroup v1 mounted as "cpuset" file system */

static const char *group_file(const char *name)
{
	static char path[192];

	snprintf(path, sizeof(path), "%s/%s", group, name);
	return path;
}

static int set_cpus(const cpu_set_t *cpus)
{
	return write_file(group_file(noprefix ? "cpus" : "cpuset.cpus"), show_cpus(cpus));
}

static int join_group(void *unused)
{
	(void)unused;
	return write_file(group_file(v1 ? "tasks" : "cgroup.procs"), "0");
}

static bool has_word(const char *text, const char *word)
{
	size_t len = strlen(word);
	const char *p = text;

	while ((p = strstr(p, word))) {
		if ((p == text || strchr(" ,\n", p[-1])) && strchr(" ,\n", p[len]))
			return true;
		p += len;
	}
	return false;
}

/* The root of the hierarchy that has, or may have, the cpuset controller */
static const char *find_root(char *root, size_t size)
{
	char line[1024], where[128], type[32], opts[512], path[192], text[512];
	const char *problem = "no cgroup file system is mounted";
	FILE *mounts = fopen("/proc/self/mounts", "r");
	bool found = false;

	if (!mounts)
		return "no /proc/self/mounts";
	while (!found && fgets(line, sizeof(line), mounts)) {
		if (sscanf(line, "%*s %127s %31s %511s", where, type, opts) != 3)
			continue;
		if (!strcmp(type, "cgroup") && has_word(opts, "cpuset")) {
			v1 = true;
			noprefix = has_word(opts, "noprefix");
			found = true;
		} else if (!strcmp(type, "cgroup2")) {
			problem = "no cpuset controller";
			snprintf(path, sizeof(path), "%s/cgroup.controllers", where);
			found = read_file(path, text, sizeof(text)) > 0 &&
				has_word(text, "cpuset");
		}
	}
	fclose(mounts);
	if (!found)
		return problem;
	snprintf(root, size, "%s", where);
	return NULL;
}

static const char *copy_mems(const char *root)
{
	const char *name = noprefix ? "mems" : "cpuset.mems";
	char path[192], text[256];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	if (read_file(path, text, sizeof(text)) < 0 || write_file(group_file(name), text))
		return "cannot set cpuset.mems";
	return NULL;
}

static const char *make_group(void)
{
	char root[128], path[192], text[512];
	const char *problem;

	problem = find_root(root, sizeof(root));
	if (problem)
		return problem;
	if (!v1) {
		snprintf(path, sizeof(path), "%s/cgroup.subtree_control", root);
		if (read_file(path, text, sizeof(text)) < 0)
			return "this is no root cgroup";
		if (!has_word(text, "cpuset")) {
			undo_write(path, "-cpuset");
			if (write_file(path, "+cpuset"))
				return "cannot turn on the cpuset controller";
		}
	}
	if (snprintf(group, sizeof(group), "%s/placement.%d", root, getpid()) >=
	    (int)sizeof(group))
		return "the path of the cgroup is too long";
	undo_rmdir(group);
	if (mkdir(group, 0755))
		return "cannot make a cgroup";
	if (v1)
		return copy_mems(root);
	return NULL;
}

static void test_forks(const cpu_set_t *cpus)
{
	static const char title[] = "forks in a cpuset";
	const char *skip = feature_problem(feature_read(FEATURE));
	struct spread_sum sum;

	spread_rounds(title, SPIN_FORKS, 2 * CPU_COUNT(cpus) - 1, cpus, join_group, NULL, &sum);
	if (sum.err)
		ksft_test_result_fail("%s: %s\n", title, strerror(-sum.err));
	else
		ksft_test_result(!sum.strays, "%s: %d started outside of it\n", title,
				 sum.strays);
	if (!skip)
		skip = sum.err ? "cannot fork" : sum.skip;
	if (skip)
		ksft_test_result_skip("%s: at most two a CPU: %s\n", title, skip);
	else
		ksft_test_result(sum.most <= 2, "%s: at most %d a CPU\n", title, sum.most);
}

static int change_cpus(struct spin *spin, const cpu_set_t *cpus)
{
	int i, err;

	for (i = 0; i < spin->nr; i++)
		spin_mask_begin(&spin->task[i]);
	err = set_cpus(cpus);
	if (err)
		return err;
	for (i = 0; i < spin->nr; i++)
		spin_mask_end(&spin->task[i], cpus);
	return spin_wait_seen(spin);
}

/* When the write has returned, no task of the cpuset may run elsewhere */
static void test_shrink(const cpu_set_t *cpus, enum spin_kind kind, const char *title)
{
	cpu_set_t half, one, other;
	int i, n, round, err;
	struct spin *spin;

	CPU_ZERO(&half);
	CPU_ZERO(&one);
	n = CPU_COUNT(cpus);
	for (i = 0; i < n / 2; i++)
		CPU_SET(nth_cpu(cpus, i), &half);
	CPU_XOR(&other, cpus, &half);
	CPU_SET(nth_cpu(cpus, n - 1), &one);
	ksft_print_msg("%s: %s, then %s, %s, %s\n", title, show_cpus(cpus), show_cpus(&half),
		       show_cpus(&one), show_cpus(&other));

	spin = spin_start(kind, n, cpus, join_group, NULL);
	if (!spin) {
		ksft_test_result_fail("%s: %s\n", title, strerror(errno));
		return;
	}
	err = spin_wait_made(spin);
	if (!err)
		err = spin_wait_started(spin);
	for (round = 0; round < ROUNDS && !err; round++) {
		err = change_cpus(spin, &half);
		if (!err)
			err = change_cpus(spin, &one);
		if (!err)
			err = change_cpus(spin, &other);
		if (!err)
			err = change_cpus(spin, cpus);
		sleep_ms(50);
	}
	i = spin_strays(spin);
	spin_stop(spin);
	if (set_cpus(cpus))
		ksft_print_msg("%s: cannot set the CPUs\n", title);
	if (err)
		ksft_test_result_fail("%s: round %d: %s\n", title, round, strerror(-err));
	else
		ksft_test_result(!i, "%s: %d of %d seen outside of it\n", title, i, n);
}

int main(void)
{
	const char *problem;
	cpu_set_t cpus;
	int err;

	undo_init();
	ksft_print_header();
	topology_init(&topo);
	pick_per_llc(&topo, 2, 4, &cpus);
	if (geteuid())
		return ksft_exit_skip("needs root\n");
	if (CPU_COUNT(&cpus) < 2)
		return ksft_exit_skip("less than four CPUs, or no cache in sysfs\n");
	problem = make_group();
	if (problem)
		return ksft_exit_skip("%s\n", problem);

	ksft_set_plan(4);
	err = set_cpus(&cpus);
	if (err)
		return ksft_exit_fail_msg("cannot limit the cpuset to %s: %s\n",
					  show_cpus(&cpus), strerror(-err));
	test_forks(&cpus);
	test_shrink(&cpus, SPIN_FORKS, "shrink a cpuset of busy processes");
	test_shrink(&cpus, SPIN_THREADS, "shrink a cpuset of busy threads");

	ksft_exit(!ksft_get_fail_cnt());
}
