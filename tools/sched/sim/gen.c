// SPDX-License-Identifier: GPL-2.0
/*
 * schedsim-gen: write workloads that rt-app 1.0 and schedsim read.
 *
 * Two extensions of rt-app's grammar. rt-app makes threads of one process only,
 * so where processes are wanted there is one more key at the top:
 *
 *	"processes" : { "NAME" : [ "TASK", ... ], ... }
 *
 * All instances of the tasks listed are threads of a process NAME of their own,
 * with its own address space. All processes share the barriers, mutexes and
 * conditions. A task is in one process at most; tasks that are in none stay in
 * rt-app's. rt-app 1.0 ignores keys that it doesn't know at the top, and runs the
 * same tasks as threads. Where tasks stand for the two ends of a pipe, "global"
 * has a key "sync_wakeups": they wake with the hint that the waker is about to
 * sleep. rt-app ignores that one, too.
 *
 * No interleaving may lose a wakeup. In rt-app, "signal", "broad" and "resume"
 * are lost when nobody waits, and "sync" begins with such a signal and needs a
 * mutex that is held while the thread runs. "suspend" and "wait" don't look at
 * anything that a waker could have left behind. So all that tasks do here to
 * each other is "barrier", which counts, under a mutex of its own:
 *
 *	lock
 *	if (waiting == 0)	# all the others are here: waiting began as users - 1
 *		broadcast
 *	else
 *		waiting--; wait; waiting++
 *	unlock
 *
 * Who comes first sleeps until the other has come, whichever that is. The catch
 * is the "waiting++" of those that were woken, which happens when they run
 * again: if the waker is back at the same barrier before that, it passes alone,
 * and in the end somebody waits for a partner who is gone. (Two threads with one
 * barrier in a loop do hang like that, with rt-app 1.0 at once.) Therefore:
 *
 * A: A barrier has two users, and these two meet at two barriers X and Y only,
 *    in the order X, Y, X, Y..., both equally often (rendezvous() and what
 *    calls it). Nobody passes X or Y alone then. By induction: when one of the
 *    two is the first to come to Y, it has left the X before, so the other has
 *    come to that X, so the other has left the Y before that and has done its
 *    "waiting++": Y counts 1 and who is first waits. The second finds 0, since
 *    the first only leaves by being woken. The same holds for X; in the very
 *    first round both count 1. What the two do with others in between doesn't
 *    matter.
 *
 * B: All meetings of a file can be put into one order such that every task
 *    takes its own in this order (see each kind). Of the meetings not done yet,
 *    take the first: both its tasks have done all that they had before, so they
 *    are there or on their way, and by A they leave it. Thus all meetings
 *    happen, nobody waits forever, and every task ends.
 *
 * C: Tasks that meet end by their loops and "duration" is -1. At the end of a
 *    duration rt-app broadcasts once to all; a thread that is about to wait
 *    then, having seen that the end has not come, waits forever. A duration is
 *    only for tasks that don't meet.
 *
 * rt-app calls pthread_cond_wait() once, so a spurious wakeup, which POSIX
 * allows, would break any of its events that wait. No file can help that.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json.h>

#ifndef __printf
#define __printf(a, b)	__attribute__((format(printf, a, b)))
#define __noreturn	__attribute__((noreturn))
#endif
#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof(*(a)))
#endif

#define NAME "schedsim-gen"

/* What keeps a file within some 100 MB and rt-app within the PIDs there are. */
#define MAX_TASKS 4096
#define MAX_PAIRS 65536

enum {
	GROUPS, SENDERS, RECEIVERS, MESSAGES, MESSAGE_THREADS, WORKERS, COUNT, TASKS,
	ROUNDS, RUN, SLEEP, THINK, GAP, SECONDS, SYNC, MODE,
	NR_OPTIONS
};

enum { MODE_THREAD, MODE_PROCESS };

static const struct {
	const char *name;
	long min, max;
	const char *what;
} options[NR_OPTIONS] = {
	[GROUPS]	  = { "groups", 1, 1024, "groups" },
	[SENDERS]	  = { "senders", 1, 64, "senders in a group" },
	[RECEIVERS]	  = { "receivers", 1, 64, "receivers in a group" },
	[MESSAGES]	  = { "messages", 1, 1000000, "messages a sender" },
	[MESSAGE_THREADS] = { "message-threads", 1, 256, "message threads" },
	[WORKERS]	  = { "workers", 1, 256, "workers a message thread" },
	[COUNT]		  = { "count", 1, 1024, "pairs" },
	[TASKS]		  = { "tasks", 1, 1024, "tasks" },
	[ROUNDS]	  = { "rounds", 1, 1000000, "rounds" },
	[RUN]		  = { "run", 1, 10000000, "us that a task runs at a time" },
	[SLEEP]		  = { "sleep", 1, 10000000, "us that a task sleeps at a time" },
	[THINK]		  = { "think", 0, 10000000, "us of sleep before a round" },
	[GAP]		  = { "gap", 0, 10000000, "us of sleep after a fork" },
	[SECONDS]	  = { "seconds", 1, 2000, "s that all takes" },
	[SYNC]		  = { "sync", 0, 1, "1: wake as a pipe's writer does, 0: as a futex" },
	[MODE]		  = { "mode", MODE_THREAD, MODE_PROCESS, "a thread or a process each" },
};

static const char * const modes[] = { "thread", "process" };

/* The whole file; here, so that it is no leak when the program ends halfway. */
static struct json_object *root;

/**
 * struct gen - a workload that is being made
 * @kind: its kind
 * @val: values of the options
 * @tasks: the object of the tasks
 * @processes: the object of the processes, NULL unless the mode asks for it
 */
struct gen {
	const struct kind *kind;
	long val[NR_OPTIONS];
	struct json_object *tasks, *processes;
};

/**
 * struct kind - a kind of workload
 * @name: its name
 * @what: what it is, for the help
 * @opt: its options and their defaults, up to the first without a range
 * @make: fills in the tasks
 */
struct kind {
	const char *name;
	const char *what;
	struct {
		int id;
		bool used;
		long def;
	} opt[8];
	void (*make)(struct gen *g);
};

#define OPT(id, def) { id, true, def }

static void __noreturn __printf(2, 3) die(int status, const char *fmt, ...)
{
	va_list ap;

	fputs(NAME ": ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(status);
}

static void *need(void *p)
{
	if (!p)
		die(1, "out of memory");
	return p;
}

static __printf(1, 2) char *str(const char *fmt, ...)
{
	va_list ap;
	char *p;
	int ret;

	va_start(ap, fmt);
	ret = vasprintf(&p, fmt, ap);
	va_end(ap);
	return need(ret < 0 ? NULL : p);
}

/* All keys are new: none of ours comes twice. */
static void add(struct json_object *obj, const char *key, struct json_object *val)
{
	if (json_object_object_add_ex(obj, key, need(val), JSON_C_OBJECT_ADD_KEY_IS_NEW))
		die(1, "out of memory");
}

static void add_int(struct json_object *obj, const char *key, long val)
{
	add(obj, key, json_object_new_int64(val));
}

static void add_string(struct json_object *obj, const char *key, const char *s)
{
	add(obj, key, json_object_new_string(s));
}

static struct json_object *add_object(struct json_object *obj, const char *key)
{
	struct json_object *child = json_object_new_object();

	add(obj, key, child);
	return child;
}

/**
 * add_task - add a task
 * @g: the workload
 * @name: its name, of 15 characters at most
 * @instances: how many of it
 * @loop: how often each goes through its phases, -1 for ever
 *
 * In process mode the task becomes a process.
 *
 * Return: the object for its phases.
 */
static struct json_object *add_task(struct gen *g, const char *name, long instances, long loop)
{
	struct json_object *task = add_object(g->tasks, name);

	add_int(task, "instance", instances);
	add_int(task, "loop", loop);
	if (g->processes) {
		struct json_object *list = need(json_object_new_array());

		if (json_object_array_add(list, need(json_object_new_string(name))))
			die(1, "out of memory");
		add(g->processes, name, list);
	}
	return add_object(task, "phases");
}

static struct json_object *add_phase(struct json_object *phases, const char *name, long loop)
{
	struct json_object *phase = add_object(phases, name);

	add_int(phase, "loop", loop);
	return phase;
}

/* Events are told apart by what their keys begin with, the rest is free. */
static void add_run(struct json_object *phase, int nr, long us)
{
	char key[24];

	snprintf(key, sizeof(key), "run%d", nr);
	add_int(phase, key, us);
}

/**
 * rendezvous - add a meeting of two tasks to one of them
 * @phase: the phase of the task
 * @nr: makes the key unique in the phase
 * @pair: name of the two, which no other two have
 * @y: false for barrier X, true for Y, see the top of the file
 *
 * rt-app counts as users those events of all tasks that name the barrier, so
 * each of the two must have exactly one with X and one with Y (or none with
 * either). Two phases of a task thus need two names.
 */
static void rendezvous(struct json_object *phase, int nr, const char *pair, bool y)
{
	char *name = str("%s%c", pair, y ? 'y' : 'x');
	char key[24];

	snprintf(key, sizeof(key), "barrier%d", nr);
	add_string(phase, key, name);
	free(name);
}

/**
 * hackbench_phase - add what one task does in some messages
 * @g: the workload
 * @phases: its phases
 * @group: its group
 * @id: its number among the senders or receivers of the group
 * @sender: which of the two it is
 * @rest: false for the messages of a cycle, true for what doesn't fill one
 *
 * Message k of sender s is for receiver (s + k) % receivers. A cycle is two
 * messages from every sender to every receiver, so it meets each pair at X and
 * then at Y, and the next cycle goes on with X (A). What is left over, less
 * than a cycle, has barriers of its own, since each name may be there once a
 * task. These are used once each, so that A is trivial for them.
 *
 * Senders go through their messages by k, receivers by k and then by s. So all
 * of a group are in the order of (cycle, k, s), and B holds.
 */
static void hackbench_phase(const struct gen *g, struct json_object *phases, int group, int id,
			    bool sender, bool rest)
{
	long cycle = 2 * g->val[RECEIVERS];
	long nr = rest ? g->val[MESSAGES] % cycle : cycle;
	long loop = rest ? 1 : g->val[MESSAGES] / cycle;
	struct json_object *phase = NULL;
	int event = 0;
	long k, s;

	if (!loop)
		return;
	for (k = 0; k < nr; k++) {
		for (s = sender ? id : 0; s < g->val[SENDERS]; s++) {
			long to = (s + k) % g->val[RECEIVERS];
			char *pair;

			if (sender ? s != id : to != id)
				continue;
			if (!phase)
				phase = add_phase(phases, rest ? "rest" : "cycle", loop);
			pair = str("%c%ds%ldr%ld", rest ? 'e' : 'g', group, s, to);
			if (sender)
				add_run(phase, event, g->val[RUN]);
			rendezvous(phase, event, pair, k >= g->val[RECEIVERS]);
			if (!sender)
				add_run(phase, event, g->val[RUN]);
			free(pair);
			event++;
		}
	}
}

static void make_hackbench(struct gen *g)
{
	long pairs = g->val[GROUPS] * g->val[SENDERS] * g->val[RECEIVERS];
	long tasks = g->val[GROUPS] * (g->val[SENDERS] + g->val[RECEIVERS]);
	int group, i;

	if (tasks > MAX_TASKS)
		die(1, "hackbench: %ld tasks are more than %d", tasks, MAX_TASKS);
	if (pairs > MAX_PAIRS)
		die(1, "hackbench: %ld pairs of sender and receiver are more than %d", pairs,
		    MAX_PAIRS);
	/* Otherwise a receiver may have nothing to do, and be no task at all. */
	if (g->val[MESSAGES] < g->val[RECEIVERS])
		die(1, "hackbench: --messages %ld is less than --receivers %ld", g->val[MESSAGES],
		    g->val[RECEIVERS]);

	for (group = 0; group < g->val[GROUPS]; group++) {
		for (i = 0; i < g->val[SENDERS] + g->val[RECEIVERS]; i++) {
			bool sender = i < g->val[SENDERS];
			int id = sender ? i : i - g->val[SENDERS];
			char *name = str("g%d%c%d", group, sender ? 's' : 'r', id);
			struct json_object *phases = add_task(g, name, 1, 1);

			hackbench_phase(g, phases, group, id, sender, false);
			hackbench_phase(g, phases, group, id, sender, true);
			free(name);
		}
	}
}

/*
 * A worker meets its message thread at X to be woken and at Y to answer (A). The
 * message thread meets its workers by number, first all at X and then all at Y.
 * Each worker has its two meetings of a round in the same order, hence B.
 */
static void make_schbench(struct gen *g)
{
	long tasks = g->val[MESSAGE_THREADS] * (g->val[WORKERS] + 1);
	long m, w;

	if (tasks > MAX_TASKS)
		die(1, "schbench: %ld tasks are more than %d", tasks, MAX_TASKS);

	for (m = 0; m < g->val[MESSAGE_THREADS]; m++) {
		char *name = str("m%ld", m);
		struct json_object *phases = add_task(g, name, 1, 1);
		struct json_object *phase = add_phase(phases, "round", g->val[ROUNDS]);

		if (g->val[THINK])
			add_int(phase, "sleep", g->val[THINK]);
		for (w = 0; w < 2 * g->val[WORKERS]; w++) {
			char *pair = str("m%ldw%ld", m, w % g->val[WORKERS]);

			rendezvous(phase, w, pair, w >= g->val[WORKERS]);
			free(pair);
		}
		free(name);

		for (w = 0; w < g->val[WORKERS]; w++) {
			name = str("m%ldw%ld", m, w);
			phases = add_task(g, name, 1, 1);
			phase = add_phase(phases, "round", g->val[ROUNDS]);
			rendezvous(phase, 0, name, false);
			add_run(phase, 0, g->val[RUN]);
			rendezvous(phase, 1, name, true);
			free(name);
		}
	}
}

/*
 * Client and server meet at X, the request, and at Y, the reply (A); they are
 * the only ones to meet, so B is trivial.
 */
static void make_pairs(struct gen *g)
{
	long i;

	for (i = 0; i < g->val[COUNT]; i++) {
		char *client = str("client%ld", i);
		char *server = str("server%ld", i);
		char *pair = str("pair%ld", i);
		struct json_object *phase;

		phase = add_phase(add_task(g, client, 1, 1), "round", g->val[ROUNDS]);
		if (g->val[THINK])
			add_int(phase, "sleep", g->val[THINK]);
		add_run(phase, 0, g->val[RUN]);
		rendezvous(phase, 0, pair, false);
		rendezvous(phase, 1, pair, true);

		phase = add_phase(add_task(g, server, 1, 1), "round", g->val[ROUNDS]);
		rendezvous(phase, 0, pair, false);
		add_run(phase, 0, g->val[RUN]);
		rendezvous(phase, 1, pair, true);
		free(client);
		free(server);
		free(pair);
	}
}

/* Nobody waits for anybody. "runtime" is time that passes, as in lab/workloads. */
static void make_stream(struct gen *g)
{
	struct json_object *phases = add_task(g, "stream", g->val[TASKS], 1);

	add_int(add_phase(phases, "busy", 1), "runtime", g->val[SECONDS] * 1000000);
}

/*
 * Nobody waits for anybody. An instance of 0 is a task that is there to be
 * forked only; rt-app lets one task fork another 1024 times.
 */
static void make_forks(struct gen *g)
{
	struct json_object *phase;

	phase = add_phase(add_task(g, "parent", 1, 1), "storm", g->val[TASKS]);
	add_string(phase, "fork", "short");
	if (g->val[GAP])
		add_int(phase, "sleep", g->val[GAP]);
	phase = add_phase(add_task(g, "short", 0, 1), "busy", 1);
	add_int(phase, "run", g->val[RUN]);
}

/* Nobody waits for anybody, so these can go on until the duration is over (C). */
static void make_mixed(struct gen *g)
{
	struct json_object *phase;

	phase = add_phase(add_task(g, g->kind->name, g->val[TASKS], -1), "cycle", 1);
	add_int(phase, "run", g->val[RUN]);
	add_int(phase, "sleep", g->val[SLEEP]);
}

static const struct kind kinds[] = {
	{
		"hackbench",
		"Groups of senders and receivers. A sender runs, then wakes the receiver whose\n"
		"turn it is, which runs; a sender that is ahead of a receiver waits for it.",
		{ OPT(GROUPS, 1), OPT(SENDERS, 20), OPT(RECEIVERS, 20), OPT(MESSAGES, 100),
		  OPT(RUN, 10), OPT(MODE, MODE_THREAD) },
		make_hackbench
	}, {
		"schbench",
		"Message threads, each with workers. In a round a message thread sleeps, wakes\n"
		"its workers and waits for them all; a worker runs and answers.",
		{ OPT(MESSAGE_THREADS, 2), OPT(WORKERS, 4), OPT(ROUNDS, 100), OPT(RUN, 1000),
		  OPT(THINK, 5000) },
		make_schbench
	}, {
		"pairs",
		"Clients and servers. In a round a client sleeps, runs, wakes its server and\n"
		"waits for the reply; the server runs and replies.",
		{ OPT(COUNT, 4), OPT(ROUNDS, 1000), OPT(RUN, 100), OPT(THINK, 1000),
		  OPT(SYNC, 1), OPT(MODE, MODE_THREAD) },
		make_pairs
	}, {
		"pipe",
		"As pairs, without sleep: one of the two is always busy.",
		{ OPT(COUNT, 1), OPT(ROUNDS, 10000), OPT(RUN, 5), OPT(SYNC, 1),
		  OPT(MODE, MODE_THREAD) },
		make_pairs
	}, {
		"stream",
		"Threads that are busy all the time.",
		{ OPT(TASKS, 8), OPT(SECONDS, 2) },
		make_stream
	}, {
		"forks",
		"A thread that forks short ones. rt-app 1.0 has no event \"fork\" and ignores\n"
		"it; later ones have it. lab/workloads/fork-storm.json is for all of them.",
		{ OPT(TASKS, 64), OPT(RUN, 500), OPT(GAP, 100) },
		make_forks
	}, {
		"mixed",
		"Threads that run and sleep, each on its own.",
		{ OPT(TASKS, 4), OPT(RUN, 1000), OPT(SLEEP, 1000), OPT(SECONDS, 10) },
		make_mixed
	}, {
		"shared3",
		"As mixed: three threads, two thirds of a CPU each.",
		{ OPT(TASKS, 3), OPT(RUN, 20000), OPT(SLEEP, 10000), OPT(SECONDS, 10) },
		make_mixed
	}, {
		"shared8light",
		"As mixed: eight threads, a sixth of a CPU each.",
		{ OPT(TASKS, 8), OPT(RUN, 20000), OPT(SLEEP, 100000), OPT(SECONDS, 10) },
		make_mixed
	},
};

static void print_kind(const struct kind *k)
{
	const char *s = k->what;
	size_t i;

	printf("\n%s\n", k->name);
	while (*s) {
		int len = strcspn(s, "\n");

		printf("  %.*s\n", len, s);
		s += len + (s[len] == '\n');
	}
	for (i = 0; i < ARRAY_SIZE(k->opt) && k->opt[i].used; i++) {
		int id = k->opt[i].id;

		if (id == MODE)
			printf("    --%-16s%s: thread or process (%s)\n", options[id].name,
			       options[id].what, modes[k->opt[i].def]);
		else
			printf("    --%-16s%s, %ld to %ld (%ld)\n", options[id].name,
			       options[id].what, options[id].min, options[id].max, k->opt[i].def);
	}
}

static void print_help(void)
{
	size_t i;

	fputs(NAME " - write a workload for rt-app and schedsim\n"
	      "\n"
	      "Usage:\n"
	      "  " NAME " KIND [--OPTION VALUE]... [-o FILE]\n"
	      "  " NAME " --help\n"
	      "\n"
	      "Writes to standard output, or to FILE, which is there complete or not at all.\n"
	      "The same options always give the same file. It is in rt-app 1.0's grammar, with\n"
	      "two extensions. '--mode process' adds a key at the top,\n"
	      "\n"
	      "  \"processes\" : { \"NAME\" : [ \"TASK\", ... ], ... }\n"
	      "\n"
	      "that makes the tasks listed threads of a process of their own, here each task\n"
	      "alone. schedsim does so; rt-app, which can't make processes, ignores the key\n"
	      "and makes threads. '--sync 1' adds \"sync_wakeups\" to \"global\": schedsim lets\n"
	      "tasks wake each other as over a pipe, rt-app ignores it. rt-app 1.0 opens a log\n"
	      "file a task, so it needs a ulimit -n above their number.\n"
	      "\n"
	      "Kinds, with their options and in parentheses what these are by default:\n", stdout);
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		print_kind(&kinds[i]);
}

static const struct kind *find_kind(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	}
	die(2, "unknown kind '%s', see '" NAME " --help'", name);
}

static int find_option(const struct kind *k, const char *arg)
{
	size_t i;

	if (strncmp(arg, "--", 2)) {
		if (*arg == '-' && arg[1])
			die(2, "%s: unknown option '%s', see '" NAME " --help'", k->name, arg);
		die(2, "%s: unexpected argument '%s'", k->name, arg);
	}
	for (i = 0; i < ARRAY_SIZE(k->opt) && k->opt[i].used; i++) {
		if (!strcmp(options[k->opt[i].id].name, arg + 2))
			return k->opt[i].id;
	}
	die(2, "%s: unknown option '%s', see '" NAME " --help'", k->name, arg);
}

static long parse_value(const struct kind *k, int id, const char *s)
{
	const char *name = options[id].name;
	long val, i;
	char *end;

	if (id == MODE) {
		for (i = MODE_THREAD; i <= MODE_PROCESS; i++) {
			if (!strcmp(modes[i], s))
				return i;
		}
		die(1, "%s: --%s '%s' is neither 'thread' nor 'process'", k->name, name, s);
	}
	errno = 0;
	val = strtol(s, &end, 10);
	/* No space, no sign. */
	if (*s < '0' || *s > '9' || *end || errno || val < options[id].min ||
	    val > options[id].max)
		die(1, "%s: --%s '%s' is not a number from %ld to %ld", k->name, name, s,
		    options[id].min, options[id].max);
	return val;
}

/**
 * parse - parse all that follows the kind
 * @g: the workload, whose values are filled in
 * @argv: the arguments, up to NULL
 *
 * Return: the file to write, or NULL for standard output.
 */
static const char *parse(struct gen *g, char **argv)
{
	const struct kind *k = g->kind;
	bool given[NR_OPTIONS] = { false };
	const char *path = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(k->opt) && k->opt[i].used; i++)
		g->val[k->opt[i].id] = k->opt[i].def;

	for (; *argv; argv += 2) {
		bool output = !strcmp(*argv, "-o");
		int id = output ? -1 : find_option(k, *argv);

		if (!argv[1])
			die(2, "%s: %s needs a value", k->name, *argv);
		if (output ? !!path : given[id])
			die(2, "%s: %s is given twice", k->name, *argv);
		if (output) {
			path = argv[1];
		} else {
			given[id] = true;
			g->val[id] = parse_value(k, id, argv[1]);
		}
	}
	return path;
}

/* All keys are as in lab/workloads, whose "duration" is -1. */
static void make(struct gen *g)
{
	struct json_object *global;

	root = need(json_object_new_object());
	global = add_object(root, "global");
	add_int(global, "duration", g->kind->make == make_mixed ? g->val[SECONDS] : -1);
	add_int(global, "calibration", 100);
	add_string(global, "default_policy", "SCHED_OTHER");
	add(global, "lock_pages", json_object_new_boolean(false));
	add_string(global, "logdir", "/tmp");
	add_string(global, "log_size", "disable");
	add(global, "ftrace", json_object_new_boolean(false));
	if (g->val[SYNC])
		add(global, "sync_wakeups", json_object_new_boolean(true));

	if (g->val[MODE] == MODE_PROCESS)
		g->processes = add_object(root, "processes");
	g->tasks = add_object(root, "tasks");
	g->kind->make(g);
}

/**
 * write_file - write a file that is there complete or not at all
 * @path: the file; an old one is replaced
 * @text: what it holds
 *
 * What isn't a regular file isn't replaced: "-o /dev/null" by root would be
 * the end of that device.
 */
static void write_file(const char *path, const char *text)
{
	char *tmp = str("%s.XXXXXX", path);
	const char *what = "write";
	struct stat st;
	int fd, err;
	mode_t mask;
	FILE *f;

	if (!lstat(path, &st)) {
		if (!S_ISREG(st.st_mode))
			die(1, "'%s' is not a regular file", path);
	} else if (errno != ENOENT || !*path) {
		die(1, "can't create '%s': %s", path, strerror(errno));
	}
	fd = mkstemp(tmp);
	if (fd < 0)
		die(1, "can't create '%s': %s", path, strerror(errno));
	f = fdopen(fd, "w");
	if (!f)
		goto fail;
	mask = umask(0);
	umask(mask);
	if (fchmod(fd, 0666 & ~mask) || fprintf(f, "%s\n", text) < 0 || fflush(f) || fsync(fd))
		goto fail;
	if (fclose(f))
		goto fail;
	what = "replace";
	if (rename(tmp, path))
		goto fail;
	free(tmp);
	return;
fail:
	err = errno;
	unlink(tmp);
	free(tmp);
	die(1, "can't %s '%s': %s", what, path, strerror(err));
}

int main(int argc, char **argv)
{
	struct gen g = { .val[MODE] = MODE_THREAD };
	const char *path = NULL;
	bool help;

	if (argc < 2)
		die(2, "no kind, see '" NAME " --help'");
	help = !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h");
	if (help) {
		print_help();
	} else {
		const int flags = JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_PRETTY |
				  JSON_C_TO_STRING_PRETTY_TAB | JSON_C_TO_STRING_NOSLASHESCAPE;
		const char *text;

		g.kind = find_kind(argv[1]);
		path = parse(&g, argv + 2);
		make(&g);
		text = json_object_to_json_string_ext(root, flags);
		if (!text)
			die(1, "out of memory");
		if (path)
			write_file(path, text);
		else
			puts(text);
		json_object_put(root);
	}
	if (!path && (fflush(stdout) || ferror(stdout)))
		die(1, "can't write to standard output: %s", strerror(errno));
	return 0;
}
