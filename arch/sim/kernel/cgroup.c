// SPDX-License-Identifier: GPL-2.0
/*
 * Control groups without a file system: the operations of kernfs and of the
 * groups' files are called as mkdir, rmdir, cat and echo would call them.
 */
#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernfs.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <fs/kernfs/kernfs-internal.h>
#include <kernel/cgroup/cgroup-internal.h>
#include "sim.h"

static struct kernfs_node *root_node(void)
{
	return cgrp_dfl_root.cgrp.kn;
}

/* The node at a path below @kn, with a reference; NULL if there is none. */
static struct kernfs_node *walk(struct kernfs_node *kn, const char *path)
{
	kernfs_get(kn);
	while (kn && *path) {
		struct kernfs_node *child = NULL;
		size_t len = strcspn(path, "/");
		char name[64];

		if (len && len < sizeof(name)) {
			memcpy(name, path, len);
			name[len] = '\0';
			child = kernfs_find_and_get(kn, name);
		}
		kernfs_put(kn);
		kn = child;
		path += len;
		path += *path == '/';
	}
	return kn;
}

/* Whoever writes is root: an inode that nobody looks into is as good as any. */
struct inode *iget_locked(struct super_block *sb, unsigned long ino)
{
	return kzalloc(sizeof(struct inode), GFP_KERNEL);
}

void iput(struct inode *inode)
{
	kfree(inode);
}

/* An open file, as far as cgroups look into it. */
struct opened {
	struct kernfs_open_file of;
	struct file file;
	struct dentry dentry;
};

/* Open a group's file and hand it to @fn. */
static int with_file(const char *path, const char *file,
		     int (*fn)(struct kernfs_open_file *of, void *arg), void *arg)
{
	struct kernfs_node *dir = walk(root_node(), path), *kn = NULL;
	struct opened *o;
	int ret = -ENODEV;

	if (dir)
		kn = kernfs_find_and_get(dir, file);
	kernfs_put(dir);
	if (!kn)
		return -ENOENT;
	o = kzalloc(sizeof(*o), GFP_KERNEL);
	if (!o) {
		kernfs_put(kn);
		return -ENOMEM;
	}
	o->of.kn = kn;
	o->of.file = &o->file;
	o->file.f_cred = current_cred();
	o->file.f_flags = O_RDWR;
	o->file.f_path.dentry = &o->dentry;
	mutex_init(&o->of.mutex);
	/* As the VFS does: nobody removes the file meanwhile */
	if (kernfs_get_active(kn)) {
		const struct kernfs_ops *ops = kn->attr.ops;

		ret = ops->open ? ops->open(&o->of) : 0;
		if (!ret) {
			ret = fn(&o->of, arg);
			if (ops->release)
				ops->release(&o->of);
		}
		kernfs_put_active(kn);
	}
	kfree(o);
	kernfs_put(kn);
	return ret;
}

static int write_file(struct kernfs_open_file *of, void *arg)
{
	char *buf = kstrdup(arg, GFP_KERNEL);
	ssize_t n;

	if (!buf)
		return -ENOMEM;
	n = of->kn->attr.ops->write(of, buf, strlen(buf), 0);
	kfree(buf);
	return n < 0 ? n : 0;
}

int sim_cgroup_write(const char *path, const char *file, const char *value)
{
	int ret;

	sim_syscall_enter();
	ret = with_file(path, file, write_file, (void *)value);
	sim_syscall_exit();
	return ret;
}

struct buffer {
	char *buf;
	int size;
};

static int read_file(struct kernfs_open_file *of, void *arg)
{
	const struct kernfs_ops *ops = of->kn->attr.ops;
	struct buffer *b = arg;
	struct seq_file seq = { .buf = b->buf, .size = b->size - 1, .private = of };
	loff_t pos = 0;
	void *v;
	int ret = 0;

	of->seq_file = &seq;
	mutex_init(&seq.lock);
	if (!ops->seq_show)
		return -EINVAL;
	if (ops->seq_start) {
		for (v = ops->seq_start(&seq, &pos); v && !IS_ERR(v);
		     v = ops->seq_next(&seq, v, &pos)) {
			ret = ops->seq_show(&seq, v);
			if (ret)
				break;
		}
		ops->seq_stop(&seq, v);
	} else {
		ret = ops->seq_show(&seq, NULL);
	}
	b->buf[seq.count] = '\0';
	return ret < 0 ? ret : seq.count;
}

int sim_cgroup_read(const char *path, const char *file, char *buf, int size)
{
	struct buffer b = { buf, size };
	int ret;

	sim_syscall_enter();
	ret = with_file(path, file, read_file, &b);
	sim_syscall_exit();
	return ret;
}

static int enable_controllers(const char *path)
{
	return sim_cgroup_write(path, "cgroup.subtree_control", "+cpu +cpuset");
}

static int make_one(const char *path)
{
	struct kernfs_node *dir, *kn = walk(root_node(), path);
	const char *name = strrchr(path, '/');
	char *parent;
	int ret;

	if (kn) {
		kernfs_put(kn);
		return -EEXIST;
	}
	parent = name ? kstrndup(path, name - path, GFP_KERNEL) : kstrdup("", GFP_KERNEL);
	dir = walk(root_node(), parent);
	if (!dir) {
		kfree(parent);
		return -ENOENT;
	}
	/* A group gives its controllers away when it has children, so on demand */
	ret = enable_controllers(parent);
	if (!ret)
		ret = -ENODEV;
	if (ret == -ENODEV && kernfs_get_active(dir)) {
		ret = kernfs_root(dir)->syscall_ops->mkdir(dir, name ? name + 1 : path, 0755);
		kernfs_put_active(dir);
	}
	kernfs_put(dir);
	kfree(parent);
	return ret;
}

int sim_cgroup_mkdir(const char *path)
{
	int ret;

	sim_syscall_enter();
	ret = make_one(path);
	sim_syscall_exit();
	return ret;
}

int sim_cgroup_rmdir(const char *path)
{
	struct kernfs_node *kn = walk(root_node(), path);
	int ret = -ENOENT;

	sim_syscall_enter();
	if (kn && kn != root_node()) {
		ret = -ENODEV;
		if (kernfs_get_active(kn)) {
			ret = kernfs_root(kn)->syscall_ops->rmdir(kn);
			kernfs_put_active(kn);
		}
	}
	kernfs_put(kn);
	sim_syscall_exit();
	return ret;
}

static int make_one_threaded(const char *path)
{
	char type[32] = "";
	int ret = sim_cgroup_read(path, "cgroup.type", type, sizeof(type));

	if (ret < 0 || !strncmp(type, "threaded", 8))
		return ret;
	return sim_cgroup_write(path, "cgroup.type", "threaded");
}

/*
 * A thread may be in another group than its process if all groups between it
 * and the root are threaded.
 */
static int make_threaded(const char *path)
{
	char *copy = kstrdup(path, GFP_KERNEL), *end = copy;
	int ret = 0;

	if (!copy)
		return -ENOMEM;
	while (ret >= 0 && *end) {
		end += strcspn(end, "/");
		if (*end) {
			*end = '\0';
			ret = make_one_threaded(copy);
			*end++ = '/';
		} else {
			ret = make_one_threaded(copy);
		}
	}
	kfree(copy);
	return ret < 0 ? ret : 0;
}

int sim_cgroup_attach(const char *path, int pid)
{
	struct task_struct *p;
	char number[16];
	bool leader;
	int ret;

	rcu_read_lock();
	p = find_task_by_pid_ns(pid ?: current->pid, &init_pid_ns);
	leader = p && thread_group_leader(p);
	rcu_read_unlock();
	if (!p)
		return -ESRCH;
	snprintf(number, sizeof(number), "%d", pid ?: current->pid);
	if (leader)
		return sim_cgroup_write(path, "cgroup.procs", number);
	ret = make_threaded(path);
	return ret ? ret : sim_cgroup_write(path, "cgroup.threads", number);
}

/**
 * sim_cgroup_start - give the first level of groups its controllers
 */
void sim_cgroup_start(void)
{
	int ret = enable_controllers("");

	if (ret)
		panic("cannot enable the cpu and cpuset controllers: %d", ret);
}
