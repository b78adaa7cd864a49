// Removes # comments and unescapes \n and \t, by a state machine.
// run: --timeout 10
// stdin: name = a\tb # tab\npath = c:\dir\n
// fails: timeout
// class: hang
// fixed: default: state = TEXT; *out++ = '\\'; break;
#include <stdio.h>
#include <string.h>

enum { TEXT, ESCAPE, COMMENT };

static void convert(const char *in, char *out)
{
    int state = TEXT;
    while (*in) { /* FAILS */
        switch (state) {
        case TEXT:
            if (*in == '#')
                state = COMMENT;
            else if (*in == '\\')
                state = ESCAPE;
            else
                *out++ = *in;
            in++;
            break;
        case ESCAPE:
            switch (*in) {
            case 'n': *out++ = '\n'; in++; state = TEXT; break;
            case 't': *out++ = '\t'; in++; state = TEXT; break;
            default: break; /* CAUSE */
            }
            break;
        case COMMENT:
            if (*in == '\n') {
                state = TEXT;
                *out++ = '\n';
            }
            in++;
            break;
        }
    }
    *out = '\0';
}

int main(void)
{
    char text[500], result[1000];
    size_t n = fread(text, 1, sizeof text - 1, stdin);
    text[n] = '\0';
    convert(text, result);
    fputs(result, stdout);
    return 0;
}
