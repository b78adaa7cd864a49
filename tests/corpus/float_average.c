#include <assert.h>

double average(int total, int count) {
  double mean = total / count;
  double twice = mean * 2; // irrelevant
  assert(mean > 2.0);
  return twice;
}

// run: --entry average --input total=5 --input count=2
// fails: 6 assertion
// steps: 4 6
