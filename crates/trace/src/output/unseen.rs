//! Where the texts of calls that are known stand in an output that code which is not seen has written to as well.

use std::ops::Range;

/// So many bytes are compared; where that is not enough, nothing is known.
const MOST: usize = 1 << 27;

/// What happened to an output, in the order in which it did.
#[derive(Clone, Debug)]
pub enum Event {
    /// A call wrote these bytes, as far as they are known.
    Written(Vec<Option<u8>>),
    /// Code that is not seen ran, and may have written something; where it was called, as a number.
    Unseen(u64),
}

/// How much code that is not seen wrote each time that it ran.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placed {
    /// Number of bytes, for each of [`Event::Unseen`].
    pub lengths: Vec<usize>,
    /// Stretches of the output of which it is known where they were written: by a call that is known, or by code that is not
    /// seen and that was called at one place.
    sure: Vec<Range<usize>>,
    /// Stretches that code which is not seen has written, called at one of several places.
    open: Vec<(Range<usize>, Vec<u64>)>,
}

impl Placed {
    /// Whether it is known where a byte of the output was written.
    pub fn knows(&self, position: usize) -> bool {
        self.sure.iter().any(|range| range.contains(&position))
    }

    /// The places where code that is not seen was called that may have written a byte, if only such code may have.
    pub fn places(&self, position: usize) -> Option<&[u64]> {
        self.open.iter().find(|(range, _)| range.contains(&position)).map(|(_, places)| &places[..])
    }
}

/// What is written between runs of code that is not seen, and where that was called, in turn, before.
#[derive(Default)]
struct Part {
    unseen: Vec<u64>,
    text: Vec<Option<u8>>,
}

/// Places the texts in the output, all of which is there; `None` where they do not fit, or that takes too long.
pub fn place(events: &[Event], output: &[u8]) -> Option<Placed> {
    let mut parts = vec![Part::default()];
    let mut is_behind_text = true;
    for event in events {
        match event {
            Event::Written(text) => {
                is_behind_text |= !text.is_empty();
                parts.last_mut()?.text.extend(text);
            }
            Event::Unseen(place) if is_behind_text => {
                parts.push(Part { unseen: vec![*place], text: vec![] });
                is_behind_text = false;
            }
            Event::Unseen(place) => parts.last_mut()?.unseen.push(*place),
        }
    }
    let texts: Vec<&[Option<u8>]> = parts.iter().map(|part| &part.text[..]).collect();
    let first = leftmost(&texts, output)?;
    // The last places are the first ones seen from behind.
    let turned: Vec<Vec<Option<u8>>> = texts.iter().rev().map(|text| text.iter().rev().copied().collect()).collect();
    let turned: Vec<&[Option<u8>]> = turned.iter().map(|text| &text[..]).collect();
    let backwards: Vec<u8> = output.iter().rev().copied().collect();
    let mut last = leftmost(&turned, &backwards)?;
    last.reverse();
    let last: Vec<usize> = last.iter().zip(&texts).map(|(at, text)| output.len() - at - text.len()).collect();

    let mut placed = Placed { lengths: vec![], sure: vec![], open: vec![] };
    let (mut end, mut last_end) = (0, 0);
    for (number, part) in parts.iter().enumerate() {
        if let [place, others @ ..] = &part.unseen[..] {
            // Which of several wrote it is open.
            placed.lengths.extend(others.iter().map(|_| 0));
            placed.lengths.push(first[number] - end);
            let own = last_end..first[number];
            let is_one = others.iter().all(|other| other == place);
            if is_one && !own.is_empty() {
                placed.sure.push(own);
            } else if !own.is_empty() {
                let mut places = part.unseen.clone();
                places.sort_unstable();
                places.dedup();
                placed.open.push((own, places));
            }
        }
        (end, last_end) = (first[number] + part.text.len(), last[number] + part.text.len());
        if first[number] == last[number] {
            placed.sure.push(first[number]..end);
        }
    }
    Some(placed)
}

/// The first places that texts can have one behind the other, of which the first begins the output and the last ends it.
fn leftmost(texts: &[&[Option<u8>]], output: &[u8]) -> Option<Vec<usize>> {
    let mut compared = 0;
    let mut fits = |text: &[Option<u8>], at: usize| {
        let Some(there) = output.get(at..at + text.len()) else { return false };
        let same = text.iter().zip(there).take_while(|(own, byte)| own.is_none_or(|own| own == **byte)).count();
        compared += same + 1;
        same == text.len() && compared < MOST
    };
    let mut places = vec![];
    let mut end = 0;
    for (number, text) in texts.iter().enumerate() {
        let latest = output.len().checked_sub(text.len())?;
        let is_last = number + 1 == texts.len();
        let from = if is_last { latest.max(end) } else { end };
        let until = if number == 0 { from.min(latest) } else { latest };
        let at = (from..=until).find(|at| fits(text, *at)).filter(|at| *at >= end)?;
        places.push(at);
        end = at + text.len();
    }
    (end == output.len()).then_some(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Events as words: `?` is code that is not seen, `!` the same called elsewhere, `_` a byte that is not known.
    fn placed(events: &str, output: &str) -> Option<Placed> {
        let known = |byte: u8| (byte != b'_').then_some(byte);
        let event = |word: &str| match word {
            "?" => Event::Unseen(1),
            "!" => Event::Unseen(2),
            text => Event::Written(text.bytes().map(known).collect()),
        };
        place(&events.split(' ').map(event).collect::<Vec<_>>(), output.as_bytes())
    }

    fn lengths(events: &str, output: &str) -> Option<Vec<usize>> {
        placed(events, output).map(|placed| placed.lengths)
    }

    fn sure(events: &str, output: &str) -> String {
        let placed = placed(events, output).expect("they fit");
        output.bytes().enumerate().map(|(at, _)| if placed.knows(at) { 'y' } else { 'n' }).collect()
    }

    #[test]
    fn texts_are_found_again_between_those_of_others() {
        assert_eq!(lengths("ab ? cd", "abcd"), Some(vec![0]));
        assert_eq!(lengths("ab ? cd ? ef", "abXcdYYef"), Some(vec![1, 2]));
        assert_eq!(lengths("ab ? c_", "abXXXcd"), Some(vec![3]));
        assert_eq!(lengths("? ab ?", "XabY"), Some(vec![1, 1]));
        assert_eq!(lengths("?", "all"), Some(vec![3]));
        assert_eq!(lengths("ab ? cd", "abc"), None);
        assert_eq!(lengths("ab cd", "abXcd"), None);
        assert_eq!(lengths("b ? cd", "abcd"), None);
        assert_eq!(lengths("ab ? cd", "abcdX"), None);
    }

    #[test]
    fn only_what_all_ways_agree_on_is_sure() {
        assert_eq!(sure("ab ? cd ? ef", "abXcdYYef"), "yyyyyyyyy");
        // The text of the second call may be either.
        assert_eq!(sure("a ? x ? b", "axxb"), "ynny");
        assert_eq!(sure("a ? x ? b", "a1x2x3b"), "yynnnyy");
        // One of two wrote it.
        assert_eq!(sure("a ? ! b", "aXb"), "yny");
        assert_eq!(sure("a ? ? b", "aXb"), "yyy");
        let either = placed("a ! ? ! b", "aXb").expect("they fit");
        assert_eq!((either.places(0), either.places(1)), (None, Some(&[1, 2][..])));
        assert_eq!(sure("a ? ! b", "ab"), "yy");
    }
}
