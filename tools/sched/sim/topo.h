/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_TOPO_H
#define SIM_TOPO_H

#include "util.h"
#include "machine.h"

void topo_load(struct machine *m, const char *name);
void topo_machine(const struct machine *m, struct sim_machine *out);
void topo_generate(int nr_cpus, struct sim_machine *out);
void topo_cpus(const struct machine *m, const char *spec, struct sim_mask *out);
void topo_mask_str(const struct sim_mask *mask, char *buf);
int topo_mask_parse(struct sim_mask *mask, const char *list, int nr_cpus);
int topo_find(char *path, unsigned long size, const char *dir, const char *name,
	      const char *suffix);
const char *topo_labdir(void);

#endif /* SIM_TOPO_H */
