// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sched_util.h"

#define STACK_SIZE	(64 * 1024)
#define NR_UNDO		64

#define load_acquire(p)		__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)

/* Return: length, or a negative errno */
int read_file(const char *path, char *buf, size_t size)
{
	ssize_t len, sum = 0;
	int fd, err;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	do {
		len = read(fd, buf + sum, size - 1 - sum);
		if (len > 0)
			sum += len;
	} while (len > 0 || (len < 0 && errno == EINTR));
	err = errno;
	close(fd);
	if (len < 0)
		return -err;
	buf[sum] = '\0';
	return sum;
}

/* One write(2). Safe in a signal handler */
int write_file(const char *path, const char *text)
{
	ssize_t len;
	int fd, err;

	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	len = write(fd, text, strlen(text));
	err = len < 0 ? errno : 0;
	close(fd);
	return -err;
}

/* A list as in "0-3,8". Return: number of CPUs, or -EINVAL */
int parse_cpus(const char *text, cpu_set_t *set)
{
	CPU_ZERO(set);
	while (*text && *text != '\n') {
		char *end;
		long from = strtol(text, &end, 10);
		long to = from;

		if (end == text)
			return -EINVAL;
		if (*end == '-') {
			text = end + 1;
			to = strtol(text, &end, 10);
			if (end == text)
				return -EINVAL;
		}
		if (from < 0 || to >= CPU_SETSIZE)
			return -EINVAL;
		for (; from <= to; from++)
			CPU_SET(from, set);
		text = *end == ',' ? end + 1 : end;
		if (text == end && *text && *text != '\n')
			return -EINVAL;
	}
	return CPU_COUNT(set);
}

/* The text lasts for four calls */
const char *show_cpus(const cpu_set_t *set)
{
	static char bufs[4][4 * CPU_SETSIZE];
	static unsigned int nr;
	char *buf = bufs[nr++ % 4];
	size_t len = 0;
	int cpu, last;

	buf[0] = '\0';
	for (cpu = 0; cpu < CPU_SETSIZE; cpu = last + 1) {
		last = cpu;
		if (!CPU_ISSET(cpu, set))
			continue;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, set))
			last++;
		len += snprintf(buf + len, sizeof(bufs[0]) - len, "%s%d",
				len ? "," : "", cpu);
		if (last > cpu)
			len += snprintf(buf + len, sizeof(bufs[0]) - len, "-%d", last);
	}
	return buf;
}

/* From 0. Return: the CPU, or -1 */
int nth_cpu(const cpu_set_t *set, int n)
{
	int cpu;

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, set) && n-- == 0)
			return cpu;
	}
	return -1;
}

/* Not sched_getcpu(): what that reads may be set up late in a new task */
int this_cpu(void)
{
	unsigned int cpu;

	return syscall(SYS_getcpu, &cpu, NULL, NULL) ? -1 : (int)cpu;
}

void sleep_ms(int ms)
{
	poll(NULL, 0, ms);
}

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/*
 * Taking back. All of it may run in a signal handler.
 */
enum undo_what {
	UNDO_WRITE,
	UNDO_RMDIR,
	UNDO_GROUP,
};

static struct undo {
	enum undo_what what;
	pid_t pgid;
	char path[256];
	char text[256];
} undo[NR_UNDO];
static int nr_undo;	/* Also read by a signal handler */
static pid_t undo_owner;

static void undo_one(const struct undo *u)
{
	int tries;

	switch (u->what) {
	case UNDO_WRITE:
		write_file(u->path, u->text);
		break;
	case UNDO_RMDIR:
		/* A cgroup is busy until the last of its tasks is gone */
		for (tries = 0; tries < 500; tries++) {
			if (!rmdir(u->path) || errno != EBUSY)
				break;
			sleep_ms(10);
		}
		break;
	case UNDO_GROUP:
		kill(-u->pgid, SIGKILL);
		while (waitpid(-u->pgid, NULL, 0) > 0 || errno == EINTR)
			;
		break;
	}
}

void undo_to(int mark)
{
	int nr;

	while ((nr = load_acquire(&nr_undo)) > mark) {
		undo_one(&undo[nr - 1]);
		store_release(&nr_undo, nr - 1);
	}
}

static void undo_at_exit(void)
{
	/* Children inherit the list, but it is not theirs */
	if (getpid() == undo_owner)
		undo_to(0);
}

static void undo_on_signal(int sig)
{
	undo_at_exit();
	/* The handler is gone (SA_RESETHAND), so this ends the process */
	raise(sig);
}

void undo_init(void)
{
	static const int sigs[] = {
		SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGALRM,
		SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGXCPU,
	};
	struct sigaction sa = {
		.sa_handler = undo_on_signal,
		.sa_flags = SA_RESETHAND,
	};
	size_t i;

	undo_owner = getpid();
	/* One of them at a time: the list is not to be walked twice */
	sigfillset(&sa.sa_mask);
	for (i = 0; i < ARRAY_SIZE(sigs); i++)
		sigaction(sigs[i], &sa, NULL);
	atexit(undo_at_exit);
	/* Forked children print nothing, but what is in the buffer would double */
	setvbuf(stdout, NULL, _IOLBF, 0);
}

int undo_mark(void)
{
	return nr_undo;
}

static void undo_push(enum undo_what what, pid_t pgid, const char *path,
		      const char *text)
{
	struct undo *u = &undo[nr_undo];

	if (nr_undo >= NR_UNDO || strlen(path) >= sizeof(u->path) ||
	    strlen(text) >= sizeof(u->text)) {
		/* Better no test than one that leaves the system changed */
		printf("Bail out! cannot note how to restore %s\n", path);
		exit(1);
	}
	u->what = what;
	u->pgid = pgid;
	strcpy(u->path, path);
	strcpy(u->text, text);
	store_release(&nr_undo, nr_undo + 1);
}

void undo_write(const char *path, const char *text)
{
	undo_push(UNDO_WRITE, 0, path, text);
}

void undo_rmdir(const char *path)
{
	undo_push(UNDO_RMDIR, 0, path, "");
}

void undo_group(pid_t pgid)
{
	undo_push(UNDO_GROUP, pgid, "", "");
}

/*
 * CPUs that go and come
 */
const char *online_file(int cpu)
{
	static char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	return path;
}

bool read_online(cpu_set_t *set)
{
	char buf[512];

	return read_file("/sys/devices/system/cpu/online", buf, sizeof(buf)) > 0 &&
	       parse_cpus(buf, set) > 0;
}

/* EBUSY may pass, as when a CPU is still coming up */
int set_online(int cpu, bool on)
{
	int tries, err = 0;

	for (tries = 0; tries < 20; tries++) {
		err = write_file(online_file(cpu), on ? "1" : "0");
		if (err != -EBUSY && err != -EAGAIN)
			break;
		sleep_ms(100);
	}
	return err;
}

/*
 * Topology
 */
bool llc_of(int cpu, cpu_set_t *set)
{
	int i, level, best = 0;
	char path[128], buf[512];

	for (i = 0; i < 10; i++) {
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%d/cache/index%d/type", cpu, i);
		if (read_file(path, buf, sizeof(buf)) < 0)
			break;
		if (!strncmp(buf, "Instruction", 11))
			continue;
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%d/cache/index%d/level", cpu, i);
		if (read_file(path, buf, sizeof(buf)) < 0)
			continue;
		level = atoi(buf);
		if (level <= best)
			continue;
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%d/cache/index%d/shared_cpu_list",
			 cpu, i);
		if (read_file(path, buf, sizeof(buf)) < 0 || parse_cpus(buf, set) <= 0)
			continue;
		best = level;
	}
	return best > 0;
}

/* CPUs that share a core or a cluster, which is less than an LLC, with @cpu */
static void unit_of(int cpu, const cpu_set_t *llc, cpu_set_t *unit)
{
	static const char * const files[] = { "thread_siblings_list", "cluster_cpus_list" };
	char path[128], buf[512];
	cpu_set_t set;
	size_t i;

	CPU_ZERO(unit);
	CPU_SET(cpu, unit);
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/%s", cpu,
			 files[i]);
		if (read_file(path, buf, sizeof(buf)) < 0 || parse_cpus(buf, &set) <= 0)
			continue;
		CPU_AND(&set, &set, llc);
		if (!CPU_EQUAL(&set, llc))
			CPU_OR(unit, unit, &set);
	}
}

/* Without what we ask for, the topology has no LLC, and the tests skip */
void topology_init(struct topology *topo)
{
	cpu_set_t left, llc, unit;
	int cpu, i;

	memset(topo, 0, sizeof(*topo));
	if (sched_getaffinity(0, sizeof(topo->cpus), &topo->cpus))
		return;

	left = topo->cpus;
	for (cpu = 0; cpu < CPU_SETSIZE && topo->nr_llcs < MAX_LLCS; cpu++) {
		if (!CPU_ISSET(cpu, &left) || !llc_of(cpu, &llc))
			continue;
		CPU_AND(&llc, &llc, &left);
		CPU_SET(cpu, &llc);
		CPU_XOR(&left, &left, &llc);
		topo->llc[topo->nr_llcs++] = llc;
	}
	for (i = 0; i < topo->nr_llcs; i++) {
		llc = topo->llc[i];
		while (CPU_COUNT(&llc)) {
			cpu = nth_cpu(&llc, 0);
			CPU_SET(cpu, &topo->heads[i]);
			unit_of(cpu, &llc, &unit);
			CPU_XOR(&llc, &llc, &unit);
		}
	}
}

/*
 * CPUs of up to @max LLCs, so that where possible no scheduler domain below the
 * whole system is covered: to a task that may use all of it, such a domain is
 * like any other.
 */
void pick_per_llc(const struct topology *topo, int per_llc, int max, cpu_set_t *set)
{
	int i, j, n;

	CPU_ZERO(set);
	for (i = 0; i < topo->nr_llcs && i < max; i++) {
		n = CPU_COUNT(&topo->heads[i]);
		if (n > 1 && n == CPU_COUNT(&topo->llc[i]))
			n--;
		if (n > per_llc)
			n = per_llc;
		for (j = 0; j < n; j++)
			CPU_SET(nth_cpu(&topo->heads[i], j), set);
	}
}

/*
 * Scheduler features
 */
const char *features_file(void)
{
	static const char * const files[] = {
		"/sys/kernel/debug/sched/features",
		"/sys/kernel/debug/sched_features",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		if (!access(files[i], R_OK | W_OK))
			return files[i];
	}
	return NULL;
}

enum feature_state feature_read(const char *name)
{
	const char *file = features_file();
	char buf[4096], *word, *save;

	if (!file || read_file(file, buf, sizeof(buf)) < 0)
		return FEATURE_NO_FILE;
	for (word = strtok_r(buf, "\n ", &save); word; word = strtok_r(NULL, "\n ", &save)) {
		if (!strcmp(word, name))
			return FEATURE_ON;
		if (!strncmp(word, "NO_", 3) && !strcmp(word + 3, name))
			return FEATURE_OFF;
	}
	return FEATURE_ABSENT;
}

/* Note how to restore it first */
int feature_write(const char *name, bool on)
{
	char word[64];

	snprintf(word, sizeof(word), "%s%s", on ? "" : "NO_", name);
	return write_file(features_file(), word);
}

const char *feature_problem(enum feature_state state)
{
	switch (state) {
	case FEATURE_NO_FILE:
		return "no access to the scheduler features: needs root, debugfs, SCHED_DEBUG";
	case FEATURE_ABSENT:
		return "this kernel has no scheduler feature " FEATURE;
	case FEATURE_OFF:
		return "the scheduler feature " FEATURE " is off";
	default:
		return NULL;
	}
}

/*
 * Spinners
 */

/* To an emulator that runs all CPUs on one, this is the hint to run another */
static inline void cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	asm volatile("rep; nop" ::: "memory");
#elif defined(__aarch64__)
	asm volatile("yield" ::: "memory");
#else
	asm volatile("" ::: "memory");
#endif
}

static void spin_body(struct spin *spin, struct spinner *task, bool process)
{
	unsigned int seq;
	int cpu;

	task->first = this_cpu();
	if (process)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	store_release(&task->tid, (pid_t)syscall(SYS_gettid));
	__atomic_add_fetch(&spin->nr_started, 1, __ATOMIC_SEQ_CST);

	while (!load_acquire(&spin->stop)) {
		bool stray;

		cpu_relax();
		/*
		 * A sample counts if no change of the mask began since the last
		 * one was complete.
		 */
		seq = load_acquire(&task->seq);
		if (seq & 1)
			continue;
		cpu = sched_getcpu();
		stray = !CPU_ISSET(cpu, &task->mask);
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		if (load_acquire(&task->seq) != seq)
			continue;
		if (stray)
			store_release(&task->stray, cpu);
		store_release(&task->seen, seq);
	}
}

struct spin_arg {
	struct spin *spin;
	struct spinner *task;
};

static void *spin_thread(void *data)
{
	struct spin_arg *arg = data;

	spin_body(arg->spin, arg->task, false);
	return NULL;
}

static int create_thread(struct spin *spin, struct spinner *task, char *stack)
{
	static struct spin_arg args[MAX_SPINNERS];
	struct spin_arg *arg = &args[task - spin->task];
	pthread_attr_t attr;
	pthread_t thread;
	int err;

	arg->spin = spin;
	arg->task = task;
	pthread_attr_init(&attr);
	/* With a stack that is there, creating a thread sleeps for no memory */
	pthread_attr_setstack(&attr, stack, STACK_SIZE);
	err = pthread_create(&thread, &attr, spin_thread, arg);
	pthread_attr_destroy(&attr);
	return -err;
}

static int create_fork(struct spin *spin, struct spinner *task)
{
	pid_t pid = fork();

	if (!pid) {
		spin_body(spin, task, true);
		_exit(0);
	}
	task->pid = pid;
	return pid < 0 ? -errno : 0;
}

/* Return: CPU of a task, running or waiting for it, or -1 */
static int cpu_of(pid_t pid, pid_t tid)
{
	char path[64], buf[1024], *p;
	int field;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	if (read_file(path, buf, sizeof(buf)) < 0)
		return -1;
	/* The CPU is field 39; the name, which may hold blanks, is field 2 */
	p = strrchr(buf, ')');
	for (field = 2; p && field < 39; field++)
		p = strchr(p + 1, ' ');
	return p ? atoi(p + 1) : -1;
}

/* Return: how often a task was moved since its fork, or -1 */
static int moves_of(pid_t pid, pid_t tid)
{
	char path[64], buf[8192], *p;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/sched", pid, tid);
	if (read_file(path, buf, sizeof(buf)) < 0)
		return -1;
	p = strstr(buf, "nr_migrations");
	p = p ? strchr(p, ':') : NULL;
	return p ? atoi(p + 1) : -1;
}

/* In order of their creation. Return: number of threads but the first */
static int list_threads(pid_t pid, pid_t *tids, int max)
{
	struct dirent *entry;
	char path[32];
	int nr = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return 0;
	while (nr < max && (entry = readdir(dir))) {
		tids[nr] = atoi(entry->d_name);
		nr += tids[nr] && tids[nr] != pid;
	}
	closedir(dir);
	return nr;
}

/*
 * First all CPUs: when no task has moved after that, these are what fork chose.
 * Return: number of moves, or -1 when not known
 */
static int survey(struct spin *spin)
{
	pid_t pids[MAX_SPINNERS], tids[MAX_SPINNERS + 1];
	int i, moves, sum;

	if (spin->kind == SPIN_THREADS &&
	    list_threads(spin->creator, tids, MAX_SPINNERS + 1) != spin->nr)
		return -1;
	for (i = 0; i < spin->nr; i++) {
		if (spin->kind == SPIN_THREADS) {
			pids[i] = spin->creator;
		} else {
			tids[i] = spin->task[i].pid;
			pids[i] = spin->task[i].pid;
		}
		spin->task[i].placed = cpu_of(pids[i], tids[i]);
		if (spin->task[i].placed < 0)
			return -1;
	}
	moves = moves_of(spin->creator, spin->creator);
	if (moves < 0 || spin->moves_before < 0)
		return -1;
	sum = moves - spin->moves_before;
	for (i = 0; i < spin->nr; i++) {
		moves = moves_of(pids[i], tids[i]);
		if (moves < 0)
			return -1;
		sum += moves;
	}
	return sum;
}

static void creator_main(struct spin *spin, int ready, const cpu_set_t *mask,
			 spin_hook_t hook, void *arg)
{
	int i, err = 0;
	char *stacks = NULL;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (spin->kind == SPIN_THREADS) {
		stacks = mmap(NULL, spin->nr * STACK_SIZE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		if (stacks == MAP_FAILED)
			err = -errno;
	}
	if (!err && hook)
		err = hook(arg);
	else if (!err && sched_setaffinity(0, sizeof(*mask), mask))
		err = -errno;
	spin->moves_before = moves_of(getpid(), getpid());
	for (i = 0; i < spin->nr && !err; i++) {
		struct spinner *task = &spin->task[i];

		task->creator = this_cpu();
		if (spin->kind == SPIN_THREADS)
			err = create_thread(spin, task, stacks + i * STACK_SIZE);
		else
			err = create_fork(spin, task);
		if (this_cpu() != task->creator)
			task->creator = -1;
	}
	store_release(&spin->error, err);
	if (write(ready, "", 1) != 1)
		_exit(1);
	while (!err && !load_acquire(&spin->stop))
		sleep_ms(20);
	/* The group is killed by the parent, and waited for here */
	while (wait(NULL) > 0 || errno == EINTR)
		;
	_exit(0);
}

/* Return: NULL and errno when there is no creator; its errors come later */
struct spin *spin_start(enum spin_kind kind, int nr, const cpu_set_t *mask,
			spin_hook_t hook, void *arg)
{
	struct spin *spin;
	int i, ready[2];
	pid_t pid;

	if (nr < 1 || nr > MAX_SPINNERS) {
		errno = EINVAL;
		return NULL;
	}
	spin = mmap(NULL, sizeof(*spin), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (spin == MAP_FAILED)
		return NULL;
	if (pipe(ready)) {
		munmap(spin, sizeof(*spin));
		return NULL;
	}
	spin->ready = ready[0];
	spin->kind = kind;
	spin->nr = nr;
	for (i = 0; i < nr; i++) {
		spin->task[i].seq = 2;
		spin->task[i].mask = *mask;
		spin->task[i].stray = -1;
		spin->task[i].first = -1;
	}
	/* Not into shared memory, where the child would store its zero, too */
	pid = fork();
	if (pid < 0) {
		close(ready[0]);
		close(ready[1]);
		munmap(spin, sizeof(*spin));
		return NULL;
	}
	if (!pid) {
		setpgid(0, 0);
		close(ready[0]);
		creator_main(spin, ready[1], mask, hook, arg);
	}
	close(ready[1]);
	setpgid(pid, pid);
	spin->creator = pid;
	spin->undo = undo_mark();
	undo_group(pid);
	return spin;
}

/*
 * Until all spinners are made. Asleep meanwhile, to be in nobody's way.
 */
int spin_wait_made(struct spin *spin)
{
	struct pollfd pfd = { .fd = spin->ready, .events = POLLIN };
	char c;
	int n;

	n = poll(&pfd, 1, WAIT_MS);
	if (n <= 0)
		return n ? -errno : -ETIMEDOUT;
	if (read(spin->ready, &c, 1) != 1)
		return -ECHILD;
	return load_acquire(&spin->error);
}

/* Until all spinners have run */
int spin_wait_started(struct spin *spin)
{
	long end = now_ms() + WAIT_MS;

	do {
		if (load_acquire(&spin->nr_started) == spin->nr)
			return 0;
		sleep_ms(10);
	} while (now_ms() < end);
	return -ETIMEDOUT;
}

/* Around a call that changes where @task may run */
void spin_mask_begin(struct spinner *task)
{
	store_release(&task->seq, task->seq + 1);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void spin_mask_end(struct spinner *task, const cpu_set_t *mask)
{
	task->mask = *mask;
	store_release(&task->seq, task->seq + 1);
}

/* Until each spinner has run since the last change of its mask */
int spin_wait_seen(struct spin *spin)
{
	long end = now_ms() + WAIT_MS;
	int i;

	do {
		for (i = 0; i < spin->nr; i++) {
			if (load_acquire(&spin->task[i].seen) != spin->task[i].seq)
				break;
		}
		if (i == spin->nr)
			return 0;
		sleep_ms(10);
	} while (now_ms() < end);
	return -ETIMEDOUT;
}

/* Return: number of spinners that were seen where they must not run */
int spin_strays(struct spin *spin)
{
	int i, nr = 0;

	for (i = 0; i < spin->nr; i++)
		nr += load_acquire(&spin->task[i].stray) >= 0;
	return nr;
}

void spin_stop(struct spin *spin)
{
	long end = now_ms() + WAIT_MS;

	/* Let the creator wait for its children, then use force */
	store_release(&spin->stop, 1);
	while (!waitpid(spin->creator, NULL, WNOHANG) && now_ms() < end)
		sleep_ms(10);
	undo_to(spin->undo);
	close(spin->ready);
	munmap(spin, sizeof(*spin));
}

/*
 * Spread
 */

/* Nobody runs but us. False after ten seconds: someone else is busy, too */
static bool wait_idle(void)
{
	long end = now_ms() + 10000;
	char buf[128], *p;

	do {
		/* 0.20 0.18 0.12 running/threads last-pid */
		if (read_file("/proc/loadavg", buf, sizeof(buf)) < 0)
			return true;
		p = strchr(buf, '/');
		while (p && p > buf && p[-1] != ' ')
			p--;
		if (!p || atoi(p) <= 1)
			return true;
		sleep_ms(50);
	} while (now_ms() < end);
	return false;
}

static void spread_eval(const struct spin *spin, const cpu_set_t *mask, int moved,
			struct spread *res)
{
	int count[CPU_SETSIZE] = { 0 };
	size_t len = 0;
	int i;

	memset(res, 0, sizeof(*res));
	res->nr = spin->nr;
	res->nr_cpus = CPU_COUNT(mask);
	res->moved = moved;
	for (i = 0; i < spin->nr; i++) {
		const struct spinner *task = &spin->task[i];
		int cpu = moved < 0 ? task->first : task->placed;

		if (len < sizeof(res->text))
			len += snprintf(res->text + len, sizeof(res->text) - len,
					"%s%d", i ? " " : "", cpu);
		res->beside_creator += cpu == task->creator;
		if (!CPU_ISSET(task->first, mask) || !CPU_ISSET(cpu, mask))
			res->strays++;
		else if (++count[cpu] > res->most)
			res->most = count[cpu];
	}
}

int spread_run(enum spin_kind kind, int nr, const cpu_set_t *mask,
	       spin_hook_t hook, void *arg, struct spread *res)
{
	cpu_set_t mine, others;
	struct spin *spin;
	int err, moved = -1;

	/* Out of the way, if there is a CPU for that */
	if (sched_getaffinity(0, sizeof(mine), &mine))
		return -errno;
	CPU_AND(&others, &mine, mask);
	CPU_XOR(&others, &others, &mine);
	sched_setaffinity(0, sizeof(others), &others);

	spin = spin_start(kind, nr, mask, hook, arg);
	err = spin ? spin_wait_made(spin) : -errno;
	if (!err) {
		moved = survey(spin);
		err = spin_wait_started(spin);
	}
	if (!err)
		spread_eval(spin, mask, moved, res);
	if (spin)
		spin_stop(spin);
	sched_setaffinity(0, sizeof(mine), &mine);
	return err;
}

void spread_rounds(const char *title, enum spin_kind kind, int nr, const cpu_set_t *mask,
		   spin_hook_t hook, void *arg, struct spread_sum *sum)
{
	struct spread res;
	int tries;

	memset(sum, 0, sizeof(*sum));
	sum->title = title;
	for (tries = 0; tries < SPREAD_TRIES && sum->rounds < SPREAD_ROUNDS; tries++) {
		if (!wait_idle()) {
			sum->skip = "the system is busy";
			return;
		}
		sum->err = spread_run(kind, nr, mask, hook, arg, &res);
		if (sum->err)
			return;
		printf("# %s: %d on %d CPUs, at most %d on one: %s%s\n", title, res.nr,
		       res.nr_cpus, res.most, res.text, res.moved ? " (then moved)" : "");
		sum->strays += res.strays;
		if (res.moved)
			continue;
		sum->rounds++;
		sum->beside_creator += res.beside_creator;
		if (res.most > sum->most)
			sum->most = res.most;
	}
	if (!sum->rounds)
		sum->skip = "load balance interfered each time, or no /proc/PID/sched";
}

/*
 * Churn
 */
#define CHURN_BATCH	4

static cpu_set_t churn_mask;

/* Return: whether it ran where it may */
static bool churn_task(void)
{
	int i;

	for (i = 0; i < 20; i++) {
		if (!CPU_ISSET(this_cpu(), &churn_mask))
			return false;
		if (i == 10)
			sched_yield();
	}
	return true;
}

static void *churn_thread(void *unused)
{
	(void)unused;
	return churn_task() ? NULL : &churn_mask;
}

static int churn_threads(struct churn *churn)
{
	pthread_t threads[CHURN_BATCH];
	int i, err = 0;

	for (i = 0; i < CHURN_BATCH; i++) {
		err = pthread_create(&threads[i], NULL, churn_thread, NULL);
		if (err)
			break;
	}
	while (i--) {
		void *stray;

		pthread_join(threads[i], &stray);
		churn->strays += !!stray;
	}
	return -err;
}

static int churn_forks(struct churn *churn)
{
	int i, status, err = 0;

	for (i = 0; i < CHURN_BATCH; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(!churn_task());
		if (pid < 0) {
			err = -errno;
			break;
		}
	}
	while (i--) {
		if (wait(&status) < 0)
			return -errno;
		churn->strays += status != 0;
	}
	return err;
}

struct churn *churn_start(enum spin_kind kind, const cpu_set_t *mask)
{
	struct churn *churn;
	int err = 0;
	pid_t pid;

	churn = mmap(NULL, sizeof(*churn), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (churn == MAP_FAILED)
		return NULL;
	pid = fork();
	if (pid < 0) {
		munmap(churn, sizeof(*churn));
		return NULL;
	}
	if (pid) {
		setpgid(pid, pid);
		churn->pid = pid;
		churn->undo = undo_mark();
		undo_group(pid);
		return churn;
	}

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	churn_mask = *mask;
	if (sched_setaffinity(0, sizeof(*mask), mask))
		err = -errno;
	while (!err && !load_acquire(&churn->stop)) {
		err = kind == SPIN_THREADS ? churn_threads(churn) : churn_forks(churn);
		store_release(&churn->nr_done, churn->nr_done + CHURN_BATCH);
	}
	store_release(&churn->error, err);
	_exit(0);
}

/* Until it has made so many more tasks */
int churn_wait(struct churn *churn, int nr_more)
{
	int start = load_acquire(&churn->nr_done);
	long end = now_ms() + WAIT_MS;

	while (load_acquire(&churn->nr_done) - start < nr_more) {
		if (load_acquire(&churn->error))
			return churn->error;
		if (now_ms() > end)
			return -ETIMEDOUT;
		sleep_ms(10);
	}
	return 0;
}

/* The results stay readable, for all of the test's short life */
void churn_stop(struct churn *churn)
{
	long end = now_ms() + WAIT_MS;

	store_release(&churn->stop, 1);
	while (!waitpid(churn->pid, NULL, WNOHANG) && now_ms() < end)
		sleep_ms(10);
	undo_to(churn->undo);
}
