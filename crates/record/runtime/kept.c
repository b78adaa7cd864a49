/* Linked into the instrumented twin of an executable, beside the runtime. A process that was started to leave its
 * recording (switch.c) says here how it ends: with status 0 the recording goes; with another status, or by a signal that
 * the program does not handle itself, it stays. A process that is killed has no say, and its recording stays too.
 *
 * Without WHEREFORE_KEPT, under a runner or by hand, this does nothing. */

#define _GNU_SOURCE
#include "kept.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile uint64_t *const header = (volatile uint64_t *)K_BASE;

/* The library's own name for `sigaction`, which the runtime replaces for the program. */
extern int __sigaction(int number, const struct sigaction *action, struct sigaction *before);

/* Of the runtime: the run ends in the calling thread. */
void __wf_ended(void);

static char path[4096];
static long process;
/* A signal that comes because the stack is used up needs another one. */
static char stack[32 << 10];

static int is_kept(void) { return path[0] && syscall(SYS_getpid) == process; }

static void ended(int status)
{
    if (!is_kept())
        return;
    header[K_NUMBER] = (uint64_t)(status & 0xff);
    header[K_HOW] = K_EXITED;
}

static void leave(void)
{
    if (is_kept() && header[K_HOW] == K_EXITED && !header[K_NUMBER])
        syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

/* The status is told by `on_exit`; that all else of the program which runs at its end has run, by a destructor. Which of
 * the two is first depends on how the program is linked. */
static void leave_after_both(void)
{
    static int before;
    if (before++)
        leave();
}

static void at_exit(int status, void *nothing)
{
    (void)nothing;
    ended(status);
    leave_after_both();
}

__attribute__((destructor(101))) static void last(void) { leave_after_both(); }

/* The default action follows: the instruction is executed again, or the signal is sent again. */
void __wf_on_signal(int number, siginfo_t *information, void *context);
void __wf_on_signal(int number, siginfo_t *information, void *context)
{
    (void)context;
    if (is_kept()) {
        header[K_NUMBER] = (uint64_t)number;
        header[K_HOW] = K_SIGNALLED;
        __wf_ended();
    }
    if (information->si_code <= 0 && number != SIGABRT)
        syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), number);
}

static void start(int count, char **arguments, char **environment)
{
    (void)count;
    (void)arguments;
    const char *name = 0, *value;
    char **left = environment;
    for (char **variable = environment; *variable; variable++) {
        if ((value = value_of(*variable, K_VARIABLE)))
            name = value;
        else
            *left++ = *variable;
    }
    *left = 0;
    if (!name || length_of(name) >= sizeof path)
        return;
    for (size_t i = 0; name[i]; i++)
        path[i] = name[i];
    process = syscall(SYS_getpid);
    int saved = errno;
    on_exit(at_exit, 0);
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&other, 0);
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) {
        struct sigaction action = {.sa_sigaction = __wf_on_signal}, before;
        action.sa_flags = (int)(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND | SA_NODEFER);
        /* What is ignored stays ignored. */
        if (__sigaction(fatal[i], 0, &before) == 0 && before.sa_handler == SIG_DFL)
            __sigaction(fatal[i], &action, 0);
    }
    errno = saved;
}

__attribute__((section(".preinit_array"), used)) static void (*const preinit)(int, char **, char **) = start;

/* Ways to end that pass by everything. */
#define LEAVE(name)                                                                                                    \
    __attribute__((weak, noreturn)) void name(int status);                                                             \
    void name(int status)                                                                                              \
    {                                                                                                                  \
        ended(status);                                                                                                 \
        leave();                                                                                                       \
        for (;;)                                                                                                       \
            syscall(SYS_exit_group, status);                                                                           \
    }

LEAVE(_exit)
LEAVE(_Exit)
