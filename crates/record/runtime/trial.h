/* A part of runtime.c: a copy of the server that runs many cases itself, for one choice between edits after the other.
 *
 * A process of its own costs more than most cases take. So all memory that can be written is put aside before the first
 * case, and put back after each. What a case asks of the system is answered here, by a filter that lets only our own
 * calls pass: its input and output are in the file of the runner, what leaves nothing behind is done for it, and with
 * anything else nobody knows what became of the choice; then its cases need processes of their own. */

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/ucontext.h>
#include <sys/uio.h>
#include <time.h>

/* Where this process keeps what no case may change. */
#define ASIDE 0x320000000000ul
#define ALTERNATE_STACK (64ul << 10)
#define MOST_PARTS 512
#define MOST_STRAYS 64
/* Of so many pages of zeros it is looked up which were written; where so many were, all are given back to the system. */
#define MANY_PAGES 64
#define LOOKED_UP 4096
#define MANY_WRITTEN 64
/* What is kept of the heap from one case to the next: a little more than the library takes at first. */
#define KEPT_HEAP (40 * PAGE)
#define GROWN_STACK (16 * PAGE)
/* More than this share of what a case may take is not put aside. */
#define ASIDE_SHARE 16

/* What the runner writes behind the header, as `src/server/trial.rs` does. Places are counted from the header. */
struct trial {
    uint64_t cases, choices;
    uint64_t chooser;     /* the global that says what is chosen, from 1; 0: none */
    uint64_t to_the_end;  /* whether all cases are run although one has failed */
    uint64_t next;        /* the choice at work */
    uint64_t order;       /* place of the order of the cases */
    uint64_t results;     /* place of what came of the choices */
    uint64_t counts;      /* place of what each case does, where there is one choice: whether it passes, and its blocks;
                             0: that is not wanted */
};
struct trial_case {
    uint64_t text, input_bytes, nondet_bytes, arguments, argument_bytes;
    uint64_t stdin_at, stdin_bytes;
    uint64_t stdout_at, stdout_bytes; /* expected; at 0: anything */
    uint64_t status;                  /* expected; ANY: any */
    uint64_t needed, needed_words;    /* groups of blocks, each with its length, one of which has to be executed */
};
struct trial_choice {
    uint64_t number;
    uint64_t result; /* 0: all cases pass; otherwise the one that fails, from 1; to the end: a bit for each that passes */
};
#define NOT_KNOWN (~0ul - 1)
#define ANY (~0ul)
/* How such a process ends. */
enum { TRIED_ALL = 0, TRIED_NONE = 1, TRIED_PART = 2 };

/* A stretch of memory, and what it was; 0: zeros. */
struct part {
    unsigned char *at;
    uint64_t bytes;
    const unsigned char *was;
    int is_large;
};

struct aside {
    void *jump[5];
    uint64_t header[H_PROCESSOR + 1];
    uint64_t place;              /* of the case at work in the order */
    uint64_t passed;             /* of the choice at work, with a bit for each */
    uint64_t read, written;      /* of the case's input and output */
    uint64_t mask;               /* signals that the case holds back */
    int is_wrong;                /* whether the output is another than expected */
    uint64_t heap, heap_end;     /* where the heap begins, and where it ends for the case */
    uint64_t heap_mapped;        /* where it ends for the system */
    long pages;                  /* `/proc/self/pagemap` */
    int is_looked_up;            /* whether pages that nobody has written are not there */
    uint64_t stack_from, below;  /* the stack, and where it may grow from */
    uint64_t parts, strays;
    struct part part[MOST_PARTS];
    struct {
        uint64_t at, bytes;
    } stray[MOST_STRAYS];
    char maps[64 << 10];
    uint64_t page[LOOKED_UP];
    unsigned char stack[ALTERNATE_STACK];
};

static struct aside *const aside = (struct aside *)ASIDE;
static volatile struct trial *const trial = (volatile struct trial *)(BASE + PAGE);

static volatile struct trial_choice *choice_at_work(void)
{
    return (volatile struct trial_choice *)(BASE + trial->results) + trial->next;
}

static volatile uint32_t *order_of_cases(void) { return (volatile uint32_t *)(BASE + trial->order); }

static const struct trial_case *case_at_work(void)
{
    const struct trial_case *all = (const struct trial_case *)(trial + 1);
    return &all[order_of_cases()[aside->place]];
}

/* ---- Calls of the system that the filter lets pass, by their place ---- */

#define STRINGIFIED(number) #number
#define STRING_OF(number) STRINGIFIED(number)
long __wf_system(long number, long a, long b, long c, long d, long e, long f);
void __wf_return(void);
extern const char __wf_system_called[];
__asm__(".pushsection .text\n"
        ".hidden __wf_system\n.hidden __wf_system_called\n.hidden __wf_return\n"
        ".globl __wf_system\n.globl __wf_system_called\n.globl __wf_return\n"
        "__wf_system:\n"
        "  mov %rdi, %rax\n  mov %rsi, %rdi\n  mov %rdx, %rsi\n  mov %rcx, %rdx\n"
        "  mov %r8, %r10\n  mov %r9, %r8\n  mov 8(%rsp), %r9\n"
        "  syscall\n"
        "__wf_system_called:\n"
        "  ret\n"
        "__wf_return:\n"
        "  mov $" STRING_OF(__NR_rt_sigreturn) ", %eax\n  syscall\n"
        ".popsection\n");

static int filter_calls(void)
{
    uint64_t own = (uint64_t)__wf_system_called;
    struct sock_filter lines[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 7),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_rt_sigreturn, 6, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_getrandom, 5, 0), /* of every first `malloc` */
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)own, 0, 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(own >> 32), 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof lines / sizeof *lines, lines};
    return __wf_system(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0) == 0 &&
           __wf_system(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, (long)&program, 0, 0, 0) == 0;
}

__attribute__((noreturn)) static void leave(int status)
{
    for (;;)
        __wf_system(SYS_exit_group, status, 0, 0, 0, 0, 0);
}

/* ---- Memory ---- */

static void fill(unsigned char *to, const unsigned char *from, uint64_t bytes)
{
    /* The program may define `memcpy`. */
    if (from)
        __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
    else
        __asm__ volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(0) : "memory");
}

static int is_zero(const unsigned char *page)
{
    const uint64_t *word = (const uint64_t *)page;
    for (uint64_t i = 0; i < PAGE / 8; i++)
        if (word[i])
            return 0;
    return 1;
}

static void give_back(uint64_t from, uint64_t to)
{
    __wf_system(SYS_madvise, (long)from, (long)(to - from), MADV_DONTNEED, 0, 0, 0);
}

/* Whether a page is there or swapped out; one that nobody has touched is neither. */
#define IS_TOUCHED(entry) ((entry) >> 62 != 0)

/* Makes anonymous memory zero, of which few pages are likely to be written: a page that stays saves its next user the
 * way into the system. */
static void clear(uint64_t from, uint64_t to)
{
    while (from < to) {
        uint64_t pages = minimum((to - from) / PAGE, LOOKED_UP), end = from + pages * PAGE, touched = 0;
        long got = __wf_system(SYS_pread64, aside->pages, (long)aside->page, (long)(8 * pages), (long)(from / PAGE * 8), 0, 0);
        for (uint64_t i = 0; i < pages; i++)
            touched += IS_TOUCHED(aside->page[i]);
        if (got != (long)(8 * pages) || touched > MANY_WRITTEN)
            give_back(from, end);
        else
            for (uint64_t i = 0; touched && i < pages; i++)
                if (IS_TOUCHED(aside->page[i]))
                    fill((unsigned char *)from + i * PAGE, 0, PAGE);
        from = end;
    }
}

/* Puts a stretch of memory aside; 0 if there is no room. */
static int put_stretch(unsigned char *from, unsigned char *to, int anonymous, unsigned char **room)
{
    while (from < to) {
        if (aside->parts == MOST_PARTS)
            return 0;
        int zero = is_zero(from);
        unsigned char *end = from + PAGE;
        while (end < to && is_zero(end) == zero)
            end += PAGE;
        uint64_t bytes = (uint64_t)(end - from);
        struct part *part = &aside->part[aside->parts++];
        *part = (struct part){from, bytes, zero ? 0 : *room, anonymous && bytes >= MANY_PAGES * PAGE};
        if (!zero) {
            fill(*room, from, bytes);
            *room += bytes;
        }
        from = end;
    }
    return 1;
}

static uint64_t hexadecimal(const char **at)
{
    uint64_t value = 0;
    for (; digit(**at) >= 0; (*at)++)
        value = value << 4 | (uint64_t)digit(**at);
    return value;
}

/* The memory map of the process; 0 if it does not fit. */
static int read_maps(void)
{
    long file = __wf_system(SYS_openat, AT_FDCWD, (long)"/proc/self/maps", O_RDONLY, 0, 0, 0);
    uint64_t length = 0;
    long got = 0;
    while (file >= 0 && length < sizeof aside->maps - 1 &&
           (got = __wf_system(SYS_read, file, (long)aside->maps + (long)length,
                              (long)(sizeof aside->maps - 1 - length), 0, 0, 0)) > 0)
        length += (uint64_t)got;
    __wf_system(SYS_close, file, 0, 0, 0, 0, 0);
    aside->maps[length] = 0;
    return file >= 0 && got == 0 && length > 0;
}

/* Puts all that can be written aside; 0 where that is impossible. */
static int put_aside(void)
{
    if (!read_maps())
        return 0;
    unsigned char *room = 0;
    uint64_t before = 0;
    for (int pass = 0; pass < 2; pass++) {
        uint64_t all = 0;
        for (const char *at = aside->maps; *at;) {
            uint64_t from = hexadecimal(&at), to = (at++, hexadecimal(&at));
            int is_private = at[2] == 'w' && at[4] == 'p';
            /* From the permissions over the offset and the device to the file's number. */
            for (int fields = 0; fields < 3; fields++)
                for (at++; *at != ' ';)
                    at++;
            int anonymous = at[1] == '0' && at[2] == ' ';
            int is_stack = 0;
            for (; *at && *at != '\n'; at++)
                is_stack |= at[0] == '[' && at[1] == 's' && at[2] == 't' && at[3] == 'a';
            at += *at == '\n';
            if (is_stack) {
                aside->stack_from = from;
                aside->below = before;
            }
            before = to;
            if (!is_private || (from >= ASIDE && from < ASIDE + sizeof *aside))
                continue;
            all += to - from;
            if (pass && !put_stretch((unsigned char *)from, (unsigned char *)to, anonymous, &room))
                return 0;
        }
        if (!pass) {
            /* What is put aside counts as memory of the case. */
            uint64_t limit[2];
            if (__wf_system(SYS_getrlimit, RLIMIT_AS, (long)limit, 0, 0, 0, 0) != 0 || all > limit[0] / ASIDE_SHARE)
                return 0;
            long got = __wf_system(SYS_mmap, 0, (long)all, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (got < 0 && got > -4096)
                return 0;
            room = (unsigned char *)got;
        }
    }
    aside->heap = aside->heap_end = aside->heap_mapped = (uint64_t)__wf_system(SYS_brk, 0, 0, 0, 0, 0, 0);
    return aside->stack_from != 0;
}

static int has_grown(void)
{
    unsigned char is_there;
    return __wf_system(SYS_mincore, (long)(aside->stack_from - PAGE), (long)PAGE, (long)&is_there, 0, 0, 0) != -ENOMEM;
}

/* Most cases need no more stack than this: to let it grow takes longer than they do. */
__attribute__((noinline)) static void grow_stack(void)
{
    uint64_t limit[2];
    if (__wf_system(SYS_getrlimit, RLIMIT_STACK, (long)limit, 0, 0, 0, 0) != 0 || limit[0] < 16 * GROWN_STACK)
        return;
    char room[GROWN_STACK];
    for (uint64_t i = GROWN_STACK; i > 0; i -= PAGE)
        *(volatile char *)&room[i - 1] = 0;
}

/* Puts all memory back; runs on a stack of its own. */
static void put_back(void)
{
    for (uint64_t i = 0; i < aside->strays; i++)
        if (aside->stray[i].bytes)
            __wf_system(SYS_munmap, (long)aside->stray[i].at, (long)aside->stray[i].bytes, 0, 0, 0, 0);
    aside->strays = 0;
    uint64_t kept = aside->heap + KEPT_HEAP;
    if (aside->heap_mapped > kept)
        aside->heap_mapped = (uint64_t)__wf_system(SYS_brk, (long)kept, 0, 0, 0, 0, 0);
    /* What is before its first whole page is among the parts, and what the case gave back is zero. */
    clear(round_up(aside->heap), round_up(minimum(aside->heap_end, aside->heap_mapped)));
    aside->heap_end = aside->heap;
    if (has_grown())
        give_back(aside->below, aside->stack_from);
    for (uint64_t i = 0; i < aside->parts; i++) {
        const struct part *part = &aside->part[i];
        uint64_t from = (uint64_t)part->at, to = from + part->bytes;
        if (part->was || !part->is_large)
            fill(part->at, part->was, part->bytes);
        else if (aside->is_looked_up)
            clear(from, to);
        else
            give_back(from, to);
    }
    /* To be put aside, all pages were touched. */
    aside->is_looked_up = 1;
}

/* ---- Cases ---- */

/* Nobody knows what the choice at work does. */
__attribute__((noreturn)) static void give_up(void)
{
    choice_at_work()->result = NOT_KNOWN;
    trial->next++;
    leave(TRIED_PART);
}

/* Says of a case whether it passes and how often it executed each block. */
static void write_counts(uint64_t place, int passes)
{
    uint64_t blocks = block_count();
    uint32_t *to = (uint32_t *)(BASE + trial->counts) + order_of_cases()[place] * (1 + blocks);
    fill((unsigned char *)(to + 1), (const unsigned char *)TABLE, 4 * blocks);
    *to = passes && !(header[H_FLAGS] & F_ASSUMPTION);
}

/* The case at work has ended. */
__attribute__((noreturn)) static void over(int passes)
{
    volatile uint32_t *order = order_of_cases();
    uint64_t place = aside->place;
    int last = ++aside->place == trial->cases;
    uint64_t result = 0;
    if (trial->counts)
        write_counts(place, passes);
    else if (trial->to_the_end)
        result = aside->passed |= (uint64_t)passes << place;
    else if (!passes) {
        last = 1;
        /* What fails with one choice is likely to fail with the next; but most fail at once. */
        uint32_t failing = order[place];
        for (uint64_t i = place; i > 1; i--)
            order[i] = order[i - 1];
        if (place > 1)
            order[1] = failing;
        result = 1 + (uint64_t)failing;
    }
    if (last) {
        choice_at_work()->result = result;
        aside->place = aside->passed = 0;
        if (++trial->next >= trial->choices)
            leave(TRIED_ALL);
    }
    put_back();
    __builtin_longjmp(aside->jump, 1);
}

/* Whether one block of each group was executed. */
static int comes_to_all(const struct trial_case *it)
{
    const uint32_t *groups = (const uint32_t *)(BASE + it->needed), *counts = (const uint32_t *)TABLE;
    uint64_t blocks = block_count();
    for (uint64_t i = 0; i < it->needed_words;) {
        uint64_t end = i + 1 + groups[i];
        int met = 0;
        for (i++; i < end && i < it->needed_words; i++)
            met |= groups[i] < blocks && counts[groups[i]];
        if (!met)
            return 0;
    }
    return 1;
}

__attribute__((noreturn)) static void ended(int status)
{
    const struct trial_case *it = case_at_work();
    int assumed = (header[H_FLAGS] & F_ASSUMPTION) != 0;
    int output = !it->stdout_at || (!aside->is_wrong && aside->written == it->stdout_bytes);
    int right = (it->status == ANY || it->status == (uint64_t)(status & 255)) && output;
    over(assumed || (right && comes_to_all(it)));
}

/* Whether this process runs many cases. */
static int is_shared;

/* Ends the case, which fails, with one call of the system; it is answered on another stack. */
static void fail_in_trial(void)
{
    if (is_shared)
        syscall(SYS_tgkill, 0L, 0L, (long)SIGKILL);
}

static void died(int signal)
{
    (void)signal;
    over(0);
}

/* ---- What a case asks of the system ---- */

static long done_for_it(long number, const greg_t *r)
{
    return __wf_system(number, r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]);
}

static long write_output(uint64_t file, const unsigned char *from, uint64_t bytes)
{
    if (file != 1 && file != 2)
        give_up();
    const struct trial_case *it = case_at_work();
    if (file == 2 || !it->stdout_at)
        return (long)bytes;
    const unsigned char *expected = (const unsigned char *)BASE + it->stdout_at + aside->written;
    if (bytes > it->stdout_bytes - aside->written)
        aside->is_wrong = 1;
    for (uint64_t i = 0; !aside->is_wrong && i < bytes; i++)
        aside->is_wrong = from[i] != expected[i];
    if (aside->is_wrong)
        over(0);
    aside->written += bytes;
    return (long)bytes;
}

static long write_pieces(uint64_t file, const struct iovec *piece, uint64_t pieces)
{
    long all = 0;
    for (; pieces; pieces--, piece++)
        all += write_output(file, piece->iov_base, piece->iov_len);
    return all;
}

static long read_input(uint64_t file, unsigned char *to, uint64_t bytes)
{
    if (file != 0)
        give_up();
    const struct trial_case *it = case_at_work();
    uint64_t left = aside->read < it->stdin_bytes ? it->stdin_bytes - aside->read : 0;
    bytes = minimum(bytes, left);
    fill(to, (const unsigned char *)BASE + it->stdin_at + aside->read, bytes);
    aside->read += bytes;
    return (long)bytes;
}

static long seek(uint64_t file, long by, long from)
{
    if (file > 2)
        give_up();
    if (file)
        return -ESPIPE;
    long start = from == SEEK_SET ? 0 : from == SEEK_CUR ? (long)aside->read : (long)case_at_work()->stdin_bytes;
    if (from > SEEK_END || start + by < 0)
        return -EINVAL;
    aside->read = (uint64_t)(start + by);
    return start + by;
}

static long map_stray(const greg_t *r)
{
    if (aside->strays == MOST_STRAYS || !(r[REG_R10] & MAP_ANONYMOUS) || r[REG_R10] & MAP_FIXED)
        give_up();
    long at = done_for_it(SYS_mmap, r);
    if (at > 0) {
        aside->stray[aside->strays].at = (uint64_t)at;
        aside->stray[aside->strays++].bytes = round_up((uint64_t)r[REG_RSI]);
    }
    return at;
}

/* Unmaps or moves what a case has mapped, as a whole. */
static long change_stray(long number, const greg_t *r)
{
    for (uint64_t i = 0; i < aside->strays; i++)
        if (aside->stray[i].at == (uint64_t)r[REG_RDI] && aside->stray[i].bytes == round_up((uint64_t)r[REG_RSI])) {
            long at = done_for_it(number, r);
            if (number == SYS_munmap)
                aside->stray[i].bytes = 0;
            else if (at > 0) {
                aside->stray[i].at = (uint64_t)at;
                aside->stray[i].bytes = round_up((uint64_t)r[REG_RDX]);
            }
            return at;
        }
    give_up();
}

/* Where the heap of the case ends from now on. What it gives back stays mapped. */
static long move_heap(uint64_t to)
{
    if (to < aside->heap)
        return (long)aside->heap_end;
    if (to > aside->heap_mapped) {
        if ((uint64_t)__wf_system(SYS_brk, (long)to, 0, 0, 0, 0, 0) != to)
            return (long)aside->heap_end;
        aside->heap_mapped = to;
    }
    if (to < aside->heap_end)
        clear(round_up(to), round_up(aside->heap_end));
    aside->heap_end = to;
    return (long)to;
}

static long kill_self(long signal)
{
    /* Those that do nothing unless somebody wants them. */
    if (signal == 0 || signal == SIGCHLD || signal == SIGCONT || signal == SIGURG || signal == SIGWINCH)
        return 0;
    if (signal < 0 || signal > 64 || aside->mask >> (signal - 1) & 1)
        give_up();
    over(0);
}

/* Which signals the case holds back; none is really held back, since those that are sent here end it. */
static long change_mask(long how, const uint64_t *set, uint64_t *old)
{
    uint64_t before = aside->mask;
    if (set && how == SIG_BLOCK)
        aside->mask |= *set;
    else if (set && how == SIG_UNBLOCK)
        aside->mask &= ~*set;
    else if (set && how == SIG_SETMASK)
        aside->mask = *set;
    else if (set)
        return -EINVAL;
    if (old)
        *old = before;
    return 0;
}

/* What is said of a stream: the input is as long as that of the case. */
static long stated(long file, long result, struct stat *told)
{
    if (file < 0 || file > 2)
        give_up();
    if (file == 0 && result == 0)
        told->st_size = (off_t)case_at_work()->stdin_bytes;
    return result;
}

static long answer(long number, const greg_t *r)
{
    switch (number) {
    case SYS_exit:
    case SYS_exit_group:
        ended((int)r[REG_RDI]);
    case SYS_write:
        return write_output((uint64_t)r[REG_RDI], (const unsigned char *)r[REG_RSI], (uint64_t)r[REG_RDX]);
    case SYS_writev:
        return write_pieces((uint64_t)r[REG_RDI], (const struct iovec *)r[REG_RSI], (uint64_t)r[REG_RDX]);
    case SYS_read:
        return read_input((uint64_t)r[REG_RDI], (unsigned char *)r[REG_RSI], (uint64_t)r[REG_RDX]);
    case SYS_lseek:
        return seek((uint64_t)r[REG_RDI], r[REG_RSI], r[REG_RDX]);
    case SYS_mmap:
        return map_stray(r);
    case SYS_munmap:
    case SYS_mremap:
        return change_stray(number, r);
    case SYS_tgkill:
        return kill_self(r[REG_RDX]);
    case SYS_ioctl: /* Whether a stream is a terminal. */
        if ((uint64_t)r[REG_RDI] > 2 || r[REG_RSI] != TCGETS)
            give_up();
        return -ENOTTY;
    case SYS_rt_sigprocmask:
        return change_mask(r[REG_RDI], (const uint64_t *)r[REG_RSI], (uint64_t *)r[REG_RDX]);
    case SYS_clock_gettime: /* The time that the process has used is that of all cases. */
        if (r[REG_RDI] < 0 || r[REG_RDI] == CLOCK_PROCESS_CPUTIME_ID || r[REG_RDI] == CLOCK_THREAD_CPUTIME_ID)
            give_up();
        return done_for_it(number, r);
    case SYS_fstat:
        return stated(r[REG_RDI], done_for_it(number, r), (struct stat *)r[REG_RSI]);
    case SYS_newfstatat:
        if (r[REG_RSI] && *(const char *)r[REG_RSI])
            give_up();
        return stated(r[REG_RDI], done_for_it(number, r), (struct stat *)r[REG_RDX]);
    case SYS_brk:
        return move_heap((uint64_t)r[REG_RDI]);
    case SYS_getpid:
    case SYS_gettid:
    case SYS_getppid:
    case SYS_getuid:
    case SYS_geteuid:
    case SYS_getgid:
    case SYS_getegid:
    case SYS_gettimeofday:
    case SYS_time:
    case SYS_uname:
    case SYS_getrlimit:
    case SYS_mincore:
        return done_for_it(number, r);
    default:
        give_up();
    }
}

#include "streams.h"

static void asked(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    r[REG_RAX] = answer(info->si_syscall, r);
}

/* Of the system, not of the library. */
struct kernel_action {
    void *handler;
    uint64_t flags;
    void (*restorer)(void);
    uint64_t mask;
};

static int handle(int signal, void *handler, uint64_t flags)
{
    struct kernel_action action = {handler, flags | SA_ONSTACK | SA_NODEFER | 0x04000000ul, __wf_return, 0};
    return __wf_system(SYS_rt_sigaction, signal, (long)&action, 0, sizeof action.mask, 0, 0) == 0;
}

static int handle_all(void)
{
    stack_t stack = {.ss_sp = aside->stack, .ss_size = ALTERNATE_STACK};
    uint64_t none = 0;
    return __wf_system(SYS_sigaltstack, (long)&stack, 0, 0, 0, 0, 0) == 0 && handle(SIGSYS, asked, SA_SIGINFO) &&
           handle(SIGSEGV, died, 0) && handle(SIGBUS, died, 0) && handle(SIGFPE, died, 0) && handle(SIGILL, died, 0) &&
           handle(SIGTRAP, died, 0) && handle(SIGPROF, died, 0) &&
           __wf_system(SYS_rt_sigprocmask, SIG_SETMASK, (long)&none, 0, sizeof none, 0, 0) == 0;
}

/* Rounds as a new process does, with no exception raised. */
static void reset_arithmetic(void)
{
    const uint32_t usual = 0x1f80;
    __asm__ volatile("fninit\n\tldmxcsr %0" : : "m"(usual));
}

/* Makes everything ready for the next case. */
__attribute__((noinline)) static void next_case(void)
{
    const struct trial_case *it = case_at_work();
    for (int i = 0; i <= H_PROCESSOR; i++)
        header[i] = aside->header[i];
    header[H_INPUT_BYTES] = it->input_bytes;
    header[H_NONDET_BYTES] = it->nondet_bytes;
    header[H_ARGUMENTS] = it->arguments;
    header[H_ARGUMENT_BYTES] = it->argument_bytes;
    case_text = (const char *)BASE + it->text;
    fill((unsigned char *)TABLE, 0, 4 * block_count());
    aside->read = aside->written = aside->mask = 0;
    aside->is_wrong = 0;
    reset_arithmetic();
    uint64_t chooser = trial->chooser;
    if (chooser && &__wf_global_count && chooser <= (uint64_t)__wf_global_count)
        *(volatile uint32_t *)__wf_globals[chooser - 1].address = (uint32_t)choice_at_work()->number;
    uint64_t limit = header[H_PROCESSOR];
    uint64_t timer[4] = {0, 0, limit / 1000000, limit % 1000000};
    if (limit)
        __wf_system(SYS_setitimer, ITIMER_PROF, (long)timer, 0, 0, 0, 0);
}

/* Whether there is a case with input. */
static int is_any_read(void)
{
    const struct trial_case *all = (const struct trial_case *)(trial + 1);
    for (uint64_t i = 0; i < trial->cases; i++)
        if (all[i].stdin_bytes)
            return 1;
    return 0;
}

/* Returns for each case, from memory that is as it was. */
__attribute__((noinline)) static void try_cases(void)
{
    if (map((void *)ASIDE, round_up(sizeof *aside), MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1) != aside)
        leave(TRIED_NONE);
    for (int i = 0; i <= H_PROCESSOR; i++)
        aside->header[i] = header[i];
    is_shared = 1;
    prepare_streams(is_any_read());
    __builtin_setjmp(aside->jump);
    /* After that: what is found on the stack here has to be among what is put aside. */
    if (!aside->parts) {
        aside->pages = __wf_system(SYS_openat, AT_FDCWD, (long)"/proc/self/pagemap", O_RDONLY, 0, 0, 0);
        grow_stack();
        if (!handle_all() || !filter_calls() || !put_aside())
            leave(TRIED_NONE);
    }
    next_case();
}

/* In the server: whether a further process is to go on with the choices that are left. */
static int go_on(int32_t status)
{
    if (trial->next >= trial->choices || (WIFEXITED(status) && WEXITSTATUS(status) != TRIED_PART))
        return 0;
    if (!WIFEXITED(status)) {
        /* It was ended by what it did. */
        choice_at_work()->result = NOT_KNOWN;
        trial->next++;
    }
    return trial->next < trial->choices;
}
