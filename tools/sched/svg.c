// SPDX-License-Identifier: GPL-2.0
/*
 * Draw which task ran where and when: time on x, CPUs on y.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedplace.h"
#include "svg.h"
#include "trace.h"

#define LEFT		132	/* labels */
#define NODE_X		6
#define LLC_X		62
#define TOP		50	/* title */
#define CHART		1200	/* width of the time axis */
#define BOTTOM		40	/* ticks and their unit */
#define LEGEND		180
#define LEGEND_TASKS	20
#define LEGEND_LINE	16
#define MIN_WIDTH	0.5	/* narrower bars would be invisible */
#define EPSILON		0.000000001
#define OTHER_COLOR	"#d8d8d8"
#define ROOT_COLOR	"#444444"

struct bar {
	int task;
	int row;
	double x;
	double width;
};

struct chart {
	struct trace *tr;
	FILE *f;
	int cpus[MAX_CPUS];	/* the CPU of each row */
	int rows[MAX_CPUS];	/* the row of each CPU */
	int nr_rows;
	int row_height;
	int *order;		/* of fork, for each task that isn't the root */
	struct bar *bars;
	size_t nr_bars;
	size_t cap_bars;
};

/* Control characters, which XML can't hold, went when the trace was read. */
static void put_xml(FILE *f, const char *s)
{
	for (; s && *s; s++) {
		switch (*s) {
		case '&':
			fputs("&amp;", f);
			break;
		case '<':
			fputs("&lt;", f);
			break;
		case '>':
			fputs("&gt;", f);
			break;
		case '"':
			fputs("&quot;", f);
			break;
		default:
			fputc(*s, f);
		}
	}
}

/* Neighbours in the order of fork get hues far apart: steps of the golden angle. */
static void color(int order, char *buf, size_t size)
{
	static const double lightness[] = { 0.45, 0.60, 0.35 };
	double hue = fmod(order * 137.508, 360) / 60;
	double l = lightness[order / 16 % 3];
	double chroma = (1 - fabs(2 * l - 1)) * 0.75;
	double x = chroma * (1 - fabs(fmod(hue, 2) - 1));
	double m = l - chroma / 2;
	double rgb[6][3] = {
		{ chroma, x, 0 }, { x, chroma, 0 }, { 0, chroma, x },
		{ 0, x, chroma }, { x, 0, chroma }, { chroma, 0, x },
	};
	double *c = rgb[(int)hue % 6];

	snprintf(buf, size, "#%02x%02x%02x", (int)((c[0] + m) * 255),
		 (int)((c[1] + m) * 255), (int)((c[2] + m) * 255));
}

/* Colours follow the order of fork; the command itself is grey. */
static void task_color(const struct chart *ch, int task, char *buf, size_t size)
{
	if (task < 0)
		snprintf(buf, size, OTHER_COLOR);
	else if (ch->tr->tasks[task].root)
		snprintf(buf, size, ROOT_COLOR);
	else
		color(ch->order[task], buf, size);
}

static const struct topology *sort_topo;

static int compare_cpus(const void *a, const void *b)
{
	const struct topology *topo = sort_topo;
	int x = *(const int *)a, y = *(const int *)b;

	if (topo->node[x] != topo->node[y])
		return topo->node[x] < topo->node[y] ? -1 : 1;
	if (topo->llc[x] != topo->llc[y])
		return topo->llc[x] < topo->llc[y] ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int compare_segments(const void *a, const void *b)
{
	const struct segment *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static int compare_bars(const void *a, const void *b)
{
	const struct bar *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return x->x < y->x ? -1 : x->x > y->x;
}

static double x_of(const struct trace *tr, u64 ts)
{
	double span = tr->end > tr->start ? tr->end - tr->start : 1;

	if (ts <= tr->start)
		return 0;
	return ts >= tr->end ? CHART : (ts - tr->start) / span * CHART;
}

static int y_of(const struct chart *ch, int row)
{
	return TOP + row * ch->row_height;
}

/*
 * Millions of stretches make no picture that a viewer can open. Those of one
 * task that all but touch are drawn as one, and one so short that it would end
 * where the last bar of its CPU ends is left out.
 */
static void make_bars(struct chart *ch)
{
	struct trace *tr = ch->tr;
	double start, end, last_end = 0;
	struct bar *bar = NULL;
	struct segment *seg;
	int last_cpu = -1;
	size_t i;

	if (tr->nr_segments)
		qsort(tr->segments, tr->nr_segments, sizeof(*seg), compare_segments);
	for (i = 0; i < tr->nr_segments; i++) {
		seg = &tr->segments[i];
		if (seg->end <= tr->start || seg->start >= tr->end)
			continue;
		if (seg->cpu != last_cpu) {
			last_cpu = seg->cpu;
			last_end = 0;
			bar = NULL;
		}
		start = x_of(tr, seg->start);
		end = x_of(tr, seg->end);
		if (bar && bar->task == seg->task && start - last_end < MIN_WIDTH / 2) {
			if (end > last_end) {
				bar->width = end - bar->x;
				last_end = end;
			}
			continue;
		}
		if (end - start < MIN_WIDTH)
			end = start + MIN_WIDTH;
		if (bar && end - last_end < MIN_WIDTH / 2)
			continue;
		vec_reserve(ch->bars, ch->nr_bars, ch->cap_bars);
		bar = &ch->bars[ch->nr_bars++];
		bar->task = seg->task;
		bar->row = ch->rows[seg->cpu];
		bar->x = start;
		bar->width = end - start;
		last_end = end;
	}
	if (ch->nr_bars)
		qsort(ch->bars, ch->nr_bars, sizeof(*ch->bars), compare_bars);
}

/* One path a task keeps the file small, and gives a place for the tooltip. */
static void draw_bars(struct chart *ch)
{
	int height = ch->row_height > 4 ? ch->row_height - 2 : ch->row_height;
	struct trace *tr = ch->tr;
	int task = -2;
	char fill[16];
	size_t i;

	for (i = 0; i < ch->nr_bars; i++) {
		struct bar *bar = &ch->bars[i];

		if (bar->task != task) {
			if (task != -2)
				fputs("\"/></g>\n", ch->f);
			task = bar->task;
			task_color(ch, task, fill, sizeof(fill));
			fputs("<g><title>", ch->f);
			if (task < 0) {
				fputs("other tasks", ch->f);
			} else {
				put_xml(ch->f, tr->tasks[task].comm);
				fprintf(ch->f, " %d", tr->tasks[task].pid);
			}
			fprintf(ch->f, "</title><path fill=\"%s\" d=\"", fill);
		}
		fprintf(ch->f, "M%.2f %dh%.2fv%dh-%.2fz", LEFT + bar->x,
			y_of(ch, bar->row) + (ch->row_height - height) / 2,
			bar->width, height, bar->width);
	}
	if (task != -2)
		fputs("\"/></g>\n", ch->f);
}

static void draw_line(struct chart *ch, int x, int y, double width, const char *stroke)
{
	fprintf(ch->f, "<path stroke=\"%s\" stroke-width=\"%g\" d=\"M%d %dH%d\"/>\n",
		stroke, width, x, y, LEFT + CHART);
}

static void draw_rows(struct chart *ch)
{
	const struct topology *topo = &ch->tr->topo;
	int row, cpu, last, node_row = 0, llc_row = 0;

	fprintf(ch->f, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#f7f7f7\"/>\n",
		LEFT, TOP, CHART, ch->nr_rows * ch->row_height);
	for (row = 0; row < ch->nr_rows; row++) {
		cpu = ch->cpus[row];
		if (ch->row_height >= 9)
			fprintf(ch->f,
				"<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%d</text>\n",
				LEFT - 5, y_of(ch, row) + ch->row_height / 2 + 4, cpu);
		last = row + 1 < ch->nr_rows ? ch->cpus[row + 1] : -1;
		if (last < 0 || topo->llc[last] != topo->llc[cpu] ||
		    topo->node[last] != topo->node[cpu]) {
			if ((row + 1 - llc_row) * ch->row_height >= 10)
				fprintf(ch->f, "<text x=\"%d\" y=\"%d\">LLC %d</text>\n",
					LLC_X, (y_of(ch, llc_row) + y_of(ch, row + 1)) / 2 + 4,
					topo->llc[cpu]);
			llc_row = row + 1;
		}
		if (last < 0 || topo->node[last] != topo->node[cpu]) {
			fprintf(ch->f,
				"<text x=\"%d\" y=\"%d\" font-weight=\"bold\">node %d</text>\n",
				NODE_X, (y_of(ch, node_row) + y_of(ch, row + 1)) / 2 + 4,
				topo->node[cpu]);
			node_row = row + 1;
		}
	}
}

/* On top of the bars, so that the borders stay visible. */
static void draw_borders(struct chart *ch)
{
	const struct topology *topo = &ch->tr->topo;
	int row, a, b;

	draw_line(ch, NODE_X, TOP, 2, "#000");
	for (row = 1; row < ch->nr_rows; row++) {
		a = ch->cpus[row - 1];
		b = ch->cpus[row];
		if (topo->node[a] != topo->node[b])
			draw_line(ch, NODE_X, y_of(ch, row), 2, "#000");
		else if (topo->llc[a] != topo->llc[b])
			draw_line(ch, LLC_X, y_of(ch, row), 0.7, "#777");
	}
	draw_line(ch, NODE_X, y_of(ch, ch->nr_rows), 2, "#000");
}

static void draw_axis(struct chart *ch)
{
	double span = (ch->tr->end - ch->tr->start) / 1e9, step, t, x;
	int y = y_of(ch, ch->nr_rows), digits, i;
	const char *unit = "s";

	if (span <= 0)
		return;
	if (span < 1) {
		span *= 1000;
		unit = "ms";
	}
	/* About ten ticks, at 1, 2 or 5 times a power of ten. */
	step = pow(10, floor(log10(span / 10)));
	if (span / step > 50)
		step *= 10;
	else if (span / step > 20)
		step *= 5;
	else if (span / step > 10)
		step *= 2;
	digits = step < 1 ? ceil(-log10(step) - EPSILON) : 0;
	for (i = 0; (t = i * step) <= span * (1 + EPSILON); i++) {
		x = LEFT + t / span * CHART;
		fprintf(ch->f, "<path stroke=\"#000\" d=\"M%.2f %dv5\"/>\n", x, y);
		fprintf(ch->f, "<text x=\"%.2f\" y=\"%d\" text-anchor=\"middle\">%.*f</text>\n",
			x, y + 17, digits, t);
	}
	fprintf(ch->f, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">time, %s</text>\n",
		LEFT + CHART / 2, y + 33, unit);
	fprintf(ch->f, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">CPU</text>\n",
		LEFT - 5, TOP - 5);
}

static void legend_line(struct chart *ch, int line, const char *fill, const char *name, int pid)
{
	int x = LEFT + CHART + 14, y = TOP + line * LEGEND_LINE;

	if (fill)
		fprintf(ch->f,
			"<rect x=\"%d\" y=\"%d\" width=\"11\" height=\"11\" fill=\"%s\"/>\n",
			x, y, fill);
	fprintf(ch->f, "<text x=\"%d\" y=\"%d\">", x + 17, y + 10);
	put_xml(ch->f, name);
	if (pid)
		fprintf(ch->f, " %d", pid);
	fputs("</text>\n", ch->f);
}

static void draw_legend(struct chart *ch)
{
	struct trace *tr = ch->tr;
	int i, line = 0, left = 0;
	char fill[16];

	for (i = 0; i < tr->nr_tasks; i++) {
		if (!tr->tasks[i].selected)
			continue;
		if (line == LEGEND_TASKS) {
			left++;
			continue;
		}
		task_color(ch, i, fill, sizeof(fill));
		legend_line(ch, line++, fill, tr->tasks[i].comm, tr->tasks[i].pid);
	}
	if (left) {
		char *more = xasprintf("and %d more", left);

		legend_line(ch, line++, NULL, more, 0);
		free(more);
	}
	legend_line(ch, line, OTHER_COLOR, "other tasks", 0);
}

/**
 * svg_write - draw the selected tasks of a trace
 * @tr: a trace that has been accounted with want_segments set
 * @path: the file to write; it appears only once complete
 */
void svg_write(struct trace *tr, const char *path)
{
	struct chart *ch = xcalloc(1, sizeof(*ch));
	int cpu, row, width, height, min_height, lines, i, order = 0;
	char *tmp = xasprintf("%s.tmp", path);
	bool failed;

	ch->tr = tr;
	ch->f = fopen(tmp, "w");
	if (!ch->f)
		die("%s: %s", tmp, strerror(errno));
	for (cpu = 0; cpu < tr->topo.nr; cpu++) {
		if (cpuset_has(&tr->topo.known, cpu))
			ch->cpus[ch->nr_rows++] = cpu;
	}
	ch->order = xcalloc(tr->nr_tasks, sizeof(*ch->order));
	for (i = 0; i < tr->nr_tasks; i++) {
		ch->order[i] = order;
		order += tr->tasks[i].selected && !tr->tasks[i].root;
	}
	sort_topo = &tr->topo;
	qsort(ch->cpus, ch->nr_rows, sizeof(ch->cpus[0]), compare_cpus);
	for (row = 0; row < ch->nr_rows; row++)
		ch->rows[ch->cpus[row]] = row;
	ch->row_height = ch->nr_rows <= 64 ? 14 : ch->nr_rows <= 160 ? 10 :
			 ch->nr_rows <= 320 ? 5 : 3;

	width = LEFT + CHART + LEGEND;
	height = TOP + ch->nr_rows * ch->row_height + BOTTOM;
	lines = order + 1 < LEGEND_TASKS ? order + 1 : LEGEND_TASKS;
	min_height = TOP + (lines + 2) * LEGEND_LINE;
	if (height < min_height)
		height = min_height;
	fprintf(ch->f,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"10\">\n",
		width, height, width, height);
	fprintf(ch->f, "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", width, height);
	fprintf(ch->f, "<text x=\"6\" y=\"18\" font-size=\"14\" font-weight=\"bold\">");
	put_xml(ch->f, tr->command ? tr->command : tr->path);
	fprintf(ch->f, "</text>\n<text x=\"6\" y=\"34\">");
	if (tr->kernel) {
		fputs("kernel ", ch->f);
		put_xml(ch->f, tr->kernel);
		fputs(", ", ch->f);
	}
	fprintf(ch->f, "from %.6f s for %.3f s</text>\n", tr->start / 1e9,
		(tr->end - tr->start) / 1e9);

	make_bars(ch);
	draw_rows(ch);
	draw_bars(ch);
	draw_borders(ch);
	draw_axis(ch);
	draw_legend(ch);
	fputs("</svg>\n", ch->f);
	failed = ferror(ch->f);
	if (fclose(ch->f) || failed || rename(tmp, path)) {
		int err = errno;

		remove(tmp);
		die("%s: %s", path, strerror(err));
	}
	free(ch->bars);
	free(ch->order);
	free(ch);
	free(tmp);
}
