/* A part of runtime.c: threads, each of which writes where no other does.
 *
 * A thread is seen when its first instrumented function asks for room, whoever started it. Its words have an area of their
 * own at the end of the file: a header, two windows and pieces, as the first thread has them. When it ends, another may
 * take its area, the ones that ended first before others. Threads for which there is no area write into the ring. */

#define AREA_BYTES (16ul << 20)
/* Most words of a thread but the first one. */
#define MOST_OF_A_THREAD (1ul << 24)
/* Room for a handler of a signal, at the end of an area. */
#define HANDLER_BYTES (32ul << 10)

/* The header of threads that have no area. */
static uint64_t unrecorded[H_ENDED_IN + 1] = {[H_STATE] = S_OFF};

static uint64_t first_area(void) { return BASE + mapped_bytes - header[H_AREAS] * AREA_BYTES; }

/* A run ends in the thread that gets the signal or leaves with a status that tells of a failure. The first one counts:
 * others go on for a moment. */
void __wf_ended(void);
void __wf_ended(void)
{
    uint64_t none = 0;
    __atomic_compare_exchange_n((uint64_t *)&header[H_ENDED_IN], &none, (uint64_t)own_header(), 0, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
}

static void at_exit(int status, void *nothing)
{
    (void)nothing;
    if (status)
        __wf_ended();
}

/* The default action follows, also where a handler of the program has called this one: the instruction is executed again,
 * or the signal is sent again. */
static void on_fatal(int number, siginfo_t *information, void *context)
{
    (void)context;
    __wf_ended();
    struct sigaction none = {.sa_handler = SIG_DFL};
    __sigaction(number, &none, 0);
    if (information->si_code <= 0)
        syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), number);
}

/* A signal that comes because the stack is used up needs another one, unless the thread has one. */
static void give_stack(void *room)
{
    stack_t other = {.ss_sp = room, .ss_size = HANDLER_BYTES}, before;
    if (sigaltstack(0, &before) == 0 && before.ss_flags & SS_DISABLE)
        sigaltstack(&other, 0);
}

/* From now on it matters in which thread the run ends. What the program, or kept.c, handles itself stays theirs. */
static void watch_end(void)
{
    static int watches;
    if (__atomic_exchange_n(&watches, 1, __ATOMIC_SEQ_CST))
        return;
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) {
        struct sigaction action = {.sa_sigaction = on_fatal}, before;
        action.sa_flags = (int)(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND | SA_NODEFER);
        if (__sigaction(fatal[i], 0, &before) == 0 && before.sa_handler == SIG_DFL)
            __sigaction(fatal[i], &action, 0);
    }
    on_exit(at_exit, 0);
}

/* In the header of an area: its thread has ended. */
enum { H_IS_LEFT = H_OFF };

static pthread_key_t ends;

/* What the thread still does belongs to nobody. */
static void end_thread(void *area)
{
    stack_t none = {.ss_flags = SS_DISABLE}, before;
    volatile uint64_t *own = area;
    if (own != __wf_own)
        return; /* A child of fork. */
    if (sigaltstack(0, &before) == 0 && before.ss_sp == (void *)own[H_ROOM_END])
        sigaltstack(&none, 0);
    __wf_own = unrecorded;
    __atomic_store_n((uint64_t *)&own[H_IS_LEFT], 1, __ATOMIC_SEQ_CST);
}

/* An area that no thread had, or else one that was left; 0 if there is none. */
static volatile uint64_t *find_area(uint64_t number)
{
    uint64_t count = header[H_AREAS];
    for (uint64_t i = 0; i < count && header[H_EVENTS]; i++) {
        uint64_t *area = (uint64_t *)(first_area() + (number + i) % count * AREA_BYTES), is_left = 1;
        if (number < count || __atomic_compare_exchange_n(&area[H_IS_LEFT], &is_left, 0, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            return area;
    }
    return 0;
}

/* Called before a call that starts a thread. */
void __wf_threads(void)
{
    int before = errno;
    static unsigned char stack[HANDLER_BYTES];
    __atomic_fetch_add((uint64_t *)&header[H_STARTS], 1, __ATOMIC_RELAXED);
    if (!&__wf_threaded) {
        if (header[H_STATE] == S_RECORDING)
            stop(header, S_THREADS);
    } else if (header[H_EVENTS]) {
        if (__wf_own == header)
            give_stack(stack);
        watch_end();
    }
    errno = before;
}

/* Gives the calling thread its header. */
static void begin_thread(void)
{
    uint64_t before = 0;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &waiting, &before, sizeof waiting);
    uint64_t number = __atomic_fetch_add((uint64_t *)&header[H_THREADS], 1, __ATOMIC_SEQ_CST);
    volatile uint64_t *own = find_area(number);
    if (own) {
        uint64_t area = (uint64_t)own;
        own[H_MAGIC] = 0;
        own[H_STATE] = S_RECORDING;
        own[H_END] = own[H_PIECES] = own[H_PACKED_WORDS] = 0;
        own[H_EVENTS] = area + PAGE;
        own[H_PACKED] = area + PAGE + 2 * WINDOW_ROOM;
        own[H_ROOM_END] = area + AREA_BYTES - HANDLER_BYTES;
        own[H_WORDS_LEFT] = MOST_OF_A_THREAD;
        open_window(own, 0);
        give_stack((void *)own[H_ROOM_END]);
        watch_end();
        pthread_setspecific(ends, (void *)own);
        own[H_MAGIC] = MAGIC; /* Says that all of it stands. */
    } else {
        own = unrecorded;
        to_ring(own);
    }
    __wf_own = own;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, 0L, sizeof before);
}
