//! Recordings from outside: whatever a file holds, reading and explaining it ends with an answer.

#[path = "common/mutation.rs"]
mod mutation;

use mutation::Seeds;
use wherefore_cli::Status;

/// How many are tried here; `cargo run --release --example mutate-recordings` tries a million.
const TRIED: u64 = 2_500;

#[test]
fn changed_recordings_are_survived() {
    let folder = tempfile::tempdir().expect("a folder");
    let seeds = Seeds::new(folder.path());
    let file = folder.path().join("changed");
    let mut explained = 0;
    for number in 0..TRIED {
        match seeds.explain(number, &file) {
            Ok(status) => explained += u64::from(status == Status::Explained),
            Err(what) => panic!("recording {number}: {what}"),
        }
    }
    assert!(explained > TRIED / 20, "enough of them are runs that can be: {explained}");
}
