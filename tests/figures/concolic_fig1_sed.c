#include <stdlib.h>

/* Christ et al. 2013, Concolic Fault Abstraction, Figure 1: an initialising call is left out, and the pointer that it
   would have set goes through several hands. */
struct pattern { unsigned subs; };
struct address { int kind; struct pattern *regex; };
struct command { struct address a1; int what; };
struct vector { struct command *v; int length; };

static struct vector *the_program = 0;
static struct pattern *last_regex;

static int compile_address(struct address *addr) {
  addr->regex = last_regex;
  return 1;
}

static struct vector *compile_program(void) {
  struct command *cur_cmd;
  struct vector *vector = malloc(sizeof(struct vector));
  vector->v = malloc(40 * sizeof(struct command));
  vector->length = 0;
  cur_cmd = vector->v + vector->length;
  compile_address(&cur_cmd->a1);
  return vector;
}

static unsigned re_search(struct pattern *rxb) {
  unsigned num_regs = rxb->subs + 1;
  return num_regs;
}

static unsigned match_address(struct address *addr) {
  return re_search(addr->regex);
}

static unsigned execute_program(struct vector *vec) {
  struct command *cur_cmd = vec->v;
  return match_address(&cur_cmd->a1);
}

int main(void) {
  the_program = compile_program();
  return execute_program(the_program) > 9;
}
