//! Builds C files with a runtime object and prints the program: `dump runtime.o entry out-dir file...`.

use std::path::PathBuf;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [runtime, entry, dir, inputs @ ..] = arguments.as_slice() else {
        eprintln!("usage: dump runtime.o entry out-dir file...");
        std::process::exit(2);
    };
    let options = wherefore_frontend::Options {
        entry: entry.clone(),
        clang_args: vec![],
        error_label: None,
        linked: None,
        runtime_object: std::fs::read(runtime).expect("the runtime object is readable"),
        budget: Default::default(),
    };
    let inputs: Vec<PathBuf> = inputs.iter().map(PathBuf::from).collect();
    match wherefore_frontend::build(&inputs, &options, wherefore_frontend::Instrument::Record, dir.as_ref()) {
        Ok(build) => {
            print!("{}", wherefore_program::print(&build.program));
            for problem in wherefore_program::validate(&build.program) {
                println!("PROBLEM {problem}");
            }
            eprintln!("{:?} {:?} {}", build.messages, build.compile_time, build.executable.display());
        }
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(1);
        }
    }
}
