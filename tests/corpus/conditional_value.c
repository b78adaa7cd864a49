#include <assert.h>

int grade(int points, int bonus) {
  int total = points + bonus;
  int passed = points >= 50 || bonus > 10;
  int mark = total > 90 ? 1 : total > 70 ? 2 : 5;
  int excellent = passed && mark == 1;
  assert(!passed || mark < 5);
  return excellent;
}

// run: --entry grade --input points=60 --input bonus=3
// fails: 8 assertion
// steps: 4 5 6 8
// reason: 5 because 5 points >= 50
