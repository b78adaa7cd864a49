#include <assert.h>
#include <string.h>

static int palindrome(const char *s) {
  int n = strlen(s);
  for (int i = 0; i < n / 2; i++)
    if (s[i] != s[n - i])
      return 0;
  return 1;
}

int main(void) {
  assert(palindrome("abba"));
  assert(palindrome("aba"));
  assert(!palindrome("ab"));
  return 0;
}

// run:
// fix: 7 if (s[i] != s[n - 1 - i])
