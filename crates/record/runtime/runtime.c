/* The runtime that is linked into every instrumented program, be it to record its run or to be replayed.
 *
 * Instrumented code appends 64-bit words at the cursor, which lives with a header in a file mapped shared at a fixed
 * address: whatever ends the program, the words written so far are in the file, the last ones as they are, those before
 * them packed (window.h). When there is no file, or no more room, the cursor runs round in a scratch area instead and the
 * program goes on unrecorded. Each thread writes at a cursor of its own (threads.h).
 *
 * The layout of the file is known to one other place, `src/layout.rs`.
 *
 * The program may define functions named like those of the C library (its own `memcpy`, `write`, `read`), and they
 * are instrumented. So nothing here calls the library before the mapping stands, apart from `syscall`. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

#define BASE 0x300000000000ul
#define PAGE 4096ul
#define OBJECTS 0x200000000000ul
#define OBJECT_ROOM (16ul << 20)
#define VERSION 3ul
#define MAGIC 0x524f464552454857ul /* "WHEREFOR" */
#define SNAPSHOT_LIMIT (16ul << 20)
/* Most words of a recording, unless the runner says otherwise: what a reader can have in its memory. */
#define MOST_WORDS (1ul << 28)

/* Words of the header. */
enum {
    H_MAGIC,          /* written by the runtime that claims the file */
    H_CURSOR,         /* address of the next word */
    H_LIMIT,          /* instrumented code calls __wf_full when the cursor is above it, and may write a page beyond it */
    H_STATE,          /* one of the states below */
    H_FORKS,          /* forks seen */
    H_NONDET_USED,    /* nondeterministic values taken from those given */
    H_NONDET_MISSING, /* nondeterministic values asked for after they ran out */
    H_FLAGS,          /* bits below */
    H_TABLE_WORDS,    /* length of the tables, 0: none */
    H_VERSION,        /* version of the runtime */
    H_EVENTS,         /* address of the first window, which the second and the pieces follow */
    H_END,            /* address after the last event, once the state is not S_RECORDING */
    H_INPUT_BYTES,    /* by the runner: length of the inputs' text, which follows the header page */
    H_NONDET_BYTES,   /* by the runner: length of the text of nondeterministic values, which follows that */
    H_EVENT_BYTES,    /* by the runner: room for events as they are written; 0: what is left of the file */
    H_OFF,            /* by the runner: 1: read the inputs, record nothing */
    H_CONTROL,        /* by the runner: the descriptor on which it asks for cases; 0: this is the only run */
    H_TABLE,          /* by the runner: where in the file the table of a replayed program has room; 0: nowhere */
    H_BLOCKS,         /* blocks that are counted; 0: the program is not made to be replayed */
    H_POINTS,         /* points that may take other values */
    H_ARGUMENTS,      /* by the runner: number of arguments of a case */
    H_ARGUMENT_BYTES, /* by the runner: their length, each with its zero byte; they follow the nondeterministic values */
    H_FORCED,         /* by the runner: number of values to force; they follow that, aligned */
    H_APPLIED,        /* forced values that were used */
    H_PROCESSOR,      /* by the runner: microseconds of a processor that a case may take; 0: as many as it wants */
    H_MOST_WORDS,     /* by the runner: about so many words are recorded; 0: MOST_WORDS */
    H_PIECES,         /* pieces that are written */
    H_PACKED,         /* address after the last piece */
    H_PACKED_WORDS,   /* words in them */
    H_ROOM_END,       /* address where pieces have no more room */
    H_WORDS_LEFT,     /* how many more words may be recorded, those of the current window included */
    H_STARTS,         /* calls that start threads */
    H_THREADS,        /* threads but the first one that ran instrumented code */
    H_AREAS,          /* by the runner: how many of them have room, at the end of the file */
    H_ENDED_IN        /* address of the header of the thread in which the run ended, where that is known */
};
enum { S_RECORDING, S_FULL, S_THREADS, S_OFF };
enum { F_BEGAN = 1, F_ASSUMPTION = 2 };

/* Tables of the instrumented program; absent when nothing in it was instrumented. */
struct global {
    void *address;
    unsigned long size;
};
#define WEAK __attribute__((weak))
extern const int __wf_global_count WEAK;
extern const struct global __wf_globals[] WEAK;
extern const int __wf_function_count WEAK;
extern void *const __wf_functions[] WEAK;
extern const int __wf_external_count WEAK;
extern void *const __wf_externals[] WEAK;
extern const int __wf_shape_count WEAK;
extern const uint64_t __wf_shapes[] WEAK;

void __wf_full(void);
void __wf_threads(void);
void __wf_seen(const void *place, uint64_t bytes, uint64_t how);
void __wf_begin(void);
unsigned long __wf_argument(int index, int bits);

static volatile uint64_t *const header = (volatile uint64_t *)BASE;

/* Where the cursor runs round. Threads race on it: each may be a page beyond the limit, hence the long tail, of which
 * only touched pages cost anything. */
#define RING_BYTES (16ul << 10)
static uint64_t ring[(RING_BYTES + (1ul << 20)) / 8];

/* The header of a thread that has not written yet: it asks for room with its first word. */
static uint64_t unseen[H_ENDED_IN + 1] = {[H_CURSOR] = 1, [H_STATE] = S_OFF};

/* The header of the calling thread, where words that it writes are counted: of the first thread, that of the file. Only the
 * code of programs that may start threads looks here; the others' writes to the file's at once. */
extern const int __wf_threaded WEAK;
extern _Thread_local volatile uint64_t *__wf_own;
_Thread_local volatile uint64_t *__wf_own __attribute__((tls_model("initial-exec"))) = unseen;

static volatile uint64_t *own_header(void) { return &__wf_threaded ? __wf_own : header; }

/* Text: inputs as `a<index>=<bytes>;g<id>=<bytes>;...`, bytes in hexadecimal in the order of memory, with `s:` before
 * them for a pointer to a copy; nondeterministic values as hexadecimal numbers with commas. */
struct text {
    const char *at, *end;
};
static struct text inputs, nondet;
static unsigned long mapped_bytes;
/* Where the texts of the case begin: behind the header, unless a trial has many. */
static const char *case_text = (const char *)BASE + PAGE;

static uint64_t minimum(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t round_to(uint64_t value, uint64_t unit) { return (value + unit - 1) & ~(unit - 1); }
static uint64_t round_up(uint64_t value) { return round_to(value, PAGE); }

static void say(const char *message)
{
    size_t length = 0;
    while (message[length])
        length++;
    long written = syscall(SYS_write, 2, message, length);
    (void)written; /* There is nowhere else to say it. */
}

static void *map(void *where, unsigned long bytes, int flags, int file)
{
    return (void *)syscall(SYS_mmap, where, bytes, PROT_READ | PROT_WRITE, flags, file, 0L);
}

static void to_ring(volatile uint64_t *own)
{
    own[H_LIMIT] = (uint64_t)ring + RING_BYTES;
    own[H_CURSOR] = (uint64_t)ring;
}

/* Ends the recording of a thread, once; the end is in place before the state says that it counts. */
static void stop(volatile uint64_t *own, uint64_t state)
{
    uint64_t none = 0;
    if (__atomic_compare_exchange_n((uint64_t *)&own[H_END], &none, own[H_CURSOR], 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        own[H_STATE] = state;
    to_ring(own);
}

#include "window.h"

#include "signals.h"

#include "threads.h"

static void make_room(void)
{
    volatile uint64_t *own = own_header();
    if (own == unseen)
        begin_thread();
    else if (own[H_STATE] != S_RECORDING)
        own[H_CURSOR] = (uint64_t)ring;
    else {
        set_limit(own);
        if (own[H_CURSOR] > own[H_LIMIT])
            next_window(own);
    }
}

/* Called by instrumented code between two words. */
void __wf_full(void)
{
    int before = errno;
    make_room();
    if (late)
        come_late(own_header());
    errno = before;
}

/* ---- Memory that a function of the library read or wrote ---- */

enum { SEEN_TEXT = 1, SEEN_BEHIND = 2 };
#define SEEN (0x5EE1ul << 48)
#define SEEN_AS_TEXT (1ul << 32)
#define SEEN_BYTES 2048ul /* in one piece, so that a piece fits behind the limit */
#define SEEN_MOST (64ul << 10)

static int is_mapped(const void *page)
{
    unsigned char resident;
    int before = errno;
    int mapped = syscall(SYS_mincore, page, PAGE, &resident) == 0;
    errno = before;
    return mapped;
}

/* One piece: how many bytes and how they were read, where they are, and the bytes. Gives the number of bytes; a text
 * has ended when that is less than what was asked for. */
static uint64_t seen_piece(volatile uint64_t *own, const unsigned char *at, uint64_t most, uint64_t how)
{
    if (own[H_CURSOR] > own[H_LIMIT])
        make_room();
    uint64_t *to = (uint64_t *)own[H_CURSOR];
    uint64_t count = 0, word = 0;
    int ended = 0;
    while (count < most && !ended) {
        const unsigned char *byte = at + count;
        /* What the function did not have to read need not be there. */
        if (count && !((uint64_t)byte & (PAGE - 1)) && !is_mapped(byte))
            break;
        unsigned char value = *(const volatile unsigned char *)byte;
        word |= (uint64_t)value << (8 * (count & 7));
        count++;
        if (!(count & 7)) {
            to[1 + count / 8] = word;
            word = 0;
        }
        ended = (how & SEEN_TEXT) && !value;
    }
    if (count & 7)
        to[2 + count / 8] = word;
    to[0] = SEEN | (how & SEEN_TEXT ? SEEN_AS_TEXT : 0) | count;
    to[1] = (uint64_t)at;
    own[H_CURSOR] = (uint64_t)(to + 2 + (count + 7) / 8);
    return ended ? 0 : count;
}

void __wf_seen(const void *place, uint64_t bytes, uint64_t how)
{
    if (how & SEEN_BEHIND && place)
        place = *(void *const *)place;
    volatile uint64_t *own = own_header();
    /* A negative number says that a function has failed. */
    if (!place || (int64_t)bytes <= 0 || own[H_STATE] != S_RECORDING)
        return;
    bytes = minimum(bytes, SEEN_MOST);
    const unsigned char *at = place;
    while (bytes) {
        uint64_t asked = minimum(bytes, SEEN_BYTES), count = seen_piece(own, at, asked, how);
        if (count < asked)
            break;
        at += count;
        bytes -= count;
    }
    if (own[H_CURSOR] > own[H_LIMIT])
        make_room();
    if (late)
        ask_soon(own);
}

/* ---- Inputs ---- */

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* The next byte in hexadecimal, -1 at the end. */
static int next_byte(struct text *text)
{
    if (text->end - text->at < 2)
        return -1;
    int high = digit(text->at[0]), low = digit(text->at[1]);
    if (high < 0 || low < 0)
        return -1;
    text->at += 2;
    return high << 4 | low;
}

struct item {
    char kind;
    unsigned long number;
    int pointer;
    struct text bytes;
};

/* A copy of the bytes of an input, with zeros behind. Each input has pages of its own, at the same address in every run
 * (`object_address` of the runner knows it): whoever compares runs can compare pointers. No allocator of the program is
 * called. */
static uint64_t copy_object(const struct item *item)
{
    uint64_t place = OBJECTS + ((item->number & 0x7fff) + (item->kind == 'g' ? 0x8000 : 0)) * OBJECT_ROOM;
    uint64_t bytes = round_up((uint64_t)(item->bytes.end - item->bytes.at) / 2 + 1) + PAGE;
    /* Where it is there already, constructors have run since: it is written again. */
    int saved = errno;
    void *pages = map((void *)place, bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1);
    int is_there = pages == (void *)place || (pages == MAP_FAILED && errno == EEXIST);
    errno = saved;
    if (bytes > OBJECT_ROOM || !is_there) {
        say("wherefore: no memory for an input\n");
        syscall(SYS_exit_group, 127);
    }
    struct text text = item->bytes;
    volatile unsigned char *to = (unsigned char *)place;
    for (int byte; (byte = next_byte(&text)) >= 0;)
        *to++ = (unsigned char)byte;
    *to = 0;
    return place;
}

/* Takes the next item of the inputs off `text`; 0 at the end or where the text is not understood. */
static int next_item(struct text *text, struct item *item)
{
    if (text->end - text->at < 2)
        return 0;
    item->kind = *text->at++;
    item->number = 0;
    while (text->at < text->end && *text->at >= '0' && *text->at <= '9')
        item->number = item->number * 10 + (unsigned long)(*text->at++ - '0');
    if (text->at >= text->end || *text->at++ != '=')
        return 0;
    item->pointer = text->end - text->at >= 2 && text->at[0] == 's' && text->at[1] == ':';
    if (item->pointer)
        text->at += 2;
    item->bytes.at = text->at;
    while (text->at < text->end && *text->at != ';')
        text->at++;
    item->bytes.end = text->at;
    if (text->at < text->end)
        text->at++;
    return 1;
}

static void set_globals(void)
{
    if (!&__wf_global_count)
        return;
    struct text text = inputs;
    struct item item;
    while (next_item(&text, &item)) {
        if (item.kind != 'g' || item.number >= (unsigned long)__wf_global_count)
            continue;
        const struct global *global = &__wf_globals[item.number];
        volatile unsigned char *to = global->address;
        if (!to)
            continue;
        if (item.pointer) {
            uint64_t pointer = copy_object(&item);
            for (unsigned long i = 0; i < 8 && i < global->size; i++)
                to[i] = (unsigned char)(pointer >> 8 * i);
        } else {
            int byte;
            for (unsigned long i = 0; i < global->size && (byte = next_byte(&item.bytes)) >= 0; i++)
                to[i] = (unsigned char)byte;
        }
    }
}

void __wf_begin(void)
{
    set_globals(); /* Again: constructors of the program may have changed them. */
    header[H_FLAGS] |= F_BEGAN;
}

unsigned long __wf_argument(int index, int bits)
{
    struct text text = inputs;
    struct item item;
    while (next_item(&text, &item)) {
        if (item.kind != 'a' || index < 0 || item.number != (unsigned long)index)
            continue;
        if (item.pointer)
            return copy_object(&item);
        unsigned long value = 0;
        int byte;
        for (int shift = 0; shift < 64 && (byte = next_byte(&item.bytes)) >= 0; shift += 8)
            value |= (unsigned long)byte << shift;
        return bits > 0 && bits < 64 ? value & ((1ul << bits) - 1) : value;
    }
    return 0;
}

/* ---- Replay ---- */

#include "replay.h"

/* ---- Start ---- */

/* Writes the tables at `table` and returns the word after them; 0 when there is no room, which a file made by the
 * runner has for any program that can be linked. */
static uint64_t *write_tables(uint64_t *table, uint64_t *end)
{
    uint64_t globals = &__wf_global_count ? (uint64_t)__wf_global_count : 0;
    uint64_t functions = &__wf_function_count ? (uint64_t)__wf_function_count : 0;
    uint64_t externals = &__wf_external_count ? (uint64_t)__wf_external_count : 0;
    uint64_t shapes = &__wf_shape_count ? (uint64_t)__wf_shape_count : 0;
    uint64_t needed = 4 + 3 * globals + functions + externals + shapes;
    uint64_t room = (uint64_t)(end - table);
    if (needed > room / 2)
        return 0;
    uint64_t budget = minimum(SNAPSHOT_LIMIT / 8, (room - needed) / 4);

    *table++ = globals;
    for (uint64_t i = 0; i < globals; i++) {
        const unsigned char *from = __wf_globals[i].address;
        uint64_t bytes = from ? __wf_globals[i].size : 0;
        uint64_t words = bytes / 8 + (bytes % 8 != 0);
        if (words > budget)
            bytes = words = 0;
        budget -= words;
        *table++ = (uint64_t)from;
        *table++ = __wf_globals[i].size;
        *table++ = bytes;
        for (; bytes >= 8; bytes -= 8, from += 8)
            __builtin_memcpy(table++, from, 8);
        if (bytes) {
            uint64_t word = 0;
            for (uint64_t k = 0; k < bytes; k++)
                word |= (uint64_t)from[k] << 8 * k;
            *table++ = word;
        }
    }
    *table++ = functions;
    for (uint64_t i = 0; i < functions; i++)
        *table++ = (uint64_t)__wf_functions[i];
    *table++ = externals;
    for (uint64_t i = 0; i < externals; i++)
        *table++ = (uint64_t)__wf_externals[i];
    *table++ = shapes;
    for (uint64_t i = 0; i < shapes; i++)
        *table++ = __wf_shapes[i];
    return table;
}

static void before_nothing(void) {}

static void in_parent(void) { __atomic_fetch_add((uint64_t *)&header[H_FORKS], 1, __ATOMIC_RELAXED); }

/* The child of a fork gets a header of its own and is not recorded. The inputs stay mapped: it may read on. */
static void in_child(void)
{
    int saved = errno;
    uint64_t text_end = round_up(BASE + PAGE + header[H_INPUT_BYTES] + header[H_NONDET_BYTES]);
    uint64_t flags = header[H_FLAGS];
    if (map((void *)BASE, PAGE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1) == MAP_FAILED || !leave_table()) {
        say("wherefore: a forked process cannot leave the recording\n");
        syscall(SYS_exit_group, 127);
    }
    if (text_end < BASE + mapped_bytes)
        syscall(SYS_munmap, text_end, BASE + mapped_bytes - text_end);
    close_recording();
    header[H_STATE] = S_OFF;
    header[H_FLAGS] = flags;
    to_ring(header);
    __wf_own = header;
    errno = saved;
}

/* Opens what WHEREFORE_RECORDING names: a path, or `fd:<number>` for a file that is open already. */
static int open_recording(const char *name)
{
    if (name[0] == 'f' && name[1] == 'd' && name[2] == ':') {
        int file = 0;
        for (name += 3; *name >= '0' && *name <= '9' && file < 1000000; name++)
            file = file * 10 + (*name - '0');
        return file;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, name, O_RDWR | O_CLOEXEC, 0);
}

static void need_table(int file, uint64_t size)
{
    if (!map_table(file, size)) {
        say("wherefore: cannot map the table of the replay\n");
        syscall(SYS_exit_group, 127);
    }
}

/* Maps the file and claims it; 0 if it is none of ours or another program of this run records already. */
static int map_recording(const char *name)
{
    int file = open_recording(name);
    if (file < 0)
        return 0;
    long size = syscall(SYS_lseek, file, 0L, SEEK_END);
    void *at = MAP_FAILED;
    if (size >= (long)PAGE)
        at = map((void *)BASE, (unsigned long)size, MAP_SHARED | MAP_FIXED_NOREPLACE, file);
    if (at == MAP_FAILED) {
        syscall(SYS_close, file);
        return 0;
    }
    uint64_t none = 0;
    if (at != (void *)BASE || header[H_INPUT_BYTES] > (uint64_t)size || header[H_NONDET_BYTES] > (uint64_t)size ||
        PAGE + header[H_INPUT_BYTES] + header[H_NONDET_BYTES] > (uint64_t)size ||
        !__atomic_compare_exchange_n((uint64_t *)&header[H_MAGIC], &none, MAGIC, 0, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST)) {
        syscall(SYS_munmap, at, size);
        syscall(SYS_close, file);
        return 0;
    }
    need_table(file, (uint64_t)size);
    if (!header[H_OFF])
        keep_open(file);
    syscall(SYS_close, file);
    header[H_BLOCKS] = block_count();
    header[H_POINTS] = point_count();
    mapped_bytes = (unsigned long)size;
    return 1;
}

static void start_recording(void)
{
    uint64_t file_end = first_area();
    header[H_VERSION] = VERSION;
    inputs.at = case_text;
    inputs.end = nondet.at = inputs.at + header[H_INPUT_BYTES];
    nondet.end = nondet.at + header[H_NONDET_BYTES];
    set_globals();

    uint64_t table = round_up((uint64_t)nondet.end + header[H_ARGUMENT_BYTES]);
    uint64_t *after = 0;
    if (!header[H_OFF] && table < file_end)
        after = write_tables((uint64_t *)table, (uint64_t *)file_end);
    uint64_t events = after ? round_up((uint64_t)after) : table;
    header[H_TABLE_WORDS] = after ? ((uint64_t)after - table) / 8 : 0;
    header[H_CURSOR] = events;
    header[H_EVENTS] = events; /* Says that there is a recording. */

    uint64_t end = file_end, first_piece = events + 2 * WINDOW_ROOM;
    if (header[H_EVENT_BYTES] && events + header[H_EVENT_BYTES] < end)
        end = events + header[H_EVENT_BYTES];
    if (header[H_OFF])
        stop(header, S_OFF);
    else if (!after || end < first_piece)
        stop(header, S_FULL);
    else {
        header[H_PACKED] = first_piece;
        header[H_ROOM_END] = end;
        header[H_WORDS_LEFT] = header[H_MOST_WORDS] ? header[H_MOST_WORDS] : MOST_WORDS;
        open_window(header, 0);
    }
    if (header[H_AREAS] && pthread_key_create(&ends, end_thread))
        header[H_AREAS] = 0;
    if (pthread_atfork(before_nothing, in_parent, in_child))
        say("wherefore: forked processes may disturb the recording\n");
}

#include "trial.h"

#include "server.h"

static size_t length_of(const char *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}

/* The value if the variable has the name. */
static const char *value_of(const char *variable, const char *name)
{
    for (; *name; name++, variable++)
        if (*variable != *name)
            return 0;
    return *variable == '=' ? variable + 1 : 0;
}

static void start(int count, char **arguments, char **environment)
{
    (void)count;
    (void)arguments;
    int saved = errno;
    __wf_own = header;
    const char *recording = 0, *input_text = 0, *nondet_text = 0;
    char **kept = environment;
    for (char **variable = environment; *variable; variable++) {
        const char *value;
        if ((value = value_of(*variable, "WHEREFORE_RECORDING")))
            recording = value;
        else if ((value = value_of(*variable, "WHEREFORE_INPUTS")))
            input_text = value;
        else if ((value = value_of(*variable, "WHEREFORE_NONDET")))
            nondet_text = value;
        else
            *kept++ = *variable;
    }
    *kept = 0;

    if (recording && map_recording(recording)) {
        if (header[H_CONTROL])
            serve();
        start_recording();
    } else {
        /* Run by hand, or under a program that is recorded: a header and the ring are all it needs. */
        if (map((void *)BASE, PAGE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1) != (void *)BASE) {
            say("wherefore: cannot map the recording's header\n");
            syscall(SYS_exit_group, 127);
        }
        header[H_STATE] = S_OFF;
        to_ring(header);
        need_table(-1, 0);
        if (input_text)
            inputs = (struct text){input_text, input_text + length_of(input_text)};
        if (nondet_text)
            nondet = (struct text){nondet_text, nondet_text + length_of(nondet_text)};
        set_globals();
    }
    errno = saved;
}

__attribute__((section(".preinit_array"), used)) static void (*const preinit)(int, char **, char **) = start;

/* POSIX lets vfork be fork; a child in the parent's memory would write into the parent's recording. */
WEAK pid_t vfork(void);
WEAK pid_t vfork(void) { return fork(); }

/* ---- What verifiers give a program ---- */

static uint64_t next_nondet(void)
{
    struct text text = nondet;
    if (text.at >= text.end) {
        header[H_NONDET_MISSING]++;
        return 0;
    }
    uint64_t value = 0;
    for (; text.at < text.end && *text.at != ','; text.at++)
        if (digit(*text.at) >= 0)
            value = value << 4 | (uint64_t)digit(*text.at);
    nondet.at = text.at < text.end ? text.at + 1 : text.at;
    header[H_NONDET_USED]++;
    return value;
}

#define NONDET(name, type)                                                                                             \
    WEAK type __VERIFIER_nondet_##name(void);                                                                          \
    WEAK type __VERIFIER_nondet_##name(void) { return (type)next_nondet(); }

NONDET(_Bool, _Bool)
NONDET(bool, _Bool)
NONDET(char, char)
NONDET(schar, signed char)
NONDET(signed_char, signed char)
NONDET(uchar, unsigned char)
NONDET(unsigned_char, unsigned char)
NONDET(short, short)
NONDET(short_int, short)
NONDET(ushort, unsigned short)
NONDET(unsigned_short, unsigned short)
NONDET(int, int)
NONDET(uint, unsigned)
NONDET(unsigned, unsigned)
NONDET(unsigned_int, unsigned)
NONDET(long, long)
NONDET(long_int, long)
NONDET(ulong, unsigned long)
NONDET(unsigned_long, unsigned long)
NONDET(longlong, long long)
NONDET(long_long, long long)
NONDET(ulonglong, unsigned long long)
NONDET(unsigned_long_long, unsigned long long)
NONDET(s8, int8_t)
NONDET(s16, int16_t)
NONDET(s32, int32_t)
NONDET(s64, int64_t)
NONDET(u8, uint8_t)
NONDET(u16, uint16_t)
NONDET(u32, uint32_t)
NONDET(u64, uint64_t)
NONDET(int8_t, int8_t)
NONDET(int16_t, int16_t)
NONDET(int32_t, int32_t)
NONDET(int64_t, int64_t)
NONDET(uint8_t, uint8_t)
NONDET(uint16_t, uint16_t)
NONDET(uint32_t, uint32_t)
NONDET(uint64_t, uint64_t)
NONDET(size_t, size_t)
NONDET(ssize_t, ssize_t)
NONDET(intptr_t, intptr_t)
NONDET(uintptr_t, uintptr_t)
NONDET(loff_t, long long)
NONDET(off_t, long)
NONDET(sector_t, unsigned long)
NONDET(pthread_t, unsigned long)
NONDET(time_t, long)
NONDET(wchar_t, wchar_t)
NONDET(pointer, void *)
NONDET(charp, char *)
NONDET(pchar, char *)
NONDET(const_char_pointer, const char *)
#ifdef __SIZEOF_INT128__
/* A value has 64 bits: the sign or zeros fill the rest. */
WEAK __int128 __VERIFIER_nondet_int128(void);
WEAK __int128 __VERIFIER_nondet_int128(void) { return (int64_t)next_nondet(); }
NONDET(uint128, unsigned __int128)
#endif

WEAK float __VERIFIER_nondet_float(void);
WEAK float __VERIFIER_nondet_float(void)
{
    union {
        uint32_t bits;
        float value;
    } u = {.bits = (uint32_t)next_nondet()};
    return u.value;
}

WEAK double __VERIFIER_nondet_double(void);
WEAK double __VERIFIER_nondet_double(void)
{
    union {
        uint64_t bits;
        double value;
    } u = {.bits = next_nondet()};
    return u.value;
}

/* One value for each byte. */
WEAK void __VERIFIER_nondet_memory(void *to, size_t bytes);
WEAK void __VERIFIER_nondet_memory(void *to, size_t bytes)
{
    for (volatile unsigned char *byte = to; bytes; bytes--)
        *byte++ = (unsigned char)next_nondet();
}

/* What is called in the place of a function that is nowhere defined and gives nothing. */
WEAK void __wf_nothing(void);
WEAK void __wf_nothing(void) {}

/* Where a question is asked: whoever follows the run sees what it is given. */
WEAK void __wf_question(int holds);
WEAK void __wf_question(int holds __attribute__((unused))) {}

/* A check has failed. Where many cases share a process, what is said about it is nobody's, and it cannot pass any more. */
__attribute__((noreturn)) static void fail(const char *says)
{
    fail_in_trial();
    say(says);
    abort();
}

/* What `assert` calls: the library makes a text of it first, which takes longer than most cases. */
typedef void assert_fail(const char *, const char *, unsigned, const char *);
WEAK assert_fail __assert_fail;
WEAK void __assert_fail(const char *assertion, const char *file, unsigned line, const char *function)
{
    fail_in_trial();
    assert_fail *real;
    *(void **)&real = dlsym(RTLD_NEXT, "__assert_fail");
    if (real)
        real(assertion, file, line, function);
    abort();
}

#define ERROR(name, says)                                                                                              \
    WEAK void name(void);                                                                                              \
    WEAK void name(void)                                                                                               \
    {                                                                                                                  \
        fail(says " was reached\n");                                                                                   \
    }

ERROR(__VERIFIER_error, "__VERIFIER_error")
ERROR(reach_error, "reach_error")
ERROR(__wf_label, "the error label")
/* No C compiler lets anybody define it by its own name. */
void __wf_unreachable(void) __asm__("__builtin_unreachable");
ERROR(__wf_unreachable, "__builtin_unreachable")

#define ASSERT(name, parameters)                                                                                       \
    WEAK void name parameters;                                                                                         \
    WEAK void name parameters                                                                                          \
    {                                                                                                                  \
        if (!condition)                                                                                                \
            fail(#name " failed\n");                                                                                   \
    }

ASSERT(__VERIFIER_assert, (int condition))
ASSERT(sniper_assert, (int condition))
ASSERT(assert, (int condition))
ASSERT(__CPROVER_assert, (int condition, const char *says __attribute__((unused))))

/* Not a run of the program at all: it ends here, quietly, and the header says why. */
#define ASSUME(name)                                                                                                   \
    WEAK void name(int condition);                                                                                     \
    WEAK void name(int condition)                                                                                      \
    {                                                                                                                  \
        if (!condition) {                                                                                              \
            header[H_FLAGS] |= F_ASSUMPTION;                                                                           \
            syscall(SYS_exit_group, 0);                                                                                \
        }                                                                                                              \
    }

ASSUME(__VERIFIER_assume)
ASSUME(__CPROVER_assume)
ASSUME(assume_abort_if_not)
ASSUME(assume_cycle_if_not)
ASSUME(assume)

static pthread_mutex_t atomic_section = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

WEAK void __VERIFIER_atomic_begin(void);
WEAK void __VERIFIER_atomic_begin(void) { pthread_mutex_lock(&atomic_section); }

WEAK void __VERIFIER_atomic_end(void);
WEAK void __VERIFIER_atomic_end(void) { pthread_mutex_unlock(&atomic_section); }
