//! `__VERIFIER_nondet_*`: what verification tasks call for a value that may be any.

/// How the names begin.
pub const NONDET_PREFIX: &str = "__VERIFIER_nondet_";

/// What such a function gives. How wide it is the call says.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Nondet {
    /// 0 or 1.
    Truth,
    /// An integer of at most 64 bits.
    Integer {
        /// With a sign.
        signed: bool,
    },
    /// 64 bits extended to 128.
    Wide {
        /// With the sign.
        signed: bool,
    },
    /// A floating point number.
    Real,
    /// A pointer.
    Pointer,
    /// Bytes in memory, one value for each.
    Memory,
}

const SIGNED: Nondet = Nondet::Integer { signed: true };
const UNSIGNED: Nondet = Nondet::Integer { signed: false };

/// The ends of the names; the runtime that is linked into a program defines the same.
const KINDS: &[(&str, Nondet)] = &[
    ("_Bool", Nondet::Truth),
    ("bool", Nondet::Truth),
    ("char", SIGNED),
    ("schar", SIGNED),
    ("signed_char", SIGNED),
    ("uchar", UNSIGNED),
    ("unsigned_char", UNSIGNED),
    ("short", SIGNED),
    ("short_int", SIGNED),
    ("ushort", UNSIGNED),
    ("unsigned_short", UNSIGNED),
    ("int", SIGNED),
    ("uint", UNSIGNED),
    ("unsigned", UNSIGNED),
    ("unsigned_int", UNSIGNED),
    ("long", SIGNED),
    ("long_int", SIGNED),
    ("ulong", UNSIGNED),
    ("unsigned_long", UNSIGNED),
    ("longlong", SIGNED),
    ("long_long", SIGNED),
    ("ulonglong", UNSIGNED),
    ("unsigned_long_long", UNSIGNED),
    ("s8", SIGNED),
    ("s16", SIGNED),
    ("s32", SIGNED),
    ("s64", SIGNED),
    ("u8", UNSIGNED),
    ("u16", UNSIGNED),
    ("u32", UNSIGNED),
    ("u64", UNSIGNED),
    ("int8_t", SIGNED),
    ("int16_t", SIGNED),
    ("int32_t", SIGNED),
    ("int64_t", SIGNED),
    ("uint8_t", UNSIGNED),
    ("uint16_t", UNSIGNED),
    ("uint32_t", UNSIGNED),
    ("uint64_t", UNSIGNED),
    ("size_t", UNSIGNED),
    ("ssize_t", SIGNED),
    ("intptr_t", SIGNED),
    ("uintptr_t", UNSIGNED),
    ("loff_t", SIGNED),
    ("off_t", SIGNED),
    ("sector_t", UNSIGNED),
    ("pthread_t", UNSIGNED),
    ("time_t", SIGNED),
    ("wchar_t", SIGNED),
    ("pointer", Nondet::Pointer),
    ("charp", Nondet::Pointer),
    ("pchar", Nondet::Pointer),
    ("const_char_pointer", Nondet::Pointer),
    ("int128", Nondet::Wide { signed: true }),
    ("uint128", Nondet::Wide { signed: false }),
    ("float", Nondet::Real),
    ("double", Nondet::Real),
    ("memory", Nondet::Memory),
];

/// What a function gives that may give anything; `None` for any other.
pub fn nondet(name: &str) -> Option<Nondet> {
    let kind = name.strip_prefix(NONDET_PREFIX)?;
    KINDS.iter().find(|(known, _)| *known == kind).map(|(_, gives)| *gives)
}

/// The ends of all names, with what each gives.
pub fn nondet_kinds() -> impl Iterator<Item = (&'static str, Nondet)> {
    KINDS.iter().copied()
}
