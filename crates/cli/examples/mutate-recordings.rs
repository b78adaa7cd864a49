//! Changes recordings at random and explains them: whatever they hold, there is an answer.
//!
//! `cargo run --release --example mutate-recordings [COUNT [FIRST]] 2>/dev/null` tries the numbers from FIRST on; what goes
//! wrong is said on standard output. The recording of a number that ends the process is the file `changed` in the folder
//! that is named at the start.

#[path = "../tests/common/mutation.rs"]
mod mutation;

use mutation::Seeds;
use std::collections::BTreeMap;

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>().expect("a number"));
    let count = arguments.next().unwrap_or(1_000_000);
    let first = arguments.next().unwrap_or(0);
    let folder = tempfile::tempdir().expect("a folder").keep();
    println!("in {}", folder.display());
    let seeds = Seeds::new(&folder);
    let file = folder.join("changed");
    let (mut statuses, mut wrong) = (BTreeMap::<String, u64>::new(), 0);
    for number in first..first + count {
        match seeds.explain(number, &file) {
            Ok(status) => *statuses.entry(format!("{status:?}")).or_default() += 1,
            Err(what) => {
                wrong += 1;
                println!("{number}: {what}");
            }
        }
        if (number - first + 1) % 10_000 == 0 {
            println!("{}: {statuses:?}, {wrong} wrong", number + 1);
        }
    }
    println!("{count} recordings: {statuses:?}, {wrong} wrong");
    std::fs::remove_dir_all(&folder).expect("the folder is removed");
    assert_eq!(wrong, 0, "see above");
}
