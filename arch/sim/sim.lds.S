/* SPDX-License-Identifier: GPL-2.0 */
/* Sections that the kernel walks, beside those of an ordinary program. */
SECTIONS {
	.sim_percpu : {
		. = ALIGN(4096);
		__per_cpu_start = .;
		*(.data..percpu..first)
		*(.data..percpu..page_aligned)
		. = ALIGN(64);
		*(.data..percpu..read_mostly)
		. = ALIGN(64);
		*(.data..percpu)
		. = ALIGN(64);
		*(.data..percpu..shared_aligned)
		. = ALIGN(64);
		__per_cpu_end = .;
	}
	.sim_tables : {
		/* The order of the classes is the order of picking; 5.10 counts upwards */
		. = ALIGN(64);
#ifdef SIM_CLASSES_UP
		__begin_sched_classes = .;
		*(__idle_sched_class)
		*(__fair_sched_class)
		*(__rt_sched_class)
		*(__dl_sched_class)
		*(__stop_sched_class)
		__end_sched_classes = .;
#else
		__sched_class_highest = .;
		*(__stop_sched_class)
		*(__dl_sched_class)
		*(__rt_sched_class)
		*(__fair_sched_class)
		*(__idle_sched_class)
		__sched_class_lowest = .;
#endif
		. = ALIGN(8);
		__sim_initcall_early = .;
		KEEP(*(.initcallearly.init))
		__sim_initcall_start = .;
		KEEP(*(.initcall0.init)) KEEP(*(.initcall0s.init))
		KEEP(*(.initcall1.init)) KEEP(*(.initcall1s.init))
		KEEP(*(.initcall2.init)) KEEP(*(.initcall2s.init))
		KEEP(*(.initcall3.init)) KEEP(*(.initcall3s.init))
		KEEP(*(.initcall4.init)) KEEP(*(.initcall4s.init))
		KEEP(*(.initcall5.init)) KEEP(*(.initcall5s.init))
		KEEP(*(.initcall6.init)) KEEP(*(.initcall6s.init))
		KEEP(*(.initcall7.init)) KEEP(*(.initcall7s.init))
		__sim_initcall_end = .;
		. = ALIGN(8);
		__kunit_suites_start = .;
		KEEP(*(.kunit_test_suites))
		__kunit_suites_end = .;
		. = ALIGN(8);
		__start___tracepoints_ptrs = .;
		KEEP(*(__tracepoints_ptrs))
		__stop___tracepoints_ptrs = .;
	}
} INSERT AFTER .data;
