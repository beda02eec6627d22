// SPDX-License-Identifier: GPL-2.0
/*
 * schedplace record: trace a command and its descendants.
 *
 * The scheduler's events are enabled for the whole system, since it takes all
 * of them to know which CPUs are idle. The raw buffers of the CPUs are read
 * while the command runs, merged by time, and what matters is written as text.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <event-parse.h>
#include <kbuffer.h>
#include <trace-seq.h>
#include <tracefs.h>

#include "schedplace.h"
#include "topology.h"
#include "trace.h"

#define DEFAULT_OUTPUT	"schedplace.trace"
#define DEFAULT_KB	2048
#define MAX_KB		1048576
#define KCONFIG		"CONFIG_FTRACE and CONFIG_ENABLE_DEFAULT_TRACERS or a tracer"
#define MAX_INTERVAL	100	/* ms between two drains */

static const char usage[] =
"Usage: schedplace record [OPTION...] -- COMMAND [ARG...]\n"
"\n"
"Run COMMAND and write the scheduler events of it and its descendants, with the\n"
"idle periods of all CPUs, to a text trace for schedplace report, for Perfetto\n"
"or for reading. Needs root and tracefs.\n"
"\n"
"  -o, --output FILE   the trace (default " DEFAULT_OUTPUT "); it appears when\n"
"                      COMMAND has ended\n"
"  -b, --buffer KB     trace buffer of each CPU (default 2048); raise it when\n"
"                      events are lost\n"
"  -h, --help          this text\n"
"\n"
"The exit status is COMMAND's, 128 plus the signal's number if a signal killed\n"
"it, 127 if it can't be run, 1 if it can't be traced. SIGINT, SIGTERM, SIGHUP\n"
"and SIGQUIT are passed on to COMMAND. Recording ends with COMMAND, even if\n"
"descendants still run.\n"
"\n"
"If schedplace itself is killed with SIGKILL, its trace buffers remain: remove\n"
"the directory instances/schedplace-PID in tracefs.\n";

/* A raw event that waits for those that precede it. */
struct pending {
	u64 ts;
	int cpu;
	unsigned int seq;
	size_t offset;		/* of the raw record in the batch */
	unsigned int size;
};

struct batch {
	struct pending *events;
	size_t nr_events;
	size_t cap_events;
	char *raw;
	size_t nr_raw;
	size_t cap_raw;
};

struct cpu_buffer {
	int fd;
	int cpu;
	bool seen;		/* a switch of this CPU has been written */
};

struct recorder {
	struct tracefs_instance *instance;
	struct tep_handle *tep;
	struct tep_event *events[EV_NR];
	struct tep_format_field *common_pid;
	struct tep_format_field *pid[EV_NR];
	struct tep_format_field *pid2[EV_NR];
	struct tep_format_field *comm[EV_NR];
	struct tep_format_field *comm2[EV_NR];

	struct cpu_buffer *cpus;
	int nr_cpus;
	struct kbuffer *kbuf;
	char *page;
	int page_size;

	struct batch batch;
	struct batch spare;
	unsigned int seq;
	u64 newest;	/* time of the latest event read */
	bool missed;

	u64 *traced;	/* bitmap by pid */
	char (*names)[16];	/* of each pid, as ftrace's own table */
	int nr_pids;
	pid_t root;
	bool root_seen;
	bool root_execs;	/* the root's exec has been read, not yet looked at */
	struct cpuset allowed;

	FILE *out;
	char *tmp_path;
	bool write_failed;
	int write_errno;
};

/* For cleanup on exit. Only the process that set it up cleans up. */
static struct recorder *active;

static void cleanup(void)
{
	struct recorder *rec = active;
	int i;

	if (!rec)
		return;
	active = NULL;
	if (rec->tmp_path)
		unlink(rec->tmp_path);
	/* An instance can't be removed while its files are open. */
	for (i = 0; i < rec->nr_cpus; i++) {
		if (rec->cpus[i].fd >= 0)
			close(rec->cpus[i].fd);
	}
	if (rec->instance) {
		tracefs_trace_off(rec->instance);
		if (tracefs_instance_destroy(rec->instance))
			warn("cannot remove the trace instance %s: %s",
			     tracefs_instance_get_name(rec->instance), strerror(errno));
		tracefs_instance_free(rec->instance);
	}
}

/*
 * The trace instance
 */

static struct tep_format_field *need_field(struct tep_event *event, const char *name)
{
	struct tep_format_field *field = tep_find_any_field(event, name);

	if (!field)
		die("this kernel's event %s has no field %s", event->name, name);
	return field;
}

static void find_events(struct recorder *rec)
{
	static const char *const fields[EV_NR][4] = {
		[EV_SWITCH]	= { "prev_pid", "next_pid", "prev_comm", "next_comm" },
		[EV_WAKEUP]	= { "pid", NULL, "comm", NULL },
		[EV_WAKEUP_NEW]	= { "pid", NULL, "comm", NULL },
		[EV_MIGRATE]	= { "pid", NULL, "comm", NULL },
		[EV_FORK]	= { "parent_pid", "child_pid", NULL, NULL },
		[EV_EXEC]	= { "pid", "old_pid", NULL, NULL },
		[EV_EXIT]	= { "pid", NULL, "comm", NULL },
		[EV_WAKING]	= { "pid", NULL, "comm", NULL },
	};
	static const char *const systems[] = { "sched", NULL };
	int i;

	rec->tep = tracefs_local_events_system(tracefs_tracing_dir(), systems);
	if (!rec->tep)
		die("cannot read the formats of the scheduler events in %s",
		    tracefs_tracing_dir());
	for (i = 0; i < EV_NR; i++) {
		rec->events[i] = tep_find_event_by_name(rec->tep, "sched", event_names[i]);
		if (!rec->events[i])
			die("this kernel has no event sched:%s", event_names[i]);
		rec->pid[i] = need_field(rec->events[i], fields[i][0]);
		if (fields[i][1])
			rec->pid2[i] = need_field(rec->events[i], fields[i][1]);
		if (fields[i][2])
			rec->comm[i] = need_field(rec->events[i], fields[i][2]);
		if (fields[i][3])
			rec->comm2[i] = need_field(rec->events[i], fields[i][3]);
	}
	rec->common_pid = need_field(rec->events[EV_SWITCH], "common_pid");
}

static void create_instance(struct recorder *rec, int kb)
{
	char *name, *clocks, size[16];
	const char *dir;

	/* One line of ours says more than the library's several. */
	tracefs_set_loglevel(TEP_LOG_NONE);
	tep_set_loglevel(TEP_LOG_NONE);
	if (geteuid())
		die("record needs root: run it with sudo");
	dir = tracefs_tracing_dir();
	if (!dir)
		die("no tracefs: mount -t tracefs nodev /sys/kernel/tracing (needs " KCONFIG ")");
	if (!tracefs_dir_exists(NULL, "events/sched"))
		die("%s has no scheduler events: mount tracefs there (needs " KCONFIG ")", dir);
	find_events(rec);

	name = xasprintf("schedplace-%d", getpid());
	rec->instance = tracefs_instance_create(name);
	if (!rec->instance)
		die("cannot create a trace instance in %s/instances: %s", dir, strerror(errno));
	free(name);
	tracefs_trace_off(rec->instance);

	clocks = tracefs_instance_file_read(rec->instance, "trace_clock", NULL);
	if (clocks && strstr(clocks, "mono"))
		tracefs_instance_file_write(rec->instance, "trace_clock", "mono");
	free(clocks);
	snprintf(size, sizeof(size), "%d", kb);
	if (tracefs_instance_file_write(rec->instance, "buffer_size_kb", size) < 0)
		die("cannot allocate trace buffers of %d KB for each CPU: use a smaller -b", kb);
}

static void open_buffers(struct recorder *rec)
{
	int cpu, fd, possible = sysconf(_SC_NPROCESSORS_CONF);
	struct rlimit limit;
	char *file;

	/* One descriptor a CPU is more than the usual limit on large machines. */
	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	rec->cpus = xcalloc(possible > 0 ? possible : 1, sizeof(*rec->cpus));
	for (cpu = 0; cpu < MAX_CPUS && rec->nr_cpus < possible; cpu++) {
		file = xasprintf("per_cpu/cpu%d/trace_pipe_raw", cpu);
		fd = tracefs_instance_file_open(rec->instance, file,
						O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0 && errno != ENOENT)
			die("cannot open %s: %s", file, strerror(errno));
		free(file);
		if (fd < 0)
			continue;
		rec->cpus[rec->nr_cpus].fd = fd;
		rec->cpus[rec->nr_cpus++].cpu = cpu;
	}
	if (!rec->nr_cpus)
		die("no per-CPU trace buffer in tracefs");
	rec->page_size = getpagesize();
	rec->page = xcalloc(1, rec->page_size);
	rec->kbuf = kbuffer_alloc(KBUFFER_LSIZE_SAME_AS_HOST, KBUFFER_ENDIAN_SAME_AS_HOST);
	if (!rec->kbuf)
		die("out of memory");
}

static void start_tracing(struct recorder *rec)
{
	int i;

	for (i = 0; i < EV_NR; i++) {
		if (tracefs_event_enable(rec->instance, "sched", event_names[i]))
			die("cannot enable the event sched:%s: %s", event_names[i],
			    strerror(errno));
	}
	if (tracefs_trace_on(rec->instance))
		die("cannot turn tracing on: %s", strerror(errno));
}

/* Events that the buffers had no room for. */
static u64 count_lost(struct recorder *rec)
{
	unsigned long long nr;
	u64 lost = 0;
	char *file, *stats, *p;
	int i;

	for (i = 0; i < rec->nr_cpus; i++) {
		file = xasprintf("per_cpu/cpu%d/stats", rec->cpus[i].cpu);
		stats = tracefs_instance_file_read(rec->instance, file, NULL);
		free(file);
		if (!stats)
			continue;
		p = strstr(stats, "overrun: ");
		if (p && (p == stats || p[-1] == '\n') && sscanf(p, "overrun: %llu", &nr) == 1)
			lost += nr;
		p = strstr(stats, "dropped events: ");
		if (p && sscanf(p, "dropped events: %llu", &nr) == 1)
			lost += nr;
		free(stats);
	}
	return lost;
}

/*
 * Writing
 */

static int event_type(struct recorder *rec, struct tep_record *record)
{
	int i, id = tep_data_type(rec->tep, record);

	for (i = 0; i < EV_NR; i++) {
		if (rec->events[i]->id == id)
			return i;
	}
	return -1;
}

static int get_pid(struct tep_format_field *field, const void *data)
{
	unsigned long long val;

	if (!field || tep_read_number_field(field, data, &val))
		return -1;
	return val;
}

static bool has_pid(const struct recorder *rec, int pid)
{
	return pid > 0 && pid < rec->nr_pids && rec->traced[pid / 64] >> (pid % 64) & 1;
}

static void set_pid(struct recorder *rec, int pid, bool traced)
{
	if (pid <= 0 || pid >= rec->nr_pids)
		return;
	if (traced)
		rec->traced[pid / 64] |= 1ULL << (pid % 64);
	else
		rec->traced[pid / 64] &= ~(1ULL << (pid % 64));
}

static void learn_name(struct recorder *rec, int pid, struct tep_format_field *field,
		       const char *data)
{
	if (!field || pid <= 0 || pid >= rec->nr_pids)
		return;
	snprintf(rec->names[pid], sizeof(rec->names[pid]), "%.*s", field->size,
		 data + field->offset);
}

static void write_event(struct recorder *rec, struct tep_record *record)
{
	struct trace_seq flags, text;
	const char *name;
	int pid;

	pid = get_pid(rec->common_pid, record->data);
	name = pid ? "<...>" : "<idle>";
	if (pid > 0 && pid < rec->nr_pids && rec->names[pid][0])
		name = rec->names[pid];

	trace_seq_init(&flags);
	trace_seq_init(&text);
	tep_print_event(rec->tep, &flags, record, "%s", TEP_PRINT_LATENCY);
	tep_print_event(rec->tep, &text, record, "%s: %s", TEP_PRINT_NAME, TEP_PRINT_INFO);
	trace_seq_terminate(&flags);
	trace_seq_terminate(&text);
	/* A name with a line break would forge a line. */
	clean_text(text.buffer);
	if (fprintf(rec->out, "%16s-%-7d [%03d] %s %5llu.%09llu: %s\n", name, pid,
		    record->cpu, flags.buffer, record->ts / 1000000000,
		    record->ts % 1000000000, text.buffer) < 0 && !rec->write_failed) {
		rec->write_failed = true;
		rec->write_errno = errno;
	}
	trace_seq_destroy(&flags);
	trace_seq_destroy(&text);
}

static struct cpu_buffer *find_cpu(struct recorder *rec, int cpu)
{
	int i;

	if (cpu < rec->nr_cpus && rec->cpus[cpu].cpu == cpu)
		return &rec->cpus[cpu];
	for (i = 0; rec->cpus[i].cpu != cpu; i++)
		;
	return &rec->cpus[i];
}

/* In the order of time: decide whether an event matters, and follow the forks. */
static void handle_event(struct recorder *rec, struct tep_record *record)
{
	int type = event_type(rec, record), pid, pid2;
	struct cpu_buffer *c;
	bool wanted;

	if (type < 0)
		return;
	pid = get_pid(rec->pid[type], record->data);
	pid2 = get_pid(rec->pid2[type], record->data);
	wanted = has_pid(rec, pid);
	rec->root_seen |= pid == rec->root;

	switch (type) {
	case EV_SWITCH:
		/* A CPU's first switch tells whether it was idle until then. */
		c = find_cpu(rec, record->cpu);
		wanted |= has_pid(rec, pid2) || !pid || !pid2 || !c->seen;
		c->seen = true;
		break;
	case EV_FORK:
		set_pid(rec, pid2, wanted);
		break;
	case EV_EXEC:
		wanted |= has_pid(rec, pid2);
		if (wanted)
			set_pid(rec, pid, true);
		break;
	}
	learn_name(rec, pid, rec->comm[type], record->data);
	learn_name(rec, pid2, rec->comm2[type], record->data);
	if (wanted && !rec->write_failed)
		write_event(rec, record);
}

static int compare_pending(const void *a, const void *b)
{
	const struct pending *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static void batch_add(struct batch *batch, const struct pending *p, const void *data)
{
	if (batch->nr_raw + p->size > batch->cap_raw) {
		batch->cap_raw = (batch->nr_raw + p->size) * 2;
		batch->raw = xrealloc(batch->raw, batch->cap_raw, 1);
	}
	memcpy(batch->raw + batch->nr_raw, data, p->size);
	vec_reserve(batch->events, batch->nr_events, batch->cap_events);
	batch->events[batch->nr_events] = *p;
	batch->events[batch->nr_events++].offset = batch->nr_raw;
	/* The library reads 64-bit fields: keep records aligned. */
	batch->nr_raw += (p->size + 7) & ~7U;
	if (batch->nr_raw > batch->cap_raw) {
		batch->cap_raw = batch->nr_raw * 2;
		batch->raw = xrealloc(batch->raw, batch->cap_raw, 1);
	}
}

/* Handle what is not later than safe, keep the rest for the next time. */
static void flush_batch(struct recorder *rec, u64 safe)
{
	struct batch *batch = &rec->batch, done;
	struct pending *p;
	size_t i;

	if (batch->nr_events)
		qsort(batch->events, batch->nr_events, sizeof(*p), compare_pending);
	for (i = 0; i < batch->nr_events; i++) {
		p = &batch->events[i];
		if (p->ts > safe) {
			batch_add(&rec->spare, p, batch->raw + p->offset);
		} else {
			struct tep_record record = {
				.ts = p->ts,
				.cpu = p->cpu,
				.size = p->size,
				.record_size = p->size,
				.data = batch->raw + p->offset,
			};

			handle_event(rec, &record);
		}
	}
	batch->nr_events = 0;
	batch->nr_raw = 0;
	done = rec->batch;
	rec->batch = rec->spare;
	rec->spare = done;
}

/*
 * Reading
 */

static void read_page(struct recorder *rec, struct cpu_buffer *c, u64 *last)
{
	struct pending p = { .cpu = c->cpu };
	unsigned long long ts;
	void *data;

	if (kbuffer_load_subbuffer(rec->kbuf, rec->page))
		return;
	if (kbuffer_missed_events(rec->kbuf))
		rec->missed = true;
	while ((data = kbuffer_read_event(rec->kbuf, &ts))) {
		struct tep_record record = { .data = data };

		p.ts = ts;
		p.seq = rec->seq++;
		p.size = kbuffer_event_size(rec->kbuf);
		batch_add(&rec->batch, &p, data);
		if (ts > rec->newest)
			rec->newest = ts;
		*last = ts;
		if (tep_data_type(rec->tep, &record) == rec->events[EV_EXEC]->id &&
		    get_pid(rec->pid[EV_EXEC], data) == rec->root)
			rec->root_execs = true;
		kbuffer_next_event(rec->kbuf, NULL);
	}
}

/*
 * drain - read all buffers once. What had been read before this round began is
 * complete up to its newest event, since by then all CPUs have been read again.
 * A CPU that logs faster than it can be read must not hold up the others.
 */
static void drain(struct recorder *rec, int max_pages, bool last_round)
{
	u64 safe = rec->newest, last;
	ssize_t size;
	int i, pages;

	for (i = 0; i < rec->nr_cpus; i++) {
		last = 0;
		for (pages = 0; pages < max_pages; pages++) {
			size = read(rec->cpus[i].fd, rec->page, rec->page_size);
			if (size <= 0)
				break;
			read_page(rec, &rec->cpus[i], &last);
		}
		if (pages == max_pages && last && last < safe)
			safe = last;
	}
	flush_batch(rec, last_round ? UINT64_MAX : safe);
}

/*
 * The command
 */

static void get_affinity(pid_t pid, struct cpuset *set)
{
	cpu_set_t *mask = CPU_ALLOC(MAX_CPUS);
	size_t size = CPU_ALLOC_SIZE(MAX_CPUS);
	int cpu;

	if (!mask)
		die("out of memory");
	CPU_ZERO_S(size, mask);
	if (!sched_getaffinity(pid, size, mask)) {
		memset(set, 0, sizeof(*set));
		for (cpu = 0; cpu < MAX_CPUS; cpu++) {
			if (CPU_ISSET_S(cpu, size, mask))
				cpuset_add(set, cpu);
		}
	}
	CPU_FREE(mask);
}

/* taskset and the like set their affinity, then run the command that counts. */
static void update_allowed(struct recorder *rec)
{
	struct cpuset now = rec->allowed;
	char *list;

	rec->root_execs = false;
	get_affinity(rec->root, &now);
	if (!memcmp(&now, &rec->allowed, sizeof(now)))
		return;
	rec->allowed = now;
	list = cpuset_format(&now);
	fprintf(rec->out, "# schedplace: allowed %s\n", list);
	free(list);
}

static pid_t start_command(char **argv, const sigset_t *old_mask, int *go, int *status)
{
	int go_pipe[2], status_pipe[2], err;
	char byte;
	pid_t pid;

	if (pipe2(go_pipe, O_CLOEXEC) || pipe2(status_pipe, O_CLOEXEC))
		die("pipe: %s", strerror(errno));
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		die("fork: %s", strerror(errno));
	if (!pid) {
		active = NULL;
		close(go_pipe[1]);
		close(status_pipe[0]);
		/* Without the word to go, tracing has failed. */
		if (read(go_pipe[0], &byte, 1) != 1)
			_exit(1);
		signal(SIGPIPE, SIG_DFL);
		sigprocmask(SIG_SETMASK, old_mask, NULL);
		execvp(argv[0], argv);
		err = errno;
		if (write(status_pipe[1], &err, sizeof(err)) != sizeof(err))
			_exit(126);
		_exit(127);
	}
	close(go_pipe[0]);
	close(status_pipe[1]);
	*go = go_pipe[1];
	*status = status_pipe[0];
	return pid;
}

static void forward_signals(int fd, pid_t pid)
{
	struct signalfd_siginfo info;

	while (read(fd, &info, sizeof(info)) == sizeof(info)) {
		/* The terminal has sent this one to the whole group already. */
		if (info.ssi_signo == SIGCHLD || info.ssi_code == SI_KERNEL)
			continue;
		kill(pid, info.ssi_signo);
	}
}

static int run_command(struct recorder *rec, int sigfd, int max_pages)
{
	struct pollfd pfd = { .fd = sigfd, .events = POLLIN };
	int status, interval = 5;
	pid_t ret;

	for (;;) {
		ret = waitpid(rec->root, &status, WNOHANG);
		if (ret == rec->root)
			return status;
		if (ret < 0 && errno != EINTR)
			die("waitpid: %s", strerror(errno));
		if (poll(&pfd, 1, interval) > 0) {
			forward_signals(sigfd, rec->root);
			continue;
		}
		/* Soon at first: a launcher may set the affinity and exec. */
		interval = interval * 2 < MAX_INTERVAL ? interval * 2 : MAX_INTERVAL;
		drain(rec, max_pages, false);
		if (rec->root_execs)
			update_allowed(rec);
	}
}

/*
 * The file
 */

static void write_header(struct recorder *rec, char **argv)
{
	struct topology *topo = xcalloc(1, sizeof(*topo));
	struct utsname uts;
	char *list;
	int i;

	topology_read_sys(topo);
	if (uname(&uts))
		die("uname: %s", strerror(errno));
	fputs("# tracer: nop\n#\n", rec->out);
	fprintf(rec->out, "# schedplace: version %d\n", SP_VERSION);
	fputs("# schedplace: command", rec->out);
	for (i = 0; argv[i]; i++) {
		char *arg = xstrdup(argv[i]);

		clean_text(arg);
		fprintf(rec->out, " %s", arg);
		free(arg);
	}
	fprintf(rec->out, "\n# schedplace: root %d\n", rec->root);
	fprintf(rec->out, "# schedplace: kernel %s\n", uts.release);
	for (i = 0; i < topo->nr; i++) {
		if (!cpuset_has(&topo->known, i))
			continue;
		fprintf(rec->out, "# schedplace: cpu %d llc %d node %d", i, topo->llc[i],
			topo->node[i]);
		if (topo->has_clusters)
			fprintf(rec->out, " cluster %d", topo->cluster[i]);
		fputc('\n', rec->out);
	}
	list = cpuset_format(&rec->allowed);
	fprintf(rec->out, "# schedplace: allowed %s\n", list);
	free(list);
	fputs("#\n#           TASK-PID     [CPU]  flags   TIMESTAMP: EVENT: fields\n#\n", rec->out);
	free(topo);
}

static void open_output(struct recorder *rec, const char *path)
{
	mode_t mask = umask(0);
	struct stat st;
	int fd;

	umask(mask);
	/* Renaming would replace a device or a pipe, /dev/null above all. */
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		die("%s: not a regular file", path);
	rec->tmp_path = xasprintf("%s.XXXXXX", path);
	fd = mkostemp(rec->tmp_path, O_CLOEXEC);
	if (fd < 0) {
		int err = errno;

		free(rec->tmp_path);
		rec->tmp_path = NULL;
		die("cannot write %s: %s", path, strerror(err));
	}
	fchmod(fd, 0666 & ~mask);
	rec->out = fdopen(fd, "w");
	if (!rec->out)
		die("out of memory");
}

static int read_pid_max(void)
{
	FILE *f = fopen("/proc/sys/kernel/pid_max", "r");
	int max = 0;

	if (f) {
		if (fscanf(f, "%d", &max) != 1)
			max = 0;
		fclose(f);
	}
	return max > 0 ? max + 1 : (1 << 22) + 1;
}

static int parse_kb(const char *s)
{
	char *end;
	long val;

	errno = 0;
	val = strtol(s, &end, 10);
	if (end == s || *end || errno || val < 1 || val > MAX_KB)
		die("-b: '%s' is not a number of KB from 1 to %d", s, MAX_KB);
	return val;
}

static void free_recorder(struct recorder *rec)
{
	kbuffer_free(rec->kbuf);
	tep_free(rec->tep);
	free(rec->batch.events);
	free(rec->batch.raw);
	free(rec->spare.events);
	free(rec->spare.raw);
	free(rec->cpus);
	free(rec->page);
	free(rec->traced);
	free(rec->names);
	free(rec->tmp_path);
	free(rec);
}

static int record(const char *path, int kb, char **argv)
{
	struct recorder *rec = xcalloc(1, sizeof(*rec));
	int go, exec_status, err, sigfd, status, max_pages;
	sigset_t mask, old_mask;
	u64 lost;
	bool failed;

	active = rec;
	atexit(cleanup);
	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGHUP);
	sigaddset(&mask, SIGQUIT);
	sigaddset(&mask, SIGCHLD);
	sigprocmask(SIG_BLOCK, &mask, &old_mask);
	signal(SIGPIPE, SIG_IGN);
	sigfd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (sigfd < 0)
		die("signalfd: %s", strerror(errno));

	create_instance(rec, kb);
	open_buffers(rec);
	open_output(rec, path);
	rec->nr_pids = read_pid_max();
	rec->traced = xcalloc((rec->nr_pids + 63) / 64, sizeof(*rec->traced));
	rec->names = xcalloc(rec->nr_pids, sizeof(*rec->names));

	rec->root = start_command(argv, &old_mask, &go, &exec_status);
	set_pid(rec, rec->root, true);
	get_affinity(rec->root, &rec->allowed);
	write_header(rec, argv);
	start_tracing(rec);

	if (write(go, "", 1) != 1)
		warn("cannot start the command: %s", strerror(errno));
	close(go);
	/* Ends at exec, which closes the pipe, or with the reason why not. */
	if (read(exec_status, &err, sizeof(err)) == sizeof(err)) {
		waitpid(rec->root, &status, 0);
		warn("cannot run '%s': %s", argv[0], strerror(err));
		exit(127);
	}
	close(exec_status);

	/* Twice the buffer's size: what is logged while it is read, too. */
	max_pages = kb / (rec->page_size / 1024) * 2 + 2;
	status = run_command(rec, sigfd, max_pages);
	tracefs_trace_off(rec->instance);
	drain(rec, INT_MAX, true);

	lost = count_lost(rec);
	if (!lost && rec->missed)
		fputs("# schedplace: lost 1 or more\n", rec->out);
	else
		fprintf(rec->out, "# schedplace: lost %llu\n", lost);
	err = rec->write_failed ? rec->write_errno : 0;
	failed = rec->write_failed || ferror(rec->out);
	if (fclose(rec->out) && !failed) {
		failed = true;
		err = errno;
	}
	if (!failed && rename(rec->tmp_path, path)) {
		failed = true;
		err = errno;
	}
	if (failed) {
		warn("cannot write %s: %s", path, err ? strerror(err) : "write error");
	} else {
		free(rec->tmp_path);
		rec->tmp_path = NULL;
		if (lost)
			warn("%llu events were lost: use a buffer larger than -b %d",
			     lost, kb);
		else if (rec->missed)
			warn("events were lost: use a buffer larger than -b %d", kb);
		if (!rec->root_seen)
			warn("pid %d, the command, has no event: is this a PID namespace?",
			     rec->root);
	}
	cleanup();
	free_recorder(rec);
	close(sigfd);

	if (WIFSIGNALED(status))
		return 128 + WTERMSIG(status);
	return WEXITSTATUS(status) ? WEXITSTATUS(status) : failed;
}

/**
 * cmd_record - schedplace record
 * @argc: number of arguments
 * @argv: the arguments, "record" first
 *
 * Return: the exit status.
 */
int cmd_record(int argc, char **argv)
{
	static const struct option options[] = {
		{ "buffer",	required_argument,	NULL, 'b' },
		{ "help",	no_argument,		NULL, 'h' },
		{ "output",	required_argument,	NULL, 'o' },
		{}
	};
	const char *path = DEFAULT_OUTPUT;
	int opt, kb = DEFAULT_KB;

	/* "+": the command's own options aren't ours. */
	while ((opt = getopt_long(argc, argv, "+b:ho:", options, NULL)) >= 0) {
		switch (opt) {
		case 'b':
			kb = parse_kb(optarg);
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		case 'o':
			path = optarg;
			break;
		default:
			return 2;
		}
	}
	if (optind == argc) {
		warn("record needs a command, see 'schedplace record --help'");
		return 2;
	}
	return record(path, kb, argv + optind);
}
