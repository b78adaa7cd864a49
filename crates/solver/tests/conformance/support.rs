//! What the tests share.

use wherefore_formula::{BinaryOp, CompareOp, Sort, TermId, Terms, VarId};
use wherefore_solver::{Backend, Cores};

pub const X: VarId = VarId(0);
pub const Y: VarId = VarId(1);
pub const RESULT: VarId = VarId(2);

/// The numbers a test iterates over, by a fixed generator (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize]
    }
}

/// Two numbers and a solver.
pub struct Fixture {
    pub terms: Terms,
    pub x: TermId,
    pub y: TermId,
    pub solver: Box<dyn Cores>,
}

pub fn fixture(backend: Backend) -> Fixture {
    let mut terms = Terms::new();
    let x = terms.var(X, Sort::Bits(32));
    let y = terms.var(Y, Sort::Bits(32));
    Fixture { terms, x, y, solver: backend.solver() }
}

/// Random formulas over three bit-vectors and two truth values.
pub struct Generator {
    pub random: Random,
    pub terms: Terms,
    pub width: u32,
}

impl Generator {
    pub fn bits(&mut self, width: u32, depth: u32) -> TermId {
        if depth == 0 {
            if width == self.width && self.random.below(4) != 0 {
                let var = VarId(self.random.below(3) as u32);
                return self.terms.var(var, Sort::Bits(width));
            }
            let value = u128::from(self.random.next());
            return self.terms.bits(width, value);
        }
        let depth = depth - 1;
        match self.random.below(12) {
            0 => {
                let a = self.bits(width, depth);
                self.terms.bit_not(a)
            }
            1 => {
                let a = self.bits(width, depth);
                self.terms.neg(a)
            }
            2 => {
                let c = self.bool(depth);
                let (a, b) = (self.bits(width, depth), self.bits(width, depth));
                self.terms.ite(c, a, b)
            }
            3 if width > 1 => {
                let low = 1 + self.random.below(u64::from(width - 1)) as u32;
                let (a, b) = (self.bits(width - low, depth), self.bits(low, depth));
                self.terms.concat(a, b)
            }
            4 => {
                let low = self.random.below(3) as u32;
                let a = self.bits(width + low + 1, depth);
                self.terms.extract(a, low, width)
            }
            5 => {
                let inner = 1 + self.random.below(u64::from(width)) as u32;
                let a = self.bits(inner, depth);
                match self.random.below(2) {
                    0 => self.terms.zero_extend(a, width),
                    _ => self.terms.sign_extend(a, width),
                }
            }
            _ => {
                let op = self.random.pick(&BinaryOp::ALL);
                let (a, b) = (self.bits(width, depth), self.bits(width, depth));
                self.terms.binary(op, a, b)
            }
        }
    }

    pub fn bool(&mut self, depth: u32) -> TermId {
        if depth == 0 {
            let var = VarId(3 + self.random.below(2) as u32);
            return self.terms.var(var, Sort::Bool);
        }
        let depth = depth - 1;
        match self.random.below(10) {
            0 => {
                let a = self.bool(depth);
                self.terms.not(a)
            }
            1 => {
                let items = [self.bool(depth), self.bool(depth), self.bool(depth)];
                self.terms.and(items)
            }
            2 => {
                let items = [self.bool(depth), self.bool(depth), self.bool(depth)];
                self.terms.or(items)
            }
            3 => {
                let (a, b) = (self.bool(depth), self.bool(depth));
                self.terms.eq(a, b)
            }
            4 => {
                let op = self.random.pick(&[BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Shl]);
                let is_signed = self.random.below(2) == 0;
                let (a, b) = (self.bits(self.width, depth), self.bits(self.width, depth));
                self.terms.no_overflow(op, is_signed, a, b)
            }
            5 | 6 => {
                let (a, b) = (self.bits(self.width, depth), self.bits(self.width, depth));
                self.terms.eq(a, b)
            }
            _ => {
                let op = self.random.pick(&CompareOp::ALL);
                let (a, b) = (self.bits(self.width, depth), self.bits(self.width, depth));
                self.terms.compare(op, a, b)
            }
        }
    }
}
