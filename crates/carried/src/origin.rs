//! Libraries beside an executable: where it looks for them by `$ORIGIN`, its twin does, which lies elsewhere.

/// What leads from beside the directory of a twin, or of another executable of the same program, to the directory of the
/// one that was linked.
pub const ORIGIN: &str = "origin";

/// An argument of a link as it is for the twin.
pub fn with_origin(argument: &str) -> String {
    let there = format!("$ORIGIN/../{ORIGIN}");
    argument.replace("${ORIGIN}", "$ORIGIN").replace("$ORIGIN", &there)
}

#[cfg(test)]
mod tests {
    #[test]
    fn both_ways_to_write_it_are_known() {
        let of = |argument| super::with_origin(argument);
        assert_eq!(of("-Wl,-rpath,$ORIGIN:/opt"), "-Wl,-rpath,$ORIGIN/../origin:/opt");
        assert_eq!(of("-rpath=${ORIGIN}/../lib"), "-rpath=$ORIGIN/../origin/../lib");
        assert_eq!(of("-lm"), "-lm");
    }
}
