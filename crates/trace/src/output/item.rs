//! What an item of a format should have been, read off the expected text.

use wherefore_clib::writing::Writing;

/// The integer whose text stands at the beginning of a text, written as the directive writes it, and the length of that.
/// Where more digits may follow that are not its own, the length that was written says which are: `0102` is two numbers
/// for `%02x%02x`.
pub fn integer(writing: &Writing, text: &[u8], followed: Option<usize>) -> Option<(u128, usize)> {
    let spaces = text.iter().take_while(|b| **b == b' ').count();
    let number = &text[spaces..];
    let sign = usize::from(matches!(number.first(), Some(b'-' | b'+')));
    let prefix = match number[sign..] {
        [b'0', b'x' | b'X', ..] if writing.base == 16 && writing.alternate => 2,
        _ => 0,
    };
    let is_digit = |b: &&u8| char::from(**b).is_digit(writing.base);
    let digits = number[sign + prefix..].iter().take_while(is_digit).count();
    let before = spaces + sign + prefix;
    let of_length = |length: usize| {
        let token = std::str::from_utf8(text.get(..length)?).ok()?;
        let value = writing.integer_of(token)?;
        let written = writing.integer(value);
        text.starts_with(written.as_bytes()).then_some((value, written.len()))
    };
    let longest = (before + 1..=before + digits).rev();
    match followed {
        Some(length) => std::iter::once(length).chain(longest).find_map(of_length),
        None => longest.take(1).find_map(of_length),
    }
}

/// The number whose text stands at the beginning of a text, written as the directive writes it, and the length of that.
pub fn real(writing: &Writing, text: &[u8]) -> Option<(f64, usize)> {
    let spaces = text.iter().take_while(|b| **b == b' ').count();
    let is_part = |b: &&u8| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'+' | b'e' | b'E');
    let longest = text[spaces..].iter().take_while(is_part).count();
    // `1.5-` is a number and more: the longest beginning that is one counts.
    (1..=longest).rev().find_map(|length| {
        let token = std::str::from_utf8(&text[spaces..spaces + length]).ok()?;
        let value: f64 = token.parse().ok().filter(|value: &f64| value.is_finite())?;
        let written = writing.float(value);
        text.starts_with(written.as_bytes()).then_some((value, written.len()))
    })
}
