int main(void) {
  int samples[4] = {5, -3, -1, -1};
  int sum = 0, positive = 0;
  for (int i = 1; i < 4; i++) {
    if (samples[i] > 0) {
      sum += samples[i]; // irrelevant
      positive++;
    }
  }
  return sum / positive;
}

// run:
// fails: 10 signal division by zero
// steps: 2 3 4 5 4 5 4 5 4 4 10
// frame: 5 positive
// frame: 4 positive
