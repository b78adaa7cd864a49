use super::item::{integer, real};
use super::layout::{Arguments, Unknown, divide};
use super::rounding::{Bound, bound};
use super::text::{quoted, rest_of_line, word_start};
use super::*;
use std::ops::Range;
use wherefore_clib::print;
use wherefore_clib::writing::Writing;

struct Given(Vec<u128>, Option<&'static str>);

impl Arguments for Given {
    fn bits(&self, argument: usize) -> Option<u128> {
        self.0.get(argument).copied()
    }

    fn string(&self, _: usize, most: usize) -> Option<Vec<u8>> {
        self.1.map(|text| text.bytes().take(most).collect())
    }
}

fn ranges(format: &str, given: &Given, text: &str) -> Result<Vec<Range<usize>>, Unknown> {
    let pieces = print::parse(format.as_bytes()).expect("a format");
    divide(pieces, given, text.as_bytes()).map(|laid| laid.into_iter().map(|l| l.range).collect())
}

#[test]
fn texts_part_at_the_first_byte_that_differs() {
    assert!(Texts::new(b"same\n", b"same\n").is_none());
    let texts = Texts::new(b"a\nmedian 4\n", b"a\nmedian 7\n").expect("they differ");
    assert_eq!((texts.differs, texts.place(texts.differs), texts.ends_early()), (9, (2, 8), false));
    let early = Texts::new(b"1 2", b"1 2 3").expect("they differ");
    assert!(early.ends_early() && !early.word_ends_early());
    assert!(Texts::new(b"1\n", b"12\n").expect("they differ").word_ends_early());
    assert!(!Texts::new(b"13\n", b"12\n").expect("they differ").word_ends_early());
    assert!(Texts::new(b"1 \n2", b"1\n2\n").expect("they differ").only_space_differs());
    assert!(!Texts::new(b"1  2\n", b"1 2\n").expect("they differ").only_space_differs());
}

#[test]
fn a_text_is_divided_among_the_pieces_that_wrote_it() {
    let given = Given(vec![7, 3.25f64.to_bits().into()], None);
    assert_eq!(ranges("a = %3d; %.1f\n", &given, "a =   7; 3.2\n"), Ok(vec![0..4, 4..7, 7..9, 9..12, 12..13]));
    assert_eq!(ranges("a = %d", &given, "b = 7"), Err(Unknown::Otherwise));
    assert_eq!(ranges("a = %d", &given, "a = 78"), Err(Unknown::Otherwise));
    // A string that is not known is what the rest leaves.
    assert_eq!(ranges("[%s]\n", &given, "[some text]\n"), Ok(vec![0..1, 1..10, 10..12]));
    assert_eq!(ranges("%s%s", &given, "ab"), Err(Unknown::Open));
    assert_eq!(ranges("%s%s", &Given(vec![0, 0], Some("ab")), "abab"), Ok(vec![0..2, 2..4]));
}

#[test]
fn an_item_is_read_as_it_is_written() {
    let plain = Writing::PLAIN;
    assert_eq!(integer(&plain, b"42 and more", None), Some((42, 2)));
    assert_eq!(integer(&plain, b"-1\n", None), Some((0xffff_ffff, 2)));
    assert_eq!(integer(&plain, b"error", None), None);
    // Other digits than the directive writes are no such item.
    assert_eq!(integer(&plain, b"007", None), None);
    assert_eq!(integer(&Writing { width: 4, ..plain }, b"  17,", None), Some((17, 4)));
    assert_eq!(integer(&Writing { width: 4, left: true, ..plain }, b"17  ,", None), Some((17, 4)));
    assert_eq!(integer(&Writing { base: 16, signed: false, ..plain }, b"ffz", None), Some((255, 2)));
    let byte = Writing { base: 16, signed: false, width: 2, zeros: true, ..plain };
    assert_eq!(integer(&byte, b"0204", Some(2)), Some((2, 2)));
    assert_eq!(integer(&plain, b"1234", Some(2)), Some((12, 2)));
    let two = Writing { bits: 64, precision: Some(2), ..plain };
    assert_eq!(real(&two, b"2.50-"), Some((2.5, 4)));
    assert_eq!(real(&two, b"2.5\n"), None);
}

#[test]
fn what_is_shown_is_a_line_at_most() {
    assert_eq!(quoted(b"a\t\"b\"\x01\n"), r#""a\t\"b\"\001\n""#);
    assert_eq!(rest_of_line(b"one two\nthree", 4), b"two");
    assert_eq!(rest_of_line(b"one\n", 3), b"\n");
    assert_eq!(rest_of_line(b"one", 3), b"");
    assert_eq!((word_start(b"one two", 6, 0), word_start(b"one two", 6, 5)), (4, 5));
}

#[test]
fn numbers_on_one_side_of_a_bound_are_written_otherwise() {
    let two = Writing { bits: 64, precision: Some(2), ..Writing::PLAIN };
    assert_eq!(bound(&two, 2.0, 2.5), Some(Bound::Below(2.495)));
    assert_eq!(bound(&two, 3.25, 2.5), Some(Bound::Above(2.505)));
    assert_eq!(bound(&two, 2.501, 2.5), None);
    let four = Writing { bits: 64, precision: Some(4), float: b'g', ..Writing::PLAIN };
    for (writing, actual, expected) in
        [(two, -7.5, 1e6), (two, f64::INFINITY, 0.0), (four, 1e-3, 123.4), (four, 9e9, -1.0)]
    {
        let text = writing.float(expected);
        let (edge, beyond) = match bound(&writing, actual, expected).expect("a bound") {
            Bound::Below(edge) => (edge, edge.next_down()),
            Bound::Above(edge) => (edge, edge.next_up()),
        };
        assert_ne!(writing.float(beyond), text, "{actual} {expected} {edge}");
    }
}

#[test]
fn what_is_missing_or_too_much_is_a_part_of_a_line() {
    let texts = |actual: &str, expected: &str| Texts::new(actual.as_bytes(), expected.as_bytes()).expect("they differ");
    assert!(texts("1 3 \nsum 4\n", "1 2 3 \nsum 6\n").lacks(2));
    assert!(texts("1 \n", "1 2 \n").lacks(2));
    // Another number is no number more.
    assert!(!texts("1 3\n", "1 23\n").lacks(2));
    assert!(!texts("1 4\n", "1 2 3\n").lacks(2));
    assert!(texts("1 2 3 \n", "1 3 \n").is_extra(2, 4));
    assert!(!texts("1 23\n", "1 3\n").is_extra(2, 4));
}
