#include <assert.h>
#include <string.h>

int main(int argc, char **argv) {
  int verbose = 0; // irrelevant
  int files = 0;
  for (int i = 1; i < argc; i++) {
    if (argv[i][0] == '-' && argv[i][1] == 'v')
      verbose = 1; // irrelevant
    else
      files++;
    if (files > 0)
      verbose = 0;
  }
  assert(verbose);
  return files;
}

// run: -- -v data.txt
// fails: 15 assertion verbose
// steps: 6 7 8 7 11 13 7 7 15
// reason: 11 because 8
// frame: 8 files
// frame: 7 verbose
