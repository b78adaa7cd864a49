//! Programs that take long or much, each in its own way: for the tests of limits and for the table of them.

use std::fmt::Write;

/// A program and the command that it keeps busy.
pub struct Program {
    /// What is special about it.
    pub name: &'static str,
    /// The command and its options.
    pub command: &'static [&'static str],
    /// The C text.
    pub text: String,
}

fn program(name: &'static str, command: &'static [&'static str], text: impl Into<String>) -> Program {
    Program { name, command, text: text.into() }
}

const EXPLAIN: &[&str] = &["explain"];
const SEARCH: &[&str] = &["search"];
const DIAGNOSE: &[&str] = &["diagnose"];

/// Programs that take longer than anybody waits.
pub fn long() -> Vec<Program> {
    vec![
        program("a loop without end", EXPLAIN, "int main(void) { volatile int x = 1; while (x) ; return 0; }"),
        program("a long sleep", EXPLAIN, "#include <unistd.h>\nint main(void) { sleep(1000); return 0; }"),
        program("a loop without end, recorded", &["record"], "int main(void) { for (volatile int i = 0;; i++) ; }"),
        program("input that never comes", &["explain", "--stdin", "/dev/zero"], READS),
        program("10,000,000 steps", EXPLAIN, counting("s += i & 3", 10_000_000)),
        program("4,000,000 stores", EXPLAIN, stores(40, 100_000)),
        program("a story of 100,000 rounds", EXPLAIN, counting("s = s * 3 + i", 100_000)),
        program("an expression of 80,000 characters", EXPLAIN, expression(40_000)),
        program("a line of 780,000 characters", EXPLAIN, line(78_000)),
        program("the same, diagnosed", DIAGNOSE, line(78_000)),
        program("macros that double 28 times", EXPLAIN, macros(28)),
        program("30,000 functions", EXPLAIN, functions(30_000)),
        program("as many paths as there are numbers", SEARCH, PATHS),
        program("a sum of cubes", &["search", "--entry", "f", "--by", "formula"], CUBES),
        program("a product of primes", &["search", "--entry", "f"], PRODUCT),
        program("a loop without end, searched", &["search", "--entry", "f"], HANGS),
        program("a loop without end, diagnosed", DIAGNOSE, ENDLESS),
        program("pointers to functions without end", DIAGNOSE, OPERATIONS),
        program("a table with a free index", DIAGNOSE, table(64)),
        program("a hash to be inverted", DIAGNOSE, hash(40)),
        program("recursion as deep as wide", DIAGNOSE, RECURSION),
        program("a product of matrices", DIAGNOSE, matrices(8)),
    ]
}

/// Programs that take more memory than they are given (300 MiB).
pub fn large() -> Vec<Program> {
    let mut all = vec![
        program("macros that double 28 times", EXPLAIN, macros(28)),
        program("macros that double 26 times, searched", SEARCH, macros(26)),
        program("macros that double 27 times, diagnosed", DIAGNOSE, macros(27)),
        program("10,000,000 steps", EXPLAIN, counting("s += i & 3", 10_000_000)),
        program("10,000,000 products", EXPLAIN, counting("s = s * 5 + i", 10_000_000)),
        program("4,000,000 stores", EXPLAIN, stores(40, 100_000)),
        program("10,000,000 stores", EXPLAIN, stores(10, 1_000_000)),
        program("2,000,000 new objects", EXPLAIN, objects(2_000_000)),
        program("3,000,000 calls", EXPLAIN, calls(3_000_000)),
        program("recursion of depth 150,000", EXPLAIN, depth(150_000)),
    ];
    for (name, text) in [
        ("a table of 128 with a free index", table(128)),
        ("a table of 256 with a free index", table(256)),
        ("two tables of 128", tables(128)),
        ("a product of matrices of 16", matrices(16)),
        ("a product of matrices of 24", matrices(24)),
        ("a hash of 4,000 rounds", hash(4_000)),
        ("a hash of 6,000 rounds", hash(6_000)),
        ("300,000 rounds", counting("s = s * 3 + i", 300_000)),
        ("100,000 rounds", counting("s = s * 3 + i", 100_000)),
        ("sorting 64 numbers", sorting(64)),
    ] {
        all.push(program(name, DIAGNOSE, text));
    }
    all
}

/// Programs whose diagnosis takes long, much memory, or both.
pub fn diagnosed() -> Vec<Program> {
    let all = [
        ("a table of 64 with a free index", table(64)),
        ("a table of 128 with a free index", table(128)),
        ("a table of 256 with a free index", table(256)),
        ("two tables of 64", tables(64)),
        ("two tables of 128", tables(128)),
        ("a product of matrices of 12", matrices(12)),
        ("a product of matrices of 16", matrices(16)),
        ("a product of matrices of 24", matrices(24)),
        ("a hash of 1,000 rounds", hash(1_000)),
        ("a hash of 4,000 rounds", hash(4_000)),
        ("a hash of 6,000 rounds", hash(6_000)),
        ("100,000 rounds", counting("s = s * 3 + i", 100_000)),
        ("300,000 rounds", counting("s = s * 3 + i", 300_000)),
        ("1,000,000 rounds", counting("s = s * 3 + i", 1_000_000)),
        ("sorting 32 numbers", sorting(32)),
        ("sorting 64 numbers", sorting(64)),
        ("sorting 128 numbers", sorting(128)),
        ("20,000 new objects", objects(20_000)),
        ("recursion", RECURSION.into()),
        ("operations in a table", OPERATIONS.into()),
    ];
    all.into_iter().map(|(name, text)| program(name, DIAGNOSE, text)).collect()
}

const READS: &str =
    "#include <stdio.h>\nint main(void) { int c, n = 0; while ((c = getchar()) != EOF) n += c; return n; }";

const PATHS: &str = "int __VERIFIER_nondet_int(void);\nvoid __VERIFIER_assert(int);\n\
    int main(void) {\n  unsigned n = 0;\n  while (__VERIFIER_nondet_int()) n++;\n  \
    __VERIFIER_assert(n != 4000000000u);\n  return 0;\n}\n";

const CUBES: &str = "#include <assert.h>\nint f(unsigned x, unsigned y, unsigned z) {\n  \
    if (x > 2000 || y > 2000 || z > 2000) return 0;\n  assert(x * x * x + y * y * y + z * z * z != 1000000007u);\n  return 1;\n}\n";

const PRODUCT: &str = "#include <assert.h>\nint f(unsigned long x, unsigned long y) {\n  \
    if (x < 2 || y < 2 || x >> 31 || y >> 31) return 0;\n  assert(x * y != 2305843009213693951ul);\n  return 1;\n}\n";

const HANGS: &str = "#include <assert.h>\nint f(int x) {\n  volatile int stop = 0;\n  while (!stop) x++;\n  assert(x != 3);\n  return x;\n}\n";

const ENDLESS: &str = "#include <assert.h>\nint main(void) {\n  int i = 0, v = 5;\n  while (~i < 3) {\n    v = -v;\n    i++;\n  }\n  \
    assert(v > 0);\n  return 0;\n}\n";

const OPERATIONS: &str = "#include <assert.h>\nstruct op { int (*f)(int); const char *name; };\n\
    static int inc(int x) { return x + 1; }\nstatic int neg(int x) { return -x; }\n\
    static const struct op table[] = { { inc, \"inc\" }, { neg, \"neg\" } };\n\
    int main(void) {\n  int v = 5;\n  for (int i = 0; ~i < 3; i++) {\n    const struct op *o = &table[i % 2];\n    v = o->f(v);\n  }\n  \
    assert(v > 0);\n  return 0;\n}\n";

const RECURSION: &str = "#include <assert.h>\nint f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }\n\
    int main(void) { assert(f(18) == 2585); return 0; }\n";

/// A loop that does this so often.
pub fn counting(what: &str, rounds: u32) -> String {
    format!(
        "#include <assert.h>\nint main(void) {{\n  unsigned s = 0;\n  for (unsigned i = 0; i < {rounds}; i++)\n    {what};\n  \
         assert(s == 4);\n}}\n"
    )
}

fn stores(rounds: u32, size: u32) -> String {
    format!(
        "#include <assert.h>\nint a[{size}];\nint main(void) {{\n  for (int r = 0; r < {rounds}; r++)\n    \
         for (int i = 0; i < {size}; i++)\n      a[i] = a[i] * 3 + i + r;\n  int s = 0;\n  \
         for (int i = 0; i < {size}; i++) s += a[i];\n  assert(s == 4);\n}}\n"
    )
}

fn objects(count: u32) -> String {
    format!(
        "#include <assert.h>\n#include <stdlib.h>\nstruct n {{ struct n *next; int v; }};\nint main(void) {{\n  struct n *all = 0;\n  \
         for (int i = 0; i < {count}; i++) {{\n    struct n *n = malloc(sizeof *n);\n    n->next = all;\n    n->v = i;\n    all = n;\n  }}\n  \
         assert(all->v == 3);\n}}\n"
    )
}

fn calls(count: u32) -> String {
    format!(
        "#include <assert.h>\nint f(int x) {{ return x + 1; }}\nint main(void) {{\n  int s = 0;\n  \
         for (int i = 0; i < {count}; i++) s = f(s);\n  assert(s == 4);\n}}\n"
    )
}

fn depth(depth: u32) -> String {
    format!(
        "#include <assert.h>\nint f(int n) {{ int a[4] = {{n, n, n, n}}; return n ? f(n - 1) + a[n & 3] : 0; }}\n\
         int main(void) {{ for (int i = 0; i < 20; i++) assert(f({depth} + i) != 7); assert(0); }}\n"
    )
}

/// A sum of so many terms.
pub fn expression(terms: usize) -> String {
    let sum = vec!["x"; terms].join("+");
    format!(
        "#include <assert.h>\nint main(void) {{\n  int x = 1;\n  int y = {sum};\n  assert(y == 3);\n  return 0;\n}}\n"
    )
}

/// So many statements in a line.
pub fn line(statements: usize) -> String {
    let all = "x = x + 1;".repeat(statements);
    format!("#include <assert.h>\nint main(void) {{\n  int x = 1;\n{all}\n  assert(x == 3);\n  return 0;\n}}\n")
}

/// Blocks in blocks.
pub fn nested(depth: usize) -> String {
    let (open, close) = ("if (x) {".repeat(depth), "}".repeat(depth));
    format!(
        "#include <assert.h>\nint main(void) {{\n  int x = 1;\n{open}\n  assert(x == 3);\n{close}\n  return 0;\n}}\n"
    )
}

fn macros(depth: u32) -> String {
    let mut text = String::from("#define M0(x) x+x\n");
    for n in 1..=depth {
        writeln!(text, "#define M{n}(x) M{0}(x)+M{0}(x)", n - 1).expect("a string");
    }
    text + &format!("int main(void) {{ return M{depth}(1) == 3; }}\n")
}

fn functions(count: u32) -> String {
    let mut text = String::from("#include <assert.h>\n");
    for n in 0..count {
        writeln!(text, "int f{n}(int x) {{ int y = x * {n}; if (y > 3) y = y - x; else y = y + 1; return y; }}")
            .expect("a string");
    }
    text + "int main(void) { assert(f1(f2(f3(4))) == 5); }\n"
}

fn table(size: u32) -> String {
    format!(
        "#include <assert.h>\nint a[{size}];\nint main(void) {{\n  int k = 1;\n  for (int i = 0; i < {size}; i++) {{\n    \
         a[k % {size}] = a[i] + k;\n    k = k * 5 + a[(i * 7) % {size}];\n  }}\n  assert(k == 3);\n}}\n"
    )
}

fn tables(size: u32) -> String {
    format!(
        "#include <assert.h>\nint a[{size}], b[{size}];\nint main(void) {{\n  unsigned k = 1;\n  for (int i = 0; i < {size}; i++) {{\n    \
         a[k % {size}] = b[i] + k;\n    b[a[i] & {}] = k;\n    k = k * 5 + a[(i * 7) % {size}];\n  }}\n  assert(k == 3);\n}}\n",
        size - 1
    )
}

fn hash(rounds: u32) -> String {
    format!(
        "#include <assert.h>\nint main(void) {{\n  unsigned h = 2166136261u, x = 7;\n  for (int i = 0; i < {rounds}; i++) {{\n    \
         x = x * 1664525u + 1013904223u;\n    h = (h ^ (x >> 8)) * 16777619u;\n    h ^= h >> 13;\n  }}\n  assert(h == 12345);\n}}\n"
    )
}

fn matrices(size: u32) -> String {
    format!(
        "#include <assert.h>\n#define N {size}\nint a[N][N], b[N][N], c[N][N];\nint main(void) {{\n  \
         for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {{ a[i][j] = i + j; b[i][j] = i - j; }}\n  \
         for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) for (int k = 0; k < N; k++) c[i][j] += a[i][k] * b[k][j];\n  \
         assert(c[N - 1][N - 1] == 3);\n}}\n"
    )
}

fn sorting(size: u32) -> String {
    format!(
        "#include <assert.h>\nint a[{size}];\nint main(void) {{\n  for (int i = 0; i < {size}; i++) a[i] = (i * 37) % 101;\n  \
         for (int i = 0; i < {size}; i++)\n    for (int j = 0; j + 1 < {size}; j++)\n      \
         if (a[j] < a[j + 1]) {{ int t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; }}\n  assert(a[0] <= a[1]);\n}}\n"
    )
}
