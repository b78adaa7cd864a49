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
fn what_the_table_lists_is_defined() {
    let is_defined = |name: &str| {
        let defines = |line: &str| {
            let made = ["ERROR(", "ASSERT(", "ASSUME("].into_iter().find_map(|macro_| line.strip_prefix(macro_));
            let made = made.and_then(|rest| rest.split([',', ')']).next());
            made == Some(name) || defined(line) == Some(name) || line.contains(&format!("__asm__(\"{name}\")"))
        };
        RUNTIME.lines().any(defines)
    };
    let of_verifiers = |f: &&clib::Function| f.judges.is_some() || f.ends == Some(clib::Ending::Error);
    let rows: Vec<&clib::Function> = clib::functions().filter(of_verifiers).collect();
    assert!(rows.len() >= 6, "{rows:?}");
    for name in rows.into_iter().flat_map(|row| std::iter::once(row.name).chain(row.synonyms.iter().copied())) {
        assert!(is_defined(name), "{name} is not defined");
    }
    assert!(is_defined(clib::NOTHING) && is_defined("__VERIFIER_atomic_begin") && !is_defined("__VERIFIER_mine"));
}
