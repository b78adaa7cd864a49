//! A use of a pointer that points to nothing, in words.

use wherefore_trace::{Act, BadPointer};

/// `reads 4 bytes through entry->next, which is NULL`; the pointer may have no name that can be read.
pub fn nowhere(bad: &BadPointer, pointer: Option<&str>) -> String {
    let by = bad.by.map_or(String::new(), |by| format!("{by}() "));
    let bytes = match bad.bytes {
        Some(1) => "1 byte ".to_string(),
        Some(bytes) => format!("{bytes} bytes "),
        None => String::new(),
    };
    let used = match bad.act {
        Act::Calls => "calls a function through ".to_string(),
        Act::Writes => format!("{by}writes {bytes}through "),
        _ => format!("{by}reads {bytes}through "),
    };
    match (pointer, bad.value) {
        (Some(name), 0) => format!("{used}{name}, which is NULL"),
        (None, 0) => format!("{used}a null pointer"),
        (Some(name), _) => format!("{used}{name}, which points to nothing"),
        (None, _) => format!("{used}a pointer that points to nothing"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wherefore_formula::Terms;

    #[test]
    fn what_is_done_through_which_pointer() {
        let pointer = Terms::default().bits(64, 0);
        let bad = BadPointer { pointer, value: 0, offset: 8, act: Act::Reads, by: None, bytes: Some(4) };
        assert_eq!(nowhere(&bad, Some("entry->next")), "reads 4 bytes through entry->next, which is NULL");
        let called = BadPointer { act: Act::Calls, bytes: None, ..bad };
        assert_eq!(nowhere(&called, Some("c->run")), "calls a function through c->run, which is NULL");
        let wild = BadPointer { value: 1 << 50, act: Act::Writes, bytes: Some(1), by: Some("strcpy"), ..bad };
        assert_eq!(nowhere(&wild, Some("p")), "strcpy() writes 1 byte through p, which points to nothing");
        assert_eq!(nowhere(&bad, None), "reads 4 bytes through a null pointer");
    }
}
