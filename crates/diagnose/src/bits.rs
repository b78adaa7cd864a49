//! Sets of small numbers as bits.

/// A set that grows when a member is inserted; what lies beyond its end is not in it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    /// All numbers below a bound.
    pub fn below(bound: usize) -> Bits {
        let mut words = vec![u64::MAX; bound.div_ceil(64)];
        if !bound.is_multiple_of(64) {
            words[bound / 64] = (1 << (bound % 64)) - 1;
        }
        Bits(words)
    }

    pub fn insert(&mut self, member: usize) {
        if member / 64 >= self.0.len() {
            self.0.resize(member / 64 + 1, 0);
        }
        self.0[member / 64] |= 1 << (member % 64);
    }

    pub fn remove(&mut self, member: usize) {
        if let Some(word) = self.0.get_mut(member / 64) {
            *word &= !(1 << (member % 64));
        }
    }

    pub fn contains(&self, member: usize) -> bool {
        self.0.get(member / 64).is_some_and(|word| word & (1 << (member % 64)) != 0)
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(at, &word)| Ones(word).map(move |bit| at * 64 + bit))
    }

    pub fn meets(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    /// The size of the intersection.
    pub fn common(&self, other: &Bits) -> usize {
        self.0.iter().zip(&other.0).map(|(a, b)| (a & b).count_ones() as usize).sum()
    }

    /// Keeps what the other has too.
    pub fn intersect(&mut self, other: &Bits) {
        self.0.truncate(other.0.len());
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= b);
    }

    pub fn add(&mut self, other: &Bits) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    /// Adds what the two others have in common.
    pub fn add_common(&mut self, a: &Bits, b: &Bits) {
        let common = a.0.len().min(b.0.len());
        if self.0.len() < common {
            self.0.resize(common, 0);
        }
        self.0.iter_mut().zip(a.0.iter().zip(&b.0)).for_each(|(word, (a, b))| *word |= a & b);
    }

    /// Becomes one set without another.
    pub fn assign_without(&mut self, from: &Bits, without: &Bits) {
        self.0.clear();
        self.0.extend_from_slice(&from.0);
        self.0.iter_mut().zip(&without.0).for_each(|(a, b)| *a &= !b);
    }

    /// Becomes another set; unlike a clone, this keeps the memory.
    pub fn assign(&mut self, from: &Bits) {
        self.0.clear();
        self.0.extend_from_slice(&from.0);
    }
}

impl FromIterator<usize> for Bits {
    fn from_iter<I: IntoIterator<Item = usize>>(members: I) -> Bits {
        let mut bits = Bits::default();
        members.into_iter().for_each(|member| bits.insert(member));
        bits
    }
}

/// The positions of the ones of a word.
struct Ones(u64);

impl Iterator for Ones {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        (self.0 != 0).then(|| {
            let bit = self.0.trailing_zeros() as usize;
            self.0 &= self.0 - 1;
            bit
        })
    }
}
