//! Recordings changed at random: their bytes, their words, and the program in them. The same number gives the same one.

use serde_json::{Map, Value};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};
use wherefore_cli::Status;
use wherefore_cli::recording::Parts;

/// What reading and explaining one recording may take.
const LONG: Duration = Duration::from_secs(20);

/// Failing programs that between them have everything a recording can hold.
const PROGRAMS: [&str; 8] = [
    "#include <assert.h>\nint limit = 3;\nint main(void) { int y = 4; if (y > limit) y = -1; assert(y >= 0); return y; }",
    "#include <assert.h>\nint a[4] = {1, 2, 3, 4};\nint main(void) { int s = 0; for (int i = 0; i < 4; i++) s += a[i]; \
     assert(s == 11); return 0; }",
    "#include <stdlib.h>\nstruct node { int value; struct node *next; };\nint main(void) { struct node *n = \
     malloc(sizeof *n); n->value = 3; n->next = 0; struct node *m = n->next; return m->value; }",
    "#include <string.h>\nstruct pair { char name[6]; short x, y; unsigned f : 3; };\nint main(void) { struct pair p, q; \
     memset(&p, 0, sizeof p); p.x = 7; p.f = 5; memcpy(&q, &p, sizeof q); return 10 / (q.x - 7); }",
    "#include <stdlib.h>\nstatic int deep(int n) { return n ? deep(n - 1) + 1 : 0; }\nstatic int (*call)(int) = deep;\n\
     int main(void) { switch (call(3)) { case 1: return 1; case 3: abort(); default: return 2; } }",
    "#include <assert.h>\n#include <stdlib.h>\nstatic int less(const void *a, const void *b) { return *(int *)a - \
     *(int *)b; }\nint main(void) { int a[3] = {3, 1, 2}; qsort(a, 3, sizeof *a, less); assert(a[0] == 3); return 0; }",
    "#include <assert.h>\n#include <setjmp.h>\njmp_buf back;\nstatic void away(double d) { if (d > 1.5) longjmp(back, 2); \
     }\nint main(void) { int n = setjmp(back); if (!n) away(2.5); assert(n == 0); return 0; }",
    "#include <assert.h>\nint first(const char *s) { while (*s == ' ') s++; return *s; }\nunion u { int i; char c[4]; };\n\
     int main(void) { union u u; u.i = 0x41; unsigned long n = u.c[0]; assert(first(\"  b\") + n * 3 != 293); return 0; }",
];

/// Numbers that are often just not allowed.
const NUMBERS: [u64; 24] = [
    0,
    1,
    2,
    7,
    8,
    9,
    16,
    31,
    32,
    33,
    63,
    64,
    65,
    127,
    128,
    129,
    255,
    0xffff,
    0x7fff_ffff,
    0xffff_ffff,
    1 << 32,
    1 << 48,
    1 << 63,
    u64::MAX,
];

/// Numbers that look random and are not.
pub struct Random(u64);

impl Random {
    fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 11
    }

    fn below(&mut self, most: usize) -> usize {
        self.next() as usize % most.max(1)
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn number(&mut self) -> u64 {
        NUMBERS[self.below(NUMBERS.len())]
    }
}

/// The recordings that are changed, taken apart.
pub struct Seeds {
    files: Vec<Vec<u8>>,
    headers: Vec<Value>,
    /// The words before those of the run, and those of the run.
    runs: Vec<(Vec<u64>, Vec<u64>)>,
    /// Everything that has a name in the headers: it can stand in another place of that name.
    named: Vec<(String, Value)>,
}

impl Seeds {
    /// Records the programs, in a folder of the caller's.
    pub fn new(folder: &Path) -> Seeds {
        let mut seeds = Seeds { files: vec![], headers: vec![], runs: vec![], named: vec![] };
        for (number, program) in PROGRAMS.iter().enumerate() {
            let (source, file) = (folder.join(format!("seed{number}.c")), folder.join(format!("seed{number}")));
            std::fs::write(&source, program).expect("a file is written");
            assert_eq!(wherefore(&["record", "-q", "-o"], &[&file, &source]), Status::Explained);
            let file = std::fs::read(file).expect("a recording");
            let parts = Parts::of(&file).expect("it is whole");
            let header: Value = serde_json::from_slice(&parts.header).expect("JSON");
            collect(&header, &mut seeds.named);
            seeds.headers.push(header);
            seeds.runs.push(events(&parts.run));
            seeds.files.push(file);
        }
        seeds
    }

    /// The changed recording of a number, and whether its checksum is right.
    pub fn changed(&self, number: u64) -> (Vec<u8>, bool) {
        let random = &mut Random::new(number);
        let seed = random.below(self.files.len());
        if random.one_in(4) {
            return (self.bytes(seed, random), false);
        }
        let mut parts = Parts::of(&self.files[seed]).expect("it is whole");
        match random.below(8) {
            0 => parts.run = change_bytes(&parts.run, &self.files[random.below(self.files.len())], random),
            1 => parts.header = change_bytes(&parts.header, &self.files[random.below(self.files.len())], random),
            2 | 3 => parts.run = self.words(seed, random),
            kind => {
                let mut header = self.headers[seed].clone();
                for _ in 0..=random.below(3) {
                    self.change(&mut header, "", random);
                }
                parts.header = serde_json::to_vec(&header).expect("plain data");
                if kind == 7 {
                    parts.run = self.words(seed, random);
                }
            }
        }
        (parts.sealed(), true)
    }

    /// A file changed anywhere.
    fn bytes(&self, seed: usize, random: &mut Random) -> Vec<u8> {
        loop {
            let bytes = change_bytes(&self.files[seed], &self.files[random.below(self.files.len())], random);
            if !self.files.contains(&bytes) {
                return bytes;
            }
        }
    }

    /// A run with some words changed.
    fn words(&self, seed: usize, random: &mut Random) -> Vec<u8> {
        let (mut head, mut events) = self.runs[seed].clone();
        for _ in 0..=random.below(3) {
            if random.one_in(6) {
                let at = random.below(head.len());
                head[at] = if random.one_in(2) { head[random.below(head.len())] } else { random.number() };
                continue;
            }
            let (at, other) = (random.below(events.len()), random.below(events.len()));
            if events.is_empty() {
                events.push(random.number());
                continue;
            }
            match random.below(8) {
                0 => events[at] = random.number(),
                1 => events[at] = events[other],
                2 => events.swap(at, other),
                3 => drop(events.remove(at)),
                4 => events.insert(at, events[other]),
                5 => events.truncate(at),
                6 => events[at] = events[at].wrapping_add(random.number()),
                _ => events[at] ^= 1 << random.below(64),
            }
        }
        let count = events.len() as u64;
        let end = u64::from_le_bytes(*b"WHEREEND");
        let all = head.iter().chain([&count]).chain(&events).chain([&end]);
        all.flat_map(|word| word.to_le_bytes()).collect()
    }

    /// One thing in the header changed.
    fn change(&self, value: &mut Value, name: &str, random: &mut Random) {
        let stays = random.one_in(12);
        match value {
            Value::Object(fields) if !fields.is_empty() && !stays => {
                // Most of what can be wrong is in the functions.
                let weighty = ["program", "functions", "blocks", "commands"].iter().find(|n| fields.contains_key(**n));
                let chosen = match weighty {
                    Some(name) if !random.one_in(3) => name.to_string(),
                    _ => fields.keys().nth(random.below(fields.len())).cloned().unwrap_or_default(),
                };
                if let Some(field) = fields.get_mut(&chosen) {
                    self.change(field, &chosen, random);
                }
            }
            Value::Array(items) if !items.is_empty() && !stays => {
                let at = random.below(items.len());
                self.change(&mut items[at], name, random);
            }
            _ => self.replace(value, name, random),
        }
    }

    fn replace(&self, value: &mut Value, name: &str, random: &mut Random) {
        if random.one_in(3) {
            let alike: Vec<&Value> = self.named.iter().filter(|(n, _)| n == name).map(|(_, v)| v).collect();
            if !alike.is_empty() {
                *value = alike[random.below(alike.len())].clone();
                return;
            }
        }
        match value {
            Value::Number(number) => {
                let old = number.as_i64().unwrap_or(0);
                *value = match random.below(5) {
                    0 => (old.wrapping_add(1)).into(),
                    1 => (old.wrapping_sub(1)).into(),
                    2 => (random.number() as i64).into(),
                    3 => (random.below(12) as u64).into(),
                    _ => random.number().into(),
                };
            }
            Value::Bool(truth) => *truth = !*truth,
            Value::Array(items) if !items.is_empty() => {
                let (at, other) = (random.below(items.len()), random.below(items.len()));
                match random.below(5) {
                    0 => drop(items.remove(at)),
                    1 => items.insert(at, items[other].clone()),
                    2 => items.swap(at, other),
                    3 => items.truncate(at),
                    _ => items.clear(),
                }
            }
            Value::Object(fields) if random.one_in(4) => *fields = Map::new(),
            _ => *value = self.named[random.below(self.named.len())].1.clone(),
        }
    }

    /// Explains the changed recording of a number, as a file of that name; what went wrong, if anything did.
    pub fn explain(&self, number: u64, file: &Path) -> Result<Status, String> {
        let (bytes, is_sealed) = self.changed(number);
        std::fs::write(file, bytes).expect("a file is written");
        let began = Instant::now();
        let explained = catch_unwind(AssertUnwindSafe(|| {
            wherefore(&["explain", "-q", "--timeout", "2", "-o", "/dev/null"], &[file])
        }));
        match explained {
            Err(_) => Err("it panics".into()),
            Ok(Status::Failed) => Err("it fails".into()),
            Ok(status) if !is_sealed && status != Status::Usage => Err(format!("{status:?}, though it is damaged")),
            Ok(_) if began.elapsed() > LONG => Err(format!("it takes {:?}", began.elapsed())),
            Ok(status) => Ok(status),
        }
    }
}

/// Runs the command within this process.
fn wherefore(options: &[&str], files: &[&Path]) -> Status {
    let words = ["wherefore"].iter().chain(options).map(|word| word.into());
    wherefore_cli::run_with(words.chain(files.iter().map(|file| file.as_os_str().to_owned())))
}

fn collect(value: &Value, named: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                named.push((name.clone(), field.clone()));
                collect(field, named);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, named)),
        _ => {}
    }
}

/// The words of a run: tables, and events.
fn events(run: &[u8]) -> (Vec<u64>, Vec<u64>) {
    let words: Vec<u64> = run.as_chunks::<8>().0.iter().map(|w| u64::from_le_bytes(*w)).collect();
    let mut at = 8;
    for _ in 0..words[7] {
        at += 3 + words[at + 2].div_ceil(8) as usize;
    }
    for _ in 0..2 {
        at += 1 + words[at] as usize;
    }
    (words[..at].to_vec(), words[at + 1..words.len() - 1].to_vec())
}

/// Bytes flipped, overwritten, cut off, or replaced by a part of others.
fn change_bytes(bytes: &[u8], others: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.below(3) {
        if bytes.is_empty() {
            break;
        }
        let at = random.below(bytes.len());
        match random.below(6) {
            0 | 1 => bytes[at] ^= 1 << random.below(8),
            2 => bytes[at] = random.next() as u8,
            3 => bytes.truncate(at),
            4 => {
                let from = random.below(others.len());
                let length = random.below(64).min(others.len() - from).min(bytes.len() - at);
                bytes[at..at + length].copy_from_slice(&others[from..from + length]);
            }
            _ => {
                let from = random.below(others.len());
                bytes.truncate(at);
                bytes.extend(&others[from..]);
            }
        }
    }
    bytes
}
