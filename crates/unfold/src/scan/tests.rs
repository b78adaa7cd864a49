//! What is read from text, against the library.

use super::*;
use wherefore_fixtures::Fixture;

fn quoted(text: &str) -> String {
    let escaped: String = text.bytes().map(|b| format!("\\{b:03o}")).collect();
    format!("\"{escaped}\"")
}

fn lines(source: &str) -> Vec<String> {
    let stdout = Fixture::new(source).run(&[]).stdout;
    String::from_utf8(stdout).expect("plain text").lines().map(str::to_string).collect()
}

#[test]
fn numbers_are_read_as_the_library_does() {
    let texts = [
        "",
        "0",
        "7",
        "-7",
        "+7",
        "  42x",
        "\t\n-0012",
        "- 5",
        "--5",
        "x1",
        "2147483647",
        "2147483648",
        "-2147483649",
        "4294967296",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775809",
        "99999999999999999999",
        "18446744073709551615",
        "18446744073709551616",
        "-1",
        "1.5",
        ".5",
        "5.",
        "1e3",
        "1e",
        "1e+",
        "-2.5e-3z",
        "+.e1",
        "0x10",
        "1 2",
    ];
    let calls: String = texts
        .iter()
        .map(|t| {
            let t = quoted(t);
            format!("  d = atof({t}); memcpy(&u, &d, 8);\n  printf(\"%u %lu %lu %lu\\n\", (unsigned)atoi({t}), (unsigned long)atol({t}), strtoul({t}, 0, 10), u);\n")
        })
        .collect();
    let source = format!(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\nint main(void) {{\n  double d; unsigned long u;\n{calls}  return 0;\n}}\n"
    );
    for (text, line) in texts.iter().zip(lines(&source)) {
        // Hexadecimal floating point is not ours to read.
        let all = [Number::Int, Number::Long, Number::UnsignedLong, Number::Double];
        let count = if *text == "0x10" { 3 } else { 4 };
        let ours: Vec<String> = all.iter().take(count).map(|n| n.read(text.as_bytes()).to_string()).collect();
        let theirs: Vec<&str> = line.split(' ').take(count).collect();
        assert_eq!(ours, theirs, "{text:?}");
    }
}

/// What a format reads from a text: the count, the values as the library stores them, the position.
fn ours(format: &str, text: &str) -> String {
    let items = items(format.as_bytes(), &[Some(64), Some(64)]).expect("a known format");
    let results = vec![(VarId(0), Sort::Bits(32)); 130];
    let input = TestInput { stdin: text.as_bytes().to_vec(), ..TestInput::default() };
    let read = Read { kind: ReadKind::Scanf(items.clone()), results };
    let (values, position) = read.outcome(&input, 0);
    let mut values = values.into_iter();
    let count = values.next().expect("a count") as u32 as i32;
    let mut said = format!("{count}");
    let mut stored = 0;
    for item in &items {
        let Item::Convert { what, store: true, .. } = item else { continue };
        let (number, bits) = what.values();
        let own: Vec<u128> = values.by_ref().take(number as usize).collect();
        stored += 1;
        if stored > count {
            continue;
        }
        said += &match what {
            Convert::Word(_) => {
                let word = own.iter().map(|b| *b as u8).take_while(|b| *b != 0).map(char::from);
                format!(" {}", word.collect::<String>())
            }
            _ => format!(" {}", own[0] & (u128::MAX >> (128 - bits))),
        };
    }
    format!("{said} @{position}")
}

#[test]
fn formats_read_as_the_library_does() {
    let formats = [
        "%d", "%d %d", "%d,%d", "%2d%d", "%*d %d", "%x", "%o", "%i", "%hhd", "%c%c", " %c", "a%d", "%d%%", "%s",
        "%3s%s", "%ld",
    ];
    let texts = [
        "",
        "  ",
        "12",
        "12 34",
        "12,34",
        "12 ,34",
        "-5 +6",
        "x",
        "a7",
        " a 7",
        "1234",
        "ff 0xFf",
        "017",
        "09",
        "300",
        "5%",
        "5 %",
        "abc def",
        "12ab",
        "99999999999",
        "+",
        "-",
        "\n8\n",
        "-x",
        "0xg",
        "0x",
        "-0x5",
        "3 -y",
    ];
    let mut calls = String::new();
    for format in formats {
        let conversions: Vec<&str> = format.split('%').skip(1).collect();
        let string = format.ends_with('s');
        let (read, shown) = if string { ("s, t", true) } else { ("&a, &b", false) };
        let first: u32 = match conversions.last().map_or("", |c| c) {
            c if c.contains("hh") || c.contains('c') => 1,
            c if c.contains('l') => 8,
            _ => 4,
        };
        for text in texts {
            calls += &format!(
                "  a = b = 0; s[0] = t[0] = 0; f = fmemopen({0}, {1}, \"r\"); if (!f) return 1;\n  r = fscanf(f, {2}, {read}); printf(\"%d\", r);\n",
                quoted(text),
                text.len(),
                quoted(format)
            );
            let value = |v: &str| format!("({v} & ({first} == 8 ? ~0ul : (1ul << 8 * {first} % 64) - 1))");
            calls += &if shown {
                "  if (r > 0) printf(\" %s\", s); if (r > 1) printf(\" %s\", t);\n".to_string()
            } else {
                format!("  if (r > 0) printf(\" %lu\", {}); if (r > 1) printf(\" %lu\", {});\n", value("a"), value("b"))
            };
            calls += "  printf(\" @%ld\\n\", ftell(f)); fclose(f);\n";
        }
    }
    let source = format!(
        "#define _GNU_SOURCE\n#include <stdio.h>\nint main(void) {{\n  unsigned long a, b; int r; char s[64], t[64]; FILE *f;\n{calls}  return 0;\n}}\n"
    );
    let theirs = lines(&source);
    let mut wrong = vec![];
    let mut next = theirs.iter();
    for format in formats {
        for text in texts {
            let line = next.next().expect("one line for each");
            let said = ours(format, text);
            if *line != said {
                wrong.push(format!("{format:?} of {text:?}: {said}, but natively {line}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn lines_end_at_their_newline_or_where_there_is_no_room() {
    let input = TestInput { stdin: b"ab\ncdefg".to_vec(), ..TestInput::default() };
    let read = |limit, position| Read { kind: ReadKind::Line(limit), results: vec![] }.outcome(&input, position);
    let bytes = |text: &[u8]| text.iter().map(|b| u128::from(*b)).collect::<Vec<_>>();
    assert_eq!(read(6, 0), ([vec![3], bytes(b"ab\n\0\0\0")].concat(), 3));
    assert_eq!(read(3, 3), ([vec![2], bytes(b"cd\0")].concat(), 5));
    assert_eq!(read(6, 5), ([vec![3], bytes(b"efg\0\0\0")].concat(), 8));
    assert_eq!(read(3, 8), ([vec![minus_one()], bytes(b"\0\0\0")].concat(), 8), "the end of input");
}

#[test]
fn characters_and_nondeterministic_values_come_one_by_one() {
    let input = TestInput { stdin: b"a".to_vec(), nondet: vec![300], ..TestInput::default() };
    let char = Read { kind: ReadKind::Char, results: vec![] };
    assert_eq!((char.outcome(&input, 0), char.outcome(&input, 1)), ((vec![97], 1), (vec![minus_one()], 1)));
    let nondet = Read { kind: ReadKind::Nondet(8), results: vec![] };
    assert_eq!((nondet.outcome(&input, 0), nondet.outcome(&input, 1)), ((vec![44], 1), (vec![0], 2)));
    assert!(nondet.is_nondet() && !char.is_nondet());
    let bytes = Read { kind: ReadKind::Bytes(4), results: vec![] };
    assert_eq!(bytes.outcome(&input, 0), (vec![1, 97, 0, 0, 0], 1));
}
