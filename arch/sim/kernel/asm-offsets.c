// SPDX-License-Identifier: GPL-2.0
#define COMPILE_OFFSETS
#include <linux/kbuild.h>
#include <linux/sched.h>

int main(void)
{
	OFFSET(TASK_FLAGS, task_struct, flags);
	return 0;
}
