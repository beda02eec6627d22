// SPDX-License-Identifier: GPL-2.0
/*
 * schedsim: the kernel's scheduler in a process, with virtual time.
 */
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

static const char usage[] =
"schedsim - run the kernel's scheduler on a simulated machine\n"
"\n"
"Usage:\n"
"  schedsim run --machine M --workload W [OPTION...]\n"
"  schedsim domains --machine M [--cpu N | --all]\n"
"  schedsim kunit --machine M\n"
"  schedsim bench [--cpus-list 16,32,...] [--seconds S] [--tasks N]\n"
"  schedsim list\n"
"\n"
"M is a name in lab/machines, W one in lab/workloads; with a slash in it, each is\n"
"a file. SCHEDSIM_LAB says where lab is.\n"
"\n"
"run: boot M, run W, say where its tasks went and what they met with\n"
"  --cpus SPEC          affinity: a list, per-llc, per-node, llc=N, node=N,\n"
"                       spread=N or free (default: free)\n"
"  --seed N             order of simultaneous events, and jitter; 0: none (1)\n"
"  --seeds A-B          a run for every seed, in parallel, on one boot\n"
"  --on F[,F]           set scheduler features\n"
"  --off F[,F]          clear scheduler features\n"
"  --json FILE          results as the lab writes them, for lab-result table\n"
"  --trace FILE         ftrace text for schedplace report and trace viewers\n"
"  --per-task           a line, and an entry in --json, for every task\n"
"  --base B, --variant V  names in FILE (default: those of the build; on or off\n"
"                       if features are only set or only cleared)\n"
"  --check              check the invariants at every event\n"
"  --cost NAME=NS       what a path of the kernel costs; see schedsim list\n"
"  --jitter N           costs vary by up to N thousandths\n"
"  --max-seconds V      end the run after this virtual time (600)\n"
"  --warmup N           run the workload N times before, on the same boot (0)\n"
"  --barrier            the workload's threads start when all exist\n"
"  --disturb FILE       lines 'MS ACTION': offline CPU, online CPU, feature NAME,\n"
"                       affinity TASK LIST, nice TASK N, cgroup PATH FILE VALUE\n"
"domains: the scheduler domains of a CPU (0) or of all\n"
"kunit: run the KUnit suites, print TAP\n"
"bench: how fast is the simulator?\n"
"  --seconds S          virtual time of each measurement (1)\n"
"  --tasks N            tasks a CPU (1)\n"
"list: machines, workloads, costs\n"
"\n"
"  -v, --verbose        all that the kernel prints, on stderr\n"
"  -h, --help           this text\n"
"\n"
"Exit status: 0; 1 for an error; 2 if an invariant did not hold or a KUnit test\n"
"failed; 3 if the simulated kernel panicked.\n";

enum {
	OPT_MACHINE = 256, OPT_WORKLOAD, OPT_CPUS, OPT_SEED, OPT_SEEDS, OPT_ON, OPT_OFF,
	OPT_JSON, OPT_TRACE, OPT_CHECK, OPT_COST, OPT_JITTER, OPT_MAX_SECONDS, OPT_BARRIER,
	OPT_BASE, OPT_VARIANT, OPT_DISTURB, OPT_CPU, OPT_ALL, OPT_CPUS_LIST, OPT_SECONDS,
	OPT_TASKS, OPT_PER_TASK, OPT_WARMUP,
};

/* What every subcommand has */
#define OPTION_HELP	{ "help", no_argument, NULL, 'h' }
#define OPTION_VERBOSE	{ "verbose", no_argument, NULL, 'v' }

static void print_help(void)
{
	fputs(usage, stdout);
	exit(fflush(stdout) || ferror(stdout) ? SIM_EXIT_FAILURE : 0);
}

/* getopt's own messages don't say what to do */
static int next_option(int argc, char **argv, const struct option *options)
{
	int opt;

	opterr = 0;
	opt = getopt_long(argc, argv, ":hv", options, NULL);
	switch (opt) {
	case 'h':
		print_help();
		break;
	case 'v':
		host_verbose = 1;
		break;
	case ':':
		die("%s needs a value; see 'schedsim --help'", argv[optind - 1]);
	case '?':
		die("%s %s: no such option; see 'schedsim --help'", argv[0], argv[optind - 1]);
	case -1:
		if (optind < argc)
			die("%s: '%s' is too much; see 'schedsim --help'", argv[0], argv[optind]);
		break;
	}
	return opt;
}

static const char *parse_u64(const char *text, sim_u64 *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	return end == text || errno || *text == '-' ? NULL : end;
}

static sim_u64 parse_number(const char *option, const char *text, sim_u64 min, sim_u64 max)
{
	const char *end;
	sim_u64 v;

	end = parse_u64(text, &v);
	if (!end || *end || v < min || v > max)
		die("%s %s: not a number in %llu..%llu", option, text, min, max);
	return v;
}

static double parse_seconds(const char *option, const char *text)
{
	char *end;
	double v;

	errno = 0;
	v = strtod(text, &end);
	if (end == text || *end || errno || !(v > 0) || v > 1e6)
		die("%s %s: not a number of seconds", option, text);
	return v;
}

static void parse_seeds(struct run_options *o, const char *text)
{
	const char *p = parse_u64(text, &o->first_seed);

	if (p && *p == '-')
		p = parse_u64(p + 1, &o->last_seed);
	else
		p = NULL;
	if (!p || *p || o->last_seed < o->first_seed)
		die("--seeds %s: not a range such as 1-20", text);
	if (o->last_seed - o->first_seed >= MAX_SEEDS)
		die("--seeds %s: more than %d seeds", text, MAX_SEEDS);
}

static void parse_features(struct run_options *o, char *list, int on)
{
	char *save, *word, *name;

	for (word = strtok_r(list, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		if (o->nr_features == MAX_FEATURES)
			die("--on and --off: more than %d features", MAX_FEATURES);
		if (asprintf(&name, "%s%s", on ? "" : "NO_", word) < 0)
			die("out of memory");
		o->feature[o->nr_features++] = name;
		o->nr_on += on;
	}
}

static void parse_cost(struct sim_params *p, const char *text)
{
	const char *eq = strchr(text, '='), *end, *name;
	sim_u64 ns;
	int i;

	if (!eq)
		die("--cost %s: not NAME=NS; 'schedsim list' tells the names", text);
	for (i = 0; (name = sim_cost_name(i)); i++) {
		if (strlen(name) == (size_t)(eq - text) && !strncmp(name, text, eq - text))
			break;
	}
	if (!name)
		die("--cost %s: no such cost; 'schedsim list' tells the names", text);
	end = parse_u64(eq + 1, &ns);
	if (!end || *end || ns > NSEC_PER_SEC)
		die("--cost %s: not a number of nanoseconds up to a second", text);
	p->cost[i] = ns;
}

static int cmd_run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "machine",	required_argument, NULL, OPT_MACHINE },
		{ "workload",	required_argument, NULL, OPT_WORKLOAD },
		{ "cpus",	required_argument, NULL, OPT_CPUS },
		{ "seed",	required_argument, NULL, OPT_SEED },
		{ "seeds",	required_argument, NULL, OPT_SEEDS },
		{ "on",		required_argument, NULL, OPT_ON },
		{ "off",	required_argument, NULL, OPT_OFF },
		{ "json",	required_argument, NULL, OPT_JSON },
		{ "trace",	required_argument, NULL, OPT_TRACE },
		{ "per-task",	no_argument,	   NULL, OPT_PER_TASK },
		{ "check",	no_argument,	   NULL, OPT_CHECK },
		{ "cost",	required_argument, NULL, OPT_COST },
		{ "jitter",	required_argument, NULL, OPT_JITTER },
		{ "max-seconds", required_argument, NULL, OPT_MAX_SECONDS },
		{ "barrier",	no_argument,	   NULL, OPT_BARRIER },
		{ "warmup",	required_argument, NULL, OPT_WARMUP },
		{ "base",	required_argument, NULL, OPT_BASE },
		{ "variant",	required_argument, NULL, OPT_VARIANT },
		{ "disturb",	required_argument, NULL, OPT_DISTURB },
		OPTION_HELP, OPTION_VERBOSE, { }
	};
	static struct run_options o = { .first_seed = 1, .last_seed = 1,
					.max_ns = 600 * NSEC_PER_SEC };
	int opt;

	sim_defaults(&o.params);
	while ((opt = next_option(argc, argv, options)) != -1) {
		switch (opt) {
		case OPT_MACHINE:
			o.machine = optarg;
			break;
		case OPT_WORKLOAD:
			o.workload = optarg;
			break;
		case OPT_CPUS:
			o.cpus = strcmp(optarg, "free") ? optarg : NULL;
			break;
		case OPT_SEED:
			o.first_seed = parse_number("--seed", optarg, 0, ~0ULL - 1);
			o.last_seed = o.first_seed;
			break;
		case OPT_SEEDS:
			parse_seeds(&o, optarg);
			break;
		case OPT_ON:
		case OPT_OFF:
			parse_features(&o, optarg, opt == OPT_ON);
			break;
		case OPT_JSON:
			o.json = optarg;
			break;
		case OPT_TRACE:
			o.trace = optarg;
			break;
		case OPT_PER_TASK:
			o.per_task = 1;
			break;
		case OPT_CHECK:
			o.params.invariants = 1;
			break;
		case OPT_COST:
			parse_cost(&o.params, optarg);
			break;
		case OPT_WARMUP:
			o.warmup = parse_number("--warmup", optarg, 0, 100);
			break;
		case OPT_JITTER:
			o.params.jitter = parse_number("--jitter", optarg, 0, 1000);
			break;
		case OPT_MAX_SECONDS:
			o.max_ns = llround(parse_seconds("--max-seconds", optarg) * NSEC_PER_SEC);
			o.max_given = 1;
			break;
		case OPT_BARRIER:
			o.barrier = 1;
			break;
		case OPT_BASE:
			o.base = optarg;
			break;
		case OPT_VARIANT:
			o.variant = optarg;
			break;
		case OPT_DISTURB:
			o.disturb = optarg;
			break;
		}
	}
	if (!o.machine || !o.workload)
		die("run needs --machine and --workload; 'schedsim list' tells their names");
	if (o.trace && o.first_seed != o.last_seed)
		die("--trace takes one run: give --seed instead of --seeds");
	o.params.quiet = !host_verbose;
	o.params.observe_idle = 1;
	return run(&o);
}

/* ---- what only needs a booted machine ---- */

static int first_cpu, last_cpu, kunit_status;

static void print_domains(void *arg)
{
	int cpu;

	(void)arg;
	for (cpu = first_cpu; cpu <= last_cpu; cpu++) {
		host_output(HOST_ALL);
		sim_print_domains(cpu);
		host_output(HOST_QUIET);
	}
}

static void run_kunit(void *arg)
{
	(void)arg;
	host_output(HOST_TAP);
	kunit_status = sim_kunit();
	host_output(HOST_QUIET);
}

static int cmd_boot(int argc, char **argv)
{
	static const struct option options[] = {
		{ "machine",	required_argument, NULL, OPT_MACHINE },
		OPTION_HELP, OPTION_VERBOSE, { }
	}, domain_options[] = {
		{ "machine",	required_argument, NULL, OPT_MACHINE },
		{ "cpu",	required_argument, NULL, OPT_CPU },
		{ "all",	no_argument,	   NULL, OPT_ALL },
		OPTION_HELP, OPTION_VERBOSE, { }
	};
	const char *name = NULL, *cpu = NULL;
	static struct sim_machine machine;
	static struct machine m;
	struct sim_params p;
	int opt, all = 0, domains = !strcmp(argv[0], "domains");

	while ((opt = next_option(argc, argv, domains ? domain_options : options)) != -1) {
		switch (opt) {
		case OPT_MACHINE:
			name = optarg;
			break;
		case OPT_CPU:
			cpu = optarg;
			break;
		case OPT_ALL:
			all = 1;
			break;
		}
	}
	if (!name)
		die("%s needs --machine; 'schedsim list' tells the names", argv[0]);
	if (cpu && all)
		die("--cpu and --all: give one of them");
	topo_load(&m, name);
	topo_machine(&m, &machine);
	if (cpu)
		first_cpu = parse_number("--cpu", cpu, 0, m.nr_cpus - 1);
	last_cpu = all ? (int)m.nr_cpus - 1 : first_cpu;
	sim_defaults(&p);
	p.seed = 0;
	/* What --quiet holds back is what these two are to print */
	p.quiet = 0;
	sim_boot(&machine, &p, domains ? print_domains : run_kunit, NULL);
	return kunit_status || sim_violations() ? SIM_EXIT_VIOLATION : 0;
}

static int cmd_bench(int argc, char **argv)
{
	static const struct option options[] = {
		{ "cpus-list",	required_argument, NULL, OPT_CPUS_LIST },
		{ "seconds",	required_argument, NULL, OPT_SECONDS },
		{ "tasks",	required_argument, NULL, OPT_TASKS },
		OPTION_HELP, OPTION_VERBOSE, { }
	};
	const char *list = "16,32,64,128,256,512";
	struct sim_params p;
	double seconds = 1;
	int opt, tasks = 1;

	sim_defaults(&p);
	while ((opt = next_option(argc, argv, options)) != -1) {
		switch (opt) {
		case OPT_CPUS_LIST:
			list = optarg;
			break;
		case OPT_SECONDS:
			seconds = parse_seconds("--seconds", optarg);
			break;
		case OPT_TASKS:
			tasks = parse_number("--tasks", optarg, 1, 1000);
			break;
		}
	}
	p.quiet = !host_verbose;
	return bench(list, seconds, tasks, &p);
}

static int visible(const struct dirent *d)
{
	return *d->d_name != '.';
}

static void list_dir(const char *title, const char *dir, const char *suffix)
{
	struct dirent **entry;
	char path[4096];
	size_t len, slen = strlen(suffix);
	int i, nr;

	snprintf(path, sizeof(path), "%s/%s", topo_labdir(), dir);
	nr = scandir(path, &entry, visible, alphasort);
	if (nr < 0)
		die("%s: %s; set SCHEDSIM_LAB to the project's lab", path, strerror(errno));
	printf("%s:", title);
	for (i = 0; i < nr; i++) {
		len = strlen(entry[i]->d_name);
		if (len > slen && !strcmp(entry[i]->d_name + len - slen, suffix))
			len -= slen;
		printf(" %.*s", (int)len, entry[i]->d_name);
		free(entry[i]);
	}
	putchar('\n');
	free(entry);
}

static int cmd_list(int argc, char **argv)
{
	static const struct option options[] = { OPTION_HELP, OPTION_VERBOSE, { } };
	struct sim_params p;
	const char *name;
	int i;

	while (next_option(argc, argv, options) != -1)
		;
	list_dir("machines", "machines", "");
	list_dir("workloads", "workloads", ".json");
	sim_defaults(&p);
	puts("costs, ns:");
	for (i = 0; (name = sim_cost_name(i)); i++)
		printf("  %-12s %u\n", name, p.cost[i]);
	return 0;
}

/* A fault of kernel code: an oops, if it were not for the machine. */
#ifndef __SANITIZE_ADDRESS__
static void fault(int sig)
{
	static char text[128];

	snprintf(text, sizeof(text), "[%llu ns, CPU %d, pid %d] %s", sim_now(), sim_cpu(),
		 sim_pid(), strsignal(sig));
	host_panic(text);
}
#endif

/*
 * Tell of a fault as of a panic, rather than be killed by it; on a stack of its
 * own, since the task's may be what overflowed. A sanitizer has its own
 * handlers, which tell more.
 */
static void catch_faults(void)
{
#ifndef __SANITIZE_ADDRESS__
	static const int sigs[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };
	static char stack[65536];
	stack_t alt = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction act = { .sa_handler = fault, .sa_flags = SA_ONSTACK | SA_RESETHAND };
	size_t i;

	if (sigaltstack(&alt, NULL))
		return;
	for (i = 0; i < ARRAY_SIZE(sigs); i++)
		sigaction(sigs[i], &act, NULL);
#endif
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*fn)(int argc, char **argv);
	} commands[] = {
		{ "run", cmd_run }, { "domains", cmd_boot }, { "kunit", cmd_boot },
		{ "bench", cmd_bench }, { "list", cmd_list },
	};
	size_t i;
	int ret;

	catch_faults();
	if (argc < 2)
		die("no command; there are run, domains, kunit, bench, list (see --help)");
	if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "help"))
		print_help();
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (strcmp(argv[1], commands[i].name))
			continue;
		ret = commands[i].fn(argc - 1, argv + 1);
		if (fflush(stdout) || ferror(stdout))
			die("standard output: %s", strerror(errno));
		host_exit(ret);
	}
	die("'%s' is no command; there are run, domains, kunit, bench, list", argv[1]);
}
