/* A part of runtime.c: where words go, and how they leave it.
 *
 * Instrumented code writes into one of two windows at the beginning of the events: so small that they stay in the cache,
 * and a part of the mapped file, so that whatever ends the program leaves them there. When one is full, its words are
 * packed and appended to the file behind both, as a piece, and writing goes on in the other. One store, of the number of
 * pieces, decides which of the two counts: of an even number the first, of an odd one the second. So a process may
 * be killed between any two instructions, and no word is lost or there twice. */

#define WINDOW_BYTES (128ul << 10)
/* A block may write a page beyond the limit. */
#define WINDOW_ROOM (WINDOW_BYTES + PAGE)

/* ---- Packing ---- */

/* A word is written as its difference from the one that is expected, in as many bytes as that has. Expected is what
 * followed the last time: behind a word with the highest bit set (a landmark; those that say where control is are such)
 * comes what came behind the last one alike. A piece has the number of its words and its length, a bit for each word that
 * says whether it differs, and the differences in groups: their lengths, and then their bytes. `src/packed.rs` says the
 * same in Rust. */
#define LANDMARKS 2048ul
#define GROUP 16ul
#define MOST (WINDOW_ROOM / 8)
#define PIECE_BYTES (8 + (MOST / 64 + 1) * 8 + MOST * 8 + (MOST / GROUP + 1) * 8 + 8)

static unsigned char piece[PIECE_BYTES];
static uint64_t differences[MOST + 1];
static uint16_t landmarks[LANDMARKS]; /* For each kind, one more than where the last one is. */

static void put_word(unsigned char *to, uint64_t word) { __builtin_memcpy(to, &word, sizeof word); }

/* Collects the differences and gives their number; those that are none only have a bit, at `bits`. */
static uint64_t differ(const uint64_t *words, uint64_t count, unsigned char *bits)
{
    const uint64_t *next = words - 1;
    uint64_t expected = 0, found = 0;
    for (uint64_t i = 0; i < LANDMARKS; i++)
        landmarks[i] = 0;
    for (uint64_t at = 0; at < count; bits += 8) {
        uint64_t differs = 0;
        for (unsigned bit = 0; bit < 64 && at < count; bit++, at++) {
            uint64_t word = words[at], difference = word - expected;
            differences[found] = difference;
            found += difference != 0;
            differs |= (uint64_t)(difference != 0) << bit;
            if ((int64_t)word < 0) {
                uint16_t *last = &landmarks[word % LANDMARKS];
                next = words + (*last ? *last : at);
                *last = (uint16_t)(at + 1);
            } else
                next++;
            expected = *next;
        }
        put_word(bits, differs);
    }
    return found;
}

/* Writes a group; gives where it ends. */
static inline __attribute__((always_inline)) unsigned char *put_group(unsigned char *to, const uint64_t *from, unsigned count)
{
    unsigned char *lengths_at = to;
    uint64_t lengths = 0;
    to += 8;
#pragma GCC unroll 16
    for (unsigned i = 0; i < count; i++) {
        /* Small in both directions. */
        uint64_t folded = from[i] << 1 ^ (uint64_t)((int64_t)from[i] >> 63);
        uint64_t bytes = (71 - (uint64_t)__builtin_clzl(folded)) / 8;
        put_word(to, folded);
        to += bytes;
        lengths |= bytes << 4 * i;
    }
    put_word(lengths_at, lengths);
    return to;
}

/* Gives the length of the piece, a multiple of 8. */
static uint64_t pack(const uint64_t *words, uint64_t count)
{
    uint64_t found = differ(words, count, piece + 8), at = 0;
    unsigned char *to = piece + 8 + (count + 63) / 64 * 8;
    for (; at + GROUP <= found; at += GROUP)
        to = put_group(to, differences + at, GROUP);
    if (at < found)
        to = put_group(to, differences + at, (unsigned)(found - at));
    put_word(to, 0);
    uint64_t length = round_to((uint64_t)(to - piece), 8);
    put_word(piece, count << 32 | (length - 8));
    return length;
}

/* ---- Appending ---- */

static uint64_t file_device, file_number; /* Of the recording. */
static int file_descriptor = -1;
static volatile int64_t busy; /* The thread that packs. */

static int is_recording(int file)
{
    struct stat found;
    return file >= 0 && syscall(SYS_fstat, file, &found) == 0 && found.st_dev == file_device && found.st_ino == file_number;
}

/* Keeps the file open, out of the way of the program's own descriptors. */
static void keep_open(int file)
{
    struct stat found;
    if (syscall(SYS_fstat, file, &found) != 0)
        return;
    file_device = found.st_dev;
    file_number = found.st_ino;
    for (long from = 900; from > 2 && file_descriptor < 0; from /= 2)
        file_descriptor = (int)syscall(SYS_fcntl, file, F_DUPFD_CLOEXEC, from);
}

static void close_recording(void)
{
    if (is_recording(file_descriptor))
        syscall(SYS_close, file_descriptor);
    file_descriptor = -1;
}

static int may_write(uint64_t end)
{
    struct rlimit limit;
    return syscall(SYS_prlimit64, 0L, RLIMIT_FSIZE, 0L, &limit) == 0 && end <= limit.rlim_cur;
}

/* Appends a piece at an address of the mapping; 0 if there is no room. Writing to the file is much faster than to new pages of
 * the mapping, which is for programs that close descriptors they do not know or may not write so large files. */
static int append(uint64_t address, uint64_t bytes, uint64_t room_end)
{
    if (bytes > room_end - address)
        return 0;
    uint64_t offset = address - BASE;
    if (may_write(offset + bytes) && is_recording(file_descriptor))
        return syscall(SYS_pwrite64, file_descriptor, piece, bytes, offset) == (long)bytes;
    for (uint64_t i = 0; i < bytes; i += 8)
        __builtin_memcpy((char *)address + i, piece + i, 8);
    return 1;
}

static uint64_t window_at(volatile uint64_t *own, uint64_t pieces) { return own[H_EVENTS] + (pieces & 1) * WINDOW_ROOM; }

static void set_limit(volatile uint64_t *own)
{
    own[H_LIMIT] = window_at(own, own[H_PIECES]) + minimum(WINDOW_BYTES, 8 * own[H_WORDS_LEFT]);
}

static void open_window(volatile uint64_t *own, uint64_t pieces)
{
    set_limit(own);
    own[H_CURSOR] = window_at(own, pieces);
}

/* What the window has becomes a piece; 0 if the recording has to end. */
static int leave_window(volatile uint64_t *own, uint64_t pieces)
{
    uint64_t count = (own[H_CURSOR] - window_at(own, pieces)) / 8;
    if (count > MOST || count >= own[H_WORDS_LEFT])
        return 0;
    uint64_t bytes = pack((const uint64_t *)window_at(own, pieces), count), end = own[H_PACKED];
    if (!append(end, bytes, own[H_ROOM_END]))
        return 0;
    /* A signal handler may have come before us, and control may never have come back here otherwise. */
    if (own[H_PIECES] != pieces || own[H_STATE] != S_RECORDING)
        return 1;
    own[H_WORDS_LEFT] -= count;
    own[H_PACKED] = end + bytes;
    own[H_PACKED_WORDS] += count;
    own[H_PIECES] = pieces + 1;
    open_window(own, pieces + 1);
    return 1;
}

/* Handlers of signals are instrumented too: they wait, except for those of what this very code would do wrong. */
static const uint64_t waiting = ~(1ul << (SIGSEGV - 1) | 1ul << (SIGBUS - 1) | 1ul << (SIGFPE - 1) | 1ul << (SIGILL - 1) |
                                  1ul << (SIGTRAP - 1) | 1ul << (SIGSYS - 1) | 1ul << (SIGABRT - 1));

/* How often a thread offers the processor to the one that packs before it takes it for one that never comes back: it
 * was left by a handler. */
#define PATIENCE 1000000ul

/* Whether the thread may pack: one at a time does, and a handler that comes in between on the same one. */
static int may_pack(int64_t self)
{
    for (uint64_t tries = 0; tries < PATIENCE; tries++) {
        int64_t nobody = 0;
        if (__atomic_compare_exchange_n(&busy, &nobody, self, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) || nobody == self)
            return 1;
        /* Another thread in a program that should have none. */
        if (!&__wf_threaded)
            return 0;
        syscall(SYS_sched_yield);
    }
    return 0;
}

static void next_window(volatile uint64_t *own)
{
    int64_t self = syscall(SYS_gettid);
    uint64_t before = 0;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &waiting, &before, sizeof waiting);
    if (!may_pack(self))
        stop(own, &__wf_threaded ? S_FULL : S_THREADS);
    else {
        if (!leave_window(own, own[H_PIECES]))
            stop(own, S_FULL);
        __atomic_store_n(&busy, 0, __ATOMIC_SEQ_CST);
    }
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, 0L, sizeof before);
}
