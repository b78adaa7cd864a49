/* Linked into every executable that `wherefore cc` makes. Such an executable is the one that clang makes, and does nothing
 * else; it has its instrumented twin in a section that nothing loads. Where WHEREFORE_RECORD names a directory, the
 * process makes a recording there and becomes the twin, before anything of the program has run. Whatever does not
 * work out, the program runs as it is.
 *
 * The program may define functions of any name: nothing of the library is called but `syscall`. */

#define _GNU_SOURCE
#include "kept.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PATH_MOST 4096
#define SECTION ".wherefore.twin"
/* What leads from beside the twin's directory to that of this executable: the twin looks for libraries there. */
#define ORIGIN "/origin"
/* Words of the header that the runtime expects of whoever makes the file (runtime.c). */
#define H_EVENT_BYTES 14
#define H_AREAS 33
/* Room for tables, and for events unless WHEREFORE_RECORD_MIB says otherwise; the file has holes, so room costs nothing. */
#define TABLE_ROOM (64ul << 20)
#define EVENT_MIB 256ul
/* Areas of threads, as the runtime has them (threads.h). */
#define AREAS 32ul
#define AREA_BYTES (16ul << 20)
/* Left free on the disk. */
#define RESERVE (64ul << 20)

static void say(const char *message)
{
    long written = syscall(SYS_write, 2, message, length_of(message));
    (void)written; /* There is nowhere else to say it. */
}

static int read_at(int file, void *to, unsigned long bytes, unsigned long offset)
{
    return syscall(SYS_pread64, file, to, bytes, offset) == (long)bytes;
}

static int is_section(int file, const Elf64_Shdr *names, uint32_t name)
{
    char found[sizeof SECTION];
    if (!read_at(file, found, sizeof found, names->sh_offset + name))
        return 0;
    for (unsigned i = 0; i < sizeof found; i++)
        if (found[i] != SECTION[i])
            return 0;
    return 1;
}

/* Where the twin is in this executable, with its number; 0 if there is none. */
static int find_twin(int file, uint64_t *offset, uint64_t *bytes, uint64_t *number)
{
    Elf64_Ehdr header;
    Elf64_Shdr names, section;
    if (!read_at(file, &header, sizeof header, 0) || header.e_shentsize != sizeof section ||
        !read_at(file, &names, sizeof names, header.e_shoff + (uint64_t)header.e_shstrndx * sizeof names))
        return 0;
    /* It was added last. */
    for (unsigned i = header.e_shnum; i-- > 0;) {
        uint64_t start[2];
        if (!read_at(file, &section, sizeof section, header.e_shoff + (uint64_t)i * sizeof section))
            return 0;
        if (section.sh_size <= sizeof start || !is_section(file, &names, section.sh_name))
            continue;
        if (!read_at(file, start, sizeof start, section.sh_offset))
            return 0;
        *offset = section.sh_offset + sizeof start;
        *bytes = section.sh_size - sizeof start;
        *number = start[1];
        return 1;
    }
    return 0;
}

/* A path being put together; what does not fit makes it unusable. */
struct path {
    char text[PATH_MOST];
    unsigned length;
    int whole;
};

static void add(struct path *path, const char *text)
{
    for (; *text; text++) {
        if (path->length + 1 >= PATH_MOST) {
            path->whole = 0;
            return;
        }
        path->text[path->length++] = *text;
    }
    path->text[path->length] = 0;
}

static void add_number(struct path *path, uint64_t number, unsigned base)
{
    char digits[24];
    unsigned at = sizeof digits;
    digits[--at] = 0;
    do
        digits[--at] = "0123456789abcdef"[number % base];
    while (number /= base);
    add(path, digits + at);
}

static const char *last_part(const char *path)
{
    const char *part = path;
    for (; *path; path++)
        if (*path == '/' && path[1])
            part = path + 1;
    return *part ? part : "program";
}

/* The directory of this executable; none where it is gone. */
static int find_origin(struct path *path)
{
    long length = syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path->text, PATH_MOST);
    if (length <= 0 || length >= PATH_MOST)
        return 0;
    while (length > 1 && path->text[length - 1] != '/')
        length--;
    path->length = (unsigned)(length > 1 ? length - 1 : length);
    path->text[path->length] = 0;
    return 1;
}

/* Tells directories apart (FNV-1a). */
static uint64_t sum_of(const char *text)
{
    uint64_t sum = 0xcbf29ce484222325;
    for (; *text; text++)
        sum = (sum ^ (unsigned char)*text) * 0x100000001b3;
    return sum;
}

static int exists(const char *path)
{
    return syscall(SYS_faccessat, AT_FDCWD, path, X_OK) == 0;
}

/* Makes the twin a file of its own: beside, then moved, so that one that exists is whole. */
static int extract(int from, uint64_t offset, uint64_t bytes, const char *path, int process)
{
    static struct path beside;
    beside.whole = 1;
    add(&beside, path);
    add(&beside, ".");
    add_number(&beside, (uint64_t)process, 10);
    if (!beside.whole)
        return 0;
    int to = (int)syscall(SYS_openat, AT_FDCWD, beside.text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0777);
    if (to < 0)
        return 0;
    int copied = 1;
    while (bytes && copied) {
        long sent = syscall(SYS_sendfile, to, from, &offset, bytes);
        copied = sent > 0;
        bytes -= copied ? (uint64_t)sent : 0;
    }
    syscall(SYS_close, to);
    if (copied && syscall(SYS_renameat, AT_FDCWD, beside.text, AT_FDCWD, path) == 0)
        return 1;
    syscall(SYS_unlinkat, AT_FDCWD, beside.text, 0);
    return 0;
}

/* The recording's file, with holes for all it may become; 0 if there is no room. */
static int make_recording(int file, const char *directory, uint64_t mib, const char *twin, char **arguments, int process)
{
    static uint64_t page[K_PAGE / 8];
    struct statfs disk;
    if (syscall(SYS_statfs, directory, &disk) != 0)
        return 0;
    uint64_t room = (uint64_t)disk.f_bavail * (uint64_t)disk.f_bsize, wanted = mib << 20;
    if (room < RESERVE + TABLE_ROOM + (4ul << 20))
        return 0;
    if (wanted > room - RESERVE - TABLE_ROOM)
        wanted = (room - RESERVE - TABLE_ROOM) & ~(K_PAGE - 1);
    page[H_EVENT_BYTES] = wanted + K_PAGE;
    page[H_AREAS] = room - RESERVE - TABLE_ROOM - wanted < AREAS * AREA_BYTES ? 0 : AREAS;
    page[K_PID] = (uint64_t)process;
    char *text = (char *)page + K_TEXT;
    unsigned long length = 0;
    /* Arguments that do not fit are left out; they are for the reader. */
    for (const char *part = twin; part; part = *arguments++) {
        unsigned long bytes = length_of(part) + 1;
        if (length + bytes > K_TEXT_MOST)
            break;
        for (unsigned long i = 0; i < bytes; i++)
            text[length + i] = part[i];
        length += bytes;
    }
    page[K_TEXT_BYTES] = length;
    return syscall(SYS_ftruncate, file, K_PAGE + TABLE_ROOM + page[H_EVENT_BYTES] + page[H_AREAS] * AREA_BYTES) == 0 &&
           syscall(SYS_pwrite64, file, page, sizeof page, 0L) == (long)sizeof page;
}

static int is_trusted(void)
{
    return syscall(SYS_getuid) == syscall(SYS_geteuid) && syscall(SYS_getgid) == syscall(SYS_getegid);
}

static uint64_t number_in(const char *text)
{
    uint64_t number = 0;
    for (; text && *text >= '0' && *text <= '9' && number < 1u << 20; text++)
        number = number * 10 + (uint64_t)(*text - '0');
    return number;
}

/* The program may go elsewhere before it ends. */
static const char *absolute(const char *directory)
{
    static struct path whole;
    whole.whole = 1;
    if (*directory != '/') {
        if (syscall(SYS_getcwd, whole.text, PATH_MOST) <= 0)
            return directory;
        whole.length = (unsigned)length_of(whole.text);
        add(&whole, "/");
    }
    add(&whole, directory);
    return whole.whole ? whole.text : directory;
}

static void become_twin(int self, const char *directory, uint64_t mib, char **arguments, char **environment)
{
    static struct path origin, twin, recording, mapped, kept;
    uint64_t offset, bytes, number;
    if (!find_twin(self, &offset, &bytes, &number) || !find_origin(&origin))
        return;
    directory = absolute(directory);
    int process = (int)syscall(SYS_getpid);
    const char *name = last_part(arguments[0] ? arguments[0] : "program");
    twin.whole = recording.whole = mapped.whole = kept.whole = 1;
    add(&twin, directory);
    syscall(SYS_mkdirat, AT_FDCWD, twin.text, 0777);
    add(&twin, "/.programs");
    syscall(SYS_mkdirat, AT_FDCWD, twin.text, 0777);
    add(&twin, "/");
    add_number(&twin, sum_of(origin.text), 16);
    syscall(SYS_mkdirat, AT_FDCWD, twin.text, 0777);
    unsigned beside = twin.length;
    add(&twin, ORIGIN);
    syscall(SYS_symlinkat, origin.text, AT_FDCWD, twin.text);
    twin.length = beside;
    add(&twin, "/");
    add_number(&twin, number, 16);
    syscall(SYS_mkdirat, AT_FDCWD, twin.text, 0777);
    add(&twin, "/");
    add(&twin, name);
    add(&recording, directory);
    add(&recording, "/");
    add(&recording, name);
    add(&recording, ".");
    add_number(&recording, (uint64_t)process, 10);
    unsigned base = recording.length;
    int file = -1;
    for (uint64_t attempt = 1; attempt < 100 && file < 0; attempt++) {
        recording.length = base;
        if (attempt > 1) {
            add(&recording, "-");
            add_number(&recording, attempt, 10);
        }
        add(&recording, ".recording");
        file = (int)syscall(SYS_openat, AT_FDCWD, recording.text, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file < 0 && errno != EEXIST)
            break;
    }
    add(&mapped, "WHEREFORE_RECORDING=");
    add(&mapped, recording.text);
    add(&kept, K_VARIABLE "=");
    add(&kept, recording.text);
    if (file < 0 || !twin.whole || !recording.whole || !mapped.whole || !kept.whole) {
        say("wherefore: nothing can be recorded in WHEREFORE_RECORD\n");
        return;
    }
    int made = make_recording(file, directory, mib, twin.text, arguments, process);
    syscall(SYS_close, file);
    if (made && (exists(twin.text) || extract(self, offset, bytes, twin.text, process))) {
        unsigned count = 0;
        while (environment[count])
            count++;
        const char *with[count + 3];
        for (unsigned i = 0; i < count; i++)
            with[i] = environment[i];
        with[count] = mapped.text;
        with[count + 1] = kept.text;
        with[count + 2] = 0;
        syscall(SYS_execve, twin.text, arguments, with);
    }
    say("wherefore: this process cannot be recorded\n");
    syscall(SYS_unlinkat, AT_FDCWD, recording.text, 0);
}

static void start(int count, char **arguments, char **environment)
{
    (void)count;
    const char *directory = 0, *mib = 0, *value;
    for (char **variable = environment; *variable; variable++) {
        if ((value = value_of(*variable, "WHEREFORE_RECORD")))
            directory = value;
        else if ((value = value_of(*variable, "WHEREFORE_RECORD_MIB")))
            mib = value;
    }
    if (!directory || !*directory || !is_trusted())
        return;
    int saved = errno;
    int self = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/exe", O_RDONLY | O_CLOEXEC, 0);
    if (self >= 0) {
        become_twin(self, directory, mib && number_in(mib) ? number_in(mib) : EVENT_MIB, arguments, environment);
        syscall(SYS_close, self);
    }
    errno = saved;
}

__attribute__((section(".preinit_array"), used)) static void (*const preinit)(int, char **, char **) = start;
