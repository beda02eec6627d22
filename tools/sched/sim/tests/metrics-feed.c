// SPDX-License-Identifier: GPL-2.0
/*
 * Feed metrics and the trace writer with the events of a text, or with random
 * ones, for comparison with what schedplace makes of the trace.
 *
 *   metrics-feed TEXT JSON TRACE
 *   metrics-feed --random SEED MACHINE JSON TRACE
 *
 * Lines of the text: 'machine FILE', 'allowed LIST', then, times in ns:
 *   TIME CPU CURRENT switch PID STATE NEXT
 *   TIME CPU CURRENT wakeup|wakeup_new|waking PID TARGET [idle]
 *   TIME CPU CURRENT migrate PID FROM TO
 *   TIME CPU CURRENT fork PID CHILD
 *   TIME CPU CURRENT exec|exit PID
 *   TIME allowed PID LIST
 *   TIME offline|online CPU
 * The process that 1 forks first is the workload.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ftrace.h"
#include "run.h"

#define MAX_PIDS	64
#define RANDOM_EVENTS	3000

static struct sim_machine machine;
static struct sim_mask allowed;
static struct run_names names = { .kernel = "6.1.0-test", .base = "6.1", .variant = "test",
				  .workload = "feed", .command = "feed", .m = &machine };
static sim_u64 now;

sim_u64 sim_now(void)
{
	return now;
}

static void sink(const struct event *e)
{
	static int header;

	if (!metrics_event(e))
		return;
	if (!header++)
		ftrace_header(names.command, metrics_root(), names.kernel, &machine, &allowed);
	ftrace_event(e);
}

static void start(const char *trace)
{
	metrics_start(&machine, &allowed);
	events_to(sink);
	metrics_arm(1);
	if (ftrace_open(trace))
		die("%s: cannot be written", trace);
}

static void finish(const char *json)
{
	struct run_result r = { };

	metrics_finish(&r.m);
	r.first = metrics_first_placements(&r.nr_first);
	if (ftrace_close())
		die("the trace cannot be written");
	report_json(json, &names, &r, 1);
	free(r.first);
}

static const char *comm_of(int pid)
{
	static char name[4][SIM_COMM_LEN];
	static int i;

	i = (i + 1) % 4;
	snprintf(name[i], sizeof(name[i]), "task-%d", pid);
	return name[i];
}

static void send(struct sim_event *e)
{
	e->time = now;
	e->prio = 120;
	e->next_prio = 120;
	e->comm = comm_of(e->pid);
	e->next_comm = comm_of(e->next_pid);
	e->cur_comm = comm_of(e->cur_pid);
	host_event(e);
}

/* ---- from a text ---- */

static int event_line(char *line)
{
	static const char *const words[] = {
		[SIM_EV_WAKING] = "waking", [SIM_EV_WAKEUP] = "wakeup",
		[SIM_EV_WAKEUP_NEW] = "wakeup_new", [SIM_EV_SWITCH] = "switch",
		[SIM_EV_MIGRATE] = "migrate", [SIM_EV_FORK] = "fork", [SIM_EV_EXEC] = "exec",
		[SIM_EV_EXIT] = "exit",
	};
	char word[32], list[256], state[8], *args;
	struct sim_event e = { };
	struct sim_mask mask;
	int used = 0, n, a, b = 0;

	if (sscanf(line, "%llu allowed %d %255s", &now, &a, list) == 3) {
		if (topo_mask_parse(&mask, list, machine.nr_cpus))
			return -1;
		events_note(EV_ALLOWED, a, metrics_class(&mask));
		return 0;
	}
	if (sscanf(line, "%llu %31s %d %n", &now, word, &a, &used) == 3 &&
	    (!strcmp(word, "offline") || !strcmp(word, "online"))) {
		events_note(*word == 'o' && word[1] == 'f' ? EV_OFFLINE : EV_ONLINE, 0, a);
		return 0;
	}
	if (sscanf(line, "%llu %d %d %31s %d %n", &now, &e.cpu, &e.cur_pid, word, &e.pid,
		   &used) != 5)
		return -1;
	args = line + used;
	for (e.type = 0; e.type <= SIM_EV_EXIT; e.type++) {
		if (!strcmp(word, words[e.type]))
			break;
	}
	switch (e.type) {
	case SIM_EV_SWITCH:
		n = sscanf(args, "%7s %d", state, &e.next_pid) == 2;
		e.state = state;
		break;
	case SIM_EV_MIGRATE:
		n = sscanf(args, "%d %d", &e.orig, &e.target) == 2;
		break;
	case SIM_EV_FORK:
		n = sscanf(args, "%d", &e.next_pid) == 1;
		break;
	case SIM_EV_EXEC:
	case SIM_EV_EXIT:
		n = 1;
		break;
	default:
		n = e.type < SIM_EV_EXIT && sscanf(args, "%d %n", &e.target, &b) == 1;
		e.allowed_idle = !strncmp(args + b, "idle", 4);
	}
	if (!n)
		return -1;
	send(&e);
	return 0;
}

static void from_text(const char *path, const char *json, const char *trace)
{
	FILE *f = fopen(path, "r");
	static struct machine m;
	unsigned int nr = 0;
	char line[512], word[256];

	if (!f)
		die("%s: cannot be read", path);
	while (fgets(line, sizeof(line), f)) {
		nr++;
		line[strcspn(line, "#\n")] = '\0';
		if (!line[strspn(line, " \t")])
			continue;
		if (sscanf(line, "machine %255s", word) == 1) {
			topo_load(&m, word);
			topo_machine(&m, &machine);
			snprintf(names.machine, sizeof(names.machine), "%s", m.name);
		} else if (sscanf(line, "allowed %255s", word) == 1) {
			topo_cpus(&m, word, &allowed);
			start(trace);
		} else if (event_line(line)) {
			die("%s:%u: malformed", path, nr);
		}
	}
	fclose(f);
	finish(json);
}

/* ---- random ---- */

static unsigned int rnd(unsigned int n)
{
	return (unsigned int)random() % n;
}

static int curr[SIM_MAX_CPUS];

/* Mostly what a kernel may do; now and then what one sees if events were lost */
static void random_event(int may_fork)
{
	static const char *const states[] = { "R", "R+", "S", "D", "S", "X", "Z", "I" };
	struct sim_event e = { };

	now += rnd(4) ? rnd(100000) : 0;
	if (!rnd(500))
		now += rnd(1000000000);
	e.cpu = rnd(machine.nr_cpus);
	e.cur_pid = curr[e.cpu];
	e.pid = 1 + rnd(MAX_PIDS);
	e.target = rnd(machine.nr_cpus);
	e.orig = rnd(machine.nr_cpus);
	e.allowed_idle = rnd(2);
	switch (may_fork ? rnd(16) : 1 + rnd(15)) {
	case 0:
		e.type = SIM_EV_FORK;
		e.pid = rnd(8) ? e.cur_pid : e.pid;
		if (!e.pid)
			e.pid = 2;
		e.next_pid = 3 + rnd(MAX_PIDS - 2);
		send(&e);
		if (!rnd(8))
			return;
		e.type = SIM_EV_WAKEUP_NEW;
		e.pid = e.next_pid;
		e.next_pid = 0;
		break;
	case 1:
		e.type = SIM_EV_EXIT;
		e.pid = rnd(4) && e.cur_pid ? e.cur_pid : e.pid;
		break;
	case 2:
		e.type = SIM_EV_EXEC;
		break;
	case 3:
		e.type = SIM_EV_WAKING;
		break;
	case 4:
	case 5:
	case 6:
		e.type = SIM_EV_WAKEUP;
		break;
	case 7:
	case 8:
		e.type = SIM_EV_MIGRATE;
		break;
	default:
		e.type = SIM_EV_SWITCH;
		e.pid = e.cur_pid;
		e.next_pid = rnd(3) ? 2 + (int)rnd(MAX_PIDS) : 0;
		e.state = e.pid ? states[rnd(sizeof(states) / sizeof(*states))] : "R";
		curr[e.cpu] = e.next_pid;
		break;
	}
	/* Events of several CPUs come slightly out of order */
	now += 1000;
	send(&e);
	now -= rnd(2) ? 1000 : 0;
}

static void from_random(unsigned int seed, const char *name, const char *json, const char *trace)
{
	static struct machine m;
	int i;

	topo_load(&m, name);
	topo_machine(&m, &machine);
	snprintf(names.machine, sizeof(names.machine), "%s", m.name);
	srandom(seed);
	for (i = 0; i < machine.nr_cpus; i++) {
		if (rnd(4))
			mask_set(&allowed, i);
	}
	mask_set(&allowed, 0);
	start(trace);
	now = 1000000;
	/* The root, as run.c makes it */
	send(&(struct sim_event){ .type = SIM_EV_FORK, .cur_pid = 1, .pid = 1, .next_pid = 2 });
	now += 100;
	send(&(struct sim_event){ .type = SIM_EV_WAKEUP_NEW, .cur_pid = 1, .pid = 2 });
	now += 100;
	send(&(struct sim_event){ .type = SIM_EV_SWITCH, .next_pid = 2, .state = "R" });
	curr[0] = 2;
	/* A root that forks nobody would be counted itself by schedplace */
	now += 2000;
	send(&(struct sim_event){ .type = SIM_EV_FORK, .cur_pid = 2, .pid = 2, .next_pid = 3 });
	for (i = 0; i < RANDOM_EVENTS; i++)
		random_event(i < RANDOM_EVENTS / 2);
	finish(json);
}

int main(int argc, char **argv)
{
	if (argc == 6 && !strcmp(argv[1], "--random"))
		from_random(atoi(argv[2]), argv[3], argv[4], argv[5]);
	else if (argc == 4)
		from_text(argv[1], argv[2], argv[3]);
	else
		die("metrics-feed TEXT JSON TRACE, or --random SEED MACHINE JSON TRACE");
	return 0;
}
