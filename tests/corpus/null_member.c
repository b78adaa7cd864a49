#include <stddef.h>

struct user { int id; struct user *boss; };

static struct user anna = {1, NULL};
static struct user ben = {2, &anna};

static int boss_of_boss(const struct user *u) {
  const struct user *boss = u->boss;
  return boss->boss->id;
}

int main(void) {
  int id = ben.id; // irrelevant
  int top = boss_of_boss(&ben);
  return top + id;
}

// run:
// fails: 10 signal reads 4 bytes through anna.boss, which is NULL
// steps: 5 10
