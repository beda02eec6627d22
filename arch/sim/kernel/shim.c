// SPDX-License-Identifier: GPL-2.0
/*
 * The rest of the kernel, as far as the linked code needs an answer from it.
 * Where doing nothing and returning 0 is right, the function's name stands in
 * noop.list; what stands nowhere stops the run: see sim_missing().
 */
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/kernfs.h>
#include <linux/mempolicy.h>
#include <linux/mm_types.h>
#include <linux/nodemask.h>
#include <linux/proc_fs.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/sysctl.h>
#include <linux/topology.h>

#include "sim.h"

static struct page the_page;
struct page *sim_page = &the_page;
/* 1 TB: how many threads there may be follows from it */
atomic_long_t _totalram_pages = ATOMIC_LONG_INIT(1L << 28);
nodemask_t node_states[NR_NODE_STATES];
bool static_key_initialized = true;
gfp_t gfp_allowed_mask = __GFP_BITS_MASK;
/* 5.10 has its own in kernel/sched */
int node_reclaim_distance __weak = RECLAIM_DISTANCE;

/* The kernel's own dice: they don't disturb those of the run. */
void get_random_bytes(void *buf, size_t len)
{
	static u64 x = 88172645463325252ULL;
	u8 *p = buf;

	while (len--) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		*p++ = x >> 32;
	}
}

u32 get_random_u32(void)
{
	u32 v;

	get_random_bytes(&v, sizeof(v));
	return v;
}

u64 get_random_u64(void)
{
	u64 v;

	get_random_bytes(&v, sizeof(v));
	return v;
}

u32 __get_random_u32_below(u32 ceil)
{
	return get_random_u32() % ceil;
}

void __set_task_comm(struct task_struct *p, const char *buf, bool exec)
{
	task_lock(p);
	strscpy_pad(p->comm, buf, sizeof(p->comm));
	task_unlock(p);
}

struct ctl_table_header *register_sysctl_table(struct ctl_table *table)
{
	return (struct ctl_table_header *)sim_page;
}

/* Memory is not limited by policies. */
struct mempolicy *__mpol_dup(struct mempolicy *old)
{
	return NULL;
}

/* There is no file system to see them in, but the callers insist on a result. */
struct ctl_table_header *__register_sysctl_table(struct ctl_table_set *set, const char *path,
						 struct ctl_table *table)
{
	return (struct ctl_table_header *)sim_page;
}

struct ctl_table_header *register_sysctl(const char *path, struct ctl_table *table)
{
	return (struct ctl_table_header *)sim_page;
}

struct proc_dir_entry *proc_create_single_data(const char *name, umode_t mode,
					       struct proc_dir_entry *parent,
					       int (*show)(struct seq_file *, void *), void *data)
{
	return (struct proc_dir_entry *)sim_page;
}

void sim_shim_init(void)
{
	node_set_state(0, N_ONLINE);
	sim_memory_init();
}

/* The trees that numbers and names are kept in. */
void sim_lib_init(void)
{
	radix_tree_init();
	sim_maple_tree_init();
	mm_cache_init();
	kernfs_init();
}
