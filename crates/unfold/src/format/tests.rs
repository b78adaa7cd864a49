//! What is written, against the library; and where in a text it may stand, against what is written.

use super::*;
use wherefore_clib::writing::Laid;
use wherefore_fixtures::Fixture;
use wherefore_formula::{Sort, VarId};

/// What a C program prints, line by line.
fn lines(calls: &[String]) -> Vec<String> {
    let calls: String = calls.iter().map(|c| format!("  {c}; putchar('\\n');\n")).collect();
    let source = format!("#include <stdio.h>\n#include <math.h>\nint main(void) {{\n{calls}  return 0;\n}}\n");
    let stdout = Fixture::new(&source).run(&[]).stdout;
    String::from_utf8(stdout).expect("plain text").lines().map(str::to_string).collect()
}

/// Our rendering of a format with one number.
fn ours(format: &str, bits: u128) -> String {
    let mut terms = Terms::new();
    let number = terms.var(VarId(0), Sort::Bits(64));
    let mut text = vec![];
    for directive in directives(format.as_bytes(), &mut |_| None).expect("a known format") {
        let piece = match directive {
            Directive::Text(text) => Piece::Text(text),
            Directive::Integer(c, _) => Piece::Integer(c, number),
            Directive::Char(c, _) => Piece::Char(c, number),
            Directive::Float(c, _) => Piece::Float(c, number),
            Directive::String(..) => panic!("no strings here"),
        };
        piece.render(&mut |_| Some(bits), &mut text).expect("the number is known");
    }
    String::from_utf8(text).expect("plain text")
}

#[test]
fn integers_are_written_as_the_library_does() {
    let formats = [
        "%d", "%i", "%5d|", "%-5d|", "%05d", "%+d", "% d", "%.3d", "%8.3d|", "%-8.3d|", "%+.0d", "%08.3d", "%+05d",
        "%u", "%+u", "%x", "%X", "%#x", "%#X", "%#8x", "%#08x", "%#.4x", "%o", "%#o", "%#.0o", "%.0x", "%hd", "%hhd",
        "%hhu", "%hu", "a%db%%c", "%3c|", "%-3c|",
    ];
    let values = [0i32, 1, -1, 7, -42, 65, 255, 200, -32769, 70000, i32::MAX, i32::MIN];
    let cases: Vec<(&str, i32)> = formats.iter().flat_map(|f| values.map(|v| (*f, v))).collect();
    let cases: Vec<_> = cases.into_iter().filter(|(f, v)| !f.contains('c') || f.contains("%d") || *v == 65).collect();
    let theirs = lines(&cases.iter().map(|(f, v)| format!("printf(\"{f}\", (int){v}LL)")).collect::<Vec<_>>());
    for ((format, value), line) in cases.iter().zip(&theirs) {
        assert_eq!(ours(format, u128::from(*value as u32)), *line, "{format} of {value}");
    }
    assert_eq!(theirs.len(), cases.len());
}

#[test]
fn long_integers_are_written_as_the_library_does() {
    let (formats, values) = (["%ld", "%lld", "%lu", "%zu", "%lx", "%jd"], [0i64, -1, i64::MAX, i64::MIN, 1 << 40]);
    let cases: Vec<(&str, i64)> = formats.iter().flat_map(|f| values.map(|v| (*f, v))).collect();
    let theirs =
        lines(&cases.iter().map(|(f, v)| format!("printf(\"{f}\", (long){}UL)", *v as u64)).collect::<Vec<_>>());
    for ((format, value), line) in cases.iter().zip(&theirs) {
        assert_eq!(ours(format, u128::from(*value as u64)), *line, "{format} of {value}");
    }
}

#[test]
fn floating_point_numbers_are_written_as_the_library_does() {
    let formats = [
        "%f", "%.0f", "%.1f", "%.2f", "%10.3f|", "%-10.3f|", "%010.3f", "%+f", "% .1f", "%e", "%.0e", "%E", "%.2e",
        "%12.1e|", "%g", "%.0g", "%.3g", "%G", "%.10g", "%#g", "%#.0f", "%#.0e", "%#.1g", "%F", "%08f",
    ];
    let values = [
        "0.0",
        "-0.0",
        "1.0",
        "-1.5",
        "0.5",
        "1.5",
        "2.5",
        "0.125",
        "0.375",
        "2.675",
        "9.995",
        "99999.95",
        "100000.0",
        "1234567.0",
        "0.0001",
        "0.00001234",
        "1e22",
        "1e-7",
        "123456789.125",
        "1e100",
        "INFINITY",
        "-INFINITY",
    ];
    let value = |text: &str| match text {
        "INFINITY" => f64::INFINITY,
        "-INFINITY" => f64::NEG_INFINITY,
        number => number.parse().expect("a number"),
    };
    let cases: Vec<(&str, &str)> = formats.iter().flat_map(|f| values.map(|v| (*f, v))).collect();
    let theirs = lines(&cases.iter().map(|(f, v)| format!("printf(\"{f}\", (double){v})")).collect::<Vec<_>>());
    let mut wrong = vec![];
    for ((format, text), line) in cases.iter().zip(&theirs) {
        let said = ours(format, u128::from(value(text).to_bits()));
        if said != *line {
            wrong.push(format!("{format} of {text}: {said}, but natively {line}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(theirs.len(), cases.len());
}

#[test]
fn widths_from_arguments_come_before_the_value() {
    let mut asked = vec![];
    let all = directives(b"%*.*d", &mut |n| {
        asked.push(n);
        Some([-6, 2][n])
    })
    .expect("a known format");
    let [Directive::Integer(c, 2)] = all[..] else { panic!("one integer, the third argument") };
    assert_eq!((asked.as_slice(), c.width, c.left, c.precision), (&[0, 1][..], 6, true, Some(2)));
    assert!(directives(b"%*d", &mut |_| None).is_none(), "a width that is not fixed");
}

#[test]
fn formats_that_are_not_known_are_refused() {
    for format in ["%n", "%a", "%ls", "%q", "%", "%p"] {
        assert!(directives(format.as_bytes(), &mut |_| None).is_none(), "{format}");
    }
}

/// Where a piece may end in a text is where its rendering is a prefix, for every value.
fn stands_where_it_is_written(piece: &Piece, terms: &mut Terms, text: &[u8], values: impl Iterator<Item = u128>) {
    let mut found = 0;
    let values: Vec<u128> = values.collect();
    for position in 0..=text.len() {
        let ends = matches(terms, piece, text, position);
        for value in &values {
            let mut written = vec![];
            let byte = |v: u32| value >> (8 * v);
            let width = |v: u32| if v == 9 { *value } else { byte(v) & 0xff };
            let mut of = |t: TermId| terms.evaluate(t, &mut |v| Some(width(v.0))).map(|v| v.raw());
            piece.render(&mut of, &mut written).expect("all is known");
            let stands = text[position..].starts_with(&written);
            let expected: Vec<usize> = if stands { vec![position + written.len()] } else { vec![] };
            let mut holds = ends.clone();
            holds.retain(|(_, condition)| of(*condition) == Some(1));
            let holds: Vec<usize> = holds.into_iter().map(|(end, _)| end).collect();
            assert_eq!(holds, expected, "{piece:?} of {value} at {position} of {:?}", String::from_utf8_lossy(text));
            found += holds.len();
        }
    }
    assert!(found > 0, "{piece:?} stands nowhere");
}

#[test]
fn an_integer_stands_where_its_text_does() {
    let mut terms = Terms::new();
    let number = terms.var(VarId(9), Sort::Bits(8));
    let plain = Writing { bits: 8, ..Writing::PLAIN };
    let conversions = [
        plain,
        Writing { signed: false, ..plain },
        Writing { base: 16, signed: false, ..plain },
        Writing { base: 8, signed: false, ..plain },
        Writing { width: 4, ..plain },
        Writing { width: 4, left: true, ..plain },
        Writing { width: 4, zeros: true, ..plain },
        Writing { plus: true, ..plain },
        Writing { precision: Some(3), ..plain },
        Writing { base: 16, signed: false, alternate: true, ..plain },
    ];
    for conversion in conversions {
        let piece = Piece::Integer(conversion, number);
        let text = b"-12 007 255 0xff 377 +5   7  -1 0012 -007 +1270x7f";
        stands_where_it_is_written(&piece, &mut terms, text, 0..256);
    }
}

#[test]
fn a_string_stands_where_its_bytes_do() {
    let mut terms = Terms::new();
    let mut bytes: Vec<TermId> = (0..2).map(|v| terms.var(VarId(v), Sort::Bits(8))).collect();
    bytes.push(terms.bits(8, 0));
    let values = || {
        let letters = [0u128, u128::from(b'a'), u128::from(b'b'), u128::from(b' ')];
        letters.into_iter().flat_map(move |x| letters.map(|y| x | y << 8))
    };
    for (width, precision, left) in
        [(0, None, false), (3, None, false), (3, None, true), (0, Some(1), false), (2, Some(1), true)]
    {
        let piece = Piece::String(Writing { width, precision, left, ..Writing::PLAIN }, bytes.clone());
        stands_where_it_is_written(&piece, &mut terms, b"ab a  ba", values());
    }
    let byte = terms.var(VarId(9), Sort::Bits(32));
    let piece = Piece::Char(Writing { width: 2, ..Writing::PLAIN }, byte);
    stands_where_it_is_written(&piece, &mut terms, b" a b  ", [97, 98, 32].into_iter());
}

#[test]
fn a_double_stands_where_it_rounds_to_the_text() {
    let mut terms = Terms::new();
    let number = terms.var(VarId(9), Sort::Bits(64));
    let piece = Piece::Float(Writing { bits: 64, precision: Some(1), ..Writing::PLAIN }, number);
    let values = [0.0f64, 0.04, 0.05, 0.06, 1.25, 1.2499999, 1.35, 1.3, -1.3, 2.0, 1.2, 1.15];
    stands_where_it_is_written(
        &piece,
        &mut terms,
        b"1.3 1.2 0.1 -1.3 0.0",
        values.map(|v| u128::from(v.to_bits())).into_iter(),
    );
}

#[test]
fn digits_stand_where_the_layout_says() {
    for (conversion, value) in [
        (Writing { width: 6, ..Writing::PLAIN }, -123),
        (Writing { width: 6, left: true, plus: true, ..Writing::PLAIN }, 45),
        (Writing { precision: Some(5), ..Writing::PLAIN }, 7),
        (Writing { width: 6, zeros: true, ..Writing::PLAIN }, -9),
    ] {
        let digits = i64::from(value).unsigned_abs().to_string();
        let laid = conversion.layout(digits.len(), value < 0);
        let text: String = laid
            .iter()
            .map(|l| match l {
                Laid::Byte(b) => char::from(*b),
                Laid::Digit(power) => digits.chars().rev().nth(*power).expect("a digit"),
            })
            .collect();
        assert_eq!(text, conversion.integer(u128::from(value as u32)));
    }
}
