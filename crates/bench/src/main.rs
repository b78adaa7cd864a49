//! The benchmarks of the field, from a local copy, in a table beside the published figures.

mod bekkouche;
mod changed;
mod judged;
mod siemens;
mod svcomp;
mod tcas;

use clap::{Parser, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;
use wherefore_parallel::processors;

/// What one program may take.
const PATIENCE: Duration = Duration::from_secs(600);

/// The allocator of the command, so that what is measured is what it takes.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measure Wherefore on a local copy of a public benchmark.
#[derive(Parser, Debug)]
struct Options {
    /// Which benchmark
    #[arg(value_enum)]
    benchmark: Benchmark,
    /// Where its copy is
    directory: PathBuf,
    /// Programs at the same time; 0: as many as there are processors, and one more where it waits for what it starts
    #[arg(long, value_name = "N", default_value_t = 0)]
    jobs: usize,
    /// Only these programs (`v1`, `TritypeKO2`, `schedule/v3`)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// What each program of SV-COMP may take, in seconds; the paper gave 120
    #[arg(long, value_name = "N", default_value_t = 120)]
    seconds: u64,
    /// Ask the formula of the whole program alone, and try no edits
    #[arg(long)]
    formula: bool,
}

impl Options {
    fn programs_at_a_time(&self) -> usize {
        match self.jobs {
            0 => processors() + 1,
            jobs => jobs,
        }
    }
}

/// Benchmarks.
#[derive(ValueEnum, Copy, Clone, PartialEq, Eq, Debug)]
enum Benchmark {
    /// Siemens `tcas`: DIR/source/tcas.c, DIR/versions/vN/tcas.c, DIR/universe
    Tcas,
    /// Bekkouche's programs: DIR/facts.tsv names each file and the lines of its faults, separated by a tab
    Bekkouche,
    /// The other Siemens programs: DIR/NAME/source.alt/source.orig, DIR/NAME/versions.alt/versions.orig/vN,
    /// DIR/NAME/scripts/runall.sh, DIR/NAME/inputs
    Siemens,
    /// The erroneous programs of *Static fault localization for simple bugs*, from SV-COMP: DIR is searched for them
    Svcomp,
    /// Safe programs of SV-COMP: all below DIR whose names say `true`; none may be given an error trace
    SvcompSafe,
}

fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    match options.benchmark {
        Benchmark::Tcas => tcas::tcas(&options),
        Benchmark::Bekkouche => bekkouche::bekkouche(&options),
        Benchmark::Siemens => siemens::siemens(&options),
        Benchmark::Svcomp => svcomp::svcomp(&options),
        Benchmark::SvcompSafe => svcomp::safe(&options),
    }
}
