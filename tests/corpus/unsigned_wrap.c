#include <assert.h>

unsigned room(unsigned size, unsigned used, unsigned header) {
  unsigned free_bytes = size - used;
  unsigned payload = free_bytes - header;
  unsigned alignment = size % 8; // irrelevant
  assert(payload <= size);
  return payload + alignment;
}

// run: --entry room --input size=64 --input used=60 --input header=8
// fails: 7 assertion
// steps: 4 5 7
