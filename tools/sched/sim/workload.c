// SPDX-License-Identifier: GPL-2.0
/*
 * Read the workload files of rt-app 1.0.
 *
 * rt-app reads a key as the event whose name it begins with ("runtim" is a run),
 * ignores keys that it does not know, and of two equal keys in an object keeps
 * the last value in the first one's place, since that is what json-c does. All
 * three lose what the author meant, so here they are errors. "loop" of a task
 * that has its events directly in it is the number of times they are run, as
 * rt-app's documentation says; rt-app 1.0 itself never ends such a task.
 */
#include <ctype.h>
#include <errno.h>
#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"
#include "rtapp.h"

#define MAX_DEPTH	JSON_TOKENER_DEFAULT_DEPTH
#define MAX_FILE	(16 << 20)

/* Where the parser is, for messages, and where they go. */
struct parser {
	struct workload *w;
	const char *task, *phase, *section;
	struct rt_sched def;
	char *err;
	size_t len;
};

static void out_of_memory(void)
{
	fputs("out of memory\n", stderr);
	exit(1);
}

static void *alloc(size_t nr, size_t size)
{
	void *p = calloc(nr ? nr : 1, size);

	if (!p)
		out_of_memory();
	return p;
}

static char *copy(const char *s)
{
	char *p = strdup(s);

	if (!p)
		out_of_memory();
	return p;
}

/* A message is one line, whatever the names in it. */
static void one_line(char *s)
{
	for (; *s; s++) {
		if (iscntrl((unsigned char)*s))
			*s = '?';
	}
}

static int bad(struct parser *p, const char *key, const char *fmt, ...)
	__printf(3, 4);

static int bad(struct parser *p, const char *key, const char *fmt, ...)
{
	char where[512], what[512];
	int n = 0;
	va_list ap;

	where[0] = '\0';
	if (p->section)
		n = snprintf(where, sizeof(where), "%.64s: ", p->section);
	if (p->task)
		n = snprintf(where, sizeof(where), "task %.64s: ", p->task);
	if (p->phase)
		n += snprintf(where + n, sizeof(where) - n, "phase %.64s: ", p->phase);
	if (key)
		snprintf(where + n, sizeof(where) - n, "%.64s: ", key);
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	if (p->len) {
		snprintf(p->err, p->len, "%s: %s%s", p->w->file, where, what);
		one_line(p->err);
	}
	return -1;
}

/* ---- events by name ---- */

static const struct event_name {
	const char *name;
	enum rt_type type;
} event_names[] = {
	/* A name comes before those that it begins with. */
	{ "runtime", RT_RUNTIME },
	{ "run", RT_RUN },
	{ "sleep", RT_SLEEP },
	{ "timer", RT_TIMER_EV },
	{ "suspend", RT_SUSPEND },
	{ "resume", RT_RESUME },
	{ "lock", RT_LOCK },
	{ "unlock", RT_UNLOCK },
	{ "wait", RT_WAIT },
	{ "signal", RT_SIGNAL },
	{ "broadcast", RT_BROAD },
	{ "broad", RT_BROAD },
	{ "sync", RT_SYNC },
	{ "barrier", RT_BARRIER_EV },
	{ "fork", RT_FORK },
	{ "yield", RT_YIELD },
};

/* A known name and then nothing or something like a number: run, run0, run_a. */
static int begins(const char *key, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(key, name, len) && !islower((unsigned char)key[len]);
}

static const struct event_name *find_event(const char *key)
{
	size_t i;

	for (i = 0; i < sizeof(event_names) / sizeof(*event_names); i++) {
		if (begins(key, event_names[i].name))
			return &event_names[i];
	}
	return NULL;
}

/* ---- the file ---- */

static char *read_file(struct parser *p, size_t *size)
{
	FILE *f = fopen(p->w->file, "r");
	char *text;

	if (!f) {
		bad(p, NULL, "cannot be opened: %s", strerror(errno));
		return NULL;
	}
	text = alloc(1, MAX_FILE + 1);
	*size = fread(text, 1, MAX_FILE + 1, f);
	if (ferror(f))
		bad(p, NULL, "cannot be read: %s", strerror(errno));
	else if (*size > MAX_FILE)
		bad(p, NULL, "is larger than %d MB, so it is hardly a workload", MAX_FILE >> 20);
	else if (memchr(text, 0, *size))
		bad(p, NULL, "is not a text file");
	else
		goto out;
	free(text);
	text = NULL;
out:
	fclose(f);
	return text;
}

static int line_of(const char *text, size_t pos)
{
	int line = 1;
	size_t i;

	for (i = 0; i < pos && text[i]; i++)
		line += text[i] == '\n';
	return line;
}

/* Behind white space and comments, which json-c accepts too. */
static const char *skip_space(const char *s)
{
	for (;;) {
		while (isspace((unsigned char)*s))
			s++;
		if (s[0] == '/' && s[1] == '*') {
			s = strstr(s + 2, "*/");
			if (!s)
				return "";
			s += 2;
		} else if (s[0] == '/' && s[1] == '/') {
			s += strcspn(s, "\n");
		} else {
			return s;
		}
	}
}

/* One level of the search for equal keys: the keys of an object so far. */
struct level {
	int array;
	char **keys;
	int nr;
};

/* A JSON string; the result is to be freed. The text was parsed before. */
static char *take_string(const char **text)
{
	const char *s = *text;
	char quote = *s++, *copied;
	const char *start = s;
	struct json_object *o;
	char *key;

	while (*s && *s != quote)
		s += *s == '\\' && s[1] ? 2 : 1;
	copied = alloc(s - start + 3, 1);
	snprintf(copied, s - start + 3, "%c%.*s%c", quote, (int)(s - start), start, quote);
	/* Let json-c deal with the escapes. */
	o = json_tokener_parse(copied);
	key = copy(o ? json_object_get_string(o) : copied);
	json_object_put(o);
	free(copied);
	*text = *s ? s + 1 : s;
	return key;
}

static const char *last_key(const struct level *level)
{
	return level->nr ? level->keys[level->nr - 1] : "?";
}

static int equal_key(struct parser *p, struct level *level, int depth, const char *key, int line)
{
	const struct event_name *event;
	int i;

	for (i = 0; i < level[depth].nr; i++) {
		if (!strcmp(level[depth].keys[i], key))
			break;
	}
	if (i == level[depth].nr)
		return 0;
	p->section = depth > 0 ? last_key(&level[0]) : NULL;
	if (depth > 1 && !strcmp(p->section, "tasks"))
		p->task = last_key(&level[1]);
	if (depth > 3 && p->task && !strcmp(last_key(&level[2]), "phases"))
		p->phase = last_key(&level[3]);
	event = find_event(key);
	if (!event)
		return bad(p, key, "is there twice (line %d), and rt-app keeps one: rename it",
			   line);
	return bad(p, key, "is there twice (line %d), and rt-app keeps one: number them, %s1, %s2",
		   line, event->name, event->name);
}

/*
 * json-c drops all but one of equal keys without a word, so look for them in the
 * text, of which json-c has said that it is well-formed.
 */
static int check_keys(struct parser *p, const char *text)
{
	struct level level[MAX_DEPTH + 1];
	const char *s = text, *after;
	int depth = -1, err = 0, i;
	char *string;

	while (!err && *(s = skip_space(s))) {
		switch (*s) {
		case '{':
		case '[':
			if (depth == MAX_DEPTH)
				goto out;
			level[++depth] = (struct level) { .array = *s++ == '[' };
			continue;
		case '}':
		case ']':
			if (depth < 0)
				goto out;
			for (i = 0; i < level[depth].nr; i++)
				free(level[depth].keys[i]);
			free(level[depth].keys);
			depth--;
			s++;
			continue;
		case '"':
		case '\'':
			break;
		default:
			s++;
			continue;
		}
		i = line_of(text, s - text);
		string = take_string(&s);
		after = skip_space(s);
		if (depth < 0 || level[depth].array || *after != ':') {
			free(string);
			continue;
		}
		err = equal_key(p, level, depth, string, i);
		level[depth].keys = realloc(level[depth].keys,
					    (level[depth].nr + 1) * sizeof(char *));
		if (!level[depth].keys)
			out_of_memory();
		level[depth].keys[level[depth].nr++] = string;
	}
out:
	for (; depth >= 0; depth--) {
		for (i = 0; i < level[depth].nr; i++)
			free(level[depth].keys[i]);
		free(level[depth].keys);
	}
	p->section = NULL;
	p->task = NULL;
	p->phase = NULL;
	return err;
}

static struct json_object *parse_text(struct parser *p)
{
	struct json_object *root = NULL;
	enum json_tokener_error error;
	struct json_tokener *tok;
	size_t size, end;
	char *text;

	text = read_file(p, &size);
	if (!text)
		return NULL;
	tok = json_tokener_new();
	if (!tok)
		out_of_memory();
	root = json_tokener_parse_ex(tok, text, size);
	error = json_tokener_get_error(tok);
	end = json_tokener_get_parse_end(tok);
	json_tokener_free(tok);
	if (error == json_tokener_continue)
		bad(p, NULL, "ends in the middle (line %d): a bracket or a quote is missing",
		    line_of(text, size));
	else if (error != json_tokener_success)
		bad(p, NULL, "is not JSON (line %d): %s", line_of(text, end),
		    json_tokener_error_desc(error));
	else if (!json_object_is_type(root, json_type_object))
		bad(p, NULL, "is not a workload: it must be an object, { \"tasks\" : ... }");
	else if (*skip_space(text + end))
		bad(p, NULL, "has something behind its last bracket (line %d): remove it",
		    line_of(text, skip_space(text + end) - text));
	else if (!check_keys(p, text))
		goto out;
	json_object_put(root);
	root = NULL;
out:
	free(text);
	return root;
}

/* ---- values ---- */

static const char *shown(struct json_object *val, char buf[40])
{
	const char *s = json_object_to_json_string_ext(val, JSON_C_TO_STRING_PLAIN);

	snprintf(buf, 40, strlen(s) > 39 ? "%.36s..." : "%s", s);
	return buf;
}

static int get_int(struct parser *p, const char *key, struct json_object *val, int min, int max,
		   int *out)
{
	char buf[40];
	long long v = 0;
	int ok = json_object_is_type(val, json_type_int);

	if (ok)
		v = json_object_get_int64(val);
	if (!ok || v < min || v > max)
		return bad(p, key, "must be a whole number from %d to %d, not %s", min, max,
			   shown(val, buf));
	*out = v;
	return 0;
}

static int get_usec(struct parser *p, const char *key, struct json_object *val, sim_u64 *ns)
{
	int usec;

	if (get_int(p, key, val, 0, RT_MAX_USEC, &usec))
		return -1;
	*ns = usec * 1000ULL;
	return 0;
}

/* A string that can be shown: names of tasks end up in traces. */
static const char *get_string(struct parser *p, const char *key, struct json_object *val)
{
	char buf[40];
	const char *s;

	if (!json_object_is_type(val, json_type_string)) {
		bad(p, key, "must be a string, not %s", shown(val, buf));
		return NULL;
	}
	for (s = json_object_get_string(val); *s; s++) {
		if (iscntrl((unsigned char)*s)) {
			bad(p, key, "must not contain control characters");
			return NULL;
		}
	}
	return json_object_get_string(val);
}

static int get_name(struct parser *p, const char *key, struct json_object *val, const char **out)
{
	*out = get_string(p, key, val);
	if (*out && !**out)
		return bad(p, key, "must not be empty: name what it is about");
	return *out ? 0 : -1;
}

static int get_object(struct parser *p, const char *key, struct json_object *val)
{
	char buf[40];

	if (json_object_is_type(val, json_type_object))
		return 0;
	return bad(p, key, "must be an object, { ... }, not %s", shown(val, buf));
}

static int unknown(struct parser *p, const char *key)
{
	return bad(p, key, "is not known, and nothing is ignored: remove or correct it");
}

/* ---- resources ---- */

static struct rt_res *find_res(struct workload *w, enum rt_kind kind, const char *name)
{
	struct rt_res **r;

	for (r = &w->res; *r; r = &(*r)->next) {
		if ((*r)->kind == kind && !strcmp((*r)->name, name))
			return *r;
	}
	*r = alloc(1, sizeof(**r));
	(*r)->kind = kind;
	(*r)->name = copy(name);
	return *r;
}

/* A declaration, which was for old versions of rt-app: what is used is made anyway. */
static int parse_resource(struct parser *p, const char *name, struct json_object *res)
{
	static const char * const types[] = {
		"mutex", "wait", "signal", "broadcast", "sync", "barrier", "timer",
	};
	const char *type;
	size_t i;

	if (get_object(p, name, res))
		return -1;
	json_object_object_foreach(res, key, val) {
		if (strcmp(key, "type"))
			return bad(p, name, "%.64s is not known: it takes type", key);
		if (get_name(p, name, val, &type))
			return -1;
		for (i = 0; i < sizeof(types) / sizeof(*types); i++) {
			if (!strcmp(type, types[i]))
				break;
		}
		if (i == sizeof(types) / sizeof(*types))
			return bad(p, name, "%.64s is not a type: mutex, wait, barrier, timer",
				   type);
	}
	return 0;
}

static int parse_resources(struct parser *p, struct json_object *obj)
{
	if (get_object(p, "resources", obj))
		return -1;
	p->section = "resources";
	json_object_object_foreach(obj, name, val) {
		if (parse_resource(p, name, val))
			return -1;
	}
	p->section = NULL;
	return 0;
}

/* ---- scheduling ---- */

static int get_policy(struct parser *p, const char *key, struct json_object *val, int *policy)
{
	static const struct {
		const char *name;
		int policy;
	} names[] = {
		{ "SCHED_OTHER", SIM_NORMAL },
		{ "SCHED_IDLE", SIM_IDLE },
		{ "SCHED_BATCH", SIM_BATCH },
		{ "SCHED_RR", SIM_RR },
		{ "SCHED_FIFO", SIM_FIFO },
		{ "SCHED_DEADLINE", SIM_DEADLINE },
	};
	const char *s;
	size_t i;

	if (get_name(p, key, val, &s))
		return -1;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!strcmp(s, names[i].name)) {
			*policy = names[i].policy;
			return 0;
		}
	}
	return bad(p, key, "%.64s is not SCHED_OTHER, _IDLE, _BATCH, _RR, _FIFO or _DEADLINE", s);
}

static struct json_object *get(struct json_object *obj, const char *key)
{
	struct json_object *val = NULL;

	json_object_object_get_ex(obj, key, &val);
	return val;
}

static int parse_deadline(struct parser *p, struct json_object *obj, struct sim_attr *a)
{
	struct json_object *val = get(obj, "dl-runtime");

	if (!val)
		return bad(p, "policy", "SCHED_DEADLINE needs dl-runtime, in microseconds");
	if (get_usec(p, "dl-runtime", val, &a->runtime))
		return -1;
	a->period = a->runtime;
	val = get(obj, "dl-period");
	if (val && get_usec(p, "dl-period", val, &a->period))
		return -1;
	a->deadline = a->period;
	val = get(obj, "dl-deadline");
	if (val && get_usec(p, "dl-deadline", val, &a->deadline))
		return -1;
	if (a->runtime < 2000)
		return bad(p, "dl-runtime", "must be at least 2 microseconds, says the kernel");
	if (a->runtime > a->deadline || a->deadline > a->period)
		return bad(p, "policy",
			   "SCHED_DEADLINE needs dl-runtime <= dl-deadline <= dl-period");
	return 0;
}

static int parse_clamp(struct parser *p, struct json_object *obj, const char *key, int *clamp)
{
	struct json_object *val = get(obj, key);

	return val ? get_int(p, key, val, 0, 1024, clamp) : 0;
}

/*
 * Policy, priority, deadline and clamps of a task or phase. @now is what holds
 * before and, afterwards, with it: a priority alone is for that policy. As in
 * rt-app this is settled in the order of the file, not anew in each loop.
 */
static int parse_sched(struct parser *p, struct json_object *obj, struct rt_sched *s,
		       struct rt_sched *now)
{
	static const char * const dl[] = { "dl-runtime", "dl-period", "dl-deadline" };
	struct json_object *policy = get(obj, "policy"), *prio = get(obj, "priority");
	struct sim_attr *a = &s->attr;
	size_t i;

	a->util_min = -1;
	a->util_max = -1;
	if (policy || prio)
		s->set = 1;
	if (s->set) {
		a->policy = now->attr.policy;
		if (policy && get_policy(p, "policy", policy, &a->policy))
			return -1;
		switch (a->policy) {
		case SIM_NORMAL:
		case SIM_BATCH:
			if (prio && get_int(p, "priority", prio, -20, 19, &a->nice))
				return -1;
			break;
		case SIM_FIFO:
		case SIM_RR:
			a->priority = 10;
			if (prio && get_int(p, "priority", prio, 1, 99, &a->priority))
				return -1;
			break;
		case SIM_IDLE:
			if (prio && get_int(p, "priority", prio, 0, 0, &a->priority))
				return -1;
			break;
		case SIM_DEADLINE:
			if (prio && get_int(p, "priority", prio, 0, 0, &a->priority))
				return -1;
			if (parse_deadline(p, obj, a))
				return -1;
			break;
		}
		now->attr = *a;
	}
	for (i = 0; i < sizeof(dl) / sizeof(*dl); i++) {
		if (get(obj, dl[i]) && !(s->set && a->policy == SIM_DEADLINE))
			return bad(p, dl[i], "needs \"policy\" : \"SCHED_DEADLINE\" beside it");
	}
	if (parse_clamp(p, obj, "util_min", &a->util_min) ||
	    parse_clamp(p, obj, "util_max", &a->util_max))
		return -1;
	if (a->util_min >= 0 && a->util_max >= 0 && a->util_min > a->util_max)
		return bad(p, "util_min", "%d is above util_max, %d", a->util_min, a->util_max);
	return 0;
}

static int parse_group(struct parser *p, struct json_object *obj, const struct rt_sched *now,
		       const char **in, const char **group)
{
	struct json_object *val = get(obj, "taskgroup");
	struct workload *w = p->w;
	const char *s = "";
	int i;

	if (val) {
		s = get_string(p, "taskgroup", val);
		if (!s)
			return -1;
	}
	if (*s) {
		if (*s != '/' || !s[1] || strstr(s, "//") || s[strlen(s) - 1] == '/' ||
		    strlen(s) > 200 || strstr(s, "/."))
			return bad(p, "taskgroup", "%.64s is not a path such as /group/part", s);
		s++;
		for (i = 0; i < w->nr_groups && strcmp(w->groups[i], s); i++)
			;
		if (i == RT_MAX_GROUPS)
			return bad(p, "taskgroup", "there are more than %d groups, rt-app's limit",
				   RT_MAX_GROUPS);
		if (i == w->nr_groups)
			w->groups[w->nr_groups++] = copy(s);
		*group = w->groups[i];
		*in = *group;
	}
	if (*in && now->attr.policy != SIM_NORMAL && now->attr.policy != SIM_IDLE &&
	    now->attr.policy != SIM_BATCH)
		return bad(p, "taskgroup", "/%.64s is not for real-time policies: remove either",
			   *in);
	return 0;
}

/* An array of CPUs or nodes; @set is called for each. */
static int parse_list(struct parser *p, const char *key, struct json_object *val, int nr,
		      const char *things, void (*set)(struct rt_place *, int),
		      struct rt_place *place)
{
	struct json_object *o;
	char buf[40];
	size_t i;

	if (!json_object_is_type(val, json_type_array) || !json_object_array_length(val))
		return bad(p, key, "must be a list of numbers such as [0, 1], not %s",
			   shown(val, buf));
	for (i = 0; i < json_object_array_length(val); i++) {
		o = json_object_array_get_idx(val, i);
		if (!json_object_is_type(o, json_type_int))
			return bad(p, key, "must be a list of numbers, and %s is none",
				   shown(o, buf));
		if (json_object_get_int64(o) < 0 || json_object_get_int64(o) >= nr)
			return bad(p, key, "there is no %s: the machine has %d %s%s, from 0",
				   shown(o, buf), nr, things, nr == 1 ? "" : "s");
		set(place, json_object_get_int(o));
	}
	return 0;
}

static void set_cpu(struct rt_place *place, int cpu)
{
	place->cpus.w[cpu / 64] |= 1ULL << cpu % 64;
}

static void set_node(struct rt_place *place, int node)
{
	place->nodes |= 1ULL << node;
}

static int parse_place(struct parser *p, struct json_object *obj, struct rt_place *place)
{
	struct json_object *cpus = get(obj, "cpus"), *nodes = get(obj, "nodes");
	struct workload *w = p->w;
	int i;

	if (cpus && parse_list(p, "cpus", cpus, w->nr_cpus, "CPU", set_cpu, place))
		return -1;
	if (nodes && parse_list(p, "nodes", nodes, w->nr_nodes, "node", set_node, place))
		return -1;
	place->has_cpus = !!cpus;
	place->has_nodes = !!nodes;
	place->set = cpus || nodes;
	if (!cpus) {
		for (i = 0; i < w->nr_cpus; i++)
			set_cpu(place, i);
	}
	place->mask = place->cpus;
	if (nodes && w->nr_nodes > 1)
		w->need_nodes = 1;
	return 0;
}

/* ---- events ---- */

/* Keys of rt-app that cannot be carried out here. Nonzero if it is one. */
static int unsupported(struct parser *p, const char *key)
{
	static const struct {
		const char *name, *why;
	} keys[] = {
		{ "mem", "memory traffic is not simulated: use run" },
		{ "iorun", "writing to a device is not simulated: use run and sleep" },
		{ "nodes_membind", "memory is not simulated: use nodes, for their CPUs" },
		{ "exec", "is from before rt-app 1.0: use run" },
		{ "period", "is from before rt-app 1.0: use timer, or dl-period" },
		{ "deadline", "is from before rt-app 1.0: use dl-deadline" },
		{ "lock_order", "is from before rt-app 1.0: use lock and unlock" },
	};
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (begins(key, keys[i].name)) {
			bad(p, key, "%s", keys[i].why);
			return 1;
		}
	}
	return 0;
}

/* The ref and the mutex of a wait or sync. */
static int parse_wait(struct parser *p, const char *event, struct json_object *obj,
		      struct rt_event *e)
{
	const char *ref = NULL, *mutex = NULL;

	if (get_object(p, event, obj))
		return -1;
	json_object_object_foreach(obj, key, val) {
		if (!strcmp(key, "ref")) {
			if (get_name(p, event, val, &ref))
				return -1;
		} else if (!strcmp(key, "mutex")) {
			if (get_name(p, event, val, &mutex))
				return -1;
		} else {
			return bad(p, event, "%.64s is not known: it takes ref and mutex", key);
		}
	}
	if (!ref || !mutex)
		return bad(p, event, "lacks %s: { \"ref\" : \"COND\", \"mutex\" : \"MUTEX\" }",
			   ref ? "mutex" : "ref");
	e->res = find_res(p->w, RT_COND, ref);
	e->mutex = find_res(p->w, RT_MUTEX, mutex);
	return 0;
}

static int unique_timer(struct rt_task *task, const char *name)
{
	int i;

	for (i = 0; i < task->nr_unique; i++) {
		if (!strcmp(task->unique[i], name))
			return i;
	}
	task->unique = realloc(task->unique, (i + 1) * sizeof(*task->unique));
	task->absolute = realloc(task->absolute, (i + 1) * sizeof(*task->absolute));
	if (!task->unique || !task->absolute)
		out_of_memory();
	task->unique[i] = copy(name);
	task->absolute[i] = 0;
	task->nr_unique++;
	return i;
}

static int parse_timer(struct parser *p, const char *event, struct json_object *obj,
		       struct rt_task *task, struct rt_event *e)
{
	const char *ref = NULL, *mode = "relative";
	int period = 0;

	if (get_object(p, event, obj))
		return -1;
	json_object_object_foreach(obj, key, val) {
		if (!strcmp(key, "ref")) {
			if (get_name(p, event, val, &ref))
				return -1;
		} else if (!strcmp(key, "period")) {
			period = 1;
			if (get_usec(p, event, val, &e->ns))
				return -1;
		} else if (!strcmp(key, "mode")) {
			if (get_name(p, event, val, &mode))
				return -1;
		} else {
			return bad(p, event, "%.64s is not known: it takes ref, period and mode",
				   key);
		}
	}
	if (!ref || !period)
		return bad(p, event, "lacks %s: { \"ref\" : \"unique\", \"period\" : USEC }",
			   ref ? "period" : "ref");
	if (strcmp(mode, "relative") && strcmp(mode, "absolute"))
		return bad(p, event, "mode must be relative or absolute, not %.64s", mode);
	/* A mode holds for the timer, wherever it is used. */
	if (!strncmp(ref, "unique", strlen("unique"))) {
		e->unique = unique_timer(task, ref);
		if (!strcmp(mode, "absolute"))
			task->absolute[e->unique] = 1;
	} else {
		e->res = find_res(p->w, RT_TIMER, ref);
		if (!strcmp(mode, "absolute"))
			e->res->timer.absolute = 1;
	}
	return 0;
}

static struct rt_task *find_task(struct workload *w, const char *name)
{
	struct rt_task *task;

	for (task = w->tasks; task && strcmp(task->name, name); task = task->next)
		;
	return task;
}

static int uses(const struct rt_task *task, const struct rt_res *res)
{
	int i, k, nr = 0;

	for (i = 0; i < task->nr_phases; i++) {
		for (k = 0; k < task->phases[i].nr_events; k++)
			nr += task->phases[i].events[k].res == res;
	}
	return nr;
}

static int parse_event(struct parser *p, const char *key, enum rt_type type,
		       struct json_object *val, struct rt_task *task, struct rt_event *e)
{
	struct workload *w = p->w;
	const char *name = NULL;

	e->type = type;
	switch (type) {
	case RT_RUN:
	case RT_RUNTIME:
	case RT_SLEEP:
		return get_usec(p, key, val, &e->ns);
	case RT_TIMER_EV:
		return parse_timer(p, key, val, task, e);
	case RT_WAIT:
	case RT_SYNC:
		return parse_wait(p, key, val, e);
	case RT_YIELD:
		return get_string(p, key, val) ? 0 : -1;
	case RT_SUSPEND:
	case RT_RESUME:
		name = get_string(p, key, val);
		if (!name)
			return -1;
		/* workgen, rt-app's preprocessor, fills in the own name. */
		if (!*name && type == RT_SUSPEND)
			name = task->name;
		if (!*name)
			return bad(p, key, "must name the task to wake");
		e->res = find_res(w, RT_COND, name);
		e->mutex = find_res(w, RT_MUTEX, name);
		return 0;
	default:
		break;
	}
	if (get_name(p, key, val, &name))
		return -1;
	switch (type) {
	case RT_LOCK:
	case RT_UNLOCK:
		e->res = find_res(w, RT_MUTEX, name);
		break;
	case RT_SIGNAL:
	case RT_BROAD:
		e->res = find_res(w, RT_COND, name);
		break;
	case RT_BARRIER_EV:
		e->res = find_res(w, RT_BARRIER, name);
		if (uses(task, e->res))
			return bad(p, key, "%.64s is there twice and would never open: rename one",
				   name);
		e->res->users += task->instance;
		break;
	default:
		e->ref = find_task(w, name);
		if (!e->ref)
			return bad(p, key, "there is no task %.64s to fork", name);
		break;
	}
	return 0;
}

/* ---- tasks ---- */

static int is_attr(const char *key)
{
	static const char * const keys[] = {
		"loop", "cpus", "nodes", "policy", "priority", "dl-runtime", "dl-period",
		"dl-deadline", "util_min", "util_max", "taskgroup",
	};
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (!strcmp(key, keys[i]))
			return 1;
	}
	return 0;
}

static int is_task_key(const char *key)
{
	return !strcmp(key, "instance") || !strcmp(key, "delay") || !strcmp(key, "phases");
}

static int get_loop(struct parser *p, struct json_object *val, int min, int *loop)
{
	long long v = json_object_get_int64(val);
	char buf[40];

	if (!json_object_is_type(val, json_type_int) || (v != -1 && v < min) || v > RT_MAX_LOOP)
		return bad(p, "loop", "must be -1, for ever, or from %d to %d, not %s", min,
			   RT_MAX_LOOP, shown(val, buf));
	*loop = v;
	return 0;
}

static int for_ever(struct parser *p)
{
	return bad(p, "loop", "is for ever, but global has no duration: set either");
}

static int parse_events(struct parser *p, struct json_object *obj, struct rt_task *task,
			struct rt_phase *ph, int direct)
{
	const struct event_name *name;

	ph->events = alloc(json_object_object_length(obj), sizeof(*ph->events));
	json_object_object_foreach(obj, key, val) {
		if (is_attr(key) || (direct && is_task_key(key)))
			continue;
		name = find_event(key);
		if (name) {
			if (parse_event(p, key, name->type, val, task,
					&ph->events[ph->nr_events]))
				return -1;
			ph->nr_events++;
			continue;
		}
		if (!strcmp(key, "phases"))
			return bad(p, key, "a phase cannot have phases in it");
		if (is_task_key(key))
			return bad(p, key, "belongs to the task, not to a phase");
		return unsupported(p, key) ? -1 : unknown(p, key);
	}
	if (!ph->nr_events)
		return bad(p, NULL, "has no events: add a run, sleep or the like");
	return 0;
}

static int parse_phase(struct parser *p, const char *name, struct json_object *obj,
		       struct rt_task *task, struct rt_sched *now, const char **group)
{
	struct rt_phase *ph = &task->phases[task->nr_phases++];
	struct json_object *val;

	ph->name = copy(name);
	ph->loop = 1;
	if (get_object(p, name, obj))
		return -1;
	p->phase = name;
	val = get(obj, "loop");
	if (val && get_loop(p, val, 1, &ph->loop))
		return -1;
	if (ph->loop < 0 && p->w->duration < 0)
		return for_ever(p);
	if (parse_sched(p, obj, &ph->sched, now) ||
	    parse_group(p, obj, now, group, &ph->group) ||
	    parse_place(p, obj, &ph->place) ||
	    parse_events(p, obj, task, ph, 0))
		return -1;
	p->phase = NULL;
	return 0;
}

static int parse_phases(struct parser *p, struct json_object *obj, struct rt_task *task,
			struct rt_sched *now, const char **group)
{
	if (get_object(p, "phases", obj))
		return -1;
	if (!json_object_object_length(obj))
		return bad(p, "phases", "is empty: add a phase with events");
	task->phases = alloc(json_object_object_length(obj), sizeof(*task->phases));
	json_object_object_foreach(obj, name, val) {
		if (parse_phase(p, name, val, task, now, group))
			return -1;
	}
	return 0;
}

static int parse_task(struct parser *p, struct json_object *obj, struct rt_task *task)
{
	struct json_object *phases = get(obj, "phases"), *loop = get(obj, "loop");
	struct json_object *val;
	const char *group = NULL;
	struct rt_sched now = p->def;

	p->task = task->name;
	task->loop = -1;
	if (loop && get_loop(p, loop, 0, &task->loop))
		return -1;
	if (task->loop < 0 && p->w->duration < 0)
		return for_ever(p);
	val = get(obj, "delay");
	if (val && get_usec(p, "delay", val, &task->delay))
		return -1;
	/* Set in any case: a forked thread inherits its maker's. */
	task->sched.set = 1;
	if (parse_sched(p, obj, &task->sched, &now))
		return -1;
	if (parse_group(p, obj, &now, &group, &task->group) ||
	    parse_place(p, obj, &task->place))
		return -1;
	if (!phases) {
		task->phases = alloc(1, sizeof(*task->phases));
		task->nr_phases = 1;
		task->phases->name = copy("(task)");
		task->phases->loop = 1;
		task->phases->sched.attr.util_min = -1;
		task->phases->sched.attr.util_max = -1;
		return parse_events(p, obj, task, task->phases, 1);
	}
	json_object_object_foreach(obj, key, unused) {
		(void)unused;
		if (is_attr(key) || is_task_key(key))
			continue;
		if (find_event(key))
			return bad(p, key, "is an event beside \"phases\": put it into a phase");
		return unsupported(p, key) ? -1 : unknown(p, key);
	}
	return parse_phases(p, phases, task, &now, &group);
}

static int parse_tasks(struct parser *p, struct json_object *obj)
{
	struct workload *w = p->w;
	struct rt_task **last = &w->tasks, *task;
	struct json_object *val;
	const char *s;

	if (get_object(p, "tasks", obj))
		return -1;
	if (!json_object_object_length(obj))
		return bad(p, "tasks", "is empty: add a task");
	/* First all names and numbers, for forks and barriers. */
	json_object_object_foreach(obj, name, desc) {
		p->section = "tasks";
		if (!*name)
			return bad(p, NULL, "a task has no name: give it one");
		/* It ends up in traces. */
		for (s = name; *s; s++) {
			if (iscntrl((unsigned char)*s))
				return bad(p, name, "a name must not contain control characters");
		}
		if (get_object(p, name, desc))
			return -1;
		p->section = NULL;
		task = alloc(1, sizeof(*task));
		*last = task;
		last = &task->next;
		task->name = copy(name);
		task->instance = 1;
		p->task = name;
		val = get(desc, "instance");
		if (val && get_int(p, "instance", val, 0, RT_MAX_THREADS, &task->instance))
			return -1;
		w->nr_initial += task->instance;
		if (w->nr_initial > RT_MAX_THREADS)
			return bad(p, "instance", "makes more than %d threads in all",
				   RT_MAX_THREADS);
		p->task = NULL;
	}
	if (!w->nr_initial)
		return bad(p, "tasks", "no task has an instance, so nothing would run");
	for (task = w->tasks; task; task = task->next) {
		if (parse_task(p, get(obj, task->name), task))
			return -1;
	}
	p->task = NULL;
	return 0;
}

/* ---- processes ---- */

/*
 * An extension, which rt-app ignores: "processes" : { "NAME" : [ "TASK", ... ] }
 * makes these tasks threads of a process of their own.
 */
static int parse_process(struct parser *p, const char *name, struct json_object *list)
{
	struct rt_process *process = alloc(1, sizeof(*process)), **last;
	struct rt_task *task;
	const char *s;
	char buf[40];
	size_t i;

	process->name = copy(name);
	process->w = p->w;
	for (last = &p->w->processes; *last; last = &(*last)->next)
		;
	*last = process;
	for (s = name; *s && !iscntrl((unsigned char)*s); s++)
		;
	if (*s || s == name)
		return bad(p, name, "is not a name for a process");
	if (!json_object_is_type(list, json_type_array) || !json_object_array_length(list))
		return bad(p, name, "must be a list of tasks such as [ \"a\" ], not %s",
			   shown(list, buf));
	for (i = 0; i < json_object_array_length(list); i++) {
		if (get_name(p, name, json_object_array_get_idx(list, i), &s))
			return -1;
		task = find_task(p->w, s);
		if (!task)
			return bad(p, name, "there is no task %.64s", s);
		if (task->process)
			return bad(p, name, "%.64s is in process %.64s already", s,
				   task->process->name);
		task->process = process;
		process->nr += task->instance;
	}
	return 0;
}

static int parse_processes(struct parser *p, struct json_object *obj)
{
	if (get_object(p, "processes", obj))
		return -1;
	p->section = "processes";
	json_object_object_foreach(obj, name, val) {
		if (parse_process(p, name, val))
			return -1;
	}
	p->section = NULL;
	return 0;
}

/* ---- global ---- */

static int get_bool(struct parser *p, const char *key, struct json_object *val)
{
	char buf[40];

	if (!json_object_is_type(val, json_type_boolean)) {
		bad(p, key, "must be true or false, not %s", shown(val, buf));
		return -1;
	}
	return json_object_get_boolean(val);
}

/*
 * What is about the real machine is checked for its type and has no effect.
 * io_device and mem_buffer_size are for iorun and mem, which are refused, and
 * cumulative_slack is about the log.
 */
static int parse_global(struct parser *p, struct json_object *obj)
{
	static const struct {
		const char *name, *types;
	} inert[] = {
		{ "calibration", "is" },
		{ "lock_pages", "b" },
		{ "logdir", "s" },
		{ "log_size", "is" },
		{ "log_basename", "s" },
		{ "ftrace", "bs" },
		{ "gnuplot", "b" },
		{ "cumulative_slack", "b" },
		{ "io_device", "s" },
		{ "mem_buffer_size", "i" },
	};
	char buf[40], type;
	size_t i;

	if (get_object(p, "global", obj))
		return -1;
	p->section = "global";
	json_object_object_foreach(obj, key, val) {
		if (!strcmp(key, "duration")) {
			if (json_object_is_type(val, json_type_int) &&
			    json_object_get_int64(val) == -1)
				continue;
			if (!json_object_is_type(val, json_type_int) ||
			    json_object_get_int64(val) < 1 ||
			    json_object_get_int64(val) > RT_MAX_SEC)
				return bad(p, key, "must be -1 or seconds from 1 to %d, not %s",
					   RT_MAX_SEC, shown(val, buf));
			p->w->duration = json_object_get_int(val);
			continue;
		}
		if (!strcmp(key, "default_policy")) {
			if (get_policy(p, key, val, &p->def.attr.policy))
				return -1;
			continue;
		}
		/* An extension, which rt-app ignores: the tasks are to each other as over pipes */
		if (!strcmp(key, "sync_wakeups")) {
			p->w->sync = get_bool(p, key, val);
			if (p->w->sync < 0)
				return -1;
			continue;
		}
		if (!strcmp(key, "pi_enabled")) {
			switch (get_bool(p, key, val)) {
			case 0:
				continue;
			case 1:
				return bad(p, key, "is not simulated: set it to false");
			default:
				return -1;
			}
		}
		if (!strcmp(key, "frag") || !strcmp(key, "fragment"))
			return bad(p, key, "is for AQuoSA, which is not simulated: remove it");
		for (i = 0; i < sizeof(inert) / sizeof(*inert); i++) {
			if (!strcmp(key, inert[i].name))
				break;
		}
		if (i == sizeof(inert) / sizeof(*inert))
			return unknown(p, key);
		type = json_object_is_type(val, json_type_int) ? 'i' :
		       json_object_is_type(val, json_type_string) ? 's' :
		       json_object_is_type(val, json_type_boolean) ? 'b' : '?';
		if (!strchr(inert[i].types, type))
			return bad(p, key, "must be %s, not %s",
				   !strcmp(inert[i].types, "b") ? "true or false" :
				   !strcmp(inert[i].types, "s") ? "a string" :
				   !strcmp(inert[i].types, "i") ? "a whole number" :
				   !strcmp(inert[i].types, "is") ? "a whole number or a string" :
				   "true, false or a string", shown(val, buf));
	}
	p->section = NULL;
	return 0;
}

static int parse_root(struct parser *p, struct json_object *root)
{
	struct json_object *val;

	json_object_object_foreach(root, key, unused) {
		(void)unused;
		if (strcmp(key, "global") && strcmp(key, "resources") && strcmp(key, "tasks") &&
		    strcmp(key, "processes"))
			return unknown(p, key);
	}
	val = get(root, "global");
	if ((val || json_object_object_get_ex(root, "global", NULL)) && parse_global(p, val))
		return -1;
	val = get(root, "resources");
	if ((val || json_object_object_get_ex(root, "resources", NULL)) && parse_resources(p, val))
		return -1;
	if (!json_object_object_get_ex(root, "tasks", &val))
		return bad(p, NULL, "has no \"tasks\", so there is nothing to run");
	if (parse_tasks(p, val))
		return -1;
	if (json_object_object_get_ex(root, "processes", &val))
		return parse_processes(p, val);
	return 0;
}

/* ---- interface ---- */

struct workload *workload_load(const char *path, int nr_cpus, int nr_nodes, char *err, size_t len)
{
	struct workload *w = alloc(1, sizeof(*w));
	struct parser p = { .w = w, .err = err, .len = len };
	struct json_object *root;
	int failed;

	w->file = copy(path);
	w->nr_cpus = nr_cpus;
	w->nr_nodes = nr_nodes;
	w->duration = -1;
	p.def.attr.util_min = -1;
	p.def.attr.util_max = -1;
	root = parse_text(&p);
	failed = !root || parse_root(&p, root);
	json_object_put(root);
	if (!failed)
		return w;
	workload_free(w);
	return NULL;
}

static int place_machine(struct rt_place *place, const struct sim_machine *m)
{
	int cpu, left = 0;

	if (!place->has_nodes)
		return 0;
	for (cpu = 0; cpu < m->nr_cpus; cpu++) {
		if (!(place->nodes >> m->cpu[cpu].node & 1))
			place->mask.w[cpu / 64] &= ~(1ULL << cpu % 64);
		left += place->mask.w[cpu / 64] >> cpu % 64 & 1;
	}
	return left ? 0 : -1;
}

int workload_machine(struct workload *w, const struct sim_machine *m, char *err, size_t len)
{
	struct parser p = { .w = w, .err = err, .len = len };
	struct rt_task *task;
	int i;

	if (m->nr_cpus != w->nr_cpus || m->nr_nodes != w->nr_nodes)
		return bad(&p, NULL, "was loaded for another machine");
	for (task = w->tasks; task; task = task->next) {
		p.task = task->name;
		p.phase = NULL;
		if (place_machine(&task->place, m))
			return bad(&p, "nodes", "none of the CPUs is on these nodes");
		for (i = 0; i < task->nr_phases; i++) {
			p.phase = task->phases[i].name;
			if (place_machine(&task->phases[i].place, m))
				return bad(&p, "nodes", "none of the CPUs is on these nodes");
		}
	}
	w->need_nodes = 0;
	return 0;
}

static void free_task(struct rt_task *task)
{
	int i;

	for (i = 0; i < task->nr_phases; i++) {
		free(task->phases[i].name);
		free(task->phases[i].events);
	}
	for (i = 0; i < task->nr_unique; i++)
		free(task->unique[i]);
	free(task->phases);
	free(task->unique);
	free(task->absolute);
	free(task->name);
	free(task);
}

void workload_free(struct workload *w)
{
	struct rt_process *process;
	struct rt_task *task;
	struct rt_res *res;
	int i;

	if (!w)
		return;
	while (w->tasks) {
		task = w->tasks;
		w->tasks = task->next;
		free_task(task);
	}
	while (w->processes) {
		process = w->processes;
		w->processes = process->next;
		free(process->name);
		free(process);
	}
	while (w->res) {
		res = w->res;
		w->res = res->next;
		free(res->name);
		free(res);
	}
	rt_free_threads(w);
	for (i = 0; i < w->nr_groups; i++)
		free(w->groups[i]);
	free(w->group_made);
	free(w->file);
	free(w);
}
