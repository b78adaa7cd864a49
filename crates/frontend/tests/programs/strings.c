#include <stdio.h>
#include <string.h>

struct record { char name[16]; int id; };

static int length(const char *s) { int n = 0; while (s[n]) n++; return n; }

int main(int argc, char **argv) {
  char buffer[32], *to = buffer;
  char fixed[] = "fixed text";
  struct record a, b = {"second", 2};
  memset(buffer, 'x', sizeof buffer);
  buffer[31] = 0;
  memcpy(buffer, "hello", 6);
  memmove(buffer + 2, buffer, 4);
  void *same = memset(buffer + 20, argc, 4);
  a = b;
  strcpy(a.name, "copy");
  a.id += length(fixed);
  fixed[0] -= 32;
  *to++ = 'J';
  printf("%s %s %d %s %d %d %d\n", buffer, a.name, a.id, fixed, same == buffer + 20, buffer[21], memcmp(&a, &b, 4) != 0);
  return (int)strlen(buffer);
}
