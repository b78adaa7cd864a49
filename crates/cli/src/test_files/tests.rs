use super::*;
use proptest::collection::vec;
use proptest::prelude::*;

fn arguments() -> impl Strategy<Value = Vec<OsString>> {
    // What a shell has a meaning for more often than chance has it.
    let byte = prop_oneof![1u8..=255, proptest::sample::select(&b" \t\n\r'\"\\#$`!^*=,{}~"[..])];
    vec(vec(byte, 0..6).prop_map(OsString::from_vec), 0..4)
}

fn test() -> impl Strategy<Value = TestFiles> {
    let bytes = || proptest::option::of(vec(any::<u8>(), 0..6));
    let number = prop_oneof![
        any::<i64>().prop_map(|v| v.to_string()),
        any::<f64>().prop_map(|v| format!("{v:?}")),
        any::<f32>().prop_map(|v| format!("{v:?}f")),
    ];
    let value = prop_oneof![
        any::<i64>().prop_map(|v| v.to_string()),
        vec(any::<u8>(), 0..8).prop_map(|bytes| inputs::literal(&bytes)),
        vec(any::<i16>(), 0..4).prop_map(|all| format!("{all:?}").replace('[', "{").replace(']', "}")),
        "[ -~]{0,8}".prop_map(|text| text.trim().to_owned()),
        Just("NULL".to_owned()),
    ];
    let inputs = vec(("[A-Za-z_][A-Za-z0-9_]{0,5}", value), 0..4);
    let name = "[a-z][a-z0-9. -]{0,5}";
    (name, bytes(), arguments(), inputs, vec(number, 0..4), bytes(), any::<Option<i32>>()).prop_map(
        |(name, stdin, arguments, inputs, nondet, stdout, status)| TestFiles {
            name,
            stdin,
            arguments,
            inputs,
            nondet,
            expected: Expected { stdout, status },
        },
    )
}

proptest! {
    #[test]
    fn a_test_is_read_as_it_was_written(before in test(), after in test()) {
        let directory = tempfile::tempdir().expect("a directory");
        // Nothing is left of the one that had the name before.
        TestFiles { name: after.name.clone(), ..before }.write(directory.path()).expect("it is written");
        after.write(directory.path()).expect("it is written");
        prop_assert_eq!(TestFiles::read_all(directory.path()).expect("they are read"), [after]);
    }

    #[test]
    fn words_are_those_of_a_shell(arguments in arguments()) {
        let line = shlex::bytes::try_join(arguments.iter().map(|a| a.as_bytes())).expect("no zero bytes");
        prop_assert_eq!(words(&line), Ok(arguments.clone()));
        prop_assert_eq!(words(&[&line[..], b"\r\n"].concat()), Ok(arguments));
    }
}

#[test]
fn words_as_people_write_them() {
    let all = |line: &str| words(line.as_bytes()).map(|all| all.join(std::ffi::OsStr::new("|")).into_string().unwrap());
    for (line, expected) in [
        ("1  2\t3", "1|2|3"),
        (r#"'a b' "c d" e\ f"#, "a b|c d|e f"),
        (r#"'' "" x''y"#, "||xy"),
        (r#""a\"b\\c\d" 'e\f'"#, r#"a"b\c\d|e\f"#),
        ("1 # two", "1"),
        ("1#2 \\#3 '#4'", "1#2|#3|#4"),
        ("$HOME *", "$HOME|*"),
        ("", ""),
    ] {
        assert_eq!(all(line), Ok(expected.to_owned()), "{line}");
    }
    for line in ["'a", "\"a", "a\\"] {
        assert!(words(line.as_bytes()).is_err(), "{line}");
    }
}

#[test]
fn what_is_not_understood_is_told() {
    for (file, content, message) in [
        ("t.status", &b"many"[..], "t.status: not a number"),
        ("t.args", b"'a", "t.args: a quote that is not closed"),
        ("t.inputs", b"11,12\n", "t.inputs: 11,12: expected NAME=VALUE or nondet: V,V,..."),
        ("t.inputs", b"s=\"\xff\"\n", "t.inputs: not UTF-8"),
    ] {
        let directory = tempfile::tempdir().expect("a directory");
        fs::write(directory.path().join(file), content).expect("it is written");
        let error = TestFiles::read_all(directory.path()).expect_err(message).to_string();
        assert!(error.contains(message), "{error}");
    }
}
