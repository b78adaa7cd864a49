//! Functions that compute a value from values alone: of `<stdlib.h>`, `<ctype.h>` and `<math.h>`.

use super::{Call, Given};
use crate::state::Unfolder;
use wherefore_formula::{BinaryOp, FloatOp, TermId};

impl Unfolder<'_> {
    pub(super) fn value_function(&mut self, call: &Call) -> Option<Given> {
        let Call { name, bits, .. } = *call;
        Some(Some(match (name, call.arguments) {
            ("abs" | "labs" | "llabs", [value]) => {
                let zero = self.terms.bits(self.terms.width(*value), 0);
                let negative = self.terms.slt(*value, zero);
                let negated = self.terms.neg(*value);
                self.terms.ite(negative, negated, *value)
            }
            ("isdigit" | "isupper" | "islower" | "isalpha" | "isalnum" | "isspace", [c]) => self.classify(name, *c),
            ("toupper" | "tolower", [c]) => self.change_case(name, *c),
            ("sqrt", [x]) if bits == Some(64) => self.terms.float(FloatOp::Sqrt, &[*x]),
            ("fabs", [x]) if matches!(bits, Some(32 | 64)) => self.terms.float(FloatOp::Abs, &[*x]),
            ("fmod", [x, y]) if bits == Some(64) => self.terms.float(FloatOp::Rem, &[*x, *y]),
            _ => return None,
        }))
    }

    /// Whether a character lies between two others.
    pub(super) fn between(&mut self, c: TermId, low: u8, high: u8) -> TermId {
        let bits = self.terms.width(c);
        let (low, high) = (self.terms.bits(bits, u128::from(low)), self.terms.bits(bits, u128::from(high)));
        let above = self.terms.sge(c, low);
        let below = self.terms.sle(c, high);
        self.terms.and2(above, below)
    }

    /// Whether a character is white space.
    pub(super) fn is_space(&mut self, c: TermId) -> TermId {
        let control = self.between(c, b'\t', b'\r');
        let blank = self.between(c, b' ', b' ');
        self.terms.or2(control, blank)
    }

    fn classify(&mut self, what: &str, c: TermId) -> TermId {
        let digit = self.between(c, b'0', b'9');
        let upper = self.between(c, b'A', b'Z');
        let lower = self.between(c, b'a', b'z');
        let holds = match what {
            "isdigit" => digit,
            "isupper" => upper,
            "islower" => lower,
            "isalpha" => self.terms.or2(upper, lower),
            "isalnum" => self.terms.or([digit, upper, lower]),
            _ => self.is_space(c),
        };
        self.terms.bool_to_bits(holds, 32)
    }

    pub fn change_case(&mut self, what: &str, c: TermId) -> TermId {
        let (low, high) = if what == "toupper" { (b'a', b'z') } else { (b'A', b'Z') };
        let applies = self.between(c, low, high);
        let difference = self.terms.bits(self.terms.width(c), 32);
        let changed = self.terms.binary(BinaryOp::Xor, c, difference);
        self.terms.ite(applies, changed, c)
    }
}
