/* What the two ends of a recording that is kept agree on: the executable that a project gets, which makes the file and
 * becomes its twin (switch.c), and the twin, which says how it ended (kept.c). `src/kept.rs` reads it.
 *
 * It stands in the header page of the recording, behind the words of `runtime.c`. */

#define K_BASE 0x300000000000ul
#define K_PAGE 4096ul

enum {
    K_PID = 64,   /* the process */
    K_HOW,        /* one of the ways below */
    K_NUMBER,     /* the status or the signal */
    K_TEXT_BYTES, /* the length of the text at K_TEXT: the twin's path, then the arguments, each with its zero byte */
};
enum { K_NOT_ENDED, K_EXITED, K_SIGNALLED };
#define K_TEXT 1024ul
#define K_TEXT_MOST (K_PAGE - K_TEXT)

/* The variable that names the file to the twin. */
#define K_VARIABLE "WHEREFORE_KEPT"

static const char *value_of(const char *variable, const char *name)
{
    for (; *name; name++, variable++)
        if (*variable != *name)
            return 0;
    return *variable == '=' ? variable + 1 : 0;
}

static unsigned long length_of(const char *text)
{
    unsigned long length = 0;
    while (text[length])
        length++;
    return length;
}
