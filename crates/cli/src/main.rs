//! The `wherefore` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(wherefore_cli::run_with(std::env::args_os()) as u8)
}
