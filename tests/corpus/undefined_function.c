#include <assert.h>

int read_sensor(int channel);
void log_value(int value);
double scale(void);

int main(void) {
  int a = read_sensor(1);
  if (a > 100)
    a = 100;
  log_value(a); // irrelevant
  int b = read_sensor(2);
  double k = scale();
  assert(a + b != 142 || k < 2.5);
  return 0;
}

// run: --nondet 120,42,2.5
// fails: 14 assertion
// steps: 8 10 12 13 14
// reasons: 10 a > 100
// note: read_sensor(), log_value() and scale() are nowhere defined
