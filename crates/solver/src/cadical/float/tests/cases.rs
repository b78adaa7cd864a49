//! Operands that are likely to show a mistake.

/// Zeros, the ends of all ranges, NaNs of all kinds, neighbours of powers of two and of the ends of integers.
pub(super) const SPECIAL_32: [u32; 34] = [
    0x0000_0000, // 0
    0x8000_0000, // -0
    0x0000_0001, // the smallest
    0x8000_0001,
    0x0000_0002,
    0x0000_0003,
    0x0040_0000, // half of the smallest with a leading one
    0x007f_ffff, // the largest without a leading one
    0x807f_ffff,
    0x0080_0000, // the smallest with a leading one
    0x8080_0000,
    0x0080_0001,
    0x00ff_ffff,
    0x3380_0000, // half of a last place of 1
    0x3380_0001,
    0x3f00_0000, // 0.5
    0x3eff_ffff,
    0x3f7f_ffff, // just below 1
    0x3f80_0000, // 1
    0xbf80_0000,
    0x3f80_0001,
    0x4000_0000, // 2
    0x4040_0000, // 3
    0x3dcc_cccd, // 0.1
    0x4b7f_ffff, // the largest odd number
    0x4b80_0000,
    0x4eff_ffff, // just below the largest int
    0x4f00_0000, // above it
    0xcf00_0000, // the smallest int
    0x5f00_0000, // above the largest long
    0x7f7f_ffff, // the largest
    0x7f80_0000, // infinity
    0xff80_0000,
    0x7fa0_0001, // a signalling NaN
];

/// The same as `double`.
pub(super) const SPECIAL_64: [u64; 36] = [
    0x0000_0000_0000_0000,
    0x8000_0000_0000_0000,
    0x0000_0000_0000_0001,
    0x8000_0000_0000_0001,
    0x0000_0000_0000_0002,
    0x0000_0000_0000_0003,
    0x0008_0000_0000_0000,
    0x000f_ffff_ffff_ffff,
    0x800f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x8010_0000_0000_0000,
    0x0010_0000_0000_0001,
    0x001f_ffff_ffff_ffff,
    0x3ca0_0000_0000_0000, // half of a last place of 1
    0x3ca0_0000_0000_0001,
    0x3fe0_0000_0000_0000, // 0.5
    0x3fdf_ffff_ffff_ffff,
    0x3fef_ffff_ffff_ffff, // just below 1
    0x3ff0_0000_0000_0000, // 1
    0xbff0_0000_0000_0000,
    0x3ff0_0000_0000_0001,
    0x4000_0000_0000_0000, // 2
    0x4008_0000_0000_0000, // 3
    0x3fb9_9999_9999_999a, // 0.1
    0x47ef_ffff_e000_0000, // the largest float
    0x47ef_ffff_f000_0000, // half way from there to infinity
    0x36a0_0000_0000_0000, // the smallest float
    0x3690_0000_0000_0000, // half of it
    0x41df_ffff_ffff_ffff, // just below the largest int
    0xc1e0_0000_001f_ffff, // the smallest int and a fraction
    0x43e0_0000_0000_0000, // above the largest long
    0xc3e0_0000_0000_0000, // the smallest long
    0x7fef_ffff_ffff_ffff, // the largest
    0x7ff0_0000_0000_0000, // infinity
    0xfff0_0000_0000_0000,
    0xfff4_0000_0000_0001, // a signalling NaN
];

/// Numbers by a fixed generator (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// A run of ones somewhere, or the ends of one: what is half way between two numbers looks so.
    fn sparse(&mut self) -> u64 {
        let run = (u64::MAX >> self.below(64)) << self.below(64);
        match self.below(4) {
            0 => run,
            1 => !run,
            2 => 1 << self.below(64) | 1 << self.below(64),
            _ => run ^ 1 << self.below(64),
        }
    }
}

/// An endless supply of pairs.
pub(super) struct Operands {
    random: Random,
    specials: Vec<u128>,
    fraction: u32,
    exponent: u32,
}

impl Operands {
    pub(super) fn new(width: u32, specials: Vec<u128>) -> Operands {
        let exponent = if width == 32 { 8 } else { 11 };
        Operands { random: Random(u64::from(width)), specials, fraction: width - exponent - 1, exponent }
    }

    fn pattern(&self, sign: u64, exponent: u64, fraction: u64) -> u128 {
        let exponent = exponent & ((1 << self.exponent) - 1);
        let fraction = fraction & ((1 << self.fraction) - 1);
        u128::from((sign & 1) << (self.fraction + self.exponent) | exponent << self.fraction | fraction)
    }

    /// One operand.
    fn one(&mut self) -> u128 {
        let (sign, exponent) = (self.random.next(), self.random.next());
        let bias = (1 << (self.exponent - 1)) - 1;
        match self.random.below(8) {
            0 => {
                let chosen = self.random.below(self.specials.len() as u64);
                self.specials[chosen as usize]
            }
            1 => {
                let fraction = self.random.sparse();
                self.pattern(sign, exponent, fraction)
            }
            // Without a leading one, of any size.
            2 => {
                let fraction = self.random.next() & u64::MAX >> self.random.below(64);
                self.pattern(sign, 0, fraction)
            }
            // Near one, and as large as integers are.
            3 => {
                let (near, fraction) = (self.random.below(4), self.random.sparse());
                self.pattern(sign, bias + near - 2, fraction)
            }
            4 => {
                let (near, fraction) = (self.random.below(132), self.random.next());
                self.pattern(sign, bias + near - 2, fraction)
            }
            _ => {
                let fraction = self.random.next();
                self.pattern(sign, exponent, fraction)
            }
        }
    }

    /// Two operands; often such that their sum, their product or their quotient is near an end, or cancels.
    pub(super) fn next(&mut self) -> [u128; 2] {
        let a = self.one();
        let exponent = (a >> self.fraction) as u64 & ((1 << self.exponent) - 1);
        let bias = (1u64 << (self.exponent - 1)) - 1;
        let near = self.random.below(2 * u64::from(self.fraction) + 8);
        let (sign, sparse, fraction) = (self.random.next(), self.random.sparse(), self.random.next());
        let b = match self.random.below(8) {
            0 => a ^ u128::from(self.random.below(16)),
            1 => self.pattern(sign, exponent.wrapping_sub(near / 2), sparse),
            2 => self.pattern(sign, exponent.wrapping_add(near).wrapping_sub(u64::from(self.fraction)), fraction),
            // A product below or above all numbers.
            3 => self.pattern(sign, bias.wrapping_sub(exponent).wrapping_sub(near).wrapping_add(4), sparse),
            4 => self.pattern(sign, (3 * bias + 4).wrapping_sub(exponent).wrapping_sub(near % 8), fraction),
            // A quotient.
            5 => self.pattern(sign, exponent.wrapping_add(bias).wrapping_add(near).wrapping_sub(4), sparse),
            _ => self.one(),
        };
        if self.random.below(2) == 0 { [a, b] } else { [b, a] }
    }
}

/// An endless supply of integers of a width: of all sizes, with few changes of bits, near the ends.
pub(super) fn integers(bits: u32) -> impl FnMut() -> u128 {
    let mut random = Random(u64::from(bits));
    move || {
        let wide = u128::from(random.next()) << 64 | u128::from(random.next());
        let ones = u128::MAX >> (128 - bits);
        let number = match random.below(4) {
            0 => wide,
            1 => wide >> random.below(128),
            2 => (u128::MAX >> random.below(128)) << random.below(128),
            _ => (1u128 << random.below(128)).wrapping_add(u128::from(random.below(4))).wrapping_sub(2),
        };
        let number = if random.below(4) == 0 { number.wrapping_neg() } else { number };
        number & ones
    }
}
