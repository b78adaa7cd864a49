//! The runtime defines what the table of the library says that verification tasks call.

use std::collections::BTreeSet;
use wherefore_clib::{self as clib, NONDET_PREFIX, Nondet};

const RUNTIME: &str = include_str!("../runtime/runtime.c");

/// Types in C that have no sign.
fn is_unsigned(ctype: &str) -> bool {
    ctype.starts_with("unsigned") || ctype.starts_with("uint") || ctype == "size_t"
}

/// The name behind a `WEAK` and a type, where something is defined.
fn defined(line: &str) -> Option<&str> {
    let declared = line.strip_prefix("WEAK ").filter(|_| !line.ends_with(';'))?;
    let name = declared.split('(').next()?;
    Some(name.rsplit([' ', '*']).next().unwrap_or(name))
}

#[test]
fn values_that_may_be_any_are_those_of_the_table() {
    let mut kinds = BTreeSet::new();
    for line in RUNTIME.lines() {
        if let Some((name, ctype)) =
            line.strip_prefix("NONDET(").and_then(|rest| rest.strip_suffix(')')).and_then(|rest| rest.split_once(", "))
        {
            let kind = clib::nondet(&format!("{NONDET_PREFIX}{name}"));
            let expected = match ctype {
                "_Bool" => Nondet::Truth,
                _ if ctype.contains('*') => Nondet::Pointer,
                "unsigned __int128" => Nondet::Wide { signed: false },
                _ => Nondet::Integer { signed: !is_unsigned(ctype) },
            };
            assert_eq!(kind, Some(expected), "{name} is {ctype}");
            kinds.insert(name);
        }
        kinds.extend(defined(line).and_then(|name| name.strip_prefix(NONDET_PREFIX)));
    }
    let listed: BTreeSet<&str> = clib::nondet_kinds().map(|(name, _)| name).collect();
    assert_eq!(kinds, listed);
}

#[test]
fn what_ends_and_judges_is_in_the_table() {
    let names: Vec<&str> =
        RUNTIME.lines().filter_map(defined).filter(|name| !name.starts_with(NONDET_PREFIX)).collect();
    let of_verifiers = |name: &&&str| name.starts_with("__VERIFIER_") || **name == "reach_error";
    let own: Vec<&&str> = names.iter().filter(of_verifiers).collect();
    assert!(own.len() >= 6, "{own:?}");
    for name in own {
        assert!(clib::function(name).is_some(), "{name} has no row");
    }
    for function in clib::functions().filter(|f| f.name.starts_with("__VERIFIER_") || f.name == "reach_error") {
        assert!(RUNTIME.contains(&format!(" {}(", function.name)), "{} is not defined", function.name);
    }
}
