// SPDX-License-Identifier: GPL-2.0
/* What the kernel has to say, and its last words. */
#include <linux/kernel.h>
#include <linux/kern_levels.h>
#include <linux/printk.h>
#include <linux/ratelimit.h>
#include <linux/sched.h>
#include <linux/sched/debug.h>
#include <linux/string.h>

#include "sim.h"

int oops_in_progress;
int panic_timeout;
/* A simulator that warns at every event helps nobody */
#define MAX_WARNINGS	20

static char text[4096];	/* one host thread, and nothing sleeps in here */

static void vprint(const char *fmt, va_list ap)
{
	static char level = '6';
	static bool open;	/* the last line has no end yet */
	size_t n = vscnprintf(text, sizeof(text), fmt, ap);
	bool cont = false;
	char *s = text;

	if (*s == KERN_SOH_ASCII && n >= 2) {
		cont = s[1] == 'c';
		if (s[1] >= '0' && s[1] <= '7')
			level = s[1];
		s += 2;
		n -= 2;
	} else {
		level = '4';
	}
	/* A record is a line of its own unless it says KERN_CONT */
	if (open && !cont && !sim_params.quiet)
		host_write(level, "\n", 1);
	open = n && s[n - 1] != '\n';
	sim_kunit_line(s);
	if (!sim_params.quiet || level <= '4')
		host_write(level, s, n);
}

int SIM_PRINTK(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprint(fmt, ap);
	va_end(ap);
	return 0;
}

int SIM_PRINTK_DEFERRED(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprint(fmt, ap);
	va_end(ap);
	return 0;
}

void panic(const char *fmt, ...)
{
	va_list ap;
	size_t n;

	n = scnprintf(text, sizeof(text), "[%llu ns, CPU %d, %s/%d] ", sim_clock(), sim_this_cpu,
		      sim_current ? sim_current->comm : "boot", sim_current ? sim_current->pid : 0);
	va_start(ap, fmt);
	vscnprintf(text + n, sizeof(text) - n, fmt, ap);
	va_end(ap);
	host_panic(text);
}

/* Undefined functions end here: scripts/sim generates a stub for each. */
void sim_missing(const char *name)
{
	panic("%s() is not simulated", name);
}

static void warned(const char *file, int line, const char *what)
{
	static int nr;

	if (nr++ >= MAX_WARNINGS)
		return;
	sim_violation("warning", "%s:%d: %s", file, line, what);
	host_backtrace();
}

void warn_slowpath_fmt(const char *file, const int line, unsigned int taint, const char *fmt, ...)
{
	char what[256] = "WARN_ON";
	va_list ap;

	if (fmt) {
		va_start(ap, fmt);
		vscnprintf(what, sizeof(what), fmt, ap);
		va_end(ap);
	}
	warned(file, line, what);
}

void dump_stack(void)
{
	host_backtrace();
}

void dump_stack_lvl(const char *log_lvl)
{
	host_backtrace();
}
