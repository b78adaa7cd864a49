/* Preloaded into clang: a compiler that is loaded once and makes a copy of itself for each file.
 *
 * Most of what clang takes for a small file is its own start. Here it stands where all its libraries are loaded and
 * `main` is next, reads from its standard input what to do, and answers how that ended. As it is small, it also starts
 * other tools: a copy of a process as large as ours may become takes longer than the linker. */

#define _GNU_SOURCE
#include <dlfcn.h>
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

static main_function *clang_main;

/* Ends this process where the other side is gone. */
static void receive(void *to, size_t bytes)
{
    for (ssize_t got; bytes; to = (char *)to + got, bytes -= (size_t)got)
        if ((got = read(0, to, bytes)) <= 0)
            _exit(0);
}

static void send_back(const void *from, size_t bytes)
{
    for (ssize_t done; bytes; from = (const char *)from + done, bytes -= (size_t)done)
        if ((done = write(0, from, bytes)) <= 0)
            _exit(0);
}

static void be_tool(const struct request *request, char *text, int said, int nothing)
{
    char **list = calloc(request->arguments + 1, sizeof *list);
    if (!list)
        _exit(127);
    for (uint32_t i = 0; i < request->arguments; i++, text += strlen(text) + 1)
        list[i] = text;
    for (uint32_t i = 0; i < request->settings; i++, text += strlen(text) + 1)
        putenv(text);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(nothing, 0);
    dup2(said, 2);
    struct rlimit limit = {request->memory, request->memory};
    if (request->memory)
        setrlimit(RLIMIT_DATA, &limit);
    if (!request->is_other)
        exit(clang_main((int)request->arguments, list, environ));
    execvp(list[0], list);
    perror(list[0]);
    _exit(127);
}

/* Waits for a tool; where the other side is gone, nobody wants it any more. */
static int32_t wait_for(pid_t tool)
{
    int process = (int)syscall(SYS_pidfd_open, tool, 0);
    struct pollfd either[2] = {{.fd = 0}, {.fd = process, .events = POLLIN}};
    while (process >= 0 && !either[1].revents)
        if (poll(either, 2, -1) > 0 && either[0].revents)
            kill(0, SIGKILL);
    close(process);
    int status = 0;
    waitpid(tool, &status, 0);
    return status;
}

static int serve(int count, char **list, char **environment)
{
    (void)count, (void)list, (void)environment;
    unsetenv("LD_PRELOAD");
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(nothing, 1);
    send_back("", 1);
    for (;;) {
        struct request request;
        receive(&request, sizeof request);
        char *text = malloc(request.bytes + 1);
        int said = memfd_create("said", MFD_CLOEXEC);
        if (!text || said < 0)
            return 1;
        receive(text, request.bytes);
        pid_t tool = fork();
        if (tool == 0)
            be_tool(&request, text, said, nothing);
        if (tool < 0)
            return 1;
        struct reply reply = {wait_for(tool), (uint32_t)lseek(said, 0, SEEK_END)};
        send_back(&reply, sizeof reply);
        char *words = reply.bytes ? mmap(0, reply.bytes, PROT_READ, MAP_PRIVATE, said, 0) : MAP_FAILED;
        if (words != MAP_FAILED) {
            send_back(words, reply.bytes);
            munmap(words, reply.bytes);
        } else if (reply.bytes)
            return 1;
        close(said);
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
