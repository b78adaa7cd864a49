/* Reads "key=value" settings and looks up a few of them. */
// run:
// stdin: host=example.org\nport =8080\nretries=3\n
// fails: signal|memory
// class: null pointer, string function
// memory: null
// detected: asan valgrind
// fixed: while (end > line && end[-1] == ' ') *--end = '\0';
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SETTINGS 16

struct setting {
    char key[32];
    char value[64];
};

static struct setting settings[MAX_SETTINGS];
static int n_settings;

static void parse_line(char *line) {
    char *eq = strchr(line, '=');
    char *end = eq;
    if (eq == NULL || n_settings == MAX_SETTINGS)
        return;
    *eq = '\0';
    while (end > line && *end == ' ') *--end = '\0'; /* CAUSE */
    struct setting *s = &settings[n_settings++];
    snprintf(s->key, sizeof s->key, "%s", line);
    snprintf(s->value, sizeof s->value, "%s", eq + 1);
}

static const char *get(const char *key) {
    int i;
    for (i = 0; i < n_settings; i++)
        if (strcmp(settings[i].key, key) == 0)
            return settings[i].value;
    return NULL;
}

int main(void) {
    char line[128];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '#' && !isspace((unsigned char)line[0]))
            parse_line(line);
    }
    printf("host %s\n", get("host"));
    int port = atoi(get("port")); /* FAILS */
    printf("port %d\n", port);
    return 0;
}
