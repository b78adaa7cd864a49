int table[16];

static int hash(int key) {
  return key * 31;
}

int main(void) {
  int key = -90000000;
  int slot = hash(key);
  int spare = 3; // irrelevant
  table[slot] = spare;
  return 0;
}

// run:
// fails: 11 memory past the end of table
// steps: 8 9 4 9 11
// precondition: true
