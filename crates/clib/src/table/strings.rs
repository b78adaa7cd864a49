//! `<string.h>`.

use crate::function::Access::{self, Reads, Writes};
use crate::function::Extent::{Argument, Fixed, Open, String, StringOf, StringUpTo};
use crate::function::{Function, Gives, checked, symbol};

/// A function that looks at memory to find its result.
const fn of_memory(name: &'static str, arguments: usize, accesses: &'static [Access]) -> Function {
    Function::new(name, arguments).accesses(accesses).gives(Gives::OfMemory)
}

pub(super) const ROWS: &[Function] = &[
    // ---- looking ----
    of_memory("strlen", 1, &[Reads(0, String)]),
    of_memory("strnlen", 2, &[Reads(0, StringUpTo(1))]),
    of_memory("strcmp", 2, &[Reads(0, String), Reads(1, String)]),
    of_memory("strcoll", 2, &[Reads(0, String), Reads(1, String)]),
    of_memory("strncmp", 3, &[Reads(0, StringUpTo(2)), Reads(1, StringUpTo(2))]),
    of_memory("strcasecmp", 2, &[Reads(0, String), Reads(1, String)]),
    of_memory("strncasecmp", 3, &[Reads(0, StringUpTo(2)), Reads(1, StringUpTo(2))]),
    of_memory("strchr", 2, &[Reads(0, String)]).like(&["index"]),
    of_memory("strrchr", 2, &[Reads(0, String)]).like(&["rindex"]),
    of_memory("strstr", 2, &[Reads(0, String), Reads(1, String)]),
    of_memory("strspn", 2, &[Reads(0, String), Reads(1, String)]),
    of_memory("strcspn", 2, &[Reads(0, String), Reads(1, String)]),
    of_memory("strpbrk", 2, &[Reads(0, String), Reads(1, String)]),
    of_memory("memcmp", 3, &[Reads(0, Argument(2)), Reads(1, Argument(2))]).like(&["bcmp"]),
    of_memory("memchr", 3, &[Reads(0, Argument(2))]),
    // The text may be one that the library keeps.
    Function::new("strerror", 1),
    // ---- copying ----
    Function::new("memcpy", 3)
        .symbols(&[checked("__memcpy_chk", &[3])])
        .accesses(&[Writes(0, Argument(2)), Reads(1, Argument(2))])
        .builtin()
        .apart(),
    Function::new("memmove", 3)
        .symbols(&[checked("__memmove_chk", &[3])])
        .accesses(&[Writes(0, Argument(2)), Reads(1, Argument(2))])
        .builtin(),
    Function::new("mempcpy", 3)
        .symbols(&[symbol("__mempcpy"), checked("__mempcpy_chk", &[3])])
        .accesses(&[Writes(0, Argument(2)), Reads(1, Argument(2))])
        .builtin()
        .apart(),
    Function::new("bcopy", 3).accesses(&[Reads(0, Argument(2)), Writes(1, Argument(2))]).builtin(),
    Function::new("memset", 3).symbols(&[checked("__memset_chk", &[3])]).accesses(&[Writes(0, Argument(2))]).builtin(),
    Function::new("bzero", 2).symbols(&[symbol("__bzero")]).accesses(&[Writes(0, Argument(1))]).builtin(),
    Function::new("strcpy", 2)
        .symbols(&[checked("__strcpy_chk", &[2])])
        .accesses(&[Writes(0, StringOf(1)), Reads(1, String)])
        .apart(),
    Function::new("stpcpy", 2)
        .symbols(&[symbol("__stpcpy"), checked("__stpcpy_chk", &[2])])
        .accesses(&[Writes(0, StringOf(1)), Reads(1, String)])
        .apart(),
    Function::new("strncpy", 3)
        .symbols(&[checked("__strncpy_chk", &[3])])
        .accesses(&[Writes(0, Argument(2)), Reads(1, StringUpTo(2))])
        .apart(),
    // What is appended stands behind a text of any length.
    Function::new("strcat", 2)
        .symbols(&[checked("__strcat_chk", &[2])])
        .accesses(&[Reads(0, String), Writes(0, Open), Reads(1, String)])
        .apart(),
    Function::new("strncat", 3)
        .symbols(&[checked("__strncat_chk", &[3])])
        .accesses(&[Reads(0, String), Writes(0, Open), Reads(1, StringUpTo(2))])
        .apart(),
    // It goes on with the text of an earlier call.
    Function::new("strtok", 2).accesses(&[Writes(0, String), Reads(1, String)]).writes_elsewhere().optional(&[0]),
    Function::new("strtok_r", 3)
        .symbols(&[symbol("__strtok_r")])
        .accesses(&[Writes(0, String), Reads(1, String), Writes(2, Fixed(8))])
        .writes_elsewhere()
        .optional(&[0]),
    Function::new("strsep", 2).accesses(&[Writes(0, Fixed(8)), Reads(1, String)]).writes_elsewhere(),
    of_memory("strchrnul", 2, &[Reads(0, String)]),
    of_memory("memrchr", 3, &[Reads(0, Argument(2))]),
    of_memory("strcasestr", 2, &[Reads(0, String), Reads(1, String)]),
    of_memory("memmem", 4, &[Reads(0, Argument(1)), Reads(2, Argument(3))]),
    of_memory("strverscmp", 2, &[Reads(0, String), Reads(1, String)]),
    Function::new("stpncpy", 3).accesses(&[Writes(0, Argument(2)), Reads(1, StringUpTo(2))]).apart(),
    Function::new("strlcpy", 3).accesses(&[Writes(0, StringUpTo(2)), Reads(1, String)]),
    Function::new("strlcat", 3).accesses(&[Writes(0, StringUpTo(2)), Reads(1, String)]),
    Function::new("memccpy", 4).accesses(&[Writes(0, Open), Reads(1, Open)]),
    Function::new("strxfrm", 3).accesses(&[Writes(0, StringUpTo(2)), Reads(1, String)]),
    Function::new("strerror_r", 3).accesses(&[Writes(1, StringUpTo(2))]),
    Function::new("strsignal", 1),
];
