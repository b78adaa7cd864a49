//! Sketches by number, and the smallest of those that the same can be said against.

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Attempts at a smaller program.
const ATTEMPTS: usize = 150;

/// The sketch with a number, ready to be shrunk.
pub fn tree<S: Strategy>(strategy: &S, seed: u64) -> S::Tree {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), random);
    strategy.new_tree(&mut runner).expect("sketches are not rejected")
}

/// What is found with the smallest sketch that something is found with.
pub fn shrink<T: ValueTree, R>(mut tree: T, found: R, find: impl Fn(T::Value) -> Option<R>) -> R {
    let mut smallest = found;
    let mut simpler = tree.simplify();
    for _ in 0..ATTEMPTS {
        if !simpler {
            break;
        }
        simpler = match find(tree.current()) {
            Some(found) => {
                smallest = found;
                tree.simplify()
            }
            None => tree.complicate(),
        };
    }
    smallest
}
