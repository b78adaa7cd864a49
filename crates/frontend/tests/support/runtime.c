/* A small stand-in for the recording runtime: maps the recording from the file named by WF_RECORDING (or anonymously)
 * and answers questions from the environment. Layout: words 0 to 2 as instrumented code expects them, word 3 the number
 * of tables' words, from byte 4096 the tables (globals, externals, functions), from byte TABLES the run's words. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BASE 0x300000000000ull
#define TABLES (1ull << 20)

struct global { void *address; uint64_t size; };
extern const struct global __wf_globals[];
extern void *const __wf_externals[];
extern void *const __wf_functions[];
extern const uint32_t __wf_global_count, __wf_external_count, __wf_function_count;

void __wf_full(void) {
  static const char message[] = "recording full\n";
  if (getenv("WF_WRAP")) { /* for measuring: start over */
    ((uint64_t *)BASE)[1] = BASE + TABLES;
    return;
  }
  (void)!write(2, message, sizeof message - 1);
  _exit(99);
}
void __wf_threads(void) {}
_Thread_local void *__wf_own = (void *)BASE;
/* What the library did to memory is not recorded here. */
void __wf_seen(const void *place, uint64_t bytes, uint64_t how) { (void)place, (void)bytes, (void)how; }
void __wf_begin(void) {}
void __wf_main(uint64_t *count, char ***list) { (void)count, (void)list; }
uint64_t __wf_argument(int32_t index, int32_t bits) {
  char name[32] = "WF_ARG0";
  name[6] = (char)('0' + index);
  const char *text = getenv(name);
  uint64_t value = text ? strtoull(text, 0, 0) : 0;
  return bits < 64 ? value & ((1ull << bits) - 1) : value;
}
int __VERIFIER_nondet_int(void) {
  const char *text = getenv("WF_NONDET");
  return text ? atoi(text) : 0;
}

__attribute__((constructor(101))) static void map(void) {
  const char *name = getenv("WF_RECORDING");
  const char *wanted = getenv("WF_SIZE");
  uint64_t size = wanted ? strtoull(wanted, 0, 0) : 64ull << 20;
  int file = name ? open(name, O_RDWR | O_CREAT | O_TRUNC, 0644) : -1;
  int flags = MAP_FIXED_NOREPLACE | (name ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS);
  if (name && (file < 0 || ftruncate(file, (off_t)size))) _exit(98);
  if (mmap((void *)BASE, size, PROT_READ | PROT_WRITE, flags, file, 0) != (void *)BASE) _exit(97);
  uint64_t *word = (uint64_t *)BASE, *table = (uint64_t *)(BASE + 4096);
  for (uint32_t i = 0; i < __wf_global_count; i++) *table++ = (uint64_t)__wf_globals[i].address;
  for (uint32_t i = 0; i < __wf_external_count; i++) *table++ = (uint64_t)__wf_externals[i];
  for (uint32_t i = 0; i < __wf_function_count; i++) *table++ = (uint64_t)__wf_functions[i];
  word[0] = 0x57464F52;
  word[3] = (uint64_t)(table - (uint64_t *)(BASE + 4096));
  word[2] = BASE + size - 4096;
  word[1] = BASE + TABLES;
}
