#include <assert.h>

#define PER_HOUR 64

int seconds(int hours, int minutes) {
  int all = hours * PER_HOUR + minutes;
  all = all * 60;
  assert(all == hours * 3600 + minutes * 60);
  return all;
}

// run: --entry seconds
// test: inputs hours=1 minutes=0
// test: inputs hours=2 minutes=5
// fix: 3 #define PER_HOUR 60
// faults: 6
// sets: {6} {7}
