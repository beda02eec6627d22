// SPDX-License-Identifier: GPL-2.0
/*
 * debugfs without a file system: what the kernel creates is kept by its path,
 * and its file operations are called as a read or a write would call them.
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "sim.h"

/**
 * struct sim_file - a file or directory of debugfs
 * @node: in the directory's list
 * @children: of a directory
 * @name: last part of the path
 * @fops: NULL for a directory
 * @data: the inode's private pointer
 * @width: bytes of the plain number at @data
 */
struct sim_file {
	struct list_head node, children;
	const char *name;
	const struct file_operations *fops;
	void *data;
	int width;
};

static struct sim_file root = { .children = LIST_HEAD_INIT(root.children) };

static struct sim_file *create(const char *name, struct dentry *parent, void *data,
			       const struct file_operations *fops)
{
	struct sim_file *dir = parent ? (struct sim_file *)parent : &root;
	struct sim_file *f = kzalloc(sizeof(*f), GFP_KERNEL);

	if (!f)
		panic("no memory for debugfs");
	INIT_LIST_HEAD(&f->children);
	f->name = kstrdup(name, GFP_KERNEL);
	f->fops = fops;
	f->data = data;
	list_add_tail(&f->node, &dir->children);
	return f;
}

struct dentry *debugfs_create_dir(const char *name, struct dentry *parent)
{
	return (struct dentry *)create(name, parent, NULL, NULL);
}

struct dentry *debugfs_create_file(const char *name, umode_t mode, struct dentry *parent,
				   void *data, const struct file_operations *fops)
{
	return (struct dentry *)create(name, parent, data, fops);
}

struct dentry *debugfs_create_file_unsafe(const char *name, umode_t mode,
					  struct dentry *parent, void *data,
					  const struct file_operations *fops)
{
	return (struct dentry *)create(name, parent, data, fops);
}

/* Plain numbers: debugfs has file operations for each kind, we have these. */
static int number_open(struct inode *inode, struct file *file)
{
	file->private_data = inode->i_private;
	return 0;
}

static ssize_t number_write(struct file *file, const char __user *buf, size_t n, loff_t *pos)
{
	struct sim_file *f = file->private_data;
	u64 v;
	int ret = kstrtou64((const char *)buf, 0, &v);

	if (ret)
		return ret;
	if (f->width < 8 && v >> (8 * f->width))
		return -ERANGE;
	/* little endian, as every host of this architecture */
	memcpy(f->data, &v, f->width);
	return n;
}

static ssize_t number_read(struct file *file, char __user *buf, size_t n, loff_t *pos)
{
	struct sim_file *f = file->private_data;
	u64 v = 0;

	if (*pos)
		return 0;
	memcpy(&v, f->data, f->width);
	*pos = scnprintf((char *)buf, n, "%llu\n", v);
	return *pos;
}

static const struct file_operations number_fops = {
	.open = number_open,
	.read = number_read,
	.write = number_write,
};

static void create_number(const char *name, struct dentry *parent, void *value, int width)
{
	struct sim_file *f = create(name, parent, value, &number_fops);

	f->width = width;
}

void debugfs_create_u32(const char *name, umode_t mode, struct dentry *parent, u32 *value)
{
	create_number(name, parent, value, sizeof(*value));
}

void debugfs_create_u64(const char *name, umode_t mode, struct dentry *parent, u64 *value)
{
	create_number(name, parent, value, sizeof(*value));
}

SIM_DEBUGFS_RESULT debugfs_create_ulong(const char *name, umode_t mode,
					struct dentry *parent, unsigned long *value)
{
	create_number(name, parent, value, sizeof(*value));
	return SIM_DEBUGFS_NOTHING;
}

SIM_DEBUGFS_RESULT debugfs_create_bool(const char *name, umode_t mode,
				       struct dentry *parent, bool *value)
{
	create_number(name, parent, value, sizeof(*value));
	return SIM_DEBUGFS_NOTHING;
}

static ssize_t string_read(struct file *file, char __user *buf, size_t n, loff_t *pos)
{
	struct sim_file *f = file->private_data;

	if (*pos)
		return 0;
	*pos = scnprintf((char *)buf, n, "%s\n", *(char **)f->data);
	return *pos;
}

static const struct file_operations string_fops = {
	.open = number_open,
	.read = string_read,
};

void debugfs_create_str(const char *name, umode_t mode, struct dentry *parent, char **value)
{
	create(name, parent, value, &string_fops);
}

static void remove(struct sim_file *f)
{
	struct sim_file *child, *tmp;

	list_for_each_entry_safe(child, tmp, &f->children, node)
		remove(child);
	list_del(&f->node);
	kfree(f->name);
	kfree(f);
}

void debugfs_remove(struct dentry *dentry)
{
	if (!IS_ERR_OR_NULL(dentry))
		remove((struct sim_file *)dentry);
}

static struct sim_file *find_in(struct sim_file *dir, const char *name, size_t len)
{
	struct sim_file *f;

	list_for_each_entry(f, &dir->children, node)
		if (strlen(f->name) == len && !strncmp(f->name, name, len))
			return f;
	return NULL;
}

struct dentry *debugfs_lookup(const char *name, struct dentry *parent)
{
	struct sim_file *dir = parent ? (struct sim_file *)parent : &root;

	return (struct dentry *)find_in(dir, name, strlen(name));
}

void debugfs_lookup_and_remove(const char *name, struct dentry *parent)
{
	debugfs_remove(debugfs_lookup(name, parent));
}

static struct sim_file *lookup(const char *path)
{
	struct sim_file *f = &root;

	while (f && *path) {
		size_t len = strcspn(path, "/");

		f = find_in(f, path, len);
		path += len;
		path += *path == '/';
	}
	return f;
}

/* An open file, as far as the kernel's debugfs files look into it. */
struct opened {
	struct file file;
	struct inode inode;
};

static struct opened *open_file(const char *path)
{
	struct sim_file *f = lookup(path);
	struct opened *o;
	int ret = 0;

	if (!f || !f->fops)
		return ERR_PTR(-ENOENT);
	o = kzalloc(sizeof(*o), GFP_KERNEL);
	if (!o)
		return ERR_PTR(-ENOMEM);
	init_rwsem(&o->inode.i_rwsem);
	mutex_init(&o->file.f_pos_lock);
	o->inode.i_private = f->fops == &number_fops || f->fops == &string_fops ? f : f->data;
	o->file.f_inode = &o->inode;
	o->file.f_op = f->fops;
	o->file.f_mode = FMODE_READ | FMODE_WRITE;
	if (f->fops->open)
		ret = f->fops->open(&o->inode, &o->file);
	if (ret) {
		kfree(o);
		return ERR_PTR(ret);
	}
	return o;
}

static void close_file(struct opened *o)
{
	if (o->file.f_op->release)
		o->file.f_op->release(&o->inode, &o->file);
	kfree(o);
}

int sim_debugfs_write(const char *path, const char *value)
{
	struct opened *o = open_file(path);
	loff_t pos = 0;
	ssize_t n = -EINVAL;

	if (IS_ERR(o))
		return PTR_ERR(o);
	sim_syscall_enter();
	if (o->file.f_op->write)
		n = o->file.f_op->write(&o->file, (const char __user *)value,
					strlen(value), &pos);
	close_file(o);
	sim_syscall_exit();
	return n < 0 ? n : 0;
}

/* seq_file reads through an iterator since 5.10: ask for the buffer at once. */
int sim_debugfs_read(const char *path, char *buf, int size)
{
	struct opened *o = open_file(path);
	ssize_t n = -EINVAL;
	loff_t pos = 0;
	int total = 0;

	if (IS_ERR(o))
		return PTR_ERR(o);
	while (total < size - 1 && o->file.f_op->read) {
		n = o->file.f_op->read(&o->file, (char __user *)buf + total,
				       size - 1 - total, &pos);
		if (n <= 0)
			break;
		total += n;
	}
	buf[total] = '\0';
	close_file(o);
	return n < 0 ? n : total;
}

int sim_feature(const char *name)
{
	int ret = sim_debugfs_write("sched/features", name);

	if (ret == -ENOENT)
		ret = sim_debugfs_write("sched_features", name);
	return ret == -EINVAL ? -ENOENT : ret;
}
