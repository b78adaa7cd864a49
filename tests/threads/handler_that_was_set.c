#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static void note(int signal) { (void)signal; }

static void note_more(int signal, siginfo_t *information, void *context)
{
    (void)signal, (void)information, (void)context;
}

static void *rest(void *nothing) { return nothing; }

int main(void)
{
    pthread_t thread;
    struct sigaction before, own = {.sa_sigaction = note_more, .sa_flags = SA_SIGINFO | SA_RESTART};
    pthread_create(&thread, NULL, rest, NULL);
    pthread_join(thread, NULL);
    sigaction(SIGSEGV, NULL, &before);
    assert(before.sa_handler == SIG_DFL);
    assert(signal(SIGSEGV, note) == SIG_DFL);
    sigaction(SIGSEGV, &own, &before);
    assert(before.sa_handler == note && !(before.sa_flags & SA_SIGINFO));
    sigaction(SIGSEGV, NULL, &before);
    assert(before.sa_sigaction == note_more && before.sa_flags & SA_SIGINFO);
    assert(signal(SIGSEGV, SIG_IGN) != SIG_ERR);
    assert(signal(SIGSEGV, SIG_DFL) == SIG_IGN);
    assert(signal(SIGKILL, note) == SIG_ERR);
    return 0;
}

// A program finds the handlers that it has set, and none of ours.
// run:
// fails: nowhere
