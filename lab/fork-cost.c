// SPDX-License-Identifier: GPL-2.0
/*
 * fork-cost fork N: create N threads and N processes and be rid of them again,
 * for pathcount to count what placing them takes. fork-cost wake N: let two
 * processes wake each other N times over pipes. Setting the host name is the mark
 * at which a section begins or ends.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler.h"

#define STACK	65536

static __noreturn void die(const char *what)
{
	fprintf(stderr, "fork-cost: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int child(void *arg)
{
	(void)arg;
	return 0;
}

static void mark(void)
{
	if (sethostname("lab", 3))
		die("sethostname");
}

static void section(long n, int flags)
{
	char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);

	if (stack == MAP_FAILED)
		die("stack");
	while (n--) {
		int pid = clone(child, stack + STACK, flags | SIGCHLD, NULL);

		if (pid < 0)
			die("clone");
		if (waitpid(pid, NULL, 0) != pid)
			die("waitpid");
	}
	munmap(stack, STACK);
}

/* The other end of the pipes: pass the byte on until it is closed */
static __noreturn void echo(int in, int out)
{
	char c;

	while (read(in, &c, 1) == 1) {
		if (write(out, &c, 1) != 1)
			die("write");
	}
	_exit(0);
}

static void wake(long n)
{
	int there[2], back[2], pid;
	char c = 0;
	long i;

	if (pipe(there) || pipe(back))
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		close(there[1]);
		close(back[0]);
		echo(there[0], back[1]);
	}
	/* They are to know each other as wakers first */
	for (i = -100; i < n / 2; i++) {
		if (!i)
			mark();
		if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
			die("pipe");
	}
	mark();
	close(there[1]);
	if (waitpid(pid, NULL, 0) != pid)
		die("waitpid");
}

int main(int argc, char **argv)
{
	char *end = NULL;
	long n = argc == 3 ? strtol(argv[2], &end, 10) : 0;

	if (n < 2 || *end || (strcmp(argv[1], "fork") && strcmp(argv[1], "wake"))) {
		fprintf(stderr, "usage: fork-cost fork|wake N\n");
		return 2;
	}
	if (!strcmp(argv[1], "wake")) {
		wake(n);
		return 0;
	}
	/* What is touched first costs more. */
	section(10, CLONE_VM);
	mark();
	section(n, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND);
	mark();
	section(n, 0);
	mark();
	return 0;
}
