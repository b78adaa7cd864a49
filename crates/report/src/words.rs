//! Small words: numbers with their nouns, and lists.

/// `1 test`, `2 tests`.
pub fn counted(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// `1st`, `2nd`, `11th`.
pub fn ordinal(number: u64) -> String {
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// `a, b and c`.
pub fn listed(parts: &[String]) -> String {
    joined(parts, "and")
}

/// `a, b or c`.
pub fn alternatives(parts: &[String]) -> String {
    joined(parts, "or")
}

fn joined(parts: &[String], last_by: &str) -> String {
    match parts {
        [first @ .., last] if !first.is_empty() => format!("{} {last_by} {last}", first.join(", ")),
        _ => parts.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_lists_read_as_people_write_them() {
        assert_eq!([counted(1, "test"), counted(0, "test")], ["1 test", "0 tests"]);
        assert_eq!([1, 2, 3, 4, 11, 22, 113].map(ordinal), ["1st", "2nd", "3rd", "4th", "11th", "22nd", "113th"]);
        let parts = ["a", "b", "c"].map(String::from);
        assert_eq!([listed(&parts), listed(&parts[..1]), listed(&[])], ["a, b and c", "a", ""]);
        assert_eq!(alternatives(&parts[..2]), "a or b");
    }
}
