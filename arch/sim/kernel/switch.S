/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Coroutines on an x86-64 host. Callee-saved registers lie on the stack that
 * is left; the caller-saved ones are dead across a call.
 */
	.text

/* void *sim_stack_switch(unsigned long *save_sp, unsigned long new_sp, void *ret) */
	.globl sim_stack_switch
	.type sim_stack_switch, @function
sim_stack_switch:
	pushq	%rbp
	pushq	%rbx
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	movq	%rsp, (%rdi)
	movq	%rsi, %rsp
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbx
	popq	%rbp
	movq	%rdx, %rax
	ret
	.size sim_stack_switch, . - sim_stack_switch

/* The first return on a new stack: what the switch returned is the argument. */
	.globl sim_stack_start
	.type sim_stack_start, @function
sim_stack_start:
	movq	%rax, %rdi
	xorl	%ebp, %ebp
	call	sim_task_start
	hlt
	.size sim_stack_start, . - sim_stack_start

	.section .note.GNU-stack,"",@progbits
