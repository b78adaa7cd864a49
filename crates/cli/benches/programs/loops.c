/* Slow-down: arithmetic on locals. */
int main(void) {
  unsigned hash = 2166136261u;
  for (unsigned i = 0; i < 20000000u; i++) {
    hash ^= i & 255;
    hash *= 16777619u;
    if (hash % 7 == 0)
      hash += i;
  }
  return hash == 0;
}
