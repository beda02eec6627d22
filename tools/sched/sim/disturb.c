// SPDX-License-Identifier: GPL-2.0
/*
 * Disturbances: what an administrator does while the workload runs. A file has
 * one a line: the time in ms since the start of the workload, and what to do.
 */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disturb.h"
#include "events.h"
#include "topo.h"

enum verb { OFFLINE, ONLINE, FEATURE, AFFINITY, CGROUP, NICE, NR_VERBS };

static const struct {
	const char *name;
	int words;		/* that follow; the last one takes the rest of the line */
	const char *usage;
} verbs[NR_VERBS] = {
	[OFFLINE]	= { "offline", 1, "offline CPU" },
	[ONLINE]	= { "online", 1, "online CPU" },
	[FEATURE]	= { "feature", 1, "feature NAME" },
	[AFFINITY]	= { "affinity", 2, "affinity TASKNAME LIST" },
	[CGROUP]	= { "cgroup", 3, "cgroup PATH FILE VALUE" },
	[NICE]		= { "nice", 2, "nice TASKNAME N" },
};

struct action {
	sim_u64 time;
	unsigned int line;
	enum verb verb;
	int number;		/* CPU or nice value */
	struct sim_mask mask;
	char *word[3];
};

static const char *file;
static struct action *actions;
static unsigned long nr_actions, cap_actions;
static const struct workload *workload;
static struct sim_waitq *go;
static sim_u64 start;
static int root_pid, failures;

/* ---- the file ---- */

static char *next_word(char **text, int rest)
{
	char *word = *text + strspn(*text, " \t"), *end;

	end = rest ? word + strlen(word) : word + strcspn(word, " \t");
	*text = *end ? end + 1 : end;
	*end = '\0';
	while (end > word && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return word;
}

static int parse_int(const char *text, int min, int max, int *out)
{
	char *end;
	long v;

	errno = 0;
	v = strtol(text, &end, 10);
	if (end == text || *end || errno || v < min || v > max)
		return -1;
	*out = v;
	return 0;
}

static void parse_args(struct action *a, int nr_cpus)
{
	switch (a->verb) {
	case OFFLINE:
	case ONLINE:
		if (parse_int(a->word[0], 0, nr_cpus - 1, &a->number))
			die("%s:%u: '%s' is no CPU; the machine has 0-%d", file, a->line,
			    a->word[0], nr_cpus - 1);
		break;
	case AFFINITY:
		if (topo_mask_parse(&a->mask, a->word[1], nr_cpus))
			die("%s:%u: '%s' is no list of CPUs in 0-%d", file, a->line,
			    a->word[1], nr_cpus - 1);
		break;
	case NICE:
		if (parse_int(a->word[1], -20, 19, &a->number))
			die("%s:%u: '%s' is no nice value, -20..19", file, a->line, a->word[1]);
		break;
	case CGROUP:
		/* "/" is the root for those who think of a mount point */
		a->word[0] += strspn(a->word[0], "/");
		break;
	default:
		break;
	}
}

static void parse_line(char *text, unsigned int line, int nr_cpus)
{
	struct action *a;
	char *word, *end;
	double ms;
	int i;

	text[strcspn(text, "#\r\n")] = '\0';
	word = next_word(&text, 0);
	if (!*word)
		return;
	actions = xgrow(actions, nr_actions, &cap_actions, sizeof(*actions));
	a = &actions[nr_actions++];
	memset(a, 0, sizeof(*a));
	a->line = line;
	ms = strtod(word, &end);
	if (end == word || *end || !(ms >= 0 && ms <= 1e9))
		die("%s:%u: '%s' is no time in ms", file, line, word);
	a->time = llround(ms * NSEC_PER_MSEC);

	word = next_word(&text, 0);
	for (i = 0; i < NR_VERBS; i++) {
		if (!strcmp(word, verbs[i].name))
			break;
	}
	if (i == NR_VERBS)
		die("%s:%u: '%s' is none of the actions of 'schedsim --help'", file, line, word);
	a->verb = i;
	for (i = 0; i < verbs[a->verb].words; i++) {
		word = next_word(&text, a->verb == CGROUP && i == 2);
		if (!*word)
			die("%s:%u: too few words, it is '%s'", file, line, verbs[a->verb].usage);
		a->word[i] = strdup(word);
		if (!a->word[i])
			die("out of memory");
	}
	if (text[strspn(text, " \t")])
		die("%s:%u: too many words, it is '%s'", file, line, verbs[a->verb].usage);
	parse_args(a, nr_cpus);
}

static int by_time(const void *a, const void *b)
{
	const struct action *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/**
 * disturb_load - read the file
 * @path: its name; exits with file and line if it cannot be used
 * @nr_cpus: CPUs of the machine
 */
void disturb_load(const char *path, int nr_cpus)
{
	FILE *f = fopen(path, "r");
	unsigned int line = 0;
	char *text = NULL;
	size_t size = 0;

	if (!f)
		die("--disturb %s: %s", path, strerror(errno));
	file = path;
	while (getline(&text, &size, f) >= 0)
		parse_line(text, ++line, nr_cpus);
	if (ferror(f))
		die("--disturb %s: cannot be read", path);
	free(text);
	fclose(f);
	if (nr_actions)
		qsort(actions, nr_actions, sizeof(*actions), by_time);
}

/* ---- the task ---- */

static int act_on_task(const struct action *a, int pid)
{
	if (a->verb == AFFINITY)
		return host_setaffinity(pid, &a->mask);
	if (a->verb == NICE)
		return sim_nice(pid, a->number);
	return sim_cgroup_attach(a->word[0], pid);
}

/* A task's name is that in the file, with or without "-" and its number */
static int matches(const char *pattern, const struct workload_task_stat *s)
{
	char full[64];

	snprintf(full, sizeof(full), "%.40s-%d", s->name, s->instance);
	return !fnmatch(pattern, s->name, 0) || !fnmatch(pattern, full, 0);
}

static int on_tasks(const struct action *a, const char *pattern)
{
	struct workload_task_stat *stats;
	int i, nr, ret, done = 0, err = -ESRCH;

	if (!fnmatch(pattern, "rt-app", 0)) {
		err = act_on_task(a, root_pid);
		done = !err;
	}
	nr = workload_stats(workload, NULL, 0);
	stats = xcalloc(nr, sizeof(*stats));
	nr = workload_stats(workload, stats, nr) < nr ? 0 : nr;
	for (i = 0; i < nr; i++) {
		if (stats[i].pid <= 0 || !matches(pattern, &stats[i]))
			continue;
		ret = act_on_task(a, stats[i].pid);
		/* Others of the name may live on where one has ended */
		if (!ret)
			done++;
		else if (ret != -ESRCH || err == -ESRCH)
			err = ret;
	}
	free(stats);
	return done ? 0 : err;
}

static int make_group(const char *path)
{
	char part[256];
	const char *p;
	int ret;

	for (p = path; p; ) {
		p = strchrnul(p, '/');
		snprintf(part, sizeof(part), "%.*s", (int)(p - path), path);
		ret = *part ? sim_cgroup_mkdir(part) : 0;
		if (ret && ret != -EEXIST)
			return ret;
		p = *p ? p + 1 : NULL;
	}
	return 0;
}

static int act(const struct action *a)
{
	int ret;

	switch (a->verb) {
	case OFFLINE:
		ret = sim_cpu_down(a->number);
		if (!ret)
			events_note(EV_OFFLINE, 0, a->number);
		return ret;
	case ONLINE:
		ret = sim_cpu_up(a->number);
		if (!ret)
			events_note(EV_ONLINE, 0, a->number);
		return ret;
	case FEATURE:
		return sim_feature(a->word[0]);
	case CGROUP:
		ret = make_group(a->word[0]);
		if (ret)
			return ret;
		if (!strcmp(a->word[1], "cgroup.procs"))
			return on_tasks(a, a->word[2]);
		ret = sim_cgroup_write(a->word[0], a->word[1], a->word[2]);
		return ret > 0 ? 0 : ret;
	default:
		return on_tasks(a, a->word[0]);
	}
}

static void disturb_main(void *arg)
{
	unsigned long i;
	int ret;

	(void)arg;
	/* A wakeup that comes too early is lost: look again */
	while (!start)
		sim_wait_timeout(go, NSEC_PER_MSEC);
	for (i = 0; i < nr_actions; i++) {
		if (sim_now() < start + actions[i].time)
			sim_sleep_until(start + actions[i].time);
		ret = act(&actions[i]);
		if (!ret)
			continue;
		failures++;
		warn("%s:%u: %s failed: %s", file, actions[i].line,
		     verbs[actions[i].verb].usage, strerror(-ret));
	}
}

/**
 * disturb_start - make the task that disturbs; task context
 * @w: the workload
 */
void disturb_start(const struct workload *w)
{
	static const struct sim_clone c = { .name = "disturb", .fn = disturb_main };

	if (!nr_actions)
		return;
	workload = w;
	go = sim_waitq_new();
	if (!go || sim_clone(&c) < 0)
		die("cannot make the task for --disturb");
}

/**
 * disturb_go - the workload starts; task context
 * @root: PID of its root
 */
void disturb_go(int root)
{
	root_pid = root;
	start = sim_now();
	if (go)
		sim_wake(go, INT_MAX);
}

/**
 * disturb_failures - actions that failed so far
 *
 * Return: their number.
 */
int disturb_failures(void)
{
	return failures;
}
