//! What to try next.
//!
//! Ways wait at the places of the program where they part. Places from which something unseen can be reached come first;
//! among the others each gets its turn, so that a loop with its many ways does not hold up the rest. At a place, ways with
//! few rounds of loops come first, then short ones.

use crate::path::Place;
use crate::tree::NodeId;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// The ways that wait.
#[derive(Default)]
pub(crate) struct Agenda {
    places: Vec<Waiting>,
    known: HashMap<Place, usize>,
    count: usize,
    waiting: usize,
}

struct Waiting {
    place: Place,
    /// How often another way was gone from here.
    tries: usize,
    /// Rounds, depth, order of arrival.
    ways: BinaryHeap<Reverse<(u32, u32, usize, NodeId)>>,
}

impl Agenda {
    fn at(&mut self, place: &Place) -> &mut Waiting {
        let next = self.places.len();
        let index = *self.known.entry(place.clone()).or_insert(next);
        if index == next {
            self.places.push(Waiting { place: place.clone(), tries: 0, ways: BinaryHeap::new() });
        }
        &mut self.places[index]
    }

    /// A node of the tree has a way that was not gone.
    pub fn add(&mut self, place: &Place, rounds: u32, depth: u32, node: NodeId) {
        self.count += 1;
        self.waiting += 1;
        let count = self.count;
        self.at(place).ways.push(Reverse((rounds, depth, count, node)));
    }

    /// Another way was gone from a place.
    pub fn tried(&mut self, place: &Place) {
        self.at(place).tries += 1;
    }

    /// The next node to try. `is_new` says whether something unseen may be reached from a place, given how often another
    /// way was tried there.
    pub fn next(&mut self, is_new: impl Fn(&Place, usize) -> bool) -> Option<NodeId> {
        let open = self.places.iter_mut().enumerate().filter(|(_, w)| !w.ways.is_empty());
        let (_, best) = open.min_by_key(|(index, w)| (!is_new(&w.place, w.tries), w.tries, *index))?;
        self.waiting -= 1;
        best.ways.pop().map(|Reverse((.., node))| node)
    }

    /// How many ways wait.
    pub fn len(&self) -> usize {
        self.waiting
    }
}
