// SPDX-License-Identifier: GPL-2.0
/*
 * The trace of a run, as schedplace record writes it: ftrace's text with the
 * machine in front and a line behind that says it is whole.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ftrace.h"
#include "topo.h"

#define BUF_SIZE	(1024 * 1024)
#define LINE_MAX_LEN	512

static int fd = -1;
static int failed;		/* errno of the first failure */
static char buf[BUF_SIZE];
static unsigned long used;

static void flush(void)
{
	unsigned long done = 0;
	ssize_t n;

	while (done < used && !failed) {
		n = write(fd, buf + done, used - done);
		if (n < 0 && errno != EINTR)
			failed = errno;
		else if (n > 0)
			done += n;
	}
	used = 0;
}

static char *put_str(char *p, const char *s)
{
	while (*s)
		*p++ = *s++;
	return p;
}

/* Names are the tasks' choice; a line end in one would make two lines of one */
static char *put_comm(char *p, const char *s)
{
	for (; *s; s++)
		*p++ = (unsigned char)*s < ' ' ? '?' : *s;
	return p;
}

/* Decimal, at least @width digits */
static char *put_num(char *p, sim_u64 v, int width)
{
	char digits[24];
	int n = 0;

	do {
		digits[n++] = '0' + v % 10;
		v /= 10;
	} while (v || n < width);
	while (n)
		*p++ = digits[--n];
	return p;
}

static char *put_int(char *p, int v)
{
	if (v < 0)
		*p++ = '-';
	return put_num(p, v < 0 ? -(sim_u64)v : (sim_u64)v, 1);
}

static char *put_field(char *p, const char *key, int v)
{
	return put_int(put_str(p, key), v);
}

static char *put_name(char *p, const char *key, const char *comm, int pid, int cpu)
{
	p = put_str(p, key);
	if (pid)
		return put_comm(p, comm);
	return put_int(put_str(p, "swapper/"), cpu);
}

/* "            busy-100     [000] d..2.    10.010001000: " */
static char *put_prefix(char *p, const struct event *e, const char *flags)
{
	const char *comm = e->cur_pid ? e->cur_comm : "<idle>";
	int pad = 16 - (int)strlen(comm);
	char *start;
	sim_u64 sec;

	while (pad-- > 0)
		*p++ = ' ';
	p = put_comm(p, comm);
	*p++ = '-';
	start = p;
	p = put_int(p, e->cur_pid);
	while (p - start < 7)
		*p++ = ' ';
	p = put_str(p, " [");
	p = put_num(p, e->cpu, 3);
	p = put_str(p, "] ");
	p = put_str(p, flags);
	*p++ = ' ';
	for (pad = 4, sec = e->time / NSEC_PER_SEC; sec >= 10; sec /= 10)
		pad--;
	while (pad-- > 0)
		*p++ = ' ';
	p = put_num(p, e->time / NSEC_PER_SEC, 1);
	*p++ = '.';
	p = put_num(p, e->time % NSEC_PER_SEC, 9);
	return put_str(p, ": ");
}

static char *put_switch(char *p, const struct event *e)
{
	p = put_name(p, "sched_switch: prev_comm=", e->comm, e->pid, e->cpu);
	p = put_field(p, " prev_pid=", e->pid);
	p = put_field(p, " prev_prio=", e->prio);
	p = put_str(p, " prev_state=");
	p = put_str(p, *e->state ? e->state : "R");
	p = put_name(p, " ==> next_comm=", e->next_comm, e->next_pid, e->cpu);
	p = put_field(p, " next_pid=", e->next_pid);
	return put_field(p, " next_prio=", e->next_prio);
}

static char *put_wakeup(char *p, const struct event *e, const char *name)
{
	p = put_str(p, name);
	p = put_comm(p, e->comm);
	p = put_field(p, " pid=", e->pid);
	p = put_field(p, " prio=", e->prio);
	p = put_str(p, " target_cpu=");
	return put_num(p, e->target, 3);
}

static char *put_body(char *p, const struct event *e)
{
	switch (e->type) {
	case SIM_EV_SWITCH:
		return put_switch(p, e);
	case SIM_EV_WAKING:
		return put_wakeup(p, e, "sched_waking: comm=");
	case SIM_EV_WAKEUP:
		return put_wakeup(p, e, "sched_wakeup: comm=");
	case SIM_EV_WAKEUP_NEW:
		return put_wakeup(p, e, "sched_wakeup_new: comm=");
	case SIM_EV_MIGRATE:
		p = put_comm(put_str(p, "sched_migrate_task: comm="), e->comm);
		p = put_field(p, " pid=", e->pid);
		p = put_field(p, " prio=", e->prio);
		p = put_field(p, " orig_cpu=", e->orig);
		return put_field(p, " dest_cpu=", e->target);
	case SIM_EV_FORK:
		p = put_comm(put_str(p, "sched_process_fork: comm="), e->comm);
		p = put_field(p, " pid=", e->pid);
		p = put_comm(put_str(p, " child_comm="), e->next_comm);
		return put_field(p, " child_pid=", e->next_pid);
	case SIM_EV_EXEC:
		p = put_comm(put_str(p, "sched_process_exec: filename="), e->comm);
		p = put_field(p, " pid=", e->pid);
		return put_field(p, " old_pid=", e->pid);
	case SIM_EV_EXIT:
		p = put_comm(put_str(p, "sched_process_exit: comm="), e->comm);
		p = put_field(p, " pid=", e->pid);
		return put_field(p, " prio=", e->prio);
	default:
		return NULL;
	}
}

/**
 * ftrace_event - write an event
 * @e: the event; others than the kernel's are left out
 */
void ftrace_event(const struct event *e)
{
	int outside = e->type == SIM_EV_FORK || e->type == SIM_EV_EXEC || e->type == SIM_EV_EXIT;
	char *p;

	if (fd < 0)
		return;
	if (used + LINE_MAX_LEN > BUF_SIZE)
		flush();
	p = put_body(put_prefix(buf + used, e, outside ? "....." : "d..2."), e);
	if (!p)
		return;
	*p++ = '\n';
	used = p - buf;
}

static void __printf(1, 2) put_line(const char *fmt, ...)
{
	va_list ap;
	int n;

	if (used + 2 * CPUS_STR_LEN > BUF_SIZE)
		flush();
	va_start(ap, fmt);
	n = vsnprintf(buf + used, BUF_SIZE - used, fmt, ap);
	va_end(ap);
	if (n > 0)
		used += n;
}

/**
 * ftrace_open - create the file
 * @path: its name
 *
 * Return: 0, or -errno.
 */
int ftrace_open(const char *path)
{
	/* Whatever it holds stays until the workload starts */
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	return fd < 0 ? -errno : 0;
}

/**
 * ftrace_active - is a trace being written?
 *
 * Return: true if it is.
 */
int ftrace_active(void)
{
	return fd >= 0;
}

/**
 * ftrace_header - what precedes the events
 * @command: what ran
 * @root: PID of the workload's root
 * @release: the kernel
 * @m: the machine
 * @allowed: CPUs that the workload may use
 */
void ftrace_header(const char *command, int root, const char *release,
		   const struct sim_machine *m, const struct sim_mask *allowed)
{
	static char list[CPUS_STR_LEN];
	int cpu;

	if (fd < 0)
		return;
	/* Fails for a pipe, which has nothing to cut off */
	if (ftruncate(fd, 0) && errno != EINVAL && !failed)
		failed = errno;
	put_line("# tracer: nop\n#\n# schedplace: version 1\n");
	put_line("# schedplace: command %s\n", command);
	put_line("# schedplace: root %d\n", root);
	put_line("# schedplace: kernel %s\n", release);
	for (cpu = 0; cpu < m->nr_cpus; cpu++) {
		put_line("# schedplace: cpu %d llc %d node %d", cpu, m->cpu[cpu].llc,
			 m->cpu[cpu].node);
		if (m->has_clusters)
			put_line(" cluster %d", m->cpu[cpu].cluster);
		put_line("\n");
	}
	topo_mask_str(allowed, list);
	put_line("# schedplace: allowed %s\n", list);
	put_line("#\n#           TASK-PID     [CPU]  flags   TIMESTAMP: EVENT: fields\n#\n");
}

/**
 * ftrace_close - end the trace
 *
 * Return: 0, or -errno of the first failure to write it.
 */
int ftrace_close(void)
{
	if (fd < 0)
		return 0;
	put_line("# schedplace: lost 0\n");
	flush();
	if (close(fd) && !failed)
		failed = errno;
	fd = -1;
	return -failed;
}
