/* Preloaded into clang: a compiler that is loaded once and makes a copy of itself for every few files.
 *
 * Most of what clang takes for a small file is its own start. Here it stands where all its libraries are loaded and
 * `main` is next, reads from its standard input what to do, and answers how that ended. As it is small, it also starts
 * other tools: a copy of a process as large as ours may become takes longer than the linker. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int main_function(int, char **, char **);

/* As `src/tool/server.rs` writes and reads them. */
struct request {
    uint64_t memory;              /* what it may take in bytes; 0: anything */
    uint32_t is_other;            /* whether it is another tool than clang */
    uint32_t arguments, settings; /* how many texts: arguments, then settings of the environment */
    uint32_t bytes;               /* of all texts, each with a zero at its end */
};
struct reply {
    int32_t status;
    uint32_t bytes; /* of what it said, which follows */
};

/* What clang's `main` calls: it may be called again. */
struct tool_context {
    const char *path, *argument;
    char needs_argument;
};
typedef int driver_function(int, char **, const struct tool_context *);
#define DRIVER "_Z10clang_mainiPPcRKN4llvm11ToolContextE"

static main_function *clang_main;
static driver_function *clang_driver; /* 0: it is not there */
static int nothing;                   /* `/dev/null` */

/* A copy that compiles one file after the other. What it makes for a file it does not free, so it is not kept for long. */
#define FILES 12
static struct {
    pid_t process; /* 0: there is none */
    int socket, said, watched;
    unsigned files;
} worker;

/* Ends this process where the other side is gone. */
static void receive(int from, void *to, size_t bytes)
{
    for (ssize_t got; bytes; to = (char *)to + got, bytes -= (size_t)got)
        if ((got = read(from, to, bytes)) <= 0)
            _exit(0);
}

static void send_to(int to, const void *from, size_t bytes)
{
    for (ssize_t done; bytes; from = (const char *)from + done, bytes -= (size_t)done)
        if ((done = write(to, from, bytes)) <= 0)
            _exit(0);
}

/* The next `count` texts, as a list that ends with 0. */
static char **listed(uint32_t count, char **text)
{
    char **list = calloc(count + 1, sizeof *list);
    if (!list)
        _exit(127);
    for (uint32_t i = 0; i < count; i++, *text += strlen(*text) + 1)
        list[i] = *text;
    return list;
}

/* A tool ends with this process, reads nothing, and says what it says into a file. */
static void prepare(int said)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(nothing, 0);
    dup2(said, 2);
}

static void limit_memory(uint64_t bytes)
{
    struct rlimit limit;
    if (!bytes || getrlimit(RLIMIT_DATA, &limit) != 0)
        return;
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    setrlimit(RLIMIT_DATA, &limit);
}

/* An environment with one more setting, which comes before another one of that name. */
static char **with_setting(char **settings, char *setting)
{
    size_t count = 0;
    while (settings[count])
        count++;
    char **all = calloc(count + 2, sizeof *all);
    if (!all)
        _exit(127);
    all[0] = setting;
    memcpy(all + 1, settings, count * sizeof *all);
    return all;
}

/* Starts a tool; -1 if that is impossible. What is not clang needs no copy of this process. */
static pid_t start_tool(const struct request *request, char *text, int said)
{
    char **list = listed(request->arguments, &text), **settings = environ;
    for (uint32_t i = 0; i < request->settings; i++, text += strlen(text) + 1)
        settings = with_setting(settings, text);
    pid_t tool = request->is_other ? vfork() : fork();
    if (tool == 0) {
        prepare(said);
        limit_memory(request->memory);
        if (!request->is_other) {
            environ = settings;
            exit(clang_main((int)request->arguments, list, environ));
        }
        execvpe(list[0], list, settings);
        dprintf(2, "%s: %s\n", list[0], strerror(errno));
        _exit(127);
    }
    return tool;
}

/* What this process has of the memory that is limited. */
static uint64_t memory_in_use(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%*u %*u %*u %*u %*u %lu", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void be_worker(int socket)
{
    for (;;) {
        struct request request;
        receive(socket, &request, sizeof request);
        /* Kept for what clang keeps of it. */
        char *text = malloc(request.bytes + 1);
        if (!text)
            _exit(127);
        receive(socket, text, request.bytes);
        char **list = listed(request.arguments, &text);
        if (request.memory)
            limit_memory(request.memory + memory_in_use());
        struct tool_context context = {list[0], 0, 0};
        int32_t status = clang_driver((int)request.arguments, list, &context);
        send_to(socket, &status, sizeof status);
    }
}

static void end_worker(void)
{
    /* By its descriptor: where it has ended, its number may be another's. */
    if (syscall(SYS_pidfd_send_signal, worker.watched, SIGKILL, 0, 0) == 0)
        waitpid(worker.process, 0, 0);
    close(worker.socket);
    close(worker.said);
    close(worker.watched);
    worker.process = 0;
}

static int start_worker(void)
{
    int pair[2];
    worker.said = memfd_create("said", MFD_CLOEXEC);
    if (worker.said < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return 0;
    pid_t process = fork();
    if (process == 0) {
        prepare(worker.said);
        be_worker(pair[1]);
    }
    close(pair[1]);
    if (process < 0)
        return 0;
    worker.process = process;
    worker.socket = pair[0];
    worker.watched = (int)syscall(SYS_pidfd_open, process, 0);
    worker.files = 0;
    return worker.watched >= 0;
}

/* Waits for a process's end, or until it says something; where the other side is gone, nobody wants it any more. */
static void wait_for_either(int process, int socket)
{
    struct pollfd any[3] = {{.fd = 0}, {.fd = process, .events = POLLIN}, {.fd = socket, .events = POLLIN}};
    while (process >= 0 && !any[1].revents && !any[2].revents)
        if (poll(any, 3, -1) > 0 && any[0].revents)
            kill(0, SIGKILL);
}

static int32_t wait_for(pid_t tool)
{
    int process = (int)syscall(SYS_pidfd_open, tool, 0);
    wait_for_either(process, -1);
    close(process);
    int status = 0;
    waitpid(tool, &status, 0);
    return status;
}

/* Has the worker compile a file; how that ended, as the system tells it of a process. */
static int32_t worked(const struct request *request, const char *text)
{
    ftruncate(worker.said, 0);
    lseek(worker.said, 0, SEEK_SET);
    send_to(worker.socket, request, sizeof *request);
    send_to(worker.socket, text, request->bytes);
    wait_for_either(worker.watched, worker.socket);
    int32_t status;
    worker.files++;
    if (recv(worker.socket, &status, sizeof status, MSG_DONTWAIT | MSG_WAITALL) == sizeof status)
        return (status & 255) << 8;
    int ended = 0;
    waitpid(worker.process, &ended, 0);
    worker.files = FILES;
    return ended;
}

static void answer(int32_t status, int said)
{
    struct reply reply = {status, (uint32_t)lseek(said, 0, SEEK_END)};
    send_to(0, &reply, sizeof reply);
    char *words = reply.bytes ? mmap(0, reply.bytes, PROT_READ, MAP_PRIVATE, said, 0) : MAP_FAILED;
    if (words != MAP_FAILED) {
        send_to(0, words, reply.bytes);
        munmap(words, reply.bytes);
    } else if (reply.bytes)
        _exit(1);
}

/* Whether a worker may do it: what changes more than a compilation would change the next one. */
static int is_usual(const struct request *request, const char *text)
{
    static const char *const lasting[] = {"-mllvm", "-fplugin", "-load"};
    if (!clang_driver || request->is_other || request->settings)
        return 0;
    for (uint32_t i = 0; i < request->arguments; i++, text += strlen(text) + 1)
        for (size_t k = 0; k < sizeof lasting / sizeof *lasting; k++)
            if (strncmp(text, lasting[k], strlen(lasting[k])) == 0)
                return 0;
    return 1;
}

static int serve(int count, char **list, char **environment)
{
    (void)count, (void)list, (void)environment;
    unsetenv("LD_PRELOAD");
    nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(nothing, 1);
    *(void **)&clang_driver = dlsym(RTLD_DEFAULT, DRIVER);
    send_to(0, "", 1);
    for (;;) {
        struct request request;
        receive(0, &request, sizeof request);
        char *text = malloc(request.bytes + 1);
        if (!text)
            return 1;
        receive(0, text, request.bytes);
        if (is_usual(&request, text) && (worker.process || start_worker())) {
            int32_t status = worked(&request, text);
            answer(status, worker.said);
            /* After anything unusual a fresh one is better. */
            if (worker.files >= FILES || status >> 8 > 1 || status & 127)
                end_worker();
        } else {
            int said = memfd_create("said", MFD_CLOEXEC);
            pid_t tool = said < 0 ? -1 : start_tool(&request, text, said);
            if (tool < 0)
                return 1;
            answer(wait_for(tool), said);
            close(said);
        }
        free(text);
    }
}

/* The way from a program's first instruction to its `main`. */
int __libc_start_main(main_function *main, int count, char **list, void (*init)(void), void (*fini)(void),
                      void (*loader_fini)(void), void *stack_end)
{
    int (*real)(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
    *(void **)&real = dlsym(RTLD_NEXT, "__libc_start_main");
    const char *name = strrchr(list[0], '/');
    clang_main = main;
    /* Where clang is a script, this is its shell. */
    int is_clang = strncmp(name ? name + 1 : list[0], "clang", 5) == 0;
    return real(is_clang ? serve : main, count, list, init, fini, loader_fini, stack_end);
}
