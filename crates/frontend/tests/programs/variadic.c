#include <stdarg.h>
#include <stdio.h>

static int sum(int count, ...) {
  va_list list, again;
  int total = 0;
  va_start(list, count);
  va_copy(again, list);
  for (int i = 0; i < count; i++) total += va_arg(list, int);
  total += va_arg(again, int);
  va_end(list);
  va_end(again);
  return total;
}
static double mixed(const char *kinds, ...) {
  va_list list;
  double total = 0;
  va_start(list, kinds);
  for (; *kinds; kinds++) total += *kinds == 'd' ? va_arg(list, double) : (double)va_arg(list, long);
  va_end(list);
  return total;
}

int main(int argc, char **argv) {
  printf("%d %g\n", sum(8, 1, 2, 3, 4, 5, 6, 7, argc), mixed("dldl", 1.5, 2L, 3.5, 4L));
  return sum(2, argc, argc);
}
