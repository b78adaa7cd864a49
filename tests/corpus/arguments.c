#include <assert.h>
#include <string.h>

int main(int argc, char **argv) {
  int verbose = 0;
  int files = 0;
  for (int i = 1; i < argc; i++) {
    if (argv[i][0] == '-' && argv[i][1] == 'v')
      verbose = 1;
    else
      files++;
    if (files > 0)
      verbose = 0;
  }
  assert(verbose);
  return files;
}

// run: -- -v data.txt
