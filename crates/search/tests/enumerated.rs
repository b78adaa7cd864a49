//! Small functions made at random, tried with all small inputs: what fails there a search finds, or it does not claim to
//! have seen everything.

mod common;

use common::Built;
use wherefore_record::{Ending, Input, InputValue};
use wherefore_search::Limits;

const FUNCTIONS: u64 = 24;

/// Numbers that look random and are not.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) % most
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u64) as usize]
    }
}

/// Kinds of parameters: declaration, conditions about one, values.
struct Kind {
    declared: &'static str,
    conditions: &'static [&'static str],
    values: fn() -> Vec<InputValue>,
}

fn number(value: i32) -> InputValue {
    InputValue::Bits(value.to_le_bytes().to_vec())
}

fn null() -> InputValue {
    InputValue::Bits(vec![0; 8])
}

fn numbers(values: &[i32]) -> InputValue {
    InputValue::Object(values.iter().flat_map(|v| v.to_le_bytes()).collect())
}

const KINDS: [Kind; 4] = [
    Kind {
        declared: "int x",
        conditions: &["x == 2", "x < -1", "x > 1", "x * 3 == 3", "(x & 1)"],
        values: || (-2..=3).map(number).collect(),
    },
    Kind {
        declared: "char *s",
        conditions: &["s", "!s", "(s && s[0] == 'a')", "(s && s[0] && s[1] == 'b')", "(s && s[0] > s[1])", "*s"],
        values: || {
            let texts = ["\0", "a\0", "b\0", "ab\0", "ba\0"];
            texts.iter().map(|t| InputValue::Object(t.as_bytes().to_vec())).chain([null()]).collect()
        },
    },
    Kind {
        declared: "int *p",
        conditions: &["p", "!p", "(p && *p == 1)", "(p && *p < 0)", "*p == 2"],
        values: || (-1..=2).map(|v| numbers(&[v])).chain([null()]).collect(),
    },
    Kind {
        declared: "short a[3]",
        conditions: &["a", "(a && a[1] == a[2] + 1)", "(a && a[0] > 0)", "a[2] == 2", "(a && a[0] + a[1] == 3)"],
        values: || {
            let parts = (0..27).map(|n: i16| [n % 3, n / 3 % 3, n / 9].iter().flat_map(|v| v.to_le_bytes()).collect());
            parts.map(InputValue::Object).chain([null()]).collect()
        },
    },
];

/// A function of some parameters that may call `abort` in one place.
fn function(random: &mut Random) -> (String, Vec<&'static Kind>) {
    let count = 1 + random.below(2) as usize;
    let first = random.below(4) as usize;
    let kinds: Vec<&Kind> = (0..count).map(|n| &KINDS[(first + n * (1 + random.below(3) as usize)) % 4]).collect();
    let kinds: Vec<&Kind> = match &kinds[..] {
        [a, b] if a.declared == b.declared => vec![a],
        _ => kinds,
    };
    let mut condition = || {
        let kind = kinds[random.below(kinds.len() as u64) as usize];
        let other = kinds[random.below(kinds.len() as u64) as usize];
        let (a, b) = (random.one(kind.conditions), random.one(other.conditions));
        match random.below(3) {
            0 => a.to_string(),
            1 => format!("{a} && {b}"),
            _ => format!("({a} || {b})"),
        }
    };
    let body = format!(
        "int n = 0;\n  if ({}) n = 1;\n  if ({}) n += 2;\n  if (n == 3 || ({})) {{ if ({}) abort(); }}\n  return n;",
        condition(),
        condition(),
        condition(),
        condition()
    );
    let parameters: Vec<&str> = kinds.iter().map(|k| k.declared).collect();
    (format!("#include <stdlib.h>\nint f({}) {{\n  {body}\n}}\n", parameters.join(", ")), kinds)
}

/// All small inputs.
fn inputs(kinds: &[&Kind]) -> Vec<Vec<Input>> {
    let mut all: Vec<Vec<Input>> = vec![vec![]];
    for (index, kind) in (0..).zip(kinds) {
        let values = (kind.values)();
        let with = |given: &Vec<Input>, value: &InputValue| {
            [&given[..], &[Input::Argument { index, value: value.clone() }]].concat()
        };
        all = all.iter().flat_map(|given| values.iter().map(move |v| with(given, v))).collect();
    }
    all
}

#[test]
fn what_small_inputs_show_is_found() {
    let random = &mut Random(0x2545_f491_4f6c_dd1d);
    let (mut fail, mut claims) = (0, 0);
    for _ in 0..FUNCTIONS {
        let (source, kinds) = function(random);
        let built = Built::new(&source, "f");
        let found = built.search(&Limits { runs: Some(300), ..Limits::default() });
        let failing = inputs(&kinds).into_iter().find(|given| matches!(built.run(given), Ending::Signal(_)));
        if let Some(given) = failing {
            fail += 1;
            assert!(!found.failing.is_empty(), "{given:?} fails, {:?}:\n{source}", found.obstacles);
        }
        claims += u32::from(found.is_complete());
        // What was found does fail.
        for case in &found.failing {
            assert!(matches!(built.run(&case.given.inputs), Ending::Signal(_)), "{case:?}:\n{source}");
        }
    }
    assert!(fail > 5 && claims > 5, "{fail} fail, of {claims} everything is said to be seen");
}
