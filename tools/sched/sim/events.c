// SPDX-License-Identifier: GPL-2.0
/*
 * Every simulated CPU has its own idea of the time, so events of several CPUs
 * come slightly out of order. They wait here until nothing earlier can come;
 * the reader of a trace sorts its lines, and metrics must agree with it.
 */
#include <string.h>

#include "events.h"

/* Far more than a CPU runs ahead of another within a path of the kernel */
#define WINDOW		NSEC_PER_MSEC

static events_sink *deliver;
static struct event *ring;		/* a power of two of them, sorted */
static unsigned long ring_size, head, tail;
static sim_u64 newest, delivered;
static unsigned long late;

#define AT(i)	(&ring[(i) & (ring_size - 1)])

static void grow(void)
{
	unsigned long i, size = ring_size ? ring_size * 2 : 1024;
	struct event *bigger = xcalloc(size, sizeof(*bigger));

	for (i = head; i != tail; i++)
		bigger[i & (size - 1)] = *AT(i);
	__builtin_free(ring);
	ring = bigger;
	ring_size = size;
}

/* The new event's place: behind all of its time or earlier */
static struct event *insert(sim_u64 time)
{
	unsigned long i;

	if (tail - head == ring_size)
		grow();
	for (i = tail++; i != head && AT(i - 1)->time > time; i--)
		*AT(i) = *AT(i - 1);
	if (time < delivered)
		late++;
	if (time > newest)
		newest = time;
	return AT(i);
}

static void drain(sim_u64 window)
{
	while (head != tail && AT(head)->time + window <= newest) {
		delivered = AT(head)->time;
		deliver(AT(head++));
	}
}

static void copy(char *to, const char *from, size_t size)
{
	size_t len = from ? strnlen(from, size - 1) : 0;

	if (len)
		memcpy(to, from, len);
	to[len] = '\0';
}

void host_event(const struct sim_event *e)
{
	struct event *ev;

	if (!deliver)
		return;
	ev = insert(e->time);
	ev->time = e->time;
	ev->type = e->type;
	ev->cpu = e->cpu;
	ev->cur_pid = e->cur_pid;
	ev->pid = e->pid;
	ev->prio = e->prio;
	ev->target = e->target;
	ev->orig = e->orig;
	ev->next_pid = e->next_pid;
	ev->next_prio = e->next_prio;
	ev->allowed_idle = e->allowed_idle;
	copy(ev->state, e->state, sizeof(ev->state));
	copy(ev->comm, e->comm, sizeof(ev->comm));
	copy(ev->next_comm, e->next_comm, sizeof(ev->next_comm));
	copy(ev->cur_comm, e->cur_comm, sizeof(ev->cur_comm));
	drain(WINDOW);
}

/**
 * events_note - an event of the program's own
 * @type: EV_ALLOWED and the like
 * @pid: the task
 * @target: CPU or class of CPUs
 */
void events_note(int type, int pid, int target)
{
	sim_u64 now = sim_now();
	struct event *ev;

	if (!deliver)
		return;
	ev = insert(now);
	memset(ev, 0, sizeof(*ev));
	ev->time = now;
	ev->type = type;
	ev->pid = pid;
	ev->target = target;
}

/**
 * events_to - who gets the events from now on
 * @sink: a function, or NULL to drop them
 */
void events_to(events_sink *sink)
{
	deliver = sink;
}

/**
 * events_flush - deliver what still waits
 */
void events_flush(void)
{
	if (deliver)
		drain(0);
}

/**
 * events_late - events that came too late to be sorted
 *
 * Return: their number; with them, a trace and the figures may differ.
 */
unsigned long events_late(void)
{
	return late;
}
