//! `<ctype.h>`.

use crate::function::Access::{Reads, Writes};
use crate::function::Extent::{Fixed, Open};
use crate::function::{Function, Gives};

const fn of_a_character(name: &'static str) -> Function {
    Function::new(name, 1).gives(Gives::OfACharacter)
}

const fn table(name: &'static str) -> Function {
    Function::new(name, 0).gives(Gives::Table)
}

pub(super) const ROWS: &[Function] = &[
    of_a_character("isalnum"),
    of_a_character("isalpha"),
    of_a_character("isascii"),
    of_a_character("isblank"),
    of_a_character("iscntrl"),
    of_a_character("isdigit"),
    of_a_character("isgraph"),
    of_a_character("islower"),
    of_a_character("isprint"),
    of_a_character("ispunct"),
    of_a_character("isspace"),
    of_a_character("isupper"),
    of_a_character("isxdigit"),
    of_a_character("toascii"),
    of_a_character("tolower"),
    of_a_character("toupper"),
    // ---- wide and of several bytes ----
    Function::new("__ctype_get_mb_cur_max", 0),
    Function::new("btowc", 1).like(&["wctob", "towlower", "towupper", "wcwidth"]),
    Function::new("iswalpha", 1).like(&[
        "iswalnum",
        "iswblank",
        "iswcntrl",
        "iswdigit",
        "iswgraph",
        "iswlower",
        "iswprint",
        "iswpunct",
        "iswspace",
        "iswupper",
        "iswxdigit",
    ]),
    Function::new("mbsinit", 1).accesses(&[Reads(0, Fixed(8))]).optional(&[0]),
    Function::new("mbrtowc", 4)
        .accesses(&[Writes(0, Fixed(4)), Reads(1, Open), Writes(3, Fixed(8))])
        .optional(&[0, 1, 3]),
    Function::new("mbtowc", 3).accesses(&[Writes(0, Fixed(4)), Reads(1, Open)]).optional(&[0, 1]),
    Function::new("mblen", 2).accesses(&[Reads(0, Open)]).optional(&[0]),
    Function::new("wcrtomb", 3).accesses(&[Writes(0, Open), Writes(2, Fixed(8))]).optional(&[0, 2]),
    // What the macros of the header look into.
    table("__ctype_b_loc"),
    table("__ctype_tolower_loc"),
    table("__ctype_toupper_loc"),
];
