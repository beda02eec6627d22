// SPDX-License-Identifier: GPL-2.0
/*
 * pairs COUNT: pairs of processes that wake each other in turns through two
 * pipes. Nothing is pinned: which CPU a woken one gets is the scheduler's
 * choice, among the CPUs that the caller may use.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "compiler.h"

#define MAX_PAIRS	4096

static long seconds = 3, loops = 10000, think;

static void help(FILE *f)
{
	fputs("usage: pairs [-s SECONDS] [-w LOOPS] [-t USEC] COUNT\n"
	      "  In each of COUNT pairs a client works and writes a byte into a pipe; its\n"
	      "  server reads it, works and writes one back, for which the client waits.\n"
	      "  -s SECONDS  how long (3)\n"
	      "  -w LOOPS    work: so many turns of an empty loop (10000)\n"
	      "  -t USEC     the client sleeps so long before each round (0)\n", f);
}

static __noreturn void die(const char *what)
{
	fprintf(stderr, "pairs: %s: %s\n", what, strerror(errno));
	exit(1);
}

static long parse(const char *s, const char *what, long min, long max)
{
	char *end;
	long v;

	errno = 0;
	v = strtol(s, &end, 10);
	if (end == s || *end || errno || v < min || v > max) {
		fprintf(stderr, "pairs: %s '%s' is not a number from %ld to %ld\n", what, s, min,
			max);
		exit(2);
	}
	return v;
}

/* Counted, not timed: an emulated CPU may stand still while clocks go on */
static void work(void)
{
	long i;

	for (i = 0; i < loops; i++)
		__asm__ volatile("" ::: "memory");
}

static bool expired(const struct timespec *end)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec > end->tv_sec ||
	       (now.tv_sec == end->tv_sec && now.tv_nsec >= end->tv_nsec);
}

/* The end of the pipe ends the server */
static int server(int in, int out)
{
	ssize_t n;
	char c;

	while ((n = read(in, &c, 1)) == 1) {
		work();
		if (write(out, &c, 1) != 1)
			return 1;
	}
	return n != 0;
}

static int client(int in, int out, const struct timespec *end)
{
	char c = 0;

	do {
		if (think)
			usleep(think);
		work();
		if (write(out, &c, 1) != 1 || read(in, &c, 1) != 1)
			return 1;
	} while (!expired(end));
	return 0;
}

static pid_t start(bool is_server, int request[2], int reply[2], const struct timespec *end)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(request[is_server]);
	close(reply[!is_server]);
	_exit(is_server ? server(request[0], reply[1]) : client(reply[0], request[1], end));
}

int main(int argc, char **argv)
{
	int request[2], reply[2], opt, status, failed = 0;
	struct timespec end;
	long count, i;

	while ((opt = getopt(argc, argv, "hs:t:w:")) != -1) {
		switch (opt) {
		case 'h':
			help(stdout);
			return 0;
		case 's':
			seconds = parse(optarg, "-s", 1, 3600);
			break;
		case 't':
			think = parse(optarg, "-t", 0, 999999);
			break;
		case 'w':
			loops = parse(optarg, "-w", 0, 1000000000);
			break;
		default:
			help(stderr);
			return 2;
		}
	}
	if (argc - optind != 1) {
		help(stderr);
		return 2;
	}
	count = parse(argv[optind], "COUNT", 1, MAX_PAIRS);

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += seconds;
	for (i = 0; i < count; i++) {
		if (pipe(request) || pipe(reply))
			die("pipe");
		/* Those that were started already end with us */
		if (start(true, request, reply, &end) < 0 || start(false, request, reply, &end) < 0)
			die("fork");
		close(request[0]);
		close(request[1]);
		close(reply[0]);
		close(reply[1]);
	}
	while (wait(&status) > 0)
		failed += status != 0;
	if (failed) {
		fprintf(stderr, "pairs: %d of %ld processes failed\n", failed, 2 * count);
		return 1;
	}
	return 0;
}
