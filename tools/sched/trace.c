// SPDX-License-Identifier: GPL-2.0
/*
 * Read a text trace, find the tasks in it, and work out where they ran.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "schedplace.h"
#include "trace.h"

#define NSEC_PER_SEC	1000000000ULL
#define NO_SUCCESS	"<CANT FIND FIELD success>"
#define PID_MAX		4194304	/* the kernel's PID_MAX_LIMIT */

const char *const event_names[EV_NR] = {
	[EV_SWITCH]	= "sched_switch",
	[EV_WAKEUP]	= "sched_wakeup",
	[EV_WAKEUP_NEW]	= "sched_wakeup_new",
	[EV_MIGRATE]	= "sched_migrate_task",
	[EV_FORK]	= "sched_process_fork",
	[EV_EXEC]	= "sched_process_exec",
	[EV_EXIT]	= "sched_process_exit",
	[EV_WAKING]	= "sched_waking",
};

const char *const distance_names[NR_DISTANCES] = {
	[SAME_LLC]	= "same_llc",
	[CROSS_LLC]	= "cross_llc",
	[CROSS_NODE]	= "cross_node",
};

const char *const wake_names[NR_WAKE_DISTANCES] = {
	[WAKE_CPU]	= "same_cpu",
	[WAKE_CLUSTER]	= "same_cluster",
	[WAKE_LLC]	= "same_llc",
	[WAKE_FURTHER]	= "further",
};

/*
 * Reading
 */

static size_t hash_string(const char *s, size_t len)
{
	size_t hash = 5381;

	while (len--)
		hash = hash * 33 + (unsigned char)*s++;
	return hash;
}

/* Names repeat by the million: keep one copy of each. */
static const char *intern(struct trace *tr, const char *s, size_t len)
{
	size_t i, cap = tr->cap_strings;

	if (tr->nr_strings * 2 >= cap) {
		size_t new_cap = cap ? cap * 2 : 256;
		char **table = xcalloc(new_cap, sizeof(*table));

		for (i = 0; i < cap; i++) {
			char *old = tr->strings[i];
			size_t j;

			if (!old)
				continue;
			j = hash_string(old, strlen(old)) & (new_cap - 1);
			while (table[j])
				j = (j + 1) & (new_cap - 1);
			table[j] = old;
		}
		free(tr->strings);
		tr->strings = table;
		tr->cap_strings = new_cap;
		cap = new_cap;
	}
	i = hash_string(s, len) & (cap - 1);
	while (tr->strings[i]) {
		if (!strncmp(tr->strings[i], s, len) && !tr->strings[i][len])
			return tr->strings[i];
		i = (i + 1) & (cap - 1);
	}
	tr->strings[i] = xcalloc(len + 1, 1);
	memcpy(tr->strings[i], s, len);
	tr->nr_strings++;
	return tr->strings[i];
}

/*
 * match - match text against a pattern of literals, %d (an int) and %w (a word
 * that ends at a space); a space matches any number of spaces. The arguments
 * are int * and const char **. Returns where the match ends, or NULL.
 */
static const char *match_v(const char *s, const char *pattern, va_list ap)
{
	const char **word;
	char *end;
	long val;

	for (; *pattern; pattern++) {
		if (*pattern == ' ') {
			if (*s != ' ')
				return NULL;
			while (*s == ' ')
				s++;
		} else if (*pattern != '%') {
			if (*s++ != *pattern)
				return NULL;
		} else if (*++pattern == 'd') {
			if (!isdigit((unsigned char)*s) && *s != '-')
				return NULL;
			errno = 0;
			val = strtol(s, &end, 10);
			if (end == s || errno || val < INT_MIN || val > INT_MAX)
				return NULL;
			*va_arg(ap, int *) = val;
			s = end;
		} else {
			word = va_arg(ap, const char **);
			*word = s;
			while (*s && *s != ' ')
				s++;
			if (s == *word)
				return NULL;
		}
	}
	return s;
}

static const char *match(const char *s, const char *pattern, ...)
{
	const char *end;
	va_list ap;

	va_start(ap, pattern);
	end = match_v(s, pattern, ap);
	va_end(ap);
	return end;
}

/*
 * after_name - find where a task's name ends. A name may hold any character,
 * so it ends where all that follows it matches. *start is advanced to what
 * follows, *len is the name's length. With to_end, the match must end the line.
 */
static const char *after_name(const char *s, size_t *len, bool to_end,
			      const char *pattern, ...)
{
	const char *p, *end;
	va_list ap;

	for (p = s; *p; p++) {
		if (*p != *pattern)
			continue;
		va_start(ap, pattern);
		end = match_v(p, pattern, ap);
		va_end(ap);
		if (end && to_end && end[strspn(end, " ")])
			continue;
		if (end) {
			*len = p - s;
			return end;
		}
	}
	return NULL;
}

static bool valid_pid(int pid)
{
	return pid >= 0 && pid <= PID_MAX;
}

static bool valid_cpu(int cpu)
{
	return cpu >= 0 && cpu < MAX_CPUS;
}

static void set_state(struct event *ev, const char *word)
{
	ev->runs = *word == 'R';
	ev->dead = *word == 'X' || *word == 'Z';
}

static bool parse_switch(struct trace *tr, struct event *ev, const char *s)
{
	size_t len, len2;
	const char *prev, *next, *state, *p;
	int prio;

	p = match(s, "prev_comm=");
	if (p) {
		prev = p;
		p = after_name(prev, &len, false,
			       " prev_pid=%d prev_prio=%d prev_state=%w ==> next_comm=",
			       &ev->pid, &prio, &state);
		if (!p)
			return false;
		next = p;
		if (!after_name(next, &len2, true, " next_pid=%d next_prio=%d",
				&ev->pid2, &prio))
			return false;
	} else {
		/* As trace-cmd report prints it: comm:pid [prio] S ==> comm:pid [prio] */
		prev = s;
		p = after_name(prev, &len, false, ":%d [%d] %w ==> ",
			       &ev->pid, &prio, &state);
		if (!p)
			return false;
		next = p;
		if (!after_name(next, &len2, true, ":%d [%d]", &ev->pid2, &prio))
			return false;
	}
	set_state(ev, state);
	ev->comm = intern(tr, prev, len);
	ev->comm2 = intern(tr, next, len2);
	return valid_pid(ev->pid2);
}

static bool parse_wakeup(struct trace *tr, struct event *ev, const char *s)
{
	int prio, success, to;
	const char *name;
	size_t len;

	name = match(s, "comm=");
	if (name) {
		if (!after_name(name, &len, true, " pid=%d prio=%d target_cpu=%d",
				&ev->pid, &prio, &to) &&
		    !after_name(name, &len, true, " pid=%d prio=%d success=%d target_cpu=%d",
				&ev->pid, &prio, &success, &to))
			return false;
	} else {
		name = s;
		if (!after_name(name, &len, true, ":%d [%d] CPU:%d",
				&ev->pid, &prio, &to) &&
		    !after_name(name, &len, true, ":%d [%d] success=%d CPU:%d",
				&ev->pid, &prio, &success, &to) &&
		    /* What libtraceevent makes of 5.14 and later: no field success. */
		    !after_name(name, &len, true, ":%d [%d]" NO_SUCCESS " CPU:%d",
				&ev->pid, &prio, &to))
			return false;
	}
	if (!valid_cpu(to))
		return false;
	ev->to = to;
	ev->comm = intern(tr, name, len);
	return true;
}

static bool parse_migrate(struct trace *tr, struct event *ev, const char *s)
{
	const char *name = match(s, "comm=");
	int prio, from, to;
	size_t len;

	if (!name ||
	    !after_name(name, &len, true, " pid=%d prio=%d orig_cpu=%d dest_cpu=%d",
			&ev->pid, &prio, &from, &to) ||
	    !valid_cpu(from) || !valid_cpu(to))
		return false;
	ev->from = from;
	ev->to = to;
	ev->comm = intern(tr, name, len);
	return true;
}

static bool parse_fork(struct trace *tr, struct event *ev, const char *s)
{
	const char *name = match(s, "comm="), *child;
	size_t len, len2;

	if (!name)
		return false;
	child = after_name(name, &len, false, " pid=%d child_comm=", &ev->pid);
	if (!child || !after_name(child, &len2, true, " child_pid=%d", &ev->pid2))
		return false;
	ev->comm = intern(tr, name, len);
	ev->comm2 = intern(tr, child, len2);
	return valid_pid(ev->pid2);
}

static bool parse_exec(struct event *ev, const char *s)
{
	const char *name = match(s, "filename=");
	size_t len;

	return name && after_name(name, &len, true, " pid=%d old_pid=%d",
				  &ev->pid, &ev->pid2) && valid_pid(ev->pid2);
}

static bool parse_exit(struct trace *tr, struct event *ev, const char *s)
{
	const char *name = match(s, "comm="), *group_dead;
	size_t len;
	int prio;

	/* Newer kernels add group_dead=. */
	if (!name ||
	    (!after_name(name, &len, true, " pid=%d prio=%d", &ev->pid, &prio) &&
	     !after_name(name, &len, true, " pid=%d prio=%d group_dead=%w",
			 &ev->pid, &prio, &group_dead)))
		return false;
	ev->comm = intern(tr, name, len);
	return true;
}

static bool parse_body(struct trace *tr, struct event *ev, const char *s)
{
	bool ok = false;

	switch (ev->type) {
	case EV_SWITCH:
		ok = parse_switch(tr, ev, s);
		break;
	case EV_WAKEUP:
	case EV_WAKEUP_NEW:
	case EV_WAKING:
		ok = parse_wakeup(tr, ev, s);
		break;
	case EV_MIGRATE:
		ok = parse_migrate(tr, ev, s);
		break;
	case EV_FORK:
		ok = parse_fork(tr, ev, s);
		break;
	case EV_EXEC:
		ok = parse_exec(ev, s);
		break;
	case EV_EXIT:
		ok = parse_exit(tr, ev, s);
		break;
	}
	return ok && valid_pid(ev->pid);
}

/* Seconds with up to nine decimals, then a colon. Returns what follows. */
static const char *parse_time(const char *s, u64 *ts)
{
	u64 sec = 0, frac = 0, unit = NSEC_PER_SEC;
	const char *start = s;

	while (isdigit((unsigned char)*s) && s - start < 10)
		sec = sec * 10 + (*s++ - '0');
	if (s == start || *s++ != '.')
		return NULL;
	start = s;
	while (isdigit((unsigned char)*s) && unit > 1) {
		unit /= 10;
		frac += (*s++ - '0') * unit;
	}
	if (s == start || *s++ != ':')
		return NULL;
	*ts = sec * NSEC_PER_SEC + frac;
	return s;
}

/* The number that ends the task column: "comm-pid", maybe followed by "(tgid)". */
static int parse_curr(const char *line, const char *end)
{
	const char *p = end;

	while (p > line && p[-1] == ' ')
		p--;
	if (p > line && p[-1] == ')') {
		while (p > line && p[-1] != '(')
			p--;
		if (p > line)
			p--;
		while (p > line && p[-1] == ' ')
			p--;
	}
	end = p;
	while (p > line && isdigit((unsigned char)p[-1]))
		p--;
	if (p == end || p == line || p[-1] != '-')
		return -1;
	return atoi(p);
}

/*
 * parse_prefix - parse what precedes the event's fields. The task's name may
 * hold brackets: the CPU is the first [number] that fits what is around it.
 * Returns the event's name, or NULL if this isn't an event.
 */
static const char *parse_prefix(const char *line, struct event *ev)
{
	const char *p, *s, *flags;
	int cpu, curr;

	for (p = strchr(line, '['); p; p = strchr(p + 1, '[')) {
		s = match(p, "[%d] ", &cpu);
		if (!s)
			continue;
		curr = parse_curr(line, p);
		if (curr < 0)
			continue;
		p = parse_time(s, &ev->ts);
		if (!p) {
			s = match(s, "%w ", &flags);
			p = s ? parse_time(s, &ev->ts) : NULL;
			/* Off, need-resched, then which kind of interrupt */
			ev->irq = s && flags[1] != ' ' && strchr("hHsZz", flags[2]);
		}
		if (!p || *p != ' ')
			return NULL;
		if (!valid_cpu(cpu))
			return NULL;
		ev->cpu = cpu;
		ev->curr = curr;
		return p + strspn(p, " ");
	}
	return NULL;
}

static bool parse_key(const char **s, const char *key)
{
	const char *p = match(*s, key);

	if (p)
		*s = p;
	return p;
}

static void parse_comment(struct trace *tr, const char *s, int lineno)
{
	int cpu, llc, node, cluster = -1;
	const char *end;

	if (!parse_key(&s, "# schedplace: "))
		return;
	if (match(s, "version ")) {
		if (!match(s, "version %d", &tr->version))
			die("%s:%d: malformed version line", tr->path, lineno);
		if (tr->version != SP_VERSION)
			die("%s: format version %d, this program reads version %d",
			    tr->path, tr->version, SP_VERSION);
	} else if (parse_key(&s, "command ")) {
		free(tr->command);
		tr->command = xstrdup(s);
	} else if (parse_key(&s, "kernel ")) {
		free(tr->kernel);
		tr->kernel = xstrdup(s);
	} else if (match(s, "root ")) {
		if (!match(s, "root %d", &tr->root) || !valid_pid(tr->root))
			die("%s:%d: malformed root line", tr->path, lineno);
	} else if (match(s, "cpu ")) {
		end = match(s, "cpu %d llc %d node %d", &cpu, &llc, &node);
		if (!end || (*end && !match(end, " cluster %d", &cluster)) ||
		    topology_add(&tr->topo, cpu, llc, node, cluster))
			die("%s:%d: malformed cpu line", tr->path, lineno);
		tr->has_topo = true;
	} else if (parse_key(&s, "allowed ")) {
		if (cpuset_parse(&tr->allowed, s) || !cpuset_count(&tr->allowed))
			die("%s:%d: malformed list of allowed CPUs", tr->path, lineno);
		tr->has_allowed = true;
	} else if (parse_key(&s, "lost ")) {
		char *end;
		u64 lost = strtoull(s, &end, 10);

		if (end == s)
			die("%s:%d: malformed lost line", tr->path, lineno);
		tr->lost += lost;
		tr->complete = true;
		if (match(end, " or more"))
			tr->lost_some = true;
	}
}

/* Both ftrace and trace-cmd note in the text where a buffer overran. */
static bool parse_lost(struct trace *tr, const char *line)
{
	const char *s = line + strspn(line, " ");
	int cpu, nr;

	if (match(s, "CPU:%d [LOST %d EVENTS]", &cpu, &nr) ||
	    match(s, "CPU:%d [%d EVENTS DROPPED]", &cpu, &nr)) {
		tr->lost += nr;
		return true;
	}
	if (match(s, "CPU:%d [EVENTS DROPPED]", &cpu)) {
		tr->lost_some = true;
		return true;
	}
	return false;
}

static void parse_line(struct trace *tr, const char *line, int lineno)
{
	struct event ev = { .to = -1, .from = -1, .task = -1, .task2 = -1 };
	const char *name, *colon;
	int type;

	if (*line == '#') {
		parse_comment(tr, line, lineno);
		return;
	}
	if (parse_lost(tr, line))
		return;
	name = parse_prefix(line, &ev);
	if (!name) {
		for (type = 0; type < EV_NR; type++) {
			const char *p = strstr(line, event_names[type]);

			if (p && p > line && p[-1] == ' ' &&
			    match(p + strlen(event_names[type]), ": "))
				die("%s:%d: malformed line", tr->path, lineno);
		}
		return;
	}
	colon = strchr(name, ':');
	if (!colon)
		return;
	for (type = 0; type < EV_NR; type++) {
		if (strlen(event_names[type]) == (size_t)(colon - name) &&
		    !strncmp(name, event_names[type], colon - name))
			break;
	}
	if (type == EV_NR)
		return;
	ev.type = type;
	colon++;
	if (!parse_body(tr, &ev, colon + strspn(colon, " ")))
		die("%s:%d: malformed %s event", tr->path, lineno, event_names[type]);
	vec_reserve(tr->events, tr->nr_events, tr->cap_events);
	tr->events[tr->nr_events++] = ev;
}

/* Merge sort: events of the same time must keep their order. */
static void sort_events(struct event *ev, struct event *tmp, size_t nr)
{
	size_t half = nr / 2, i = 0, j = half, k = 0;

	if (nr < 2)
		return;
	sort_events(ev, tmp, half);
	sort_events(ev + half, tmp, nr - half);
	if (ev[half - 1].ts <= ev[half].ts)
		return;
	while (i < half && j < nr)
		tmp[k++] = ev[j].ts < ev[i].ts ? ev[j++] : ev[i++];
	while (i < half)
		tmp[k++] = ev[i++];
	memcpy(ev, tmp, k * sizeof(*ev));
}

/**
 * trace_read - read a text trace
 * @tr: result, zeroed by the caller
 * @path: the file, or "-" for standard input
 *
 * Doesn't return if the file can't be read or used.
 */
void trace_read(struct trace *tr, const char *path)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "r") : stdin;
	bool newline = true;
	struct event *tmp;
	char *line = NULL;
	size_t size = 0;
	int lineno = 0;
	ssize_t len;

	tr->path = path;
	if (!f)
		die("%s: %s", path, strerror(errno));
	errno = 0;
	while ((len = getline(&line, &size, f)) > 0) {
		lineno++;
		if (memchr(line, '\0', len))
			die("%s: a binary file, not a text trace (for trace.dat: trace-cmd report)",
			    path);
		newline = line[len - 1] == '\n';
		while (len && (line[len - 1] == '\n' || line[len - 1] == '\r'))
			line[--len] = '\0';
		/* What the last line of a truncated file says can't be trusted. */
		if (!newline)
			die("%s:%d: truncated: the last line has no end", path, lineno);
		/* Processes choose their names freely. */
		clean_text(line);
		parse_line(tr, line, lineno);
	}
	if (ferror(f))
		die("%s: %s", path, strerror(errno));
	free(line);
	if (f != stdin)
		fclose(f);

	if (!lineno)
		die("%s: empty file", path);
	if (tr->version && !tr->complete)
		die("%s: truncated: the 'lost' line that ends a trace is missing", path);
	if (!tr->nr_events)
		die("%s: no scheduler event, not an ftrace text trace?", path);

	if (tr->lost_some && !tr->lost)
		tr->lost = 1;

	tmp = xcalloc(tr->nr_events, sizeof(*tmp));
	sort_events(tr->events, tmp, tr->nr_events);
	free(tmp);
}

/*
 * Which event is about which task
 */

struct resolver {
	struct trace *tr;
	int *by_pid;		/* current task of each pid, or -1 */
	size_t nr_pids;
	int curr[MAX_CPUS];	/* task that each CPU switched to, or -1 */
	bool root_seen;
};

static int *pid_slot(struct resolver *rs, int pid)
{
	size_t i, nr = rs->nr_pids;

	if ((size_t)pid >= nr) {
		while ((size_t)pid >= nr)
			nr = nr ? nr * 2 : 4096;
		rs->by_pid = xrealloc(rs->by_pid, nr, sizeof(*rs->by_pid));
		for (i = rs->nr_pids; i < nr; i++)
			rs->by_pid[i] = -1;
		rs->nr_pids = nr;
	}
	return &rs->by_pid[pid];
}

static int new_task(struct resolver *rs, int pid, size_t index)
{
	struct trace *tr = rs->tr;
	struct task *t;

	vec_reserve(tr->tasks, tr->nr_tasks, tr->cap_tasks);
	t = &tr->tasks[tr->nr_tasks];
	memset(t, 0, sizeof(*t));
	t->pid = pid;
	t->first_event = index;
	t->born = tr->events[index].ts;
	t->cpu = -1;
	t->waker = -1;
	t->first_cpu = -1;
	if (pid == tr->root && !rs->root_seen) {
		t->root = true;
		rs->root_seen = true;
	}
	*pid_slot(rs, pid) = tr->nr_tasks;
	return tr->nr_tasks++;
}

/* The task that has this pid now, or -1 if it isn't one of the traced. */
static int lookup(struct resolver *rs, int pid, size_t index)
{
	int task;

	if (!pid)
		return -1;
	task = *pid_slot(rs, pid);
	if (task >= 0)
		return task;
	if (!rs->tr->root || (pid == rs->tr->root && !rs->root_seen))
		return new_task(rs, pid, index);
	return -1;
}

static int resolve_child(struct resolver *rs, int parent, int pid, size_t index)
{
	struct trace *tr = rs->tr;
	int task;

	if (!pid)
		return -1;
	if (tr->root && parent < 0 && !(pid == tr->root && !rs->root_seen)) {
		/* Another process's child, even if one of ours had this pid. */
		*pid_slot(rs, pid) = -1;
		return -1;
	}
	task = new_task(rs, pid, index);
	tr->tasks[task].forked = true;
	return task;
}

static void resolve_event(struct resolver *rs, size_t index)
{
	struct trace *tr = rs->tr;
	struct event *ev = &tr->events[index];
	struct task *t;
	int task;

	switch (ev->type) {
	case EV_SWITCH:
		/* A pid may have a new owner before the last one is switched out. */
		task = rs->curr[ev->cpu];
		if (task >= 0 && tr->tasks[task].pid == ev->pid)
			ev->task = task;
		else
			ev->task = lookup(rs, ev->pid, index);
		ev->task2 = lookup(rs, ev->pid2, index);
		rs->curr[ev->cpu] = ev->task2;
		if (ev->task >= 0)
			tr->tasks[ev->task].ran = true;
		if (ev->task2 >= 0)
			tr->tasks[ev->task2].ran = true;
		break;
	case EV_FORK:
		ev->task = lookup(rs, ev->pid, index);
		ev->task2 = resolve_child(rs, ev->task, ev->pid2, index);
		break;
	case EV_WAKEUP_NEW:
		task = lookup(rs, ev->pid, index);
		t = task >= 0 ? &tr->tasks[task] : NULL;
		/* Without its fork event: the parent is the task that logs this. */
		if (!t || t->dead || t->woken_new || t->ran) {
			int parent = tr->root ? lookup(rs, ev->curr, index) : -1;

			task = resolve_child(rs, parent, ev->pid, index);
		}
		ev->task = task;
		if (task >= 0) {
			tr->tasks[task].forked = true;
			tr->tasks[task].woken_new = true;
		}
		break;
	case EV_EXEC:
		if (ev->pid != ev->pid2 && ev->pid && ev->pid2) {
			/* A thread that execs takes over its leader's pid. */
			task = lookup(rs, ev->pid2, index);
			if (task >= 0) {
				tr->tasks[task].pid = ev->pid;
				*pid_slot(rs, ev->pid) = task;
				*pid_slot(rs, ev->pid2) = -1;
			}
		}
		ev->task = lookup(rs, ev->pid, index);
		break;
	case EV_WAKING:
		/* Only one that is known already can be waited for, or wake. */
		ev->task = *pid_slot(rs, ev->pid);
		ev->task2 = ev->curr ? *pid_slot(rs, ev->curr) : -1;
		ev->comm = NULL;
		break;
	default:
		ev->task = lookup(rs, ev->pid, index);
		if (ev->type == EV_EXIT && ev->task >= 0)
			tr->tasks[ev->task].dead = true;
		break;
	}
	if (ev->task >= 0 && ev->comm)
		tr->tasks[ev->task].comm = ev->comm;
	if (ev->task2 >= 0 && ev->comm2)
		tr->tasks[ev->task2].comm = ev->comm2;
}

/**
 * trace_resolve - find the tasks of a trace
 * @tr: a trace that has been read
 *
 * With a root, those are the root and its descendants, otherwise all tasks but
 * the idle ones. A fork always makes a new task, since pids are used again.
 */
void trace_resolve(struct trace *tr)
{
	struct resolver *rs = xcalloc(1, sizeof(*rs));
	size_t i;
	int cpu;

	rs->tr = tr;
	for (cpu = 0; cpu < MAX_CPUS; cpu++)
		rs->curr[cpu] = -1;
	for (i = 0; i < tr->nr_events; i++)
		resolve_event(rs, i);
	free(rs->by_pid);
	free(rs);
}

/**
 * trace_select - choose the tasks to report, and those to count
 * @tr: a resolved trace
 * @comm_glob: shell pattern that a task's last name must match, or NULL
 *
 * Counted are the forked tasks; if there is none, all.
 *
 * Return: the number of tasks to report.
 */
int trace_select(struct trace *tr, const char *comm_glob)
{
	int i, selected = 0, forked = 0;
	struct task *t;

	for (i = 0; i < tr->nr_tasks; i++) {
		t = &tr->tasks[i];
		t->selected = !comm_glob ||
			      !fnmatch(comm_glob, t->comm ? t->comm : "", 0);
		t->counted = t->selected && t->forked && !t->root;
		selected += t->selected;
		forked += t->counted;
	}
	for (i = 0; i < tr->nr_tasks && !forked; i++)
		tr->tasks[i].counted = tr->tasks[i].selected;
	return selected;
}

/*
 * Where the tasks ran
 */

struct cpu_state {
	int curr;		/* reported task that runs here, or -1 */
	bool idle;		/* the idle task runs here */
	bool allowed;
	bool watched;		/* in the list of watched CPUs */
	int nr;			/* counted tasks that run or wait here */
	int nr_any;		/* all tasks that do */
	int stack;		/* of the stretch that is being measured, or 0 */
	u64 stack_start;
	bool busy;		/* for segments: a task that isn't reported runs */
	u64 busy_start;
};

struct accounting {
	struct trace *tr;
	struct cpu_state cpus[MAX_CPUS];
	int watched[MAX_CPUS];	/* CPUs with a stack, now or a moment ago */
	int nr_watched;
	int nr_idle;		/* allowed CPUs with nothing to do */
	int nr_stacked;		/* CPUs with two counted tasks or more */
	bool dirty;
	u64 now;
	u64 settled;
};

static void end_stack(struct accounting *ac, int cpu)
{
	struct cpu_state *c = &ac->cpus[cpu];
	struct trace *tr = ac->tr;
	u64 ns = ac->now - c->stack_start;

	if (c->stack > tr->worst_tasks ||
	    (c->stack == tr->worst_tasks && c->stack && ns > tr->worst_ns)) {
		tr->worst_tasks = c->stack;
		tr->worst_cpu = cpu;
		tr->worst_at = c->stack_start;
		tr->worst_ns = ns;
	}
	c->stack = 0;
}

/* What happens at one moment is judged as a whole: only its outcome lasts. */
static void advance(struct accounting *ac, u64 ts)
{
	int i, kept = 0;

	if (ts <= ac->now)
		return;
	for (i = 0; ac->dirty && i < ac->nr_watched; i++) {
		int cpu = ac->watched[i];
		struct cpu_state *c = &ac->cpus[cpu];
		int stack = ac->nr_idle && c->nr >= 2 ? c->nr : 0;

		if (stack != c->stack) {
			end_stack(ac, cpu);
			c->stack = stack;
			c->stack_start = ac->now;
		}
		if (c->nr >= 2)
			ac->watched[kept++] = cpu;
		else
			c->watched = false;
	}
	if (ac->dirty)
		ac->nr_watched = kept;
	ac->dirty = false;
	if (ac->nr_idle && ac->nr_stacked)
		ac->tr->stacked_ns += ts - ac->now;
	if (ac->tr->topo.has_clusters)
		spread_time(&ac->tr->spread, ac->now, ts, ac->settled);
	ac->now = ts;
}

static bool has_nothing(const struct cpu_state *c)
{
	return c->allowed && c->idle && !c->nr_any;
}

static void set_idle(struct accounting *ac, int cpu, bool idle)
{
	struct cpu_state *c = &ac->cpus[cpu];

	ac->nr_idle -= has_nothing(c);
	c->idle = idle;
	ac->nr_idle += has_nothing(c);
	ac->dirty = true;
}

static void add_nr(struct accounting *ac, const struct task *t, int delta)
{
	struct cpu_state *c = &ac->cpus[t->cpu];

	ac->nr_idle -= has_nothing(c);
	c->nr_any += delta;
	ac->nr_idle += has_nothing(c);
	if (t->counted) {
		ac->nr_stacked -= c->nr >= 2;
		c->nr += delta;
		ac->nr_stacked += c->nr >= 2;
		if (c->nr >= 2 && !c->watched) {
			c->watched = true;
			ac->watched[ac->nr_watched++] = t->cpu;
		}
		if (ac->tr->topo.has_clusters)
			spread_add(&ac->tr->spread, ac->tr->topo.cluster[t->cpu], delta);
	}
	ac->dirty = true;
}

static bool on_cpu(const struct task *t)
{
	return t->state == TASK_QUEUED || t->state == TASK_RUNS;
}

static struct cpu_time *find_time(struct task *t, int cpu)
{
	int i;

	for (i = 0; i < t->nr_times; i++) {
		if (t->times[i].cpu == cpu)
			return &t->times[i];
	}
	vec_reserve(t->times, t->nr_times, t->cap_times);
	t->times[i].cpu = cpu;
	t->times[i].ns = 0;
	t->nr_times++;
	return &t->times[i];
}

static void add_segment(struct trace *tr, int task, int cpu, u64 start, u64 end)
{
	struct segment *seg;

	if (!tr->want_segments || start >= end)
		return;
	vec_reserve(tr->segments, tr->nr_segments, tr->cap_segments);
	seg = &tr->segments[tr->nr_segments++];
	seg->task = task;
	seg->cpu = cpu;
	seg->start = start;
	seg->end = end;
}

static enum distance distance(const struct topology *topo, int a, int b)
{
	if (topo->node[a] != topo->node[b])
		return CROSS_NODE;
	return topo->llc[a] == topo->llc[b] ? SAME_LLC : CROSS_LLC;
}

static bool same_cluster(const struct topology *topo, int a, int b)
{
	return topo->has_clusters && topo->cluster[a] == topo->cluster[b];
}

static enum wake_distance wake_distance(const struct topology *topo, int waker, int cpu)
{
	if (waker == cpu)
		return WAKE_CPU;
	if (same_cluster(topo, waker, cpu))
		return WAKE_CLUSTER;
	return distance(topo, waker, cpu) == SAME_LLC ? WAKE_LLC : WAKE_FURTHER;
}

/* Whatever runs on this CPU stops. credit is false if its end was lost. */
static void stop_running(struct accounting *ac, int cpu, bool credit)
{
	struct cpu_state *c = &ac->cpus[cpu];
	struct task *t;
	u64 ns;

	if (c->curr < 0)
		return;
	t = &ac->tr->tasks[c->curr];
	if (credit) {
		ns = ac->now - t->since;
		t->run_ns += ns;
		find_time(t, cpu)->ns += ns;
		add_segment(ac->tr, c->curr, cpu, t->since, ac->now);
	}
	c->curr = -1;
}

/* The task is on this CPU from now on, in this state. */
static void place(struct accounting *ac, struct task *t, int cpu, enum task_state state)
{
	enum distance d;

	/* If it still ran, the event that stopped it was lost. */
	if (t->state == TASK_RUNS && ac->cpus[t->cpu].curr == t - ac->tr->tasks)
		stop_running(ac, t->cpu, false);
	if (on_cpu(t))
		add_nr(ac, t, -1);
	if (t->first_cpu < 0) {
		t->first_cpu = cpu;
	} else if (t->cpu != cpu) {
		d = distance(&ac->tr->topo, t->cpu, cpu);
		t->migrations[d]++;
		t->in_cluster += same_cluster(&ac->tr->topo, t->cpu, cpu);
		if (t->counted && ac->now <= ac->tr->last_fork)
			ac->tr->burst_migrations++;
		if (ac->now > ac->settled) {
			t->migrations_settled[d]++;
			t->in_cluster_settled += same_cluster(&ac->tr->topo, t->cpu, cpu);
		}
	}
	t->cpu = cpu;
	t->state = state;
	if (on_cpu(t))
		add_nr(ac, t, 1);
}

static void set_busy(struct accounting *ac, int cpu)
{
	ac->cpus[cpu].busy = true;
	ac->cpus[cpu].busy_start = ac->now;
}

static void start_running(struct accounting *ac, int task, int cpu)
{
	struct task *t = &ac->tr->tasks[task];

	place(ac, t, cpu, TASK_RUNS);
	find_time(t, cpu);
	t->since = ac->now;
	ac->cpus[cpu].curr = task;
}

static void account_switch(struct accounting *ac, const struct event *ev)
{
	struct cpu_state *c = &ac->cpus[ev->cpu];
	struct trace *tr = ac->tr;
	struct task *t;

	if (c->busy) {
		add_segment(tr, -1, ev->cpu, c->busy_start, ac->now);
		c->busy = false;
	}
	if (c->curr >= 0 && c->curr != ev->task) {
		t = &tr->tasks[c->curr];
		place(ac, t, t->cpu, TASK_SLEEPS);
	}
	if (ev->task >= 0) {
		t = &tr->tasks[ev->task];
		if (c->curr == ev->task)
			stop_running(ac, ev->cpu, true);
		else if (t->cpu < 0)
			find_time(t, ev->cpu);
		/*
		 * A dead task can't be anywhere else, but a new task that has
		 * its pid can.
		 */
		if (!ev->runs && t->counted && ac->now <= tr->last_fork)
			tr->burst_sleeps++;
		if (t->cpu < 0 || t->cpu == ev->cpu || !ev->dead)
			place(ac, t, ev->cpu, ev->runs ? TASK_QUEUED : TASK_SLEEPS);
	}
	if (ev->task2 >= 0)
		start_running(ac, ev->task2, ev->cpu);
	else if (ev->pid2)
		set_busy(ac, ev->cpu);
	set_idle(ac, ev->cpu, !ev->pid2);
}

static void account_event(struct accounting *ac, const struct event *ev)
{
	struct task *t = ev->task >= 0 ? &ac->tr->tasks[ev->task] : NULL;

	/* A trace may begin while its tasks run: what a task does tells where. */
	if (t && t->cpu < 0 && ev->pid == ev->curr &&
	    (ev->type == EV_FORK || ev->type == EV_EXEC || ev->type == EV_EXIT)) {
		start_running(ac, ev->task, ev->cpu);
		set_idle(ac, ev->cpu, false);
	}

	switch (ev->type) {
	case EV_SWITCH:
		account_switch(ac, ev);
		break;
	case EV_FORK:
		if (ev->task2 >= 0)
			ac->tr->tasks[ev->task2].state = TASK_NEW;
		break;
	case EV_WAKEUP_NEW:
		if (t && t->state != TASK_RUNS)
			place(ac, t, ev->to, TASK_QUEUED);
		break;
	case EV_WAKING:
		if (t)
			t->waker = ev->task2 >= 0 && !ev->irq ? ev->cpu : -1;
		break;
	case EV_WAKEUP:
		if (!t)
			break;
		t->wakeups++;
		/* The target's CPU may log this, so the waker's is from sched_waking. */
		if (t->waker >= 0 && t->counted && !on_cpu(t))
			ac->tr->wakes[wake_distance(&ac->tr->topo, t->waker, ev->to)]++;
		t->waker = -1;
		/* A task may be woken before it has gone to sleep. */
		if (t->state != TASK_RUNS || t->cpu != ev->to)
			place(ac, t, ev->to, TASK_QUEUED);
		break;
	case EV_MIGRATE:
		/* Until its first wakeup, a new task isn't anywhere. */
		if (!t || t->state == TASK_NEW)
			break;
		if (t->cpu < 0)
			place(ac, t, ev->from, TASK_SLEEPS);
		place(ac, t, ev->to, on_cpu(t) ? TASK_QUEUED : TASK_SLEEPS);
		break;
	case EV_EXIT:
		if (t && t->counted && ac->now > ac->settled)
			ac->tr->spread.ended = true;
		break;
	default:
		break;
	}
}

static void init_spread(struct accounting *ac)
{
	const struct topology *topo = &ac->tr->topo;
	struct spread *s = &ac->tr->spread;
	int cpu;

	if (!topo->has_clusters)
		return;
	s->nr = xcalloc(MAX_CPUS, sizeof(*s->nr));
	s->allowed = xcalloc(MAX_CPUS, sizeof(*s->allowed));
	for (cpu = 0; cpu < topo->nr; cpu++) {
		if (ac->cpus[cpu].allowed)
			s->allowed[topo->cluster[cpu]] = true;
		if (topo->cluster[cpu] >= s->nr_clusters)
			s->nr_clusters = topo->cluster[cpu] + 1;
	}
}

static void init_cpus(struct accounting *ac)
{
	struct trace *tr = ac->tr;
	struct cpuset seen;
	struct event *ev;
	size_t i;
	int cpu;

	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		ac->cpus[cpu].curr = -1;
		ac->cpus[cpu].allowed = cpuset_has(&tr->topo.known, cpu) &&
			(!tr->has_allowed || cpuset_has(&tr->allowed, cpu));
		set_idle(ac, cpu, true);
	}
	init_spread(ac);
	/* The first switch of a CPU tells what it did until then. */
	memset(&seen, 0, sizeof(seen));
	for (i = 0; i < tr->nr_events; i++) {
		ev = &tr->events[i];
		if (ev->type != EV_SWITCH || cpuset_has(&seen, ev->cpu))
			continue;
		cpuset_add(&seen, ev->cpu);
		if (!ev->pid)
			continue;
		set_idle(ac, ev->cpu, false);
		if (ev->task < 0)
			set_busy(ac, ev->cpu);
		else if (tr->tasks[ev->task].first_event == i)
			start_running(ac, ev->task, ev->cpu);
	}
}

static bool is_selected(const struct trace *tr, int task)
{
	return task >= 0 && tr->tasks[task].selected;
}

/**
 * trace_account - work out where the selected tasks ran
 * @tr: a trace whose tasks have been selected, and whose topology is known
 * @settle_ns: migrations sooner than this after the last fork aren't settled
 *
 * A CPU is idle until an event says otherwise.
 */
void trace_account(struct trace *tr, u64 settle_ns)
{
	struct accounting *ac = xcalloc(1, sizeof(*ac));
	struct event *ev;
	bool any = false;
	size_t i;
	int cpu;

	/* From here on, a task that isn't selected is like any other process. */
	tr->start = tr->events[0].ts;
	for (i = 0; i < tr->nr_events; i++) {
		ev = &tr->events[i];
		if (!is_selected(tr, ev->task))
			ev->task = -1;
		if (!is_selected(tr, ev->task2))
			ev->task2 = -1;
		tr->has_waking |= ev->type == EV_WAKING;
		if (ev->type == EV_WAKING || (ev->task < 0 && ev->task2 < 0))
			continue;
		if (!any && tr->root)
			tr->start = ev->ts;
		tr->end = ev->ts;
		any = true;
	}
	tr->first_fork = tr->end;
	tr->last_fork = tr->start;
	for (i = 0; i < (size_t)tr->nr_tasks; i++) {
		struct task *t = &tr->tasks[i];

		if (!t->counted || !t->forked)
			continue;
		if (t->born > tr->last_fork)
			tr->last_fork = t->born;
		if (t->born < tr->first_fork)
			tr->first_fork = t->born;
	}

	ac->tr = tr;
	ac->now = tr->events[0].ts;
	ac->settled = tr->last_fork + settle_ns;
	init_cpus(ac);
	for (i = 0; i < tr->nr_events && tr->events[i].ts <= tr->end; i++) {
		advance(ac, tr->events[i].ts);
		account_event(ac, &tr->events[i]);
	}
	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		end_stack(ac, cpu);
		stop_running(ac, cpu, true);
		if (ac->cpus[cpu].busy)
			add_segment(tr, -1, cpu, ac->cpus[cpu].busy_start, ac->now);
	}
	free(ac);
}

/**
 * trace_free - free all that belongs to a trace
 * @tr: the trace
 */
void trace_free(struct trace *tr)
{
	size_t i;

	for (i = 0; i < (size_t)tr->nr_tasks; i++)
		free(tr->tasks[i].times);
	for (i = 0; i < tr->cap_strings; i++)
		free(tr->strings[i]);
	free(tr->strings);
	free(tr->tasks);
	free(tr->events);
	free(tr->segments);
	free(tr->spread.nr);
	free(tr->spread.allowed);
	free(tr->command);
	free(tr->kernel);
}
