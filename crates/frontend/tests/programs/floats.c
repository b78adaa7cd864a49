#include <math.h>
#include <stdio.h>

static double mean(const double *v, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += v[i];
  return n ? s / n : NAN;
}

int main(int argc, char **argv) {
  double v[4] = {1.5, -2.25, 1e10, argc};
  float f = 0.1f * (float)argc, g = -f;
  long double wide = 1.0L / (argc + 2);
  double m = mean(v, 4), r = sqrt(fabs(v[1])) + floor(v[0]);
  int less = f < g, same = m == m, unordered = !(NAN >= m), whole = (int)m, nan = isnan(mean(v, 0)), inf = isinf(m / 0.0);
  unsigned char byte = (unsigned char)(f * 100);
  unsigned long big = (unsigned long)v[2];
  double back = (double)big + (double)(short)whole + (float)argc;
  f += 2; f *= 3; f /= 7; f -= 1;
  wide += f;
  printf("%g %g %g %d %d %d %d %d %d %d %g %g\n", m, r, (double)f, less, same, unordered, whole, nan, inf, byte, back, (double)wide);
  return fmod(m, 3) > 1;
}
