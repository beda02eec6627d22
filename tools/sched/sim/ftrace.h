/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_FTRACE_H
#define SIM_FTRACE_H

#include "events.h"

int ftrace_open(const char *path);
int ftrace_active(void);
void ftrace_header(const char *command, int root, const char *release,
		   const struct sim_machine *m, const struct sim_mask *allowed);
void ftrace_event(const struct event *e);
int ftrace_close(void);

#endif /* SIM_FTRACE_H */
