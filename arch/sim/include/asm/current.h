/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_SIM_CURRENT_H
#define _ASM_SIM_CURRENT_H

struct task_struct;

extern struct task_struct *sim_current;

#define get_current()	(sim_current)
#define current		get_current()

#endif /* _ASM_SIM_CURRENT_H */
