//! Small C programs without undefined behaviour, a few inputs each: every value that is computed is masked to a few bits,
//! every index lies inside, every loop ends. The same number always gives the same program.

use std::fmt::Write;

const TYPES: [&str; 11] = [
    "int",
    "unsigned",
    "char",
    "short",
    "long",
    "unsigned char",
    "unsigned short",
    "signed char",
    "unsigned long",
    "long long",
    "_Bool",
];

/// A program and, for each value that it asks for, the range it may have.
pub struct Generated {
    pub text: String,
    pub ranges: Vec<(i64, i64)>,
}

pub fn generate(seed: u64) -> Generated {
    let mut writer = Writer { random: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, ..Writer::default() };
    writer.program();
    Generated { text: writer.text, ranges: writer.ranges }
}

#[derive(Default)]
struct Writer {
    random: u64,
    text: String,
    ranges: Vec<(i64, i64)>,
    names: usize,
    /// What can be read, and what can be written too.
    values: Vec<String>,
    variables: Vec<String>,
    /// Arrays and pointers to their begin, with the number of elements.
    arrays: Vec<(String, u64)>,
    /// Arrays of which whole stretches are moved.
    stretches: Vec<(String, u64)>,
    records: Vec<String>,
    record_pointers: Vec<String>,
    pointers: Vec<String>,
    /// Addresses of ints.
    addresses: Vec<String>,
    /// Functions of one argument.
    functions: Vec<String>,
    loops: usize,
}

impl Writer {
    fn below(&mut self, most: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 16) % most
    }

    fn one_in(&mut self, many: u64) -> bool {
        self.below(many) == 0
    }

    fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize].clone()
    }

    fn name(&mut self, kind: &str) -> String {
        self.names += 1;
        format!("{kind}{}", self.names)
    }

    fn line(&mut self, text: &str) {
        writeln!(self.text, "{text}").expect("text grows");
    }

    fn program(&mut self) {
        let (b, d) = (self.one(&TYPES[..10]), self.one(&TYPES[..10]));
        self.line("#include <string.h>");
        self.line("extern int __VERIFIER_nondet_int(void);\nextern void __VERIFIER_assume(int);");
        self.line("extern void reach_error(void);");
        self.line(&format!("struct s {{ int a; {b} b; long c; {d} d[3]; }};"));
        for _ in 0..2 {
            let (ctype, name, value) = (self.one(&TYPES), self.name("g"), self.below(2));
            self.line(&format!("{ctype} {name} = {value};"));
            self.both(&name);
        }
        let (ctype, name, count) = (self.one(&TYPES[..10]), self.name("ga"), 2 + self.below(3));
        self.line(&format!("{ctype} {name}[{count}] = {{3, 5}};"));
        self.arrays.push((name.clone(), count));
        self.stretches.push((name, count));
        let (record, int, pointer) = (self.name("gs"), self.name("g"), self.name("gp"));
        self.line(&format!("struct s {record} = {{4, 2, 7, {{1, 6, 3}}}};\nint {int} = 2;\nint *{pointer} = &{int};"));
        self.records.push(record);
        self.both(&int);
        self.addresses.push(format!("&{int}"));
        self.pointers.push(pointer);
        for _ in 0..self.below(3) {
            self.function();
        }
        self.line("void swap(int *p, int *q) { int t = *p; *p = *q; *q = t; }");
        self.main();
    }

    fn both(&mut self, name: &str) {
        self.values.push(name.into());
        self.variables.push(name.into());
    }

    fn function(&mut self) {
        let (name, given, kept, limit) = (self.name("f"), self.name("p"), self.name("k"), self.below(4));
        let (result, ctype) = (self.one(&TYPES[..8]), self.one(&TYPES[..8]));
        let (values, variables) = (self.values.clone(), self.variables.clone());
        self.line(&format!("{result} {name}({ctype} {given}) {{\n  static int {kept} = {limit};"));
        self.both(&given);
        self.both(&kept);
        let (early, condition) = (self.number(1), self.condition(1));
        self.line(&format!("  if ({condition}) return {early};"));
        if self.one_in(4) {
            // Often enough to be recursive, seldom enough to end soon.
            self.line(&format!("  if ({kept}++ < 2) {given} += {name}({given}) & 3;"));
        }
        self.statement(1);
        let value = self.number(2);
        self.line(&format!("  return {value};\n}}"));
        (self.values, self.variables) = (values, variables);
        self.functions.push(name);
    }

    fn main(&mut self) {
        self.line("int main(void) {");
        for _ in 0..=self.below(2) {
            let (name, low) = (self.name("x"), self.below(3) as i64 - 1);
            let high = low + self.below(4) as i64;
            self.ranges.push((low, high));
            self.line(&format!("  int {name} = __VERIFIER_nondet_int();"));
            self.line(&format!("  __VERIFIER_assume({name} >= {low} && {name} <= {high});"));
            self.both(&name);
            if self.one_in(2) {
                self.addresses.push(format!("&{name}"));
            }
        }
        for _ in 0..2 {
            let (ctype, name, value) = (self.one(&TYPES), self.name("v"), self.number(1));
            self.line(&format!("  {ctype} {name} = {value};"));
            self.both(&name);
        }
        let (ctype, name, pointer) = (self.one(&TYPES[..10]), self.name("a"), self.name("ap"));
        let (count, first) = (2 + self.below(3), self.number(1));
        self.line(&format!("  {ctype} {name}[{count}] = {{{first}, 2}};\n  {ctype} *{pointer} = {name};"));
        self.stretches.push((name.clone(), count));
        self.arrays.extend([(name.clone(), count), (pointer, count)]);
        if ctype == "int" {
            self.addresses.push(format!("&{name}[1]"));
        }
        let (record, reached, member) = (self.name("s"), self.name("sp"), self.number(1));
        self.line(&format!("  struct s {record} = {{{member}, 1, 2, {{3, 4}}}};\n  struct s *{reached} = &{record};"));
        self.addresses.push(format!("&{record}.a"));
        self.records.push(record);
        self.record_pointers.push(reached);
        let (pointer, address) = (self.name("p"), self.one(&self.addresses.clone()));
        self.line(&format!("  int *{pointer} = {address};"));
        self.pointers.push(pointer);
        for _ in 0..2 + self.below(4) {
            self.statement(2);
        }
        let (p, q) = (self.one(&self.addresses.clone()), self.one(&self.addresses.clone()));
        self.line(&format!("  swap({p}, {q});"));
        self.statement(1);
        let value = self.number(2);
        self.line(&format!("  unsigned end = {value};"));
        self.digest();
        self.line("  if ((end ^ end >> 7) & 1) reach_error();\n  return 0;\n}");
    }

    /// What the program has computed is in one number, so that whatever goes wrong is seen in every other case.
    fn digest(&mut self) {
        let mut all = self.values.clone();
        all.extend(self.pointers.iter().map(|pointer| format!("*{pointer}")));
        all.extend(self.arrays.iter().flat_map(|(name, count)| (0..*count).map(move |at| format!("{name}[{at}]"))));
        let members = ["a", "b", "c", "d[0]", "d[1]", "d[2]"];
        all.extend(self.records.iter().flat_map(|name| members.map(|member| format!("{name}.{member}"))));
        all.extend(self.record_pointers.iter().map(|name| format!("{name}->a")));
        for value in all {
            self.line(&format!("  end = end * 5 + (unsigned)({value});"));
        }
    }

    fn index(&mut self, count: u64) -> String {
        match self.below(3) {
            0 => self.below(count).to_string(),
            _ => format!("(unsigned)({}) % {count}u", self.one(&self.values.clone())),
        }
    }

    /// Something with an address.
    fn place(&mut self) -> String {
        match self.below(8) {
            0 | 1 => {
                let (name, count) = self.one(&self.arrays.clone());
                let index = self.index(count);
                if self.one_in(4) { format!("*({name} + {index})") } else { format!("{name}[{index}]") }
            }
            2 => format!("{}.{}", self.one(&self.records.clone()), self.one(&["a", "b", "c", "d[1]"])),
            3 => format!("{}.d[{}]", self.one(&self.records.clone()), self.index(3)),
            4 => format!("*{}", self.one(&self.pointers.clone())),
            5 if !self.record_pointers.is_empty() => {
                let index = self.index(3);
                let member = self.one(&["a".into(), "b".into(), "c".into(), format!("d[{index}]")]);
                format!("{}->{member}", self.one(&self.record_pointers.clone()))
            }
            _ => self.one(&self.variables.clone()),
        }
    }

    /// A number from 0 to 15, as an int.
    fn number(&mut self, depth: u32) -> String {
        let mask = self.one(&[3, 7, 15]);
        if depth == 0 {
            return match self.below(6) {
                0 => self.below(9).to_string(),
                1 | 2 => format!("((int)({}) & {mask})", self.place()),
                _ => format!("((int){} & {mask})", self.one(&self.values.clone())),
            };
        }
        let (a, b) = (self.number(depth - 1), self.number(depth - 1));
        match self.below(14) {
            0..=2 => format!("(({a} {} {b}) & {mask})", self.one(&["+", "-", "*"])),
            3 => format!("({a} {} ({b} | 1))", self.one(&["/", "%"])),
            4 => format!("((({a} - 8) {} ({b} | 1)) & {mask})", self.one(&["/", "%"])),
            5 => format!("(({a} << ({b} & 7)) & {mask})"),
            6 => format!("((({a} - 5) >> ({b} & 3)) & {mask})"),
            7 => format!("((int)(((unsigned){a} - 9u) >> {}) & {mask})", self.below(31)),
            8 => format!("({} ? {a} : {b})", self.condition(1)),
            9 => format!("((int)({})({a} * {} - {b}) & {mask})", self.one(&TYPES), self.one(&[-1, 17, 100, 3000])),
            10 => format!("({a} {} {b})", self.one(&["&", "|", "^"])),
            11 => format!("({})", self.condition(1)),
            12 if !self.functions.is_empty() => format!("({}({a}) & {mask})", self.one(&self.functions.clone())),
            13 => format!("({} && ({} = {}))", self.condition(0), self.one(&self.variables.clone()), self.below(4)),
            _ => a,
        }
    }

    fn condition(&mut self, depth: u32) -> String {
        match self.below(8) {
            0..=2 if depth > 0 => {
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                format!("({a} {} {b})", self.one(&["&&", "||"]))
            }
            3 => format!("!({})", self.place()),
            4 => format!("((unsigned)({} - 3) < {}u)", self.number(0), 1 + self.below(6)),
            _ => format!("({} {} {})", self.number(1), self.one(&["<", "<=", ">", ">=", "==", "!="]), self.below(9)),
        }
    }

    fn block(&mut self, depth: u32) {
        for _ in 0..=self.below(2) {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: u32) {
        let kind = if depth == 0 { self.below(7) } else { self.below(18) };
        match kind {
            3 => {
                let (place, op, value) = (self.place(), self.one(&["^=", "|=", "&=", "="]), self.number(1));
                self.line(&format!("  {place} {op} {value};"));
            }
            4 => {
                let (name, count) = self.one(&self.stretches.clone());
                let (to, from) = (self.below(count), self.below(count));
                let many = 1 + self.below(count - to.max(from));
                let moved = format!("memmove({name} + {to}, {name} + {from}, {many} * sizeof {name}[0]);");
                let line = self.one(&[moved, format!("memset({name}, 0, sizeof {name});")]);
                self.line(&format!("  {line}"));
            }
            5 => {
                let to = self.one(&self.pointers.clone());
                let from = if self.one_in(3) { self.one(&self.pointers.clone()) } else { self.address() };
                self.line(&format!("  {to} = {from};"));
            }
            6 if self.records.len() > 1 => {
                let (a, b) = (self.one(&self.records.clone()), self.one(&self.records.clone()));
                let copied = format!("{a} = {b};");
                let reached = self.one(&self.record_pointers.clone());
                let line = self.one(&[copied, format!("{reached} = &{a};")]);
                self.line(&format!("  {line}"));
            }
            7..=9 => {
                let condition = self.condition(2);
                self.line(&format!("  if ({condition}) {{"));
                self.block(depth - 1);
                if self.one_in(2) {
                    self.line("  } else {");
                    self.block(depth - 1);
                }
                self.line("  }");
            }
            10 | 11 => self.repeated(depth),
            12 | 13 => self.switched(depth),
            14 if self.loops > 0 => {
                let (condition, leave) = (self.condition(1), self.one(&["break", "continue"]));
                self.line(&format!("  if ({condition}) {leave};"));
            }
            15 => {
                let (condition, label) = (self.condition(1), self.name("L"));
                self.line(&format!("  if ({condition}) goto {label};"));
                self.block(depth - 1);
                self.line(&format!("  {label}: ;"));
            }
            _ => {
                let (place, value) = (self.place(), self.number(2));
                self.line(&format!("  {place} = {value};"));
            }
        }
    }

    /// An address that can be written here: locals of `main` are no names in functions, which are written before.
    fn address(&mut self) -> String {
        self.one(&self.addresses.clone())
    }

    fn repeated(&mut self, depth: u32) {
        let (name, rounds) = (self.name("i"), 1 + self.below(3));
        let (begin, end) = match self.below(3) {
            0 => (format!("for (int {name} = 0; {name} < {rounds}; {name}++) {{"), "}".to_string()),
            1 => (format!("{{ int {name} = {rounds}; while ({name}-- > 0) {{"), "} }".to_string()),
            _ => (format!("{{ int {name} = 0; do {{ {name}++;"), format!("}} while ({name} < {rounds}); }}")),
        };
        self.line(&format!("  {begin}"));
        self.values.push(name);
        self.loops += 1;
        self.block(depth - 1);
        self.loops -= 1;
        self.values.pop();
        self.line(&format!("  {end}"));
    }

    fn switched(&mut self, depth: u32) {
        let value = self.number(1);
        self.line(&format!("  switch ({value}) {{"));
        // `continue` would still be one, `break` another.
        let loops = std::mem::take(&mut self.loops);
        for constant in 0..1 + self.below(3) {
            self.line(&format!("  case {}:", 2 * constant));
            self.block(depth - 1);
            if self.one_in(2) {
                self.line("  break;");
            }
        }
        self.line("  default: ;");
        if self.one_in(2) {
            self.block(depth - 1);
        }
        self.loops = loops;
        self.line("  }");
    }
}
