//! Formats that are written from directives are read as these, and as the C library of this machine reads them.

use proptest::prelude::*;
use std::ffi::{CString, c_char, c_int};
use wherefore_clib::print::{self, Amount};
use wherefore_clib::scan::{self, Set};
use wherefore_clib::{Length, Unsupported};

const INTEGERS: [Length; 8] = [
    Length::Plain,
    Length::Char,
    Length::Short,
    Length::Long,
    Length::LongLong,
    Length::Max,
    Length::Size,
    Length::Difference,
];
const REALS: [Length; 3] = [Length::Plain, Length::Long, Length::LongDouble];

fn letters(length: Length) -> &'static str {
    match length {
        Length::Plain => "",
        Length::Char => "hh",
        Length::Short => "h",
        Length::Long => "l",
        Length::LongLong => "ll",
        Length::Max => "j",
        Length::Size => "z",
        Length::Difference => "t",
        Length::LongDouble => "L",
    }
}

// ---- printf ----

/// A directive and its letter, arguments not yet numbered.
fn print_directive() -> impl Strategy<Value = (char, print::Directive)> {
    use print::Conversion::{Char, Count, Pointer, Real, Signed, String, Unsigned};
    let integer = prop_oneof![
        Just(('d', Signed)),
        Just(('i', Signed)),
        Just(('u', Unsigned { base: 10, upper: false })),
        Just(('x', Unsigned { base: 16, upper: false })),
        Just(('X', Unsigned { base: 16, upper: true })),
        Just(('o', Unsigned { base: 8, upper: false })),
        Just(('n', Count)),
    ];
    let real = prop::sample::select(vec!['f', 'e', 'g', 'a', 'F', 'E', 'G', 'A']).prop_map(|letter| {
        (letter, Real { style: letter.to_ascii_lowercase() as u8, upper: letter.is_ascii_uppercase() })
    });
    let text = prop_oneof![Just(('c', Char)), Just(('s', String))];
    let conversion = prop_oneof![
        (integer, prop::sample::select(&INTEGERS[..])),
        (real, prop::sample::select(&REALS[..])),
        (text, prop::sample::select(vec![Length::Plain, Length::Long])),
        Just((('p', Pointer), Length::Plain)),
    ];
    let amount =
        |least: usize| prop::option::of(prop_oneof![(least..100).prop_map(Amount::Fixed), Just(Amount::Argument(0))]);
    (prop::array::uniform5(any::<bool>()), amount(1), amount(0), conversion).prop_map(
        |([left, zeros, plus, space, alternate], width, precision, ((letter, conversion), length))| {
            let it = print::Directive {
                left,
                zeros,
                plus,
                space,
                alternate,
                width,
                precision,
                length,
                conversion,
                argument: 0,
            };
            (letter, it)
        },
    )
}

fn print_text() -> impl Strategy<Value = String> {
    "[a-z0-9 ,.%\n]{1,6}"
}

/// A format of printf and what is to be read in it; texts between all directives.
fn print_format() -> impl Strategy<Value = (String, Vec<print::Piece>)> {
    prop::collection::vec((print_directive(), print_text()), 0..5).prop_map(|parts| {
        let mut format = String::new();
        let mut pieces = vec![];
        let mut used = 0;
        for ((letter, mut it), text) in parts {
            let mut number = |amount: &mut Option<Amount>| match amount {
                Some(Amount::Argument(n)) => {
                    *n = used;
                    used += 1;
                    "*".to_string()
                }
                Some(Amount::Fixed(n)) => n.to_string(),
                None => String::new(),
            };
            let width = number(&mut it.width);
            let precision = it.precision.is_some().then(|| format!(".{}", number(&mut it.precision)));
            it.argument = used;
            used = it.argument + 1;
            let flags = [(it.zeros, '0'), (it.plus, '+'), (it.left, '-'), (it.alternate, '#'), (it.space, ' ')];
            format.push('%');
            format.extend(flags.iter().filter(|(is, _)| *is).map(|(_, flag)| flag));
            format += &(width + &precision.unwrap_or_default() + letters(it.length));
            format.push(letter);
            format += &text.replace('%', "%%");
            pieces.extend([print::Piece::Directive(it), print::Piece::Text(text.into_bytes())]);
        }
        (format, pieces)
    })
}

unsafe extern "C" {
    // Of <printf.h>.
    fn parse_printf_format(format: *const c_char, room: usize, types: *mut c_int) -> usize;
    fn sscanf(text: *const c_char, format: *const c_char, ...) -> c_int;
}

/// The types of the arguments of a format, as glibc numbers them.
fn native_types(format: &str) -> Vec<c_int> {
    let format = CString::new(format).expect("no zero byte");
    let mut types = [0; 64];
    // SAFETY: a string and a place of the size that is said.
    let count = unsafe { parse_printf_format(format.as_ptr(), types.len(), types.as_mut_ptr()) };
    types[..count].to_vec()
}

/// The same from what was read.
fn own_types(pieces: &[print::Piece]) -> Vec<c_int> {
    use print::Conversion::{Char, Count, Pointer, Real, Signed, String, Unsigned};
    const LONG_DOUBLE: c_int = 1 << 8;
    const LONG: c_int = 1 << 9;
    const SHORT: c_int = 1 << 10;
    const POINTER: c_int = 1 << 11;
    let mut types = vec![];
    let integer = |length: Length| match length {
        Length::Plain | Length::LongDouble => 0,
        Length::Char => 1,
        Length::Short => SHORT,
        // Where `long` has 64 bits, so have all others.
        Length::Long | Length::LongLong | Length::Max | Length::Size | Length::Difference => LONG,
    };
    for piece in pieces {
        let print::Piece::Directive(it) = piece else { continue };
        for amount in [it.width, it.precision] {
            if let Some(Amount::Argument(n)) = amount {
                assert_eq!(n, types.len());
                types.push(0);
            }
        }
        assert_eq!(it.argument, types.len());
        types.push(match (it.conversion, it.length) {
            (Signed | Unsigned { .. }, length) => integer(length),
            (Count, _) => POINTER,
            (Char, _) => 1,
            (String, _) => 3,
            (Pointer, _) => 5,
            (Real { .. }, Length::LongDouble) => 7 | LONG_DOUBLE,
            (Real { .. }, _) => 7,
        });
    }
    types
}

proptest! {
    #[test]
    fn printf_formats_are_read_as_they_are_written((format, pieces) in print_format()) {
        prop_assert_eq!(print::parse(format.as_bytes()), Ok(pieces));
    }

    #[test]
    fn printf_formats_are_read_as_the_library_reads_them((format, _) in print_format()) {
        let pieces = print::parse(format.as_bytes()).expect("a format");
        prop_assert_eq!(own_types(&pieces), native_types(&format), "{}", format);
    }

    #[test]
    fn anything_is_read_without_harm(format in prop::collection::vec(any::<u8>(), 0..24)) {
        let _ = print::parse(&format);
        let _ = scan::parse(&format);
    }

    #[test]
    fn scanf_formats_are_read_as_they_are_written((format, pieces) in scan_format()) {
        prop_assert_eq!(scan::parse(format.as_bytes()), Ok(pieces));
    }

    /// A text that fits every piece is converted completely: as many values are stored as directives say.
    #[test]
    fn scanf_formats_are_read_as_the_library_reads_them((format, pieces) in separated_format()) {
        let directives = pieces.iter().filter_map(|piece| match piece {
            scan::Piece::Directive(it) => Some(it),
            _ => None,
        });
        let counted = |it: &&scan::Directive| it.argument.is_some() && it.conversion != scan::Conversion::Count;
        let stored = directives.filter(counted).count();
        let text = CString::new(fitting(&pieces)).expect("no zero byte");
        let native = CString::new(format.clone()).expect("no zero byte");
        let mut places = [[0u64; 64]; 6];
        let [a, b, c, d, e, f] = places.each_mut().map(|place| place.as_mut_ptr());
        // SAFETY: at most six places are asked for, each larger than anything that is stored.
        let count = unsafe { sscanf(text.as_ptr(), native.as_ptr(), a, b, c, d, e, f) };
        prop_assert_eq!(count.max(0) as usize, stored, "{:?} in {:?}", format, text);
    }
}

#[test]
fn printf_formats_that_are_not_read() {
    let refused = |format: &str| print::parse(format.as_bytes()).expect_err(format);
    assert_eq!(refused("%1$d"), Unsupported::Positional);
    assert_eq!(refused("%*1$d"), Unsupported::Positional);
    assert_eq!(refused("%"), Unsupported::Unfinished);
    assert_eq!(refused("%5.3"), Unsupported::Unfinished);
    assert_eq!(refused("%hs"), Unsupported::Length);
    assert_eq!(refused("%Ld"), Unsupported::Length);
    assert_eq!(refused("%m"), Unsupported::Conversion(b'm'));
    assert_eq!(refused("%'d"), Unsupported::Conversion(b'\''));
    assert_eq!(refused("%99999999999d"), Unsupported::Number);
}

#[test]
fn a_printf_format_piece_by_piece() {
    let pieces = print::parse(b"a%%b%-*d%5.3s%n").expect("a format");
    let [print::Piece::Text(text), print::Piece::Directive(d), print::Piece::Directive(s), print::Piece::Directive(n)] =
        &pieces[..]
    else {
        panic!("{pieces:?}");
    };
    assert_eq!(text, b"a%b");
    assert!(d.left && d.width == Some(Amount::Argument(0)) && d.argument == 1);
    assert_eq!((s.width, s.precision, s.argument), (Some(Amount::Fixed(5)), Some(Amount::Fixed(3)), 2));
    assert_eq!((n.conversion, n.argument), (print::Conversion::Count, 3));
}

// ---- scanf ----

fn scan_directive() -> impl Strategy<Value = (String, scan::Directive)> {
    use scan::Conversion::{Char, Count, Integer, Real, Word};
    let integer = |signed, base| Integer { signed, base };
    let number = prop_oneof![
        Just(("d".to_string(), integer(true, 10))),
        Just(("i".to_string(), integer(true, 0))),
        Just(("u".to_string(), integer(false, 10))),
        Just(("x".to_string(), integer(false, 16))),
        Just(("X".to_string(), integer(false, 16))),
        Just(("o".to_string(), integer(false, 8))),
    ];
    let real = prop::sample::select(vec!["f", "e", "g", "a", "F", "E", "G", "A"])
        .prop_map(|letter| (letter.to_string(), Real));
    let set = ("[\\]a-m]", "[n-z]{0,3}", any::<bool>()).prop_map(|(first, more, negated)| {
        let mut bytes: Vec<u8> = first.bytes().chain(more.bytes()).collect();
        bytes.sort_unstable();
        bytes.dedup();
        let sign = if negated { "^" } else { "" };
        (format!("[{sign}{first}{more}]"), scan::Conversion::Set(Set { negated, bytes }))
    });
    let text = prop_oneof![Just(("c".to_string(), Char)), Just(("s".to_string(), Word)), set];
    let count = Just(("n".to_string(), Count));
    let width = prop::option::of(1..40usize);
    prop_oneof![
        (number, prop::sample::select(&INTEGERS[..]), any::<bool>(), width.clone()),
        (real, prop::sample::select(&REALS[..]), any::<bool>(), width.clone()),
        (text, Just(Length::Plain), any::<bool>(), prop_oneof![Just(Some(1)), width]),
        (count, prop::sample::select(&INTEGERS[..]), Just(true), Just(None)),
    ]
    .prop_map(|((letter, conversion), length, stores, width)| {
        let star = if stores { "" } else { "*" };
        let digits = width.map(|w| w.to_string()).unwrap_or_default();
        let text = format!("%{star}{digits}{}{letter}", letters(length));
        (text, scan::Directive { argument: stores.then_some(0), width, length, conversion })
    })
}

fn scan_format() -> impl Strategy<Value = (String, Vec<scan::Piece>)> {
    let between = prop_oneof![
        4 => Just((" ", vec![scan::Piece::Space])),
        1 => Just((",", vec![scan::Piece::Literal(b',')])),
        2 => Just(("%%", vec![scan::Piece::Space, scan::Piece::Literal(b'%')])),
        2 => Just(("\t;", vec![scan::Piece::Space, scan::Piece::Literal(b';')])),
    ];
    prop::collection::vec((scan_directive(), between), 0..6).prop_map(|parts| {
        let mut format = String::new();
        let mut pieces = vec![];
        let mut used = 0;
        for ((text, mut it), (between, more)) in parts {
            if let Some(argument) = &mut it.argument {
                *argument = used;
                used += 1;
            }
            format += &text;
            pieces.push(scan::Piece::Directive(it));
            format += between;
            pieces.extend(more);
        }
        (format, pieces)
    })
}

/// The same formats where each directive can be given exactly what it reads: white space comes behind it, and a set is
/// one byte long.
fn separated_format() -> impl Strategy<Value = (String, Vec<scan::Piece>)> {
    let one_byte = |it: &scan::Directive| !matches!(it.conversion, scan::Conversion::Set(_)) || it.width == Some(1);
    scan_format().prop_filter("pieces that follow each other", move |(_, pieces)| {
        pieces.windows(2).all(|pair| match pair {
            [scan::Piece::Directive(it), next] => *next == scan::Piece::Space && one_byte(it),
            _ => true,
        })
    })
}

/// An input in which every piece finds what it looks for.
fn fitting(pieces: &[scan::Piece]) -> Vec<u8> {
    use scan::Conversion::{Char, Count, Integer, Pointer, Real, Set, Word};
    let mut text = vec![];
    for piece in pieces {
        match piece {
            scan::Piece::Space => text.push(b' '),
            scan::Piece::Literal(byte) => text.push(*byte),
            scan::Piece::Directive(it) => match &it.conversion {
                Integer { .. } | Real => text.push(b'7'),
                Char => text.extend(vec![b'x'; it.width.unwrap_or(1)]),
                Word => text.push(b'w'),
                Set(set) => text.extend((b'!'..=b'~').find(|b| set.contains(*b))),
                Pointer | Count => {}
            },
        }
    }
    text
}

#[test]
fn scanf_formats_that_are_not_read() {
    let refused = |format: &str| scan::parse(format.as_bytes()).expect_err(format);
    assert_eq!(refused("%1$d"), Unsupported::Positional);
    assert_eq!(refused("%"), Unsupported::Unfinished);
    assert_eq!(refused("%[abc"), Unsupported::Unfinished);
    assert_eq!(refused("%[]"), Unsupported::Unfinished);
    assert_eq!(refused("%0d"), Unsupported::Number);
    assert_eq!(refused("%hc"), Unsupported::Length);
    assert_eq!(refused("%ms"), Unsupported::Conversion(b'm'));
}

#[test]
fn a_scanf_format_piece_by_piece() {
    let pieces = scan::parse(b"%d,%*hhu %[^]x]%n").expect("a format");
    use scan::Piece::{Directive, Literal, Space};
    let [Directive(d), Literal(b','), Directive(u), Space, Directive(set), Directive(n)] = &pieces[..] else {
        panic!("{pieces:?}");
    };
    assert_eq!((d.argument, d.skips_space()), (Some(0), true));
    assert_eq!((u.argument, u.length), (None, Length::Char));
    assert_eq!(set.conversion, scan::Conversion::Set(Set { negated: true, bytes: b"]x".to_vec() }));
    assert!(!set.skips_space());
    assert_eq!((n.argument, &n.conversion), (Some(2), &scan::Conversion::Count));
    let scan::Piece::Directive(range) = &scan::parse(b"%[a-dx-]").expect("a format")[0] else { panic!("a set") };
    assert_eq!(range.conversion, scan::Conversion::Set(Set { negated: false, bytes: b"-abcdx".to_vec() }));
}
