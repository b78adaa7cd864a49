#include <assert.h>

struct date {
  unsigned day : 5;
  unsigned month : 4;
  unsigned year : 6;
};

int main(void) {
  struct date d;
  int year = 2030;
  d.day = 17; // irrelevant
  d.month = 4; // irrelevant
  d.year = year - 1900;
  assert(d.year > 60 && d.month == 4);
  return d.day;
}

// run:
// fails: 15 assertion
// steps: 11 14 15
// no-notes:
