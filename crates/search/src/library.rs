//! What is known of functions outside the program.

use crate::form::Form;

/// Functions that end a run whose inputs do not count.
const ASSUMPTIONS: [&str; 5] =
    ["__VERIFIER_assume", "assume_abort_if_not", "assume_cycle_if_not", "assume", "__CPROVER_assume"];

/// Results that no search can change, or that nobody looks at: memory is there, output is written.
const INDIFFERENT: [&str; 29] = [
    "malloc",
    "calloc",
    "realloc",
    "free",
    "alloca",
    "valloc",
    "aligned_alloc",
    "memalign",
    "strdup",
    "strndup",
    "printf",
    "fprintf",
    "puts",
    "putchar",
    "fputs",
    "fputc",
    "putc",
    "fwrite",
    "write",
    "perror",
    "fflush",
    "setbuf",
    "setvbuf",
    "exit",
    "abort",
    "__VERIFIER_assume",
    "__VERIFIER_assert",
    "__VERIFIER_atomic_begin",
    "__VERIFIER_atomic_end",
];

/// Functions whose result is a function of one small argument: trying its values one by one is exact.
const OF_A_CHARACTER: [&str; 15] = [
    "isalnum", "isalpha", "isascii", "isblank", "iscntrl", "isdigit", "isgraph", "islower", "isprint", "ispunct",
    "isspace", "isupper", "isxdigit", "tolower", "toupper",
];

/// Functions that give a table about characters.
const TABLES: [&str; 3] = ["__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc"];

/// Functions that read a number from a text.
const NUMBERS: [&str; 9] =
    ["atoi", "atol", "atoll", "strtol", "strtoll", "__isoc23_strtol", "__isoc23_strtoll", "strtoul", "strtoull"];

/// What a function does with what it is given.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Manner {
    /// It writes numbers somewhere outside the program: whatever they are, nothing else changes.
    pub shows_numbers: bool,
    /// It looks at its arguments and, if at memory, only to find its result.
    pub keeps_to_values: bool,
    /// Which argument is a stream of the library.
    pub stream: Option<usize>,
}

/// What is known of how a function treats its arguments.
pub(crate) fn manner(name: &str) -> Manner {
    match name {
        "printf" | "putchar" | "putchar_unlocked" => Manner { shows_numbers: true, ..Manner::default() },
        "fprintf" | "fflush" => Manner { shows_numbers: true, stream: Some(0), ..Manner::default() },
        "fputc" | "putc" => Manner { shows_numbers: true, stream: Some(1), ..Manner::default() },
        "fputs" => Manner { stream: Some(1), ..Manner::default() },
        "exit" | "_exit" | "abort" | "__assert_fail" => {
            Manner { shows_numbers: true, keeps_to_values: true, ..Manner::default() }
        }
        "malloc" | "calloc" | "realloc" | "free" | "valloc" | "aligned_alloc" | "memalign" => {
            Manner { keeps_to_values: true, ..Manner::default() }
        }
        _ if name.starts_with("str") || name.starts_with("mem") => {
            let reads = ["strlen", "strnlen", "strcmp", "strncmp", "strcasecmp", "strchr", "strrchr", "strstr"];
            let keeps_to_values = reads.contains(&name) || matches!(name, "memcmp" | "memchr" | "strspn" | "strcspn");
            Manner { keeps_to_values, ..Manner::default() }
        }
        _ if name.starts_with("__VERIFIER_") || gives_a_table(name) || is_assumption(name) => {
            Manner { shows_numbers: true, keeps_to_values: true, stream: None }
        }
        _ => Manner::default(),
    }
}

/// Whether a function only stops runs that do not count.
pub(crate) fn is_assumption(name: &str) -> bool {
    ASSUMPTIONS.contains(&name)
}

/// Whether what a function returns is the same whatever the inputs are.
pub(crate) fn is_indifferent(name: &str) -> bool {
    INDIFFERENT.contains(&name) || gives_a_table(name)
}

/// Whether a function gives a table about characters, the same in every run.
pub(crate) fn gives_a_table(name: &str) -> bool {
    TABLES.contains(&name)
}

/// Whether the result depends on one argument alone, which has few values.
pub(crate) fn is_of_a_character(name: &str) -> bool {
    OF_A_CHARACTER.contains(&name)
}

/// Whether a function reads a number from a text.
pub(crate) fn reads_a_number(name: &str) -> bool {
    NUMBERS.contains(&name)
}

/// What a `__VERIFIER_nondet_` function gives.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Nondet {
    /// A value of a form.
    Value(Form),
    /// 64 bits extended to 128.
    Wide {
        /// With the sign.
        signed: bool,
    },
    /// A pointer.
    Pointer,
    /// Bytes in memory, one value for each.
    Memory,
}

/// What a function of verifiers gives, by its name and the width of its result.
pub(crate) fn nondet(name: &str, bits: u32) -> Option<Nondet> {
    let kind = name.strip_prefix("__VERIFIER_nondet_")?;
    Some(match kind {
        "memory" => Nondet::Memory,
        "bool" | "_Bool" => Nondet::Value(Form::Truth),
        "float" | "double" if bits <= 64 => Nondet::Value(Form::Real { bits }),
        "int128" => Nondet::Wide { signed: true },
        "uint128" => Nondet::Wide { signed: false },
        "pointer" | "charp" | "pchar" | "const_char_pointer" => Nondet::Pointer,
        _ => {
            let unsigned = kind.starts_with('u') || matches!(kind, "size_t" | "sector_t" | "pthread_t");
            Nondet::Value(Form::Integer { bits: bits.clamp(1, 64), signed: !unsigned })
        }
    })
}
