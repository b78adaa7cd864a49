//! What a recording keeps of memory when a call of the library has returned: what was read and what was written.

use crate::function::{Access, Extent, Format, Function};
use crate::print::{self, Piece as Print};
use crate::scan::{self, Piece as Scan};

/// Bytes of a text that is only read.
const READ: u64 = 1 << 10;
/// Bytes that are written.
const WRITTEN: u64 = 1 << 14;

/// Memory that is kept.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Seen {
    /// Where it begins.
    pub place: Place,
    /// How much of it.
    pub amount: Amount,
    /// It ends behind its first zero byte.
    pub text: bool,
}

/// Where memory begins.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// Where an argument points to.
    Argument(usize),
    /// Where the pointer that an argument points to points to.
    Behind(usize),
    /// Where the result points to.
    Result,
}

/// A number of bytes, at most.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Amount {
    /// So many.
    Fixed(u64),
    /// As many as an argument says.
    Argument(usize),
    /// The product of two arguments.
    Product(usize, usize),
    /// As many as the result says.
    Result,
    /// So many of the size that an argument says.
    Results(usize),
    /// So many pointers as an argument says.
    Pointers(usize),
}

impl Function {
    /// Whether a recording has words about memory behind those of a call's return.
    pub fn is_seen(&self) -> bool {
        self.ends.is_none() && (self.format.is_some() || !self.seen().is_empty())
    }

    /// What is kept, that which a format tells apart.
    pub fn seen(&self) -> Vec<Seen> {
        let text = |place, most| Seen { place, amount: Amount::Fixed(most), text: true };
        let bytes = |place, amount| Seen { place, amount, text: false };
        match self.name {
            // The text that a call begins with is that of an earlier one; the part found ends with a byte written.
            "strtok" | "strtok_r" | "strsep" => vec![text(Place::Result, READ), text(Place::Argument(1), READ)],
            "getenv" | "secure_getenv" => vec![text(Place::Argument(0), READ), text(Place::Result, READ)],
            "strerror" | "ctime" | "asctime" => vec![text(Place::Result, READ)],
            // It may change the order of its arguments.
            "getopt" | "getopt_long" => vec![bytes(Place::Argument(1), Amount::Pointers(0))],
            "getline" | "getdelim" => vec![text(Place::Behind(0), WRITTEN)],
            "snprintf" => vec![Seen { place: Place::Argument(0), amount: Amount::Argument(1), text: true }],
            "strcat" | "strncat" => vec![text(Place::Argument(0), WRITTEN), text(Place::Argument(1), READ)],
            "strdup" | "strndup" => vec![text(Place::Argument(0), READ), text(Place::Result, WRITTEN)],
            "gets" => vec![text(Place::Argument(0), WRITTEN)],
            "fread" => vec![bytes(Place::Argument(0), Amount::Results(1))],
            "read" => vec![bytes(Place::Argument(1), Amount::Result)],
            // They are commands of the model.
            "memcpy" | "memmove" | "memset" => vec![],
            _ => self.accesses.iter().filter_map(|access| of_access(*access)).collect(),
        }
    }

    /// What is kept of the arguments that a format tells about: texts, and what is read.
    pub fn seen_by_format(&self, format: &[u8]) -> Vec<Seen> {
        let text = |argument: usize, most| Seen {
            place: Place::Argument(self.arguments + argument),
            amount: Amount::Fixed(most),
            text: true,
        };
        match self.format {
            Some(Format::Print(_)) => {
                let pieces = print::parse(format).unwrap_or_default();
                let texts = pieces.into_iter().filter_map(|piece| match piece {
                    Print::Directive(it) if it.conversion == print::Conversion::String => match it.precision {
                        None => Some(text(it.argument, READ)),
                        Some(print::Amount::Fixed(most)) => Some(text(it.argument, (most as u64).min(READ))),
                        Some(print::Amount::Argument(_)) => None,
                    },
                    _ => None,
                });
                texts.collect()
            }
            Some(Format::Scan(_)) => {
                let pieces = scan::parse(format).unwrap_or_default();
                let number = |argument: usize, size: u64| Seen { text: false, ..text(argument, size) };
                let places = pieces.into_iter().filter_map(|piece| match piece {
                    Scan::Directive(it) => it.argument.and_then(|argument| match it.conversion {
                        scan::Conversion::Word | scan::Conversion::Set(_) => {
                            Some(text(argument, it.width.map_or(WRITTEN, |width| width as u64 + 1)))
                        }
                        scan::Conversion::Integer { .. } => {
                            it.length.integer_bits().map(|bits| number(argument, u64::from(bits / 8)))
                        }
                        scan::Conversion::Real => Some(number(argument, it.length.real_bytes())),
                        scan::Conversion::Char => Some(number(argument, it.width.unwrap_or(1) as u64)),
                        scan::Conversion::Pointer | scan::Conversion::Count => None,
                    }),
                    _ => None,
                });
                places.collect()
            }
            None => vec![],
        }
    }
}

fn of_access(access: Access) -> Option<Seen> {
    let most = if matches!(access, Access::Writes(..)) { WRITTEN } else { READ };
    let (amount, text) = match access.extent() {
        Extent::Fixed(size) => (Amount::Fixed(size), false),
        Extent::Argument(argument) => (Amount::Argument(argument), false),
        Extent::Product(a, b) => (Amount::Product(a, b), false),
        Extent::String | Extent::StringOf(_) | Extent::Formatted(_) => (Amount::Fixed(most), true),
        Extent::StringUpTo(argument) => (Amount::Argument(argument), true),
        Extent::Open => return None,
    };
    Some(Seen { place: Place::Argument(access.through()), amount, text })
}

#[cfg(test)]
mod tests {
    use crate::function;
    use crate::seen::{Amount, Place};

    #[test]
    fn what_is_kept_follows_from_what_is_accessed() {
        let strcpy = function("strcpy").expect("a row").seen();
        assert_eq!(strcpy.len(), 2);
        assert!(strcpy.iter().all(|seen| seen.text));
        let fread = function("fread").expect("a row").seen();
        assert_eq!((fread[0].place, fread[0].amount), (Place::Argument(0), Amount::Results(1)));
        assert!(!function("malloc").expect("a row").is_seen());
        assert!(!function("exit").expect("a row").is_seen());
    }

    #[test]
    fn texts_of_a_format_are_kept() {
        let scanf = function("scanf").expect("a row").seen_by_format(b"%d %9s %*s %[a-z]");
        let places: Vec<Place> = scanf.iter().map(|seen| seen.place).collect();
        assert_eq!(places, [Place::Argument(1), Place::Argument(2), Place::Argument(3)]);
        assert_eq!((scanf[0].amount, scanf[0].text), (Amount::Fixed(4), false));
        assert_eq!((scanf[1].amount, scanf[1].text), (Amount::Fixed(10), true));
        let fprintf = function("fprintf").expect("a row").seen_by_format(b"%d %s %.*s");
        assert_eq!(fprintf.iter().map(|seen| seen.place).collect::<Vec<_>>(), [Place::Argument(3)]);
    }
}
