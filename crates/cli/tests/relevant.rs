//! `wherefore relevant`: the programs of `tests/relevant`, whose lines say which assignments are relevant, and the command
//! as a user meets it.

mod common;

use common::{Said, run, workspace};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A program with what stands at its head.
struct Sample {
    file: PathBuf,
    text: String,
}

impl Sample {
    fn all() -> Vec<Sample> {
        let directory = workspace().join("tests/relevant");
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(directory).expect("the programs").map(|entry| entry.expect("a file").path()).collect();
        files.sort();
        let read = |file: PathBuf| Sample { text: std::fs::read_to_string(&file).expect("a text"), file };
        files.into_iter().map(read).collect()
    }

    fn named(name: &str) -> Sample {
        let is_it = |sample: &Sample| sample.file.file_stem().is_some_and(|stem| stem == name);
        Sample::all().into_iter().find(is_it).expect("there is one of this name")
    }

    fn said(&self, word: &str) -> Option<&str> {
        self.text.lines().find_map(|line| line.strip_prefix(&format!("// {word}:"))).map(str::trim)
    }

    /// The lines that are marked.
    fn marked(&self) -> BTreeSet<u64> {
        (1..).zip(self.text.lines()).filter(|(_, line)| line.contains("/* RELEVANT */")).map(|(n, _)| n).collect()
    }

    fn asked(&self, more: &[&str], scratch: &Path) -> Said {
        let mut arguments = vec!["relevant".to_string(), self.file.display().to_string()];
        arguments.extend(more.iter().map(ToString::to_string));
        if let Some(out) = self.said("out") {
            let file = scratch.join("out");
            std::fs::write(&file, format!("{out}\n")).expect("a file");
            arguments.extend(["--expect-stdout".into(), file.display().to_string()]);
        }
        arguments.extend(self.said("run").unwrap_or_default().split_whitespace().map(str::to_string));
        run(&arguments)
    }
}

/// The lines of the statements that are called relevant.
fn lines(said: &Said) -> BTreeSet<u64> {
    let json = said.json();
    let all = json["relevant"].as_array().unwrap_or_else(|| panic!("{}", said.stdout)).clone();
    all.iter().map(|one| one["at"]["line"].as_u64().expect("a line")).collect()
}

#[test]
fn the_marked_assignments_are_relevant_and_no_others() {
    let scratch = tempfile::tempdir().expect("a directory");
    for sample in Sample::all() {
        for backend in ["cadical", "z3"] {
            let said = sample.asked(&["--format", "json", "--backend", backend], scratch.path());
            assert_eq!(said.status, Some(0), "{}: {}", sample.file.display(), said.stderr);
            assert_eq!(lines(&said), sample.marked(), "{} by {backend}", sample.file.display());
            if let Some(unclear) = sample.said("unclear") {
                let told = said.json();
                let lines: Vec<String> = told["unclear"]
                    .as_array()
                    .expect("a list")
                    .iter()
                    .map(|one| one["at"]["line"].to_string())
                    .collect();
                assert_eq!((lines.join(" ").as_str(), &told["complete"]), (unclear, &false.into()), "{told:#}");
            }
        }
    }
}

#[test]
fn integers_and_bits_agree_where_nothing_overflows() {
    let scratch = tempfile::tempdir().expect("a directory");
    let mut read = 0;
    for sample in Sample::all() {
        let said = sample.asked(&["--format", "json", "--arith", "int"], scratch.path());
        if said.status == Some(2) {
            assert!(said.stderr.contains("no run over mathematical integers"), "{}", said.stderr);
            assert!(sample.text.contains("double"), "{}: {}", sample.file.display(), said.stderr);
            continue;
        }
        assert_eq!(lines(&said), sample.marked(), "{}: {}", sample.file.display(), said.stderr);
        read += 1;
    }
    assert!(read >= 21, "{read} were read");
}

#[test]
fn a_run_that_is_none_over_integers_is_refused_by_its_place() {
    let scratch = tempfile::tempdir().expect("a directory");
    let file = scratch.path().join("flip.c");
    let text = "#include <assert.h>\nint main(void)\n{\n    int x = 6;\n    int y = x ^ 5;\n    assert(y > 3);\n}\n";
    std::fs::write(&file, text).expect("a file");
    let arguments = ["relevant".to_string(), file.display().to_string(), "--arith".into(), "int".into()];
    let said = run(&arguments);
    assert_eq!(said.status, Some(2), "{}", said.stdout);
    assert!(said.stderr.contains("flip.c:5:"), "{}", said.stderr);
    assert_eq!(run(&arguments[..2]).status, Some(0), "bits have such runs");
}

#[test]
fn proofs_blame_the_same_where_nothing_is_chosen() {
    let scratch = tempfile::tempdir().expect("a directory");
    // A proof may use what no constant would change.
    let is_chosen = |sample: &&Sample| !sample.text.contains("nondet") && sample.said("unclear").is_none();
    for sample in Sample::all().iter().filter(is_chosen) {
        let json = sample.asked(&["--format", "json", "--by", "core"], scratch.path()).json();
        let all = json["relevant"].as_array().expect("a list").iter();
        let with_constant =
            all.filter(|one| one["replacement"].is_string()).filter_map(|one| one["at"]["line"].as_u64());
        assert_eq!(with_constant.collect::<BTreeSet<u64>>(), sample.marked(), "{}", sample.file.display());
    }
}

#[test]
fn an_answer_names_the_constant_what_it_stops_and_what_the_program_does_then() {
    let scratch = tempfile::tempdir().expect("a directory");
    let sample = Sample::named("two_pointers");
    let json = sample.asked(&["--format", "json"], scratch.path()).json();
    let one = &json["relevant"][0];
    let said = [&one["text"], &one["variable"], &one["was"], &one["replacement"], &one["replayed"]];
    assert_eq!(said, ["i = 1", "i", "1", "0", "passes"], "{one:#}");
    assert_eq!((&one["position"], &one["occurrences"]), (&2.into(), &[2].into()));
    assert_eq!((&one["stops"]["text"], &one["stops"]["failure"]), (&"i != 0".into(), &false.into()));
    assert_eq!((&json["assignments"], &json["complete"], &json["partial"]), (&3.into(), &true.into(), &false.into()));

    let told = sample.asked(&[], scratch.path()).stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for text in [
        "another constant in one assignment repairs it",
        "i = 0 instead of 1:",
        "i != 0 no longer holds in line 13, so the run goes another way; run with it, the program passes",
        "1 of 3 assigning statements of the run can keep it from going this way.",
    ] {
        assert!(told.contains(text), "no {text:?} in\n{told}");
    }
}

#[test]
fn what_stops_this_way_only_is_said_to_still_fail() {
    let scratch = tempfile::tempdir().expect("a directory");
    let json = Sample::named("no_stop_requested").asked(&["--format", "json"], scratch.path()).json();
    let all = json["relevant"].as_array().expect("a list").clone();
    let of = |name: &str| all.iter().find(|one| one["variable"] == name).map(|one| one["replayed"].clone());
    assert_eq!(of("set"), Some("passes".into()), "{json:#}");
    assert_eq!(of("stop_requested"), Some("fails".into()), "the flag is not set");
}

#[test]
fn a_value_is_that_of_one_execution() {
    let scratch = tempfile::tempdir().expect("a directory");
    let json = Sample::named("mean").asked(&["--format", "json"], scratch.path()).json();
    let all = json["relevant"].as_array().expect("a list").clone();
    let sum = all.iter().find(|one| one["text"] == "sum += numbers[i]").expect("the sum");
    assert_eq!((&sum["executed"], &sum["time"]), (&5.into(), &5.into()), "the last one is nearest to the failure");
    assert_eq!(sum["occurrences"].as_array().map(Vec::len), Some(5));
    assert_eq!(sum["replayed"], "passes");
}

#[test]
fn without_a_failure_there_is_nothing_to_say() {
    let scratch = tempfile::tempdir().expect("a directory");
    let file = scratch.path().join("fine.c");
    std::fs::write(&file, "int main(void) { int x = 1; return x - 1; }\n").expect("a file");
    let said = run(&["relevant", &file.display().to_string()]);
    assert_eq!((said.status, said.stdout.as_str()), (Some(3), ""));
    assert!(said.stderr.starts_with("wherefore: no failure: the program ends with status 0"), "{}", said.stderr);
    let said = run(&["relevant", &file.display().to_string(), "--expect-status", "1"]);
    assert_eq!(said.status, Some(0), "{}", said.stderr);
    assert!(said.stdout.contains("x = "), "{}", said.stdout);
    let said = run(&["relevant", &scratch.path().join("none.c").display().to_string()]);
    assert_eq!(said.status, Some(2), "{}", said.stderr);
}

#[test]
fn a_program_that_writes_files_is_not_run_again() {
    let scratch = tempfile::tempdir().expect("a directory");
    let (file, written) = (scratch.path().join("writes.c"), scratch.path().join("written"));
    let text = "#include <assert.h>\n#include <stdio.h>\nint main(int argc, char **argv) {\n    FILE *f = fopen(argv[1], \"a\");\n    fputs(\"x\", f);\n    fclose(f);\n    int n = argc;\n    assert(n > 5);\n    return 0;\n}\n";
    std::fs::write(&file, text).expect("a file");
    let arguments = ["relevant", &file.display().to_string(), "--format", "json", "--", &written.display().to_string()];
    let said = run(&arguments);
    assert_eq!(said.status, Some(0), "{}", said.stderr);
    assert!(lines(&said).contains(&7), "{}", said.stdout);
    assert!(!said.stdout.contains("replayed"), "{}", said.stdout);
    assert_eq!(std::fs::read_to_string(written).expect("it was written"), "x", "once");
}

#[test]
fn a_recording_is_judged_without_running_it() {
    let scratch = tempfile::tempdir().expect("a directory");
    let (sample, kept) = (Sample::named("mean"), scratch.path().join("run.whr").display().to_string());
    let recorded = run(&["record", &sample.file.display().to_string(), "-o", &kept]);
    assert_eq!(recorded.status, Some(0), "{}", recorded.stderr);
    let said = run(&["relevant", &kept, "--format", "json"]);
    assert_eq!(lines(&said), sample.marked(), "{}", said.stderr);
    assert!(!said.stdout.contains("replayed"), "{}", said.stdout);
}

#[test]
fn the_time_is_kept() {
    let scratch = tempfile::tempdir().expect("a directory");
    let file = scratch.path().join("mixes.c");
    // Whether a mixed number can be another one takes long to decide, and there are many of them.
    let text = "#include <assert.h>\n#include <stdint.h>\nint main(void) {\n    uint64_t h = 88172645463325252u;\n    for (int i = 0; i < 3000; i++) {\n        h ^= h << 13;\n        h *= 0x9e3779b97f4a7c15u + h;\n        h ^= h >> 7;\n        if (h == 1)\n            return 0;\n    }\n    assert(h % 1000003 == 7);\n    return 0;\n}\n";
    std::fs::write(&file, text).expect("a file");
    let began = Instant::now();
    let said = run(&["relevant", &file.display().to_string(), "--timeout", "4", "--format", "json"]);
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    assert!(matches!(said.status, Some(0 | 4)), "{:?}: {}", said.status, said.stderr);
    assert_eq!(said.json()["failure"]["kind"], "assertion");
}

#[test]
fn a_program_that_goes_on_without_failing_is_said_to() {
    let said = Sample::named("does_not_end").asked(&["--format", "json"], Path::new("."));
    let told = said.json();
    let step = &told["relevant"][0];
    assert_eq!((&step["at"]["line"], &step["replayed"]), (&6.into(), &"endless".into()), "{told:#}");
    let said = Sample::named("does_not_end").asked(&[], Path::new("."));
    let told = said.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("run with it, the program neither fails nor ends soon"), "{told}");
}

#[test]
fn of_runs_that_nobody_chose_a_short_one_is_looked_at() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("up.c");
    let text = "#include <assert.h>\nextern unsigned __VERIFIER_nondet_uint(void);\nint main(void) {\n    \
                unsigned x = __VERIFIER_nondet_uint(), y = x + 1;\n    while (x < 1000) {\n        x++;\n        y++;\n    }\n    \
                assert(x == y);\n    return 0;\n}\n";
    std::fs::write(&file, text).expect("a file");
    let told = run(&["relevant".into(), file.display().to_string(), "--format".into(), "json".into()]).json();
    assert!(told["trace"]["statements"].as_u64().is_some_and(|statements| statements < 20), "{told:#}");
}

#[test]
fn what_contradicts_an_assumption_repairs_nothing() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("assumed.c");
    let text = "#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\nextern void __VERIFIER_assume(int);\n\
                int main(void) {\n    int n = __VERIFIER_nondet_int();\n    __VERIFIER_assume(n > 5);\n    assert(n == 0);\n    \
                return 0;\n}\n";
    std::fs::write(&file, text).expect("a file");
    let asked = ["relevant".to_string(), file.display().to_string(), "--nondet".into(), "6".into()];
    let told = run(&asked).stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("another constant in one assignment contradicts what is assumed"), "{told}");
    assert!(told.contains("n = 0 instead of 6: n > 5 no longer holds in line 6, where it is assumed"), "{told}");
}

#[test]
fn the_run_is_shown_with_what_is_relevant_marked() {
    let told = Sample::named("two_pointers").asked(&["-v"], Path::new(".")).stdout;
    let run = told.split_once("The run, * where a constant").expect("it is shown").1;
    let lines: Vec<&str> = run.lines().skip(1).take_while(|line| !line.is_empty()).collect();
    let told: Vec<String> = lines.iter().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(told, ["9 | p1 = 0", "10 | p2 = 0", "11 | * i = 1", "12 | while (i < 10)", "13 | if (i == 0)"]);
}
