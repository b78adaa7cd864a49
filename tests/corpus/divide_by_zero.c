int main(void) {
  int samples[4] = {5, -3, -1, -1};
  int sum = 0, positive = 0;
  for (int i = 1; i < 4; i++) {
    if (samples[i] > 0) {
      sum += samples[i];
      positive++;
    }
  }
  return sum / positive;
}

// run:
