// run: --entry f --input tries=0
// parameters: int tries
#include <assert.h>
int f(int tries) {
again:
  tries++;
  if (tries < 3)
    goto again;
  assert(tries != 3);
  return 0;
}
