extern void abort(void);
void reach_error(void) { abort(); }

void check(int cond) {
  if (!cond) {
    reach_error();
  }
}

int main(void) {
  int a = 3;
  int b = 4;
  int c = a - b;
  check(c > 0);
  return 0;
}

// run:
// fails: 6 signal reach_error
// steps: 11 12 13 14 6
// reason: 6 because 5
// precondition: true
