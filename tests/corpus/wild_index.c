int table[16];

static int hash(int key) {
  return key * 31;
}

int main(void) {
  int key = -90000000;
  int slot = hash(key);
  int spare = 3;
  table[slot] = spare;
  return 0;
}

// run:
