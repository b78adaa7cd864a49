//! What formats of `printf` and `scanf` have in common.

/// Why a format is not read.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Unsupported {
    /// `%1$d`: arguments by their numbers.
    Positional,
    /// A conversion, or a flag, that is not known.
    Conversion(u8),
    /// A length that the conversion does not have.
    Length,
    /// A number that is too large, or a width of zero where there is none.
    Number,
    /// The format ends in the middle of a directive.
    Unfinished,
}

/// How long an argument is, as the letters before a conversion say.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Length {
    /// Nothing: `int`, for real numbers `double` and to be read `float`.
    Plain,
    /// `hh`.
    Char,
    /// `h`.
    Short,
    /// `l`; a real number to be read is a `double`.
    Long,
    /// `ll` or `q`.
    LongLong,
    /// `j`: `intmax_t`.
    Max,
    /// `z`: `size_t`.
    Size,
    /// `t`: `ptrdiff_t`.
    Difference,
    /// `L`: `long double`.
    LongDouble,
}

impl Length {
    /// The width of an integer; `None` for what is none.
    pub fn integer_bits(self) -> Option<u32> {
        match self {
            Length::Plain => Some(32),
            Length::Char => Some(8),
            Length::Short => Some(16),
            Length::Long | Length::LongLong | Length::Max | Length::Size | Length::Difference => Some(64),
            Length::LongDouble => None,
        }
    }

    /// The size of a real number that is read.
    pub(crate) fn real_bytes(self) -> u64 {
        match self {
            Length::LongDouble => 16,
            Length::Long => 8,
            _ => 4,
        }
    }

    /// Whether a real number may have it.
    pub(crate) fn is_of_real(self) -> bool {
        matches!(self, Length::Plain | Length::Long | Length::LongDouble)
    }

    /// Whether a character or a text may have it.
    pub(crate) fn is_of_text(self) -> bool {
        matches!(self, Length::Plain | Length::Long)
    }
}

/// What is left of a format.
pub(crate) struct Reader<'a> {
    pub rest: &'a [u8],
}

impl Reader<'_> {
    pub fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    /// Goes past a byte if it comes next.
    pub fn take(&mut self, byte: u8) -> bool {
        let there = self.rest.first() == Some(&byte);
        self.rest = &self.rest[usize::from(there)..];
        there
    }

    /// A decimal number, if one comes next. One that a `$` follows is the number of an argument.
    pub fn number(&mut self) -> Result<Option<usize>, Unsupported> {
        let digits = self.rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let (digits, rest) = self.rest.split_at(digits);
        if digits.is_empty() {
            return Ok(None);
        }
        if rest.first() == Some(&b'$') {
            return Err(Unsupported::Positional);
        }
        self.rest = rest;
        let value =
            digits.iter().try_fold(0i32, |value, digit| value.checked_mul(10)?.checked_add(i32::from(digit - b'0')));
        value.map(|value| Some(value as usize)).ok_or(Unsupported::Number)
    }

    pub fn length(&mut self) -> Length {
        let (letters, length) = match self.rest {
            [b'h', b'h', ..] => (2, Length::Char),
            [b'h', ..] => (1, Length::Short),
            [b'l', b'l', ..] => (2, Length::LongLong),
            [b'l', ..] => (1, Length::Long),
            [b'q', ..] => (1, Length::LongLong),
            [b'j', ..] => (1, Length::Max),
            [b'z', ..] => (1, Length::Size),
            [b't', ..] => (1, Length::Difference),
            [b'L', ..] => (1, Length::LongDouble),
            _ => (0, Length::Plain),
        };
        self.rest = &self.rest[letters..];
        length
    }
}
