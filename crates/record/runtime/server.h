/* A part of runtime.c: a loaded program that makes a copy of itself for each case.
 *
 * The server stands where the program has not begun, not even its constructors, and runs none of its code. It knows
 * nothing of a case: the runner writes it into the mapped file and says what to do on a descriptor that no copy keeps. */

/* What the runner asks. */
enum { ASK_FORK = 'f', ASK_BECOME = 'b', ASK_TRY = 't' };
/* What it is told. */
enum { TELL_READY, TELL_ENDED, TELL_LEFTOVERS, TELL_REFUSED };
#define ARGUMENT_ROOM (2 * PAGE)

void __wf_main(uint64_t *count, char ***list);

/* Not `fork`: a program may define that. */
extern pid_t __fork(void);

static void tell(int control, int32_t what, int32_t value)
{
    int32_t message[2] = {what, value};
    /* The runner is gone, or it is not: then it comes for this process. */
    if (syscall(SYS_write, control, message, sizeof message) != sizeof message)
        syscall(SYS_exit_group, 1);
}

/* Whether no process of the last case is left. As a process's children come to this one before its own end is told,
 * none can be missed; those that have ended already are of no interest. */
static int nothing_left(void)
{
    for (int i = 0; i < 1000; i++) {
        long ended = syscall(SYS_wait4, -1L, 0L, WNOHANG | __WALL, 0L);
        if (ended <= 0)
            return ended < 0;
    }
    return 0;
}

/* Waits for the end of the case; others of its processes may end before. */
static int32_t wait_for(pid_t child)
{
    int status;
    long ended;
    do
        ended = syscall(SYS_wait4, -1L, &status, __WALL, 0L);
    while (ended > 0 && ended != child);
    if (ended < 0)
        syscall(SYS_exit_group, 1);
    return status;
}

static char **arguments; /* Of the case; 0: those the process has. */
static uint64_t argument_count;
static char **argument_room; /* For a process that runs many cases: ARGUMENT_ROOM bytes. */

/* Copies the arguments of the case to memory of the process's own, which it may change. */
static void take_arguments(void)
{
    uint64_t count = header[H_ARGUMENTS], bytes = header[H_ARGUMENT_BYTES];
    uint64_t all = round_up(8 * (count + 1) + bytes);
    int fits = argument_room && all <= ARGUMENT_ROOM;
    char **list = fits ? argument_room : map(0, all, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (list == MAP_FAILED) {
        say("wherefore: no memory for the arguments\n");
        syscall(SYS_exit_group, 127);
    }
    volatile char *to = (char *)(list + count + 1);
    const char *from = case_text + header[H_INPUT_BYTES] + header[H_NONDET_BYTES];
    uint64_t number = 0;
    int begins = 1;
    for (uint64_t i = 0; i < bytes; i++) {
        if (begins && number < count)
            list[number++] = (char *)to;
        begins = !from[i];
        *to++ = from[i];
    }
    list[number] = 0;
    arguments = list;
    argument_count = number;
}

void __wf_main(uint64_t *count, char ***list)
{
    if (!arguments)
        return;
    *count = argument_count;
    *list = arguments;
    if (argument_count) {
        program_invocation_name = program_invocation_short_name = arguments[0];
        for (char *c = arguments[0]; *c; c++)
            if (*c == '/')
                program_invocation_short_name = c + 1;
    }
    arguments = 0; /* A program may call its `main` again, with arguments of its own. */
}

/* A process that has used up what it may take of a processor is ended by a signal. */
static void limit_processor(void)
{
    uint64_t limit = header[H_PROCESSOR];
    uint64_t timer[4] = {0, 0, limit / 1000000, limit % 1000000};
    if (limit)
        syscall(SYS_setitimer, ITIMER_PROF, timer, 0L);
}

/* Returns in a process that is to run a case. */
static void serve(void)
{
    int control = (int)header[H_CONTROL];
    /* A signal to the server shall not make its parent that of the case, which may send another. */
    uint64_t all = ~0ul, before = 0;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof all);
    syscall(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L);
    tell(control, TELL_READY, 0);
    for (;;) {
        char request;
        if (syscall(SYS_read, control, &request, 1L) != 1)
            syscall(SYS_exit_group, 1);
        if (request == ASK_BECOME) {
            syscall(SYS_prctl, PR_SET_CHILD_SUBREAPER, 0L, 0L, 0L, 0L);
            break;
        }
        pid_t child;
        int32_t status;
        do {
            child = __fork();
            if (child <= 0)
                break;
            status = wait_for(child);
        } while (request == ASK_TRY && go_on(status));
        if (child == 0) {
            /* Signals to its group stay in it; its session is still that by which the runner would find it. */
            syscall(SYS_setpgid, 0L, 0L);
            if (request == ASK_TRY) {
                syscall(SYS_close, control);
                argument_room = map(0, ARGUMENT_ROOM, MAP_PRIVATE | MAP_ANONYMOUS, -1);
                if (argument_room == MAP_FAILED)
                    argument_room = 0;
                try_cases(); /* Returns for each of them. */
                take_arguments();
                return;
            }
            limit_processor();
            break;
        }
        if (child < 0) {
            tell(control, TELL_REFUSED, errno);
            continue;
        }
        tell(control, nothing_left() ? TELL_ENDED : TELL_LEFTOVERS, status);
    }
    syscall(SYS_close, control);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, 0L, sizeof before);
    take_arguments();
}
