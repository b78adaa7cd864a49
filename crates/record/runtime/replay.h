/* A part of runtime.c, for programs instrumented to be replayed: they count their blocks and take other values at
 * their points where a case wants that.
 *
 * The table of counters and flags is at an address that instrumented code knows; like the header it is in the file of
 * the runner, or private where there is none. */

#define TABLE 0x310000000000ul

extern const int __wf_block_count WEAK;
extern const int __wf_point_count WEAK;

uint64_t __wf_force(uint32_t point, uint64_t value);
uint64_t __wf_move(uint32_t point, uint64_t address);

/* As the runner writes it, ordered by point and occurrence. */
struct forced {
    uint32_t point, occurrence;
    uint64_t value;
};

static uint64_t block_count(void) { return &__wf_block_count ? (uint64_t)__wf_block_count : 0; }
static uint64_t point_count(void) { return &__wf_point_count ? (uint64_t)__wf_point_count : 0; }

/* The table: a counter of 32 bits for each block, a byte for each point that says whether something is wanted there, a
 * word to spare since several of those are read at a time, and a counter of 32 bits for each point. */
static unsigned char *flags(void) { return (unsigned char *)(TABLE + 4 * block_count()); }
static uint32_t *executed(void) { return (uint32_t *)round_to((uint64_t)flags() + point_count() + 8, 8); }
static uint64_t table_bytes(void) { return round_up((uint64_t)(executed() + point_count()) - TABLE); }

/* Maps the table, from the file where the runner left room for it; 0 if that is impossible. */
static int map_table(int file, uint64_t size)
{
    if (!block_count())
        return 1;
    uint64_t bytes = table_bytes(), offset = file >= 0 ? header[H_TABLE] : 0;
    int shared = offset != 0;
    if (shared && (offset > size || bytes > size - offset))
        return 0;
    int kind = shared ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
    return syscall(SYS_mmap, TABLE, bytes, PROT_READ | PROT_WRITE, kind | MAP_FIXED_NOREPLACE, shared ? file : -1,
                   offset) == (long)TABLE;
}

/* A forked process counts for itself, and nothing is wanted of it. */
static int leave_table(void)
{
    return !block_count() ||
           map((void *)TABLE, table_bytes(), MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1) != MAP_FAILED;
}

static const struct forced *forced_values(void)
{
    uint64_t text = header[H_INPUT_BYTES] + header[H_NONDET_BYTES] + header[H_ARGUMENT_BYTES];
    return (const struct forced *)(BASE + round_to(PAGE + text, 8));
}

/* What is wanted of this execution of a point; 0: nothing. */
static const struct forced *wanted(uint32_t point)
{
    /* Another point's flag may have brought us here. */
    if (!flags()[point])
        return 0;
    uint32_t occurrence = __atomic_fetch_add(&executed()[point], 1, __ATOMIC_RELAXED);
    const struct forced *all = forced_values();
    uint64_t low = 0, high = header[H_FORCED];
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (all[middle].point < point || (all[middle].point == point && all[middle].occurrence < occurrence))
            low = middle + 1;
        else
            high = middle;
    }
    if (low >= header[H_FORCED] || all[low].point != point || all[low].occurrence != occurrence)
        return 0;
    __atomic_fetch_add((uint64_t *)&header[H_APPLIED], 1, __ATOMIC_RELAXED);
    return &all[low];
}

uint64_t __wf_force(uint32_t point, uint64_t value)
{
    const struct forced *forced = wanted(point);
    return forced ? forced->value : value;
}

uint64_t __wf_move(uint32_t point, uint64_t address)
{
    const struct forced *forced = wanted(point);
    return forced ? address + forced->value : address;
}
