/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_SIM_TOPOLOGY_H
#define _ASM_SIM_TOPOLOGY_H

#include <linux/cpumask.h>

/**
 * struct sim_cpu_masks - the topology around one CPU
 * @core: its core's threads
 * @cluster: its cluster
 * @llc: CPUs under its last-level cache
 * @package: CPUs of its socket
 * @package_id: its socket
 * @core_id: its core, numbered over the machine
 * @cluster_id: its cluster, numbered over the machine
 */
struct sim_cpu_masks {
	struct cpumask core, cluster, llc, package;
	int package_id, core_id, cluster_id;
};

/* Written before the first CPU boots, constant from then on. */
extern struct sim_cpu_masks sim_cpu_masks[];
extern struct cpumask sim_node_masks[];
extern unsigned char sim_distances[][1 << CONFIG_NODES_SHIFT];
extern unsigned long sim_capacities[];

#define node_distance(a, b)		((int)sim_distances[a][b])
#define cpumask_of_node(n)						\
	((n) == NUMA_NO_NODE ? cpu_all_mask : (const struct cpumask *)&sim_node_masks[n])
#define pcibus_to_node(b)		((void)(b), -1)
#define topology_physical_package_id(c)	(sim_cpu_masks[c].package_id)
#define topology_core_id(c)		(sim_cpu_masks[c].core_id)
#define topology_cluster_id(c)		(sim_cpu_masks[c].cluster_id)
#define topology_sibling_cpumask(c)	(&sim_cpu_masks[c].core)
#define topology_core_cpumask(c)	(&sim_cpu_masks[c].package)
#define topology_cluster_cpumask(c)	(&sim_cpu_masks[c].cluster)
#define arch_scale_cpu_capacity(c)	(sim_capacities[c])

const struct cpumask *cpu_coregroup_mask(int cpu);
const struct cpumask *cpu_clustergroup_mask(int cpu);

#include <asm-generic/topology.h>

#endif /* _ASM_SIM_TOPOLOGY_H */
