//! Programs run natively: many of them in one executable, each in a process of its own.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// A program to be run.
pub struct Unit {
    /// Its lines; each may hold several lines of C.
    pub lines: Vec<String>,
    /// C text of the call that runs it.
    pub call: String,
}

/// How a program ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    Returned,
    /// The assertion in the line with this index failed.
    Assertion(usize),
    /// An arithmetic trap, in the line with this index.
    Trap(Option<usize>),
    /// It ran too long.
    TooLong,
    /// Anything else.
    Lost,
}

/// What a program did.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What the instrumentation wrote.
    pub output: Vec<String>,
    pub ending: Ending,
}

/// A line that clang does not accept: number of the unit, index of the line, and why.
pub type Rejected = (usize, usize, String);

/// Statements that a program may execute.
const STEPS: usize = 300;

const PRELUDE: &str = r#"
#define _GNU_SOURCE
#include <alloca.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
static int wf_ticks, wf_count[WF_LINES];
static void wf_end(int status) {
  for (int i = 0; i < WF_LINES; i++) if (wf_count[i]) printf("count %d %d\n", i, wf_count[i]);
  fflush(stdout);
  _exit(status);
}
static void wf_tick(void) { if (++wf_ticks > WF_STEPS) wf_end(77); }
static void wf_assert(int line) { printf("assert %d\n", line); wf_end(78); }
static void wf_fail(int check) { printf("fails %d\n", check); }
static void wf_trap(int signal, siginfo_t *info, void *context) { printf("trap %p\n", info->si_addr); wf_end(79); }
"#;

const MAIN: &str = r#"
int main(void) {
  struct sigaction action = {.sa_sigaction = wf_trap, .sa_flags = SA_SIGINFO};
  sigaction(SIGFPE, &action, NULL);
  struct itimerval long_enough = {.it_value.tv_usec = 500000}; // Of computing: the machine may be busy.
  for (unsigned unit = 0; unit < sizeof wf_units / sizeof *wf_units; unit++) {
    printf("unit %u\n", unit);
    fflush(stdout);
    int child = fork(), status = 0;
    if (child == 0) { setitimer(ITIMER_VIRTUAL, &long_enough, NULL); wf_units[unit](); wf_end(0); }
    waitpid(child, &status, 0);
    printf("end %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  }
  return 0;
}
"#;

/// Statement that counts an execution.
pub const TICK: &str = "wf_tick();";

/// The text of a program as unit number `unit`: names at file scope get its number.
pub fn renamed(text: &str, unit: usize) -> String {
    let mut result = String::new();
    for token in tokens(text) {
        result.push_str(token);
        let numbered = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
        let is_global = token.strip_prefix(['f', 'g', 'S']).is_some_and(numbered);
        if is_global || matches!(token, "main" | "start") {
            write!(result, "_{unit}").expect("strings take everything");
        }
    }
    result
}

/// Identifiers (and numbers) and what stands between them.
pub fn tokens(text: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut result = vec![];
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| is_word(c) != is_word(first)).unwrap_or(rest.len());
        result.push(&rest[..end]);
        rest = &rest[end..];
    }
    result
}

/// Compile and run programs.
///
/// # Errors
///
/// The lines that are not C.
pub fn run(units: &[Unit], directory: &Path) -> Result<Vec<Outcome>, Vec<Rejected>> {
    let longest = units.iter().map(|u| u.lines.len()).max().unwrap_or(0) + 1;
    let mut text = format!("#define WF_STEPS {STEPS}\n#define WF_LINES {longest}\n{}", PRELUDE.trim_start());
    let mut origins: HashMap<usize, (usize, usize)> = HashMap::new();
    let mut number = text.lines().count() + 1;
    let mut entries = String::new();
    for (index, unit) in units.iter().enumerate() {
        for (line, content) in unit.lines.iter().enumerate() {
            let content = if content.starts_with("#include") { String::new() } else { renamed(content, index) };
            for part in content.split('\n') {
                origins.insert(number, (index, line));
                writeln!(text, "{part}").expect("strings take everything");
                number += 1;
            }
        }
        let call = renamed(&unit.call, index);
        writeln!(text, "static void wf_unit_{index}(void) {{ {call}; }}").expect("strings take everything");
        number += 1;
        write!(entries, "wf_unit_{index}, ").expect("strings take everything");
    }
    text.push_str(&format!("static void (*const wf_units[])(void) = {{{entries}}};\n{}", MAIN.trim_start()));
    let (source, executable) = (directory.join("native.c"), directory.join("native"));
    std::fs::write(&source, &text).expect("the scratch directory can be written");
    let compiled = Command::new("clang-19")
        .args(["-w", "-O0", "-gline-tables-only", "-no-pie", "-ferror-limit=0", "-o"])
        .args([&executable, &source])
        .output()
        .expect("clang-19 is installed");
    if !compiled.status.success() {
        let errors = String::from_utf8_lossy(&compiled.stderr);
        let rejected: Vec<Rejected> = errors.lines().filter_map(|l| rejected(l, &origins)).collect();
        assert!(!rejected.is_empty(), "clang fails without naming a line of a program:\n{errors}");
        return Err(rejected);
    }
    let output = Command::new(&executable).output().expect("what was just linked can be run");
    let output = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut outcomes = vec![];
    for block in output.split("unit ").skip(1) {
        let lines: Vec<String> = block.lines().skip(1).map(String::from).collect();
        outcomes.push(outcome(lines, &executable, &origins));
    }
    assert_eq!(outcomes.len(), units.len(), "every program ends");
    Ok(outcomes)
}

/// `native.c:12:3: error: ...`
fn rejected(line: &str, origins: &HashMap<usize, (usize, usize)>) -> Option<Rejected> {
    let (place, message) = line.split_once(": error: ")?;
    let number: usize = place.split(':').nth(1)?.parse().ok()?;
    let (unit, index) = origins.get(&number)?;
    Some((*unit, *index, message.to_string()))
}

fn outcome(mut output: Vec<String>, executable: &Path, origins: &HashMap<usize, (usize, usize)>) -> Outcome {
    let end = output.pop().unwrap_or_default();
    let detail = |word: &str| output.iter().find_map(|l| l.strip_prefix(word)).map(str::to_string);
    let ending = match end.as_str() {
        "end 0" => Ending::Returned,
        "end 77" => Ending::TooLong,
        "end 78" => detail("assert ").and_then(|l| l.parse().ok()).map_or(Ending::Lost, Ending::Assertion),
        "end 79" => Ending::Trap(detail("trap ").and_then(|a| line_of(&a, executable, origins))),
        _ => Ending::Lost,
    };
    Outcome { output, ending }
}

/// The line an instruction belongs to.
fn line_of(address: &str, executable: &Path, origins: &HashMap<usize, (usize, usize)>) -> Option<usize> {
    let output = Command::new("addr2line").arg("-e").arg(executable).arg(address).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let number = text.trim().rsplit(':').next()?.split(' ').next()?.parse().ok()?;
    origins.get(&number).map(|o| o.1)
}
