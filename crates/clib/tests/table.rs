//! The rows fit together.

use std::collections::HashSet;
use wherefore_clib::{
    Access, Callback, Channel, Ending, Extent, Format, Function, Gives, Judge, Nondet, ending, function, functions,
    judge, known_as, nondet, of_intrinsic, unsettles, written_as,
};

/// The arguments that a row speaks of.
fn mentioned(f: &Function) -> Vec<usize> {
    let in_extent = |extent: Extent| match extent {
        Extent::Argument(n) | Extent::StringOf(n) | Extent::StringUpTo(n) | Extent::Formatted(n) => vec![n],
        Extent::Product(a, b) => vec![a, b],
        Extent::Fixed(_) | Extent::String | Extent::Open => vec![],
    };
    let channel = |channel: Option<Channel>| match channel {
        Some(Channel::Stream(n) | Channel::Descriptor(n)) => Some(n),
        Some(Channel::Standard | Channel::Error) | None => None,
    };
    let mut all = vec![];
    all.extend(f.accesses.iter().flat_map(|a| std::iter::once(a.through()).chain(in_extent(a.extent()))));
    all.extend(f.allocates.into_iter().flat_map(|made| in_extent(made.size)));
    all.extend(f.frees);
    all.extend(f.optional);
    all.extend(f.handle);
    all.extend(channel(f.reads_input));
    all.extend(channel(f.writes_output));
    all.extend(channel(f.moves));
    all.extend(f.format.map(|(Format::Print(n) | Format::Scan(n))| n));
    all.extend(f.calls_back.map(|(Callback::Now(n) | Callback::Later(n) | Callback::Thread(n))| n));
    all.extend(f.judges.map(|_| 0));
    all.extend(match f.ends {
        Some(Ending::Status(n)) => Some(n),
        _ => None,
    });
    all
}

#[test]
fn every_name_and_symbol_stands_once() {
    let mut seen = HashSet::new();
    for f in functions() {
        let symbols = f.symbols.iter().map(|s| s.name);
        for name in std::iter::once(f.name).chain(f.synonyms.iter().copied()).chain(symbols) {
            assert!(seen.insert(name), "{name} stands twice");
        }
    }
    let mut intrinsics = HashSet::new();
    for name in functions().filter_map(|f| f.intrinsic) {
        assert!(intrinsics.insert(name), "{name} stands for two functions");
        assert!(of_intrinsic(name).is_some());
    }
}

#[test]
fn arguments_are_those_that_a_function_has() {
    for f in functions() {
        for n in mentioned(f) {
            assert!(n < f.arguments, "{} has no argument {n}", f.name);
        }
        for symbol in f.symbols {
            let all = f.arguments + symbol.extra.len();
            assert!(symbol.extra.is_sorted_by(|a, b| a < b), "{}", symbol.name);
            assert!(symbol.extra.iter().all(|n| *n < all), "{} has no such argument", symbol.name);
        }
        if let Some(Format::Print(n) | Format::Scan(n)) = f.format {
            assert!(f.variadic && n + 1 == f.arguments, "{}: what follows the format is formatted", f.name);
            assert!(f.accesses.contains(&Access::Reads(n, Extent::String)), "{}: a format is read", f.name);
        }
    }
}

#[test]
fn rows_do_not_contradict_themselves() {
    for f in functions() {
        assert!(f.ends.is_none() || f.judges.is_none(), "{}", f.name);
        assert!(f.ends.is_none() || f.only_reads(), "{} writes and does not come back", f.name);
        if f.is_pure() {
            assert!(!f.nondeterministic && f.ends.is_none() && f.judges.is_none(), "{}", f.name);
        }
        if matches!(f.gives, Gives::OfValues | Gives::OfACharacter | Gives::Table) {
            assert!(f.accesses.is_empty(), "{} gives something that memory decides", f.name);
        }
        if f.gives == Gives::OfACharacter {
            assert_eq!(f.arguments, 1, "{}", f.name);
        }
        if let Some(Extent::Formatted(n)) =
            f.accesses.iter().map(|a| a.extent()).find(|e| matches!(e, Extent::Formatted(_)))
        {
            assert_eq!(f.format, Some(Format::Print(n)), "{}", f.name);
        }
    }
}

#[test]
fn symbols_are_the_names_that_programs_write() {
    assert_eq!(written_as("__isoc99_scanf"), ("scanf", &[][..]));
    assert_eq!(written_as("__sprintf_chk"), ("sprintf", &[1, 2][..]));
    assert_eq!(written_as("fgetc"), ("fgetc", &[][..]), "a program may write it");
    assert_eq!(written_as("mine"), ("mine", &[][..]));
    assert_eq!(known_as("__isoc23_strtoul"), "strtoul");
    assert_eq!(known_as("fgetc_unlocked"), "getc");
    assert_eq!(known_as("mine"), "mine");
    assert!(function("__sprintf_chk").is_none(), "its arguments are others");
    assert_eq!(of_intrinsic("minnum").map(|f| f.name), Some("fmin"));
}

#[test]
fn who_ends_and_who_judges() {
    assert_eq!(ending("quick_exit"), Some(Ending::Status(0)));
    assert_eq!(ending("__VERIFIER_error"), Some(Ending::Error));
    assert_eq!(ending("__assert_perror_fail"), Some(Ending::Assertion));
    assert_eq!(ending("printf"), None);
    assert_eq!(judge("assume_abort_if_not"), Some(Judge::Assumes));
    assert_eq!(judge("__VERIFIER_assert"), Some(Judge::Asserts));
    assert_eq!(judge("abort"), None);
    assert!(!Ending::Status(0).is_failure() && Ending::Abort.is_failure());
}

#[test]
fn what_is_done_to_memory() {
    let only_reads = |name: &str| function(name).is_some_and(Function::only_reads);
    for name in ["strlen", "printf", "fopen", "toupper", "sqrtf", "exit", "rename", "getchar"] {
        assert!(only_reads(name), "{name}");
    }
    for name in ["sprintf", "scanf", "sscanf", "fgets", "strtol", "qsort", "signal", "malloc", "free", "strtok", "mine"]
    {
        assert!(!only_reads(name), "{name}");
    }
    let places = |name: &str| function(name).expect(name).input_places().map(|(n, _)| n).collect::<Vec<_>>();
    assert_eq!(places("fread"), [0]);
    assert_eq!(places("read"), [1]);
    assert_eq!(places("time"), [0]);
    assert_eq!(places("strtol"), [], "what is written does not come from outside");
    assert_eq!(function("fscanf").and_then(Function::scanned_from), Some(2));
    assert_eq!(function("sscanf").and_then(Function::scanned_from), None);
    assert!(function("atoi").is_some_and(Function::is_pure));
    let prints = |name: &str| function(name).is_some_and(Function::prints);
    assert!(prints("printf") && prints("fputs") && prints("write"));
    assert!(!prints("fflush") && !prints("perror") && !prints("sprintf"));
    assert!(!function("rand").is_some_and(Function::is_pure));
}

#[test]
fn what_something_else_may_end_or_change() {
    for name in ["alarm", "signal", "system", "popen", "fork", "pthread_create", "kill", "setrlimit", "mine"] {
        assert!(unsettles(name), "{name}");
    }
    for name in ["printf", "sleep", "malloc", "getchar", "va_start", "llvm.trap", "__VERIFIER_nondet_int"] {
        assert!(!unsettles(name), "{name}");
    }
    let moves = |name: &str| function(name).and_then(|f| f.moves);
    assert_eq!(moves("rewind"), Some(Channel::Stream(0)));
    assert_eq!((moves("dup2"), moves("dup")), (Some(Channel::Descriptor(1)), None));
}

#[test]
fn pointers_that_are_followed() {
    let handles = |name: &str| function(name).expect(name).handles().collect::<Vec<_>>();
    assert_eq!(handles("fgets"), [2]);
    assert_eq!(handles("feof"), [0]);
    assert_eq!(handles("fflush"), [], "null stands for all streams");
    let on_memory = |name: &str| function(name).is_some_and(Function::works_on_memory);
    assert!(on_memory("strcpy") && on_memory("strcmp") && on_memory("sprintf"));
    assert!(!on_memory("strdup") && !on_memory("puts") && !on_memory("qsort") && !on_memory("fclose"));
    for f in functions() {
        let follows = |n: &usize| f.accesses.iter().any(|a| a.through() == *n) || f.output_stream() == Some(*n);
        assert!(f.optional.iter().all(follows), "{}: what may be null is followed where it is not", f.name);
    }
}

#[test]
fn what_is_to_be_apart_is_written_and_read() {
    for f in functions().filter(|f| f.apart) {
        assert!(matches!(f.accesses, [.., Access::Reads(..)]), "{} reads nothing", f.name);
        assert!(f.accesses.iter().any(|a| matches!(a, Access::Writes(0, _))), "{} writes nothing", f.name);
    }
    let apart = |name: &str| function(name).is_some_and(|f| f.apart);
    assert!(apart("memcpy") && apart("strcat") && apart("sprintf"));
    assert!(!apart("memmove") && !apart("bcopy"));
}

#[test]
fn values_that_may_be_any() {
    assert_eq!(nondet("__VERIFIER_nondet_uint"), Some(Nondet::Integer { signed: false }));
    assert_eq!(nondet("__VERIFIER_nondet_double"), Some(Nondet::Real));
    assert_eq!(nondet("__VERIFIER_nondet_memory"), Some(Nondet::Memory));
    assert_eq!(nondet("__VERIFIER_nondet_none"), None);
    assert_eq!(nondet("int"), None);
}
