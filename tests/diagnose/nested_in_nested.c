#include <assert.h>

int grade(int points) {
  int grade = 5;
  if (points >= 500) {
    grade = 4;
    if (points >= 700) {
      grade = 2;
    }
  }
  assert(points < 50 ? grade == 5 : points < 70 ? grade == 3 : grade == 1);
  return grade;
}

// run: --entry grade
// test: inputs points=80
// test: inputs points=60
// fix: 5 if (points >= 50) {
// fix: 6 grade = 3;
// fix: 7 if (points >= 70) {
// fix: 8 grade = 1;
// sets t1: {4} {5,6} {5,7,8}
// sets t2: {4} {5,6} {5,7,8}
// sets: {4} {5,6} {5,7,8}
// masked: 6 7 8
