// SPDX-License-Identifier: GPL-2.0
/*
 * schedsim bench: how fast is the simulator itself, machine by machine.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run.h"

/* What the second measurement's tasks do */
#define RUN_NS		(100 * NSEC_PER_USEC)
#define SLEEP_NS	(100 * NSEC_PER_USEC)

static struct {
	sim_u64 length, end;
	int nr_tasks, left;
	struct sim_waitq *ended;
	sim_u64 t_start;
	double boot, speed[2], rate[2];
} bm;

static void leave(void)
{
	if (!--bm.left)
		sim_wake(bm.ended, INT_MAX);
}

static void busy_task(void *arg)
{
	(void)arg;
	while (sim_now() < bm.end)
		sim_run(10 * NSEC_PER_MSEC);
	leave();
}

static void sleepy_task(void *arg)
{
	(void)arg;
	while (sim_now() < bm.end) {
		sim_run(RUN_NS);
		sim_sleep(SLEEP_NS);
	}
	leave();
}

static void measure(int which)
{
	struct sim_clone c = {
		.flags = SIM_THREAD,
		.name = which ? "sleepy" : "busy",
		.fn = which ? sleepy_task : busy_task,
	};
	sim_u64 t = host_clock(), v = sim_now(), events = sim_events();
	double seconds;
	int i;

	bm.end = v + bm.length;
	bm.left = bm.nr_tasks;
	for (i = 0; i < bm.nr_tasks; i++) {
		if (sim_clone(&c) < 0)
			die("the kernel refuses to make task %d", i + 1);
	}
	while (bm.left)
		sim_wait_timeout(bm.ended, 100 * NSEC_PER_MSEC);
	seconds = (host_clock() - t) / 1e9;
	bm.speed[which] = (sim_now() - v) / 1e9 / seconds;
	bm.rate[which] = (sim_events() - events) / seconds;
}

static void init_main(void *arg)
{
	(void)arg;
	bm.boot = (host_clock() - bm.t_start) / 1e9;
	bm.ended = sim_waitq_new();
	if (!bm.ended)
		die("out of memory");
	measure(0);
	measure(1);
}

static void bench_one(int nr_cpus, int per_cpu, const struct sim_params *params)
{
	static struct sim_machine m;

	topo_generate(nr_cpus, &m);
	bm.nr_tasks = nr_cpus * per_cpu;
	bm.t_start = host_clock();
	sim_boot(&m, params, init_main, NULL);
	printf("%5d %7.3f %10.2f %12.0f %10.2f %12.0f\n", nr_cpus, bm.boot, bm.speed[0],
	       bm.rate[0], bm.speed[1], bm.rate[1]);
	if (fflush(stdout))
		die("standard output: %s", strerror(errno));
}

static int next_size(const char **list)
{
	char *end;
	long n = strtol(*list, &end, 10);

	if (end == *list || (*end && *end != ',') || n < 2 || n > SIM_MAX_CPUS || n % 2)
		die("--cpus-list: '%s' does not begin with an even number in 2..%d", *list,
		    SIM_MAX_CPUS);
	*list = *end ? end + 1 : end;
	return n;
}

/**
 * bench - schedsim bench
 * @list: numbers of CPUs, with commas
 * @seconds: virtual time of each measurement
 * @per_cpu: tasks a CPU
 * @params: the kernel's parameters
 *
 * Return: the exit status.
 */
int bench(const char *list, double seconds, int per_cpu, const struct sim_params *params)
{
	const char *p = list;
	int status;
	pid_t pid;

	while (*p)
		next_size(&p);
	bm.length = llround(seconds * NSEC_PER_SEC);
	printf("%5s %7s %23s %23s\n", "", "boot", "busy tasks", "100 us on, 100 us off");
	printf("%5s %7s %10s %12s %10s %12s\n", "CPUs", "s", "virt s/s", "events/s", "virt s/s",
	       "events/s");
	while (*list) {
		int nr_cpus = next_size(&list);

		/* A process can boot once */
		fflush(stdout);
		pid = fork();
		if (pid < 0)
			die("cannot fork: %s", strerror(errno));
		if (!pid) {
			/* Nobody waits for the figures of an orphan */
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			bench_one(nr_cpus, per_cpu, params);
			host_exit(sim_violations() ? SIM_EXIT_VIOLATION : 0);
		}
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		if (!WIFEXITED(status))
			die("%d CPUs: ended by signal %d", nr_cpus, WTERMSIG(status));
		if (WEXITSTATUS(status))
			return WEXITSTATUS(status);
	}
	return 0;
}
