/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's events, in the order of their times, on their way to who counts
 * and who writes them.
 */
#ifndef SIM_EVENTS_H
#define SIM_EVENTS_H

#include "util.h"

/* What the program adds to enum sim_event_type */
enum {
	EV_ALLOWED = 1000,	/* pid may run on the CPUs of class target */
	EV_OFFLINE,		/* CPU target goes down */
	EV_ONLINE,		/* CPU target is up again */
	EV_ARM,			/* the next process that pid makes is the workload */
};

/**
 * struct event - a copy of a struct sim_event
 * @time: virtual nanoseconds
 * @type: an enum sim_event_type or one of the above
 * @cpu: as there, and so are the others
 */
struct event {
	sim_u64 time;
	int type;
	int cpu, cur_pid, pid, prio;
	int target, orig, next_pid, next_prio;
	int allowed_idle;
	char state[8];
	char comm[SIM_COMM_LEN], next_comm[SIM_COMM_LEN], cur_comm[SIM_COMM_LEN];
};

/* Takes the events: set before the boot */
typedef void events_sink(const struct event *e);

void events_to(events_sink *sink);
void events_note(int type, int pid, int target);
void events_flush(void);
unsigned long events_late(void);

#endif /* SIM_EVENTS_H */
