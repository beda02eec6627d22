// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../kselftest.h"
#include "cluster_util.h"

#define MAX_DOMAINS	16
#define MAX_TOLD	8

#define load_acquire(p)		__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)

/*
 * Sysfs
 */
static int read_cpu_file(int cpu, const char *name, char *buf, size_t size)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/%s", cpu, name);
	return read_file(path, buf, size);
}

static int read_list(int cpu, const char *name, cpu_set_t *set)
{
	char buf[4096];
	int ret = read_cpu_file(cpu, name, buf, sizeof(buf));

	if (ret < 0)
		return ret;
	return parse_cpus(buf, set) < 0 ? -EINVAL : 0;
}

/* A mask as in "00000000,0000000f". Return: 0, or -EINVAL */
static int parse_mask(const char *text, cpu_set_t *set)
{
	size_t len = strcspn(text, "\n ");
	int cpu = 0, bit;

	CPU_ZERO(set);
	while (len--) {
		int c = tolower(text[len]);
		int digit = isdigit(c) ? c - '0' : c - 'a' + 10;

		if (c == ',')
			continue;
		if (!isxdigit(c))
			return -EINVAL;
		for (bit = 0; bit < 4; bit++, cpu++) {
			if (!(digit >> bit & 1))
				continue;
			if (cpu >= CPU_SETSIZE)
				return -EINVAL;
			CPU_SET(cpu, set);
		}
	}
	return cpu ? 0 : -EINVAL;
}

static bool is_subset(const cpu_set_t *a, const cpu_set_t *b)
{
	cpu_set_t both;

	CPU_AND(&both, a, b);
	return CPU_EQUAL(&both, a);
}

/* The CPUs of @cpu's node, or all if there are no nodes */
static void node_of(int cpu, const cpu_set_t *online, cpu_set_t *set)
{
	char path[128], buf[4096];
	int node;

	for (node = 0; node < CPU_SETSIZE; node++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/node%d/cpulist",
			 cpu, node);
		if (read_file(path, buf, sizeof(buf)) > 0 && parse_cpus(buf, set) > 0)
			return;
	}
	*set = *online;
}

static int read_number(int cpu, const char *name, int *val)
{
	char buf[64];
	int ret = read_cpu_file(cpu, name, buf, sizeof(buf));

	*val = ret > 0 ? atoi(buf) : -1;
	return ret < 0 ? ret : 0;
}

static int read_cluster_cpu(struct cluster_cpu *c, int cpu, const cpu_set_t *online)
{
	cpu_set_t node, mask;
	char buf[4096];
	int err;

	err = read_list(cpu, "topology/cluster_cpus_list", &c->cluster);
	if (!err)
		err = read_number(cpu, "topology/cluster_id", &c->id);
	if (!err)
		err = read_number(cpu, "topology/physical_package_id", &c->package);
	if (!err)
		err = read_list(cpu, "topology/package_cpus_list", &c->in_package);
	if (!err)
		err = read_list(cpu, "topology/thread_siblings_list", &c->core);
	if (!err)
		err = read_cpu_file(cpu, "topology/cluster_cpus", buf, sizeof(buf));
	if (err < 0)
		return err;
	if (parse_mask(buf, &mask) || !CPU_EQUAL(&mask, &c->cluster)) {
		ksft_print_msg("CPU %d: cluster_cpus %s but cluster_cpus_list %s\n", cpu,
			       strtok(buf, "\n"), show_cpus(&c->cluster));
		return -EINVAL;
	}
	if (!llc_of(cpu, &c->upper))
		c->upper = c->in_package;
	node_of(cpu, online, &node);
	CPU_AND(&c->upper, &c->upper, &node);
	return 0;
}

/*
 * Return: 0; -ENOENT if the kernel has no such files; -EINVAL, and says why, if
 * they contradict each other
 */
int clusters_read(struct clusters *cl)
{
	int cpu, err;

	if (!read_online(&cl->online))
		return -EIO;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &cl->online))
			continue;
		err = read_cluster_cpu(&cl->cpu[cpu], cpu, &cl->online);
		if (err)
			return err;
	}
	return 0;
}

/* Is the cluster more than a core, and less than what it divides? */
bool cluster_is_level(const struct clusters *cl, int cpu)
{
	const struct cluster_cpu *c = &cl->cpu[cpu];

	return !is_subset(&c->cluster, &c->core) && is_subset(&c->cluster, &c->upper) &&
	       !CPU_EQUAL(&c->cluster, &c->upper);
}

int clusters_count(const struct clusters *cl, const cpu_set_t *cpus)
{
	cpu_set_t left = *cpus;
	int cpu, nr = 0;

	while ((cpu = nth_cpu(&left, 0)) >= 0) {
		const cpu_set_t *cluster = &cl->cpu[cpu].cluster;
		cpu_set_t both;

		CPU_AND(&both, &left, cluster);
		CPU_SET(cpu, &both);
		CPU_XOR(&left, &left, &both);
		nr++;
	}
	return nr;
}

/* Why there is nothing to test, or NULL */
const char *clusters_problem(const struct clusters *cl, int err)
{
	int cpu;

	if (err == -ENOENT)
		return "this kernel has no cluster_cpus in sysfs";
	if (err)
		return NULL;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &cl->online) && cluster_is_level(cl, cpu))
			return NULL;
	}
	return "this machine has no clusters between core and LLC";
}

/* Return: 1 if the two contradict each other, which it tells unless @silent */
static int check_pair(const struct clusters *cl, int a, int b, bool silent)
{
	const struct cluster_cpu *x = &cl->cpu[a], *y = &cl->cpu[b];
	const char *wrong = NULL;

	if (CPU_ISSET(b, &x->cluster) || CPU_ISSET(a, &y->cluster)) {
		if (!CPU_EQUAL(&x->cluster, &y->cluster))
			wrong = "they do not agree on their cluster";
		else if (x->id != y->id)
			wrong = "the same cluster with two ids";
	} else if (x->package == y->package && x->id == y->id && CPU_COUNT(&x->cluster) > 1) {
		wrong = "two clusters of a package with the same id";
	}
	if (wrong && !silent)
		ksft_print_msg("CPUs %d and %d, clusters %d of %s and %d of %s: %s\n", a, b, x->id,
			       show_cpus(&x->cluster), y->id, show_cpus(&y->cluster), wrong);
	return wrong ? 1 : 0;
}

/* Return: how many contradictions there are; it tells the first ones */
int clusters_check(const struct clusters *cl)
{
	int a, b, bad = 0;

	for (a = 0; a < CPU_SETSIZE; a++) {
		const struct cluster_cpu *x = &cl->cpu[a];

		if (!CPU_ISSET(a, &cl->online))
			continue;
		if (!CPU_ISSET(a, &x->cluster) || !is_subset(&x->cluster, &cl->online) ||
		    !(is_subset(&x->cluster, &x->in_package) ||
		      is_subset(&x->cluster, &x->upper))) {
			ksft_print_msg("CPU %d: cluster %s, LLC %s, package %s, online %s\n", a,
				       show_cpus(&x->cluster), show_cpus(&x->upper),
				       show_cpus(&x->in_package), show_cpus(&cl->online));
			bad++;
		}
		for (b = a + 1; b < CPU_SETSIZE; b++) {
			if (CPU_ISSET(b, &cl->online))
				bad += check_pair(cl, a, b, bad >= MAX_TOLD);
		}
	}
	return bad;
}

/*
 * Scheduler domains
 */
struct domains {
	int nr;
	char name[MAX_DOMAINS][16];
};

static void read_domains(int cpu, struct domains *d)
{
	static const char * const dirs[] = {
		"/sys/kernel/debug/sched/domains", "/proc/sys/kernel/sched_domain",
	};
	char path[128];
	size_t i;

	d->nr = 0;
	for (i = 0; i < ARRAY_SIZE(dirs) && !d->nr; i++) {
		for (; d->nr < MAX_DOMAINS; d->nr++) {
			snprintf(path, sizeof(path), "%s/cpu%d/domain%d/name", dirs[i], cpu, d->nr);
			if (read_file(path, d->name[d->nr], sizeof(d->name[0])) <= 0)
				break;
			d->name[d->nr][strcspn(d->name[d->nr], "\n")] = '\0';
		}
	}
}

/* Return: its place, or -1 */
static int find_domain(const struct domains *d, const char *name)
{
	int i;

	for (i = 0; i < d->nr; i++) {
		if (!strcmp(d->name[i], name))
			return i;
	}
	return -1;
}

/*
 * The CPUs that a domain spans are in /proc/schedstat only, and there without
 * names. Return: how many CPUs have a CLS of others than their cluster, 0 also
 * if the kernel has no such file
 */
static int check_spans(const struct clusters *cl)
{
	int cpu = -1, n, at, bad = 0;
	struct domains d = { .nr = 0 };
	char *line = NULL;
	cpu_set_t span;
	size_t size = 0;
	FILE *f;

	f = fopen("/proc/schedstat", "re");
	if (!f)
		return 0;
	while (getline(&line, &size, f) > 0) {
		if (sscanf(line, "cpu%d ", &cpu) == 1) {
			read_domains(cpu, &d);
			continue;
		}
		if (sscanf(line, "domain%d %n", &n, &at) != 1 || find_domain(&d, "CLS") != n ||
		    !cluster_is_level(cl, cpu))
			continue;
		/* Later kernels have the name before the mask */
		if (parse_mask(line + at, &span) || CPU_EQUAL(&span, &cl->cpu[cpu].cluster))
			continue;
		ksft_print_msg("CPU %d, cluster %s: CLS spans %s\n", cpu,
			       show_cpus(&cl->cpu[cpu].cluster), show_cpus(&span));
		bad++;
	}
	free(line);
	fclose(f);
	return bad;
}

/*
 * Why no CPU should have a CLS, whatever sysfs says, or NULL. A kernel that does
 * not show its configuration is judged by its domains, if it shows those
 */
const char *level_problem(const struct clusters *cl)
{
	bool told = false, found = false;
	int cpu, shown = 0;
	struct domains d;
	char line[256];
	FILE *f;

	f = popen("zcat /proc/config.gz 2>/dev/null", "r");
	while (f && fgets(line, sizeof(line), f)) {
		told = true;
		found |= !strcmp(line, "CONFIG_SCHED_CLUSTER=y\n");
	}
	if (f)
		pclose(f);
	if (told)
		return found ? NULL : "this kernel is built without SCHED_CLUSTER";
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &cl->online))
			continue;
		read_domains(cpu, &d);
		if (find_domain(&d, "CLS") >= 0)
			return NULL;
		shown += d.nr;
	}
	return shown ? "no CPU has CLS, and no /proc/config.gz tells of SCHED_CLUSTER" : NULL;
}

/* Return: what is wrong with the domains of this CPU, or NULL */
static const char *domains_wrong(const struct clusters *cl, int cpu, bool level,
				 const struct domains *d)
{
	static const char * const order[] = { "SMT", "CLS", "MC" };
	const struct cluster_cpu *c = &cl->cpu[cpu];
	int i, at, last = -1, cls = find_domain(d, "CLS");

	for (i = 0; i < (int)ARRAY_SIZE(order); i++) {
		at = find_domain(d, order[i]);
		if (at >= 0 && at < last)
			return "not in the order SMT, CLS, MC";
		last = at >= 0 ? at : last;
	}
	if (!level) {
		if (cls >= 0)
			return "CLS, though the kernel has no such level";
	} else if (cluster_is_level(cl, cpu)) {
		if (cls < 0)
			return "no CLS";
		if (cls == d->nr - 1)
			return "nothing above CLS";
	} else if (is_subset(&c->cluster, &c->core) && cls >= 0) {
		return "CLS, though the cluster is only a core";
	}
	/* A cluster that is all of the LLC: one of the two remains, whichever */
	return NULL;
}

int cluster_domains_check(const struct clusters *cl, bool level, int *nr_judged)
{
	int cpu, i, bad = check_spans(cl);
	struct domains d;

	*nr_judged = 0;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		const char *wrong;

		if (!CPU_ISSET(cpu, &cl->online))
			continue;
		read_domains(cpu, &d);
		/* An isolated CPU has none */
		if (!d.nr)
			continue;
		(*nr_judged)++;
		wrong = domains_wrong(cl, cpu, level, &d);
		if (!wrong)
			continue;
		bad++;
		ksft_print_msg("CPU %d, cluster %s of %s: %s:\n", cpu,
			       show_cpus(&cl->cpu[cpu].cluster), show_cpus(&cl->cpu[cpu].upper),
			       wrong);
		for (i = 0; i < d.nr; i++)
			ksft_print_msg("  domain%d %s\n", i, d.name[i]);
	}
	return *nr_judged ? bad : -ENOENT;
}

/*
 * Pairs
 */

/* Who is woken on @cpu by a write on @waker */
static void note_wakeup(struct pair *pair, const struct clusters *cl, int waker)
{
	int cpu = this_cpu();

	pair->wakeups++;
	pair->near += CPU_ISSET(cpu, &cl->cpu[waker].cluster);
}

static int talk(struct pairs *pairs, struct pair *pair, const struct clusters *cl, bool client,
		int in, int out)
{
	int cpu;

	/* The two take turns, so nobody else changes the pair's numbers */
	while (!client || !load_acquire(&pairs->stop)) {
		if (client) {
			cpu = this_cpu();
			if (write(out, &cpu, sizeof(cpu)) != sizeof(cpu))
				return 1;
		}
		if (read(in, &cpu, sizeof(cpu)) != sizeof(cpu))
			return client;
		note_wakeup(pair, cl, cpu);
		if (client) {
			store_release(&pair->rounds, pair->rounds + 1);
			continue;
		}
		cpu = this_cpu();
		if (write(out, &cpu, sizeof(cpu)) != sizeof(cpu))
			return 1;
	}
	return 0;
}

static int make_pair(struct pairs *pairs, struct pair *pair, const struct clusters *cl)
{
	int request[2], reply[2], i;

	if (pipe(request) || pipe(reply))
		return -1;
	for (i = 0; i < 2; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return -1;
		if (pid)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(request[!i]);
		close(reply[i]);
		_exit(i ? talk(pairs, pair, cl, true, reply[0], request[1]) :
			  talk(pairs, pair, cl, false, request[0], reply[1]));
	}
	close(request[0]);
	close(request[1]);
	close(reply[0]);
	close(reply[1]);
	return 0;
}

static int lead_pairs(struct pairs *pairs, const cpu_set_t *mask, const struct clusters *cl)
{
	int i, status, failed = 0;

	if (sched_setaffinity(0, sizeof(*mask), mask))
		return 1;
	for (i = 0; i < pairs->nr; i++) {
		if (make_pair(pairs, &pairs->pair[i], cl))
			return 1;
	}
	while (wait(&status) > 0)
		failed += status != 0;
	return failed != 0;
}

struct pairs *pairs_start(int nr, const cpu_set_t *mask, const struct clusters *cl)
{
	struct pairs *pairs;
	pid_t pid;

	if (nr > MAX_PAIRS)
		nr = MAX_PAIRS;
	pairs = mmap(NULL, sizeof(*pairs), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (pairs == MAP_FAILED)
		return NULL;
	pairs->nr = nr;
	pid = fork();
	if (pid < 0) {
		munmap(pairs, sizeof(*pairs));
		return NULL;
	}
	if (!pid) {
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(lead_pairs(pairs, mask, cl));
	}
	setpgid(pid, pid);
	pairs->pid = pid;
	pairs->undo = undo_mark();
	undo_group(pid);
	return pairs;
}

/* Until each pair has made so many more rounds */
int pairs_wait(struct pairs *pairs, int nr_more)
{
	struct timespec now, end;
	int i, start[MAX_PAIRS];

	for (i = 0; i < pairs->nr; i++)
		start[i] = load_acquire(&pairs->pair[i].rounds);
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += WAIT_MS / 1000;
	for (i = 0; i < pairs->nr; i++) {
		while (load_acquire(&pairs->pair[i].rounds) - start[i] < nr_more) {
			/* It ends only when one of the pairs has failed */
			if (waitpid(pairs->pid, NULL, WNOHANG))
				return -ECHILD;
			clock_gettime(CLOCK_MONOTONIC, &now);
			if (now.tv_sec > end.tv_sec)
				return -ETIMEDOUT;
			sleep_ms(10);
		}
	}
	return 0;
}

/* The results stay readable, for all of the test's short life. Return: 0 if all went well */
int pairs_stop(struct pairs *pairs)
{
	int i, status = -1;

	store_release(&pairs->stop, 1);
	for (i = 0; i < WAIT_MS / 10; i++) {
		if (waitpid(pairs->pid, &status, WNOHANG))
			break;
		sleep_ms(10);
	}
	undo_to(pairs->undo);
	return status;
}

int pairs_near(const struct pairs *pairs, int *wakeups)
{
	int i, near = 0;

	*wakeups = 0;
	for (i = 0; i < pairs->nr; i++) {
		*wakeups += load_acquire(&pairs->pair[i].wakeups);
		near += load_acquire(&pairs->pair[i].near);
	}
	return near;
}
