#include <assert.h>

struct date {
  unsigned day : 5;
  unsigned month : 4;
  unsigned year : 6;
};

int main(void) {
  struct date d;
  int year = 2030;
  d.day = 17;
  d.month = 4;
  d.year = year - 1900;
  assert(d.year + 1900 == 2030);
  return d.day;
}

// run:
