// SPDX-License-Identifier: GPL-2.0
/*
 * fork-cost N: create N threads and N processes and be rid of them again,
 * for pathcount to count what placing them takes. Setting the host name is the
 * mark at which a section begins or ends.
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

int main(int argc, char **argv)
{
	char *end = NULL;
	long n = argc == 2 ? strtol(argv[1], &end, 10) : 0;

	if (n < 1 || *end) {
		fprintf(stderr, "usage: fork-cost N\n");
		return 2;
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
