/* A part of runtime.c: handlers of signals, which come at any moment.
 *
 * Instrumented code keeps in a register where its next word goes: a handler that came in the middle of it would write over
 * its words, and the other way round. So the system is given a handler of ours. Where that finds instrumented code at work,
 * the program's handler waits until this code asks for room, which it does in every function and every round of a loop; a
 * signal that comes while the library is at work, or by what the code itself does wrong, is handled at once. What the
 * program is told of handlers is what it has set. */

#include <ucontext.h>

/* The library's own name for it, which no program replaces. */
extern int __sigaction(int number, const struct sigaction *action, struct sigaction *before);
extern char __executable_start[] WEAK, etext[] WEAK;

#define SIGNALS 65

static struct sigaction handlers[SIGNALS]; /* That the program has set. */

/* Signals of the calling thread whose handlers wait. What these are to be given is no thread's own: that would be taken off
 * its stack, which may be small. */
static _Thread_local volatile uint64_t late __attribute__((tls_model("initial-exec")));
static siginfo_t late_information[SIGNALS];
static ucontext_t late_context;

static void call_handler(int number, siginfo_t *information, void *context)
{
    struct sigaction action = handlers[number];
    if (action.sa_flags & SA_SIGINFO)
        action.sa_sigaction(number, information, context);
    else
        action.sa_handler(number);
}

static int is_fault(int number, const siginfo_t *information)
{
    return information->si_code > 0 && !(waiting >> (number - 1) & 1);
}

/* Whether instrumented code is at work; the library is not, where it is linked into the same executable, so nobody knows. */
static int is_instrumented(uint64_t at)
{
    uint64_t start = (uint64_t)__executable_start, end = (uint64_t)etext, library = (uint64_t)__sigaction;
    int is_known = start && !(library >= start && library < end);
    return is_known && at >= start && at < end;
}

/* The next time code asks for room, the runtime is called. */
static void ask_soon(volatile uint64_t *own) { own[H_LIMIT] = 0; }

static void on_any(int number, siginfo_t *information, void *context)
{
    volatile uint64_t *own = own_header();
    uint64_t at = (uint64_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    if (is_fault(number, information) || own[H_STATE] != S_RECORDING || !is_instrumented(at)) {
        call_handler(number, information, context);
        return;
    }
    late_information[number] = *information;
    late_context = *(ucontext_t *)context;
    late |= 1ul << (number - 1);
    ask_soon(own);
}

/* Calls the handlers that wait. */
static void come_late(volatile uint64_t *own)
{
    while (late) {
        int number = __builtin_ctzl(late) + 1;
        const uint64_t all = ~0ul;
        uint64_t before = 0;
        syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof all);
        siginfo_t information = late_information[number];
        late &= ~(1ul << (number - 1));
        if (!late)
            set_limit(own);
        uint64_t masked, own_bit = handlers[number].sa_flags & SA_NODEFER ? 0 : 1ul << (number - 1);
        __builtin_memcpy(&masked, &handlers[number].sa_mask, sizeof masked);
        masked |= before | own_bit;
        syscall(SYS_rt_sigprocmask, SIG_SETMASK, &masked, 0L, sizeof masked);
        call_handler(number, &information, &late_context);
        syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, 0L, sizeof before);
    }
}

/* Handlers of the runtime, which stand where the program has set none. */
static void on_fatal(int number, siginfo_t *information, void *context);
extern void __wf_on_signal(int number, siginfo_t *information, void *context) WEAK;

WEAK int sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
    struct sigaction ours, found, kept = {0};
    const uint64_t all = ~0ul;
    uint64_t mask = 0;
    if (number <= 0 || number >= SIGNALS)
        return __sigaction(number, action, before);
    /* None comes while its handler is neither the old one nor the new one. */
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &mask, sizeof all);
    kept = handlers[number];
    if (action) {
        ours = *action;
        if (ours.sa_handler != SIG_DFL && ours.sa_handler != SIG_IGN) {
            handlers[number] = *action;
            ours.sa_sigaction = on_any;
            ours.sa_flags |= SA_SIGINFO;
        }
    }
    int result = __sigaction(number, action ? &ours : 0, &found);
    if (result)
        handlers[number] = kept;
    int error = errno;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, 0L, sizeof mask);
    errno = error;
    if (result == 0 && before) {
        *before = found;
        if (found.sa_sigaction == on_any)
            *before = kept;
        else if (found.sa_sigaction == on_fatal || (&__wf_on_signal && found.sa_sigaction == __wf_on_signal))
            *before = (struct sigaction){.sa_handler = SIG_DFL};
    }
    return result;
}

static void (*set_handler(int number, void (*handler)(int), int flags))(int)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, before;
    if (handler == SIG_ERR) {
        errno = EINVAL;
        return SIG_ERR;
    }
    return sigaction(number, &action, &before) ? SIG_ERR : before.sa_handler;
}

WEAK void (*signal(int number, void (*handler)(int)))(int) { return set_handler(number, handler, SA_RESTART); }

/* What `signal` is to programs that ask for nothing but C. */
WEAK void (*__sysv_signal(int number, void (*handler)(int)))(int)
{
    return set_handler(number, handler, (int)(SA_RESETHAND | SA_NODEFER));
}
