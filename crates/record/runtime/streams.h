/* A part of runtime.c: the streams of a process that runs many cases, without the system.
 *
 * Each call of the system that a case makes is caught by a signal, which takes longer than most cases do. Nearly all of them
 * are the library's: it asks what kind of file a stream is and makes room for it when it is used first, and at the end it
 * writes what is left. So streams get their room before the memory is put aside, and what is left is looked at where it lies. */

#include <stdio.h>

/* Of the GNU library; where it is another, nothing is done here. */
WEAK void _IO_doallocbuf(FILE *stream);
WEAK void *__libc_malloc(size_t bytes);
WEAK extern FILE *_IO_list_all;
WEAK int on_exit(void (*function)(int, void *), void *argument);

/* Whether the streams are those that every program begins with. */
static int has_only_standard_streams(void)
{
    return &_IO_list_all && _IO_list_all == stderr && stderr->_chain == stdout && stdout->_chain == stdin &&
           !stdin->_chain;
}

/* The last of what is called at the end, since nobody could ask for it before: judges what was not written yet, and ends the
 * case. Where anything is unusual, it is left to the library. */
static void end_of_case(int status, void *nothing)
{
    (void)nothing;
    /* Wide characters are not written as they lie there, and the stream that reports errors has no room. */
    if (!has_only_standard_streams() || stdout->_mode > 0 || stdout->_fileno != 1 ||
        stderr->_IO_write_ptr != stderr->_IO_write_base || stdin->_IO_write_ptr != stdin->_IO_write_base)
        return;
    if (stdout->_IO_write_ptr > stdout->_IO_write_base)
        write_output(1, (const unsigned char *)stdout->_IO_write_base,
                     (uint64_t)(stdout->_IO_write_ptr - stdout->_IO_write_base));
    ended(status);
}

/* Before the first case; a program with an allocator of its own is not to notice. */
static void prepare_streams(int is_read)
{
    void *(*allocator)(size_t) = malloc;
    if (!_IO_doallocbuf || !on_exit || allocator != __libc_malloc || !has_only_standard_streams())
        return;
    _IO_doallocbuf(stdout);
    if (is_read)
        _IO_doallocbuf(stdin);
    on_exit(end_of_case, 0);
}
