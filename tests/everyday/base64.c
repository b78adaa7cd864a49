// Base64 of the arguments.
// run: -- Man hello a
// fails: output
// class: wrong output
// fixed: *out++ = n > 1 ? alphabet[(in[1] & 0x0f) << 2 | (n > 2 ? in[2] >> 6 : 0)] : '=';
#include <stdio.h>
#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static char *encode_group(const unsigned char *in, size_t n, char *out)
{
    *out++ = alphabet[in[0] >> 2];
    *out++ = alphabet[(in[0] & 0x03) << 4 | (n > 1 ? in[1] >> 4 : 0)];
    *out++ = n > 1 ? alphabet[(in[1] & 0x0f) << 4 | (n > 2 ? in[2] >> 6 : 0)] : '='; /* CAUSE */
    *out++ = n > 2 ? alphabet[in[2] & 0x3f] : '=';
    return out;
}

static size_t encode(const char *text, char *out)
{
    const unsigned char *in = (const unsigned char *)text;
    size_t left = strlen(text);
    char *start = out;

    while (left > 0) {
        size_t n = left < 3 ? left : 3;
        out = encode_group(in, n, out);
        in += n;
        left -= n;
    }
    *out = '\0';
    return out - start;
}

int main(int argc, char **argv)
{
    char buffer[128];

    for (int i = 1; i < argc; i++) {
        if (strlen(argv[i]) > 90) {
            fprintf(stderr, "%s: too long\n", argv[i]);
            return 1;
        }
        size_t n = encode(argv[i], buffer);
        printf("%2zu %s\n", n, buffer); /* FAILS */
    }
    return 0;
}
