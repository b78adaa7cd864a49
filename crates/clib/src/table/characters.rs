//! `<ctype.h>`.

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
    // What the macros of the header look into.
    table("__ctype_b_loc"),
    table("__ctype_tolower_loc"),
    table("__ctype_toupper_loc"),
];
