/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_DISTURB_H
#define SIM_DISTURB_H

#include "workload.h"

void disturb_load(const char *path, int nr_cpus);
void disturb_start(const struct workload *w);
void disturb_go(int root);
int disturb_failures(void);

#endif /* SIM_DISTURB_H */
