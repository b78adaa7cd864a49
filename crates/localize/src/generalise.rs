//! Simple formulas between the recorded state and what has to be implied.
//!
//! Every proposal is true in the recorded state and is checked by the solver before it is used; the last resort, the
//! recorded values themselves, always works.

use crate::linear::{self, Leaf, Relation};
use crate::reason::{self, Reasoner};
use std::collections::{BTreeMap, HashMap};
use wherefore_formula::{BinaryOp, Node, Sort, TermId, Terms, VarId};
use wherefore_program::{CType, Types};
use wherefore_trace::Variable;

/// Formulas of at most this many parts are printed as they are rather than fixed to recorded values.
const READABLE: usize = 12;
/// With more variables than this, bounds are not tried one by one.
const MANY_VARIABLES: usize = 6;

/// What generalising needs to know.
pub struct Situation<'a> {
    /// Terms of the trace.
    pub terms: &'a mut Terms,
    /// The recorded state.
    pub values: &'a [Option<u128>],
    /// Variables of the trace.
    pub variables: &'a [Variable],
    /// C types.
    pub types: &'a Types,
    /// The solver.
    pub reasoner: &'a mut Reasoner,
}

/// Whether a variable may hold an address: it has the bits of one and is no number.
pub fn is_pointer(variable: &Variable, types: &Types) -> bool {
    let ctype = variable.ctype.map(|t| &types[t]);
    variable.bits == 64 && !matches!(ctype, Some(CType::Integer { .. } | CType::Enum { .. }))
}

impl Situation<'_> {
    /// Whether a formula is true in the recorded state.
    pub fn holds(&self, formula: TermId) -> bool {
        let value = self.terms.evaluate(formula, &mut |v| self.values[v.0 as usize]);
        value.and_then(|v| v.as_bool()) == Some(true)
    }

    /// Formulas that hold in the recorded state and imply `goal` together with what is given.
    pub fn generalise(&mut self, goal: TermId, given: &[TermId]) -> Vec<TermId> {
        let mut found = vec![];
        self.collect(goal, given, &mut found);
        found
    }

    /// As [`Situation::generalise`], of a goal about where pointers point. An address is a name for what lies there: a
    /// pointer is fixed to it rather than bounded, and what is left speaks of indices.
    pub fn generalise_place(&mut self, goal: TermId, given: &[TermId]) -> Vec<TermId> {
        if self.reasoner.implies_near(self.terms, given, goal, self.values) {
            return vec![];
        }
        let mut fixed = HashMap::new();
        let mut found = vec![];
        for v in self.terms.variables(goal) {
            let variable = &self.variables[v.0 as usize];
            let (true, Some(value)) = (is_pointer(variable, self.types), self.values[v.0 as usize]) else { continue };
            fixed.insert(v, self.terms.bits(variable.bits, value));
            found.extend(self.equal(v).filter(|e| !given.contains(e)));
        }
        let rest = self.terms.substitute(goal, &fixed);
        self.collect(rest, given, &mut found);
        found
    }

    fn collect(&mut self, goal: TermId, given: &[TermId], found: &mut Vec<TermId>) {
        let known: Vec<TermId> = given.iter().chain(found.iter()).copied().collect();
        if self.reasoner.implies_near(self.terms, &known, goal, self.values) {
            return;
        }
        match self.terms.node(goal).clone() {
            Node::And(parts) => parts.iter().for_each(|p| self.collect(*p, given, found)),
            Node::Or(parts) => self.collect_one(&parts, goal, given, found),
            Node::Not(inner) => match self.terms.node(inner).clone() {
                Node::And(parts) => {
                    let negated: Vec<TermId> = parts.iter().map(|p| self.terms.not(*p)).collect();
                    self.collect_one(&negated, goal, given, found);
                }
                Node::Or(parts) => {
                    for part in parts.iter() {
                        let part = self.terms.not(*part);
                        self.collect(part, given, found);
                    }
                }
                Node::Ite(c, a, b) => {
                    let (a, b) = (self.terms.not(a), self.terms.not(b));
                    self.collect_case(c, a, b, given, found);
                }
                _ => self.collect_atom(goal, given, found),
            },
            Node::Ite(c, a, b) => self.collect_case(c, a, b, given, found),
            Node::Eq(a, b) if self.terms.sort(a) == Sort::Bool => {
                for side in [a, b] {
                    let side = if self.holds(side) { side } else { self.terms.not(side) };
                    self.collect(side, given, found);
                }
            }
            _ => self.collect_atom(goal, given, found),
        }
    }

    /// One alternative that holds is enough; the shortest is the easiest to read.
    fn collect_one(&mut self, parts: &[TermId], goal: TermId, given: &[TermId], found: &mut Vec<TermId>) {
        let best = parts.iter().copied().filter(|p| self.holds(*p)).min_by_key(|p| self.terms.size(*p));
        match best {
            Some(part) => self.collect(part, given, found),
            None => self.collect_atom(goal, given, found),
        }
    }

    fn collect_case(&mut self, c: TermId, a: TermId, b: TermId, given: &[TermId], found: &mut Vec<TermId>) {
        let (c, rest) = if self.holds(c) { (c, a) } else { (self.terms.not(c), b) };
        self.collect(c, given, found);
        self.collect(rest, given, found);
    }

    fn collect_atom(&mut self, goal: TermId, given: &[TermId], found: &mut Vec<TermId>) {
        if let Some((condition, chosen)) = self.inner_choice(goal) {
            self.collect(condition, given, found);
            self.collect(chosen, given, found);
            return;
        }
        let known: Vec<TermId> = given.iter().chain(found.iter()).copied().collect();
        if let Some(simple) = self.linear_form(goal, &known) {
            found.extend(self.terms.conjuncts(simple));
            return;
        }
        if self.is_simple(goal) {
            found.push(goal);
            return;
        }
        if let Some(bounds) = self.linear_bounds(goal, &known) {
            found.extend(bounds);
            return;
        }
        if reason::hardness(self.terms, &[goal]) > 1 {
            // Nobody reads it, and solvers do not see through it: the values of the run say it.
            found.extend(self.recorded(goal));
            return;
        }
        let bounds = self.bounds(goal, &known);
        let fixed = bounds.iter().any(|b| matches!(self.terms.node(*b), Node::Eq(..)));
        let shorter = bounds.len() < self.terms.variables(goal).len();
        if fixed && !shorter && self.terms.size(goal) <= READABLE && self.is_printable(goal) {
            found.push(goal);
        } else {
            found.extend(bounds);
        }
    }

    /// A conditional value inside a comparison: the condition as it was, and the comparison with the value chosen.
    fn inner_choice(&mut self, goal: TermId) -> Option<(TermId, TermId)> {
        let parts = self.terms.reachable(&[goal]);
        let choice = parts
            .into_iter()
            .find(|t| matches!(self.terms.node(*t), Node::Ite(..)) && self.terms.sort(*t) != Sort::Bool)?;
        let Node::Ite(c, a, b) = *self.terms.node(choice) else { return None };
        let (condition, value) = if self.holds(c) { (c, a) } else { (self.terms.not(c), b) };
        Some((condition, replace(self.terms, goal, choice, value)))
    }

    /// The comparison solved for its variables, where that implies it.
    fn linear_form(&mut self, goal: TermId, known: &[TermId]) -> Option<TermId> {
        let linear = linear::relation(self.terms, goal)?;
        // `i + 7 < n` is true but tells less than the values of `i` and `n`.
        if linear.sum.len() > 1 && !(-1..=1).contains(&linear.bound) {
            return None;
        }
        let simple = linear::formula(self.terms, &linear)?;
        if !linear.sum.keys().all(|l| self.is_name(l.term)) || !self.holds(simple) {
            return None;
        }
        let premises: Vec<TermId> = known.iter().copied().chain([simple]).collect();
        self.reasoner.implies_near(self.terms, &premises, goal, self.values).then_some(simple)
    }

    /// Each variable of a linear inequality bounded by its recorded value, on the side that matters.
    fn linear_bounds(&mut self, goal: TermId, known: &[TermId]) -> Option<Vec<TermId>> {
        let linear = linear::relation(self.terms, goal)?;
        if linear.relation != Relation::AtMost || !linear.sum.keys().all(|l| self.is_name(l.term)) {
            return None;
        }
        let mut bounds = vec![];
        for (leaf, k) in &linear.sum {
            let value = self.terms.evaluate(leaf.term, &mut |v| self.values[v.0 as usize])?.raw();
            let number = linear::number(value, self.terms.width(leaf.term), leaf.signed);
            bounds.push(if *k > 0 {
                linear::at_most(self.terms, *leaf, number)?
            } else {
                linear::at_least(self.terms, *leaf, number)?
            });
        }
        let premises: Vec<TermId> = known.iter().copied().chain(bounds.iter().copied()).collect();
        self.reasoner.implies_near(self.terms, &premises, goal, self.values).then_some(bounds)
    }

    /// Whether a term is a variable or a part of one.
    fn is_name(&self, t: TermId) -> bool {
        match self.terms.node(t) {
            Node::Var(..) => true,
            Node::Extract { term, .. } => matches!(self.terms.node(*term), Node::Var(..)),
            _ => false,
        }
    }

    /// A comparison between at most two names and a constant.
    fn is_simple(&self, goal: TermId) -> bool {
        let mut simple = true;
        for part in self.terms.reachable(&[goal]) {
            simple &= match self.terms.node(part) {
                Node::Binary(op, ..) => matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::And),
                Node::Concat(..) | Node::Ite(..) | Node::And(_) | Node::Or(_) => false,
                _ => true,
            };
        }
        let far = linear::relation(self.terms, goal).is_some_and(|l| l.sum.len() > 1 && !(-1..=1).contains(&l.bound));
        simple && !far && self.terms.size(goal) <= 7 && self.terms.variables(goal).len() <= 2
    }

    /// Whether C has a form for it: pieces glued from several variables have none.
    fn is_printable(&self, goal: TermId) -> bool {
        !self.terms.reachable(&[goal]).iter().any(|t| matches!(self.terms.node(*t), Node::Concat(..)))
    }

    /// The recorded values of the variables.
    fn recorded(&mut self, goal: TermId) -> Vec<TermId> {
        self.terms.variables(goal).into_iter().filter_map(|v| self.equal(v)).collect()
    }

    /// The recorded values of the variables, each weakened to a bound or dropped where the rest suffices.
    fn bounds(&mut self, goal: TermId, known: &[TermId]) -> Vec<TermId> {
        let variables: Vec<VarId> = self.terms.variables(goal).into_iter().collect();
        let mut chosen: BTreeMap<VarId, Option<TermId>> = BTreeMap::new();
        for v in &variables {
            let equal = self.equal(*v);
            chosen.insert(*v, equal);
        }
        if variables.len() > MANY_VARIABLES {
            return chosen.into_values().flatten().collect();
        }
        for v in variables {
            for weaker in self.weaker(v) {
                let others: Vec<TermId> =
                    chosen.iter().filter(|(u, _)| **u != v).filter_map(|(_, a)| *a).chain(weaker).collect();
                let premises: Vec<TermId> = known.iter().copied().chain(others).collect();
                if self.reasoner.implies_near(self.terms, &premises, goal, self.values) {
                    chosen.insert(v, weaker);
                    break;
                }
            }
        }
        chosen.into_values().flatten().collect()
    }

    fn term(&mut self, v: VarId) -> TermId {
        self.terms.var(v, Sort::Bits(self.variables[v.0 as usize].bits))
    }

    fn equal(&mut self, v: VarId) -> Option<TermId> {
        let value = self.values[v.0 as usize]?;
        let bits = self.terms.bits(self.variables[v.0 as usize].bits, value);
        let term = self.term(v);
        Some(self.terms.eq(term, bits))
    }

    /// Formulas about a variable that hold, weakest first; `None` says nothing about it.
    fn weaker(&mut self, v: VarId) -> Vec<Option<TermId>> {
        let mut list = vec![None];
        let (Some(value), Some(signed)) = (self.values[v.0 as usize], self.signedness(v)) else { return list };
        let bits = self.variables[v.0 as usize].bits;
        let leaf = Leaf { term: self.term(v), signed };
        let number = linear::number(value, bits, signed);
        let lower = [0, 1, number].into_iter().filter(|b| *b <= number && (signed || *b > 0));
        let lower: Vec<_> = lower.filter_map(|b| linear::at_least(self.terms, leaf, b)).collect();
        let upper = [0, -1, number].into_iter().filter(|b| *b >= number && (signed || *b >= 0));
        let upper: Vec<_> = upper.filter_map(|b| linear::at_most(self.terms, leaf, b)).collect();
        list.extend(lower.into_iter().chain(upper).map(Some));
        list
    }

    /// How a variable is compared; `None` for what is not ordered (pointers, floating point, unknown).
    pub fn signedness(&self, v: VarId) -> Option<bool> {
        let variable = &self.variables[v.0 as usize];
        match variable.ctype.map(|t| &self.types[t]) {
            Some(CType::Integer { signed, .. } | CType::Enum { signed, .. }) => Some(*signed),
            Some(CType::Bool) => Some(false),
            Some(_) => None,
            None => (variable.bits < 64).then_some(true),
        }
    }

    /// Where several numbers are excluded for one name, its value lies on one side of them: `n != 0 && n != 2` with a
    /// negative `n` is `n <= -1`. Loops and recursion would pile them up otherwise.
    pub fn coarsen(&mut self, atoms: Vec<TermId>) -> Vec<TermId> {
        let mut holes: BTreeMap<Leaf, Vec<(TermId, i128)>> = BTreeMap::new();
        for atom in &atoms {
            let Some(l) = linear::bound_of_one(self.terms, *atom) else { continue };
            if l.relation == Relation::Different {
                let (leaf, k) = l.sum.iter().next().expect("one leaf");
                holes.entry(*leaf).or_default().push((*atom, l.bound * k));
            }
        }
        holes.retain(|_, all| all.len() > 1);
        if holes.is_empty() {
            return atoms;
        }
        let mut result = atoms;
        for (leaf, all) in holes {
            let width = self.terms.width(leaf.term);
            let value = self.terms.evaluate(leaf.term, &mut |v| self.values[v.0 as usize]);
            let Some(value) = value.map(|v| linear::number(v.raw(), width, leaf.signed)) else { continue };
            let (below, above): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, hole)| *hole < value);
            let low = below.iter().map(|h| h.1).max();
            let high = above.iter().map(|h| h.1).min();
            let bounds = [
                low.filter(|_| below.len() > 1).and_then(|b| linear::at_least(self.terms, leaf, b + 1)),
                high.filter(|_| above.len() > 1).and_then(|b| linear::at_most(self.terms, leaf, b - 1)),
            ];
            for (bound, side) in bounds.into_iter().zip([below, above]) {
                if let Some(bound) = bound {
                    result.retain(|a| !side.iter().any(|(atom, _)| atom == a));
                    result.push(bound);
                }
            }
        }
        tidy(self.terms, &result)
    }

    /// Signs of a variable that hold: what often stays true around a loop.
    pub fn signs(&mut self, v: VarId) -> Vec<TermId> {
        let (Some(value), Some(true)) = (self.values[v.0 as usize], self.signedness(v)) else { return vec![] };
        let bits = self.variables[v.0 as usize].bits;
        let leaf = Leaf { term: self.term(v), signed: true };
        let number = linear::number(value, bits, true);
        let mut signs = vec![];
        if number >= 0 {
            signs.extend(linear::at_least(self.terms, leaf, i128::from(number > 0)));
        }
        if number <= 0 {
            signs.extend(linear::at_most(self.terms, leaf, -i128::from(number < 0)));
        }
        signs
    }
}

/// Replace a part of a term.
fn replace(terms: &mut Terms, whole: TermId, part: TermId, by: TermId) -> TermId {
    // A fresh variable would do, but the part may occur below others: rebuild bottom-up.
    let mut map: HashMap<TermId, TermId> = Default::default();
    map.insert(part, by);
    for t in terms.reachable(&[whole]) {
        if !map.contains_key(&t) {
            let new = rebuild(terms, t, &map);
            map.insert(t, new);
        }
    }
    map[&whole]
}

fn rebuild(terms: &mut Terms, t: TermId, map: &HashMap<TermId, TermId>) -> TermId {
    let new = |x: &TermId| map.get(x).copied().unwrap_or(*x);
    match terms.node(t).clone() {
        Node::True | Node::False | Node::Const { .. } | Node::Int(_) | Node::Var(..) => t,
        Node::Not(a) => terms.not(new(&a)),
        Node::And(items) => terms.and(items.iter().map(new).collect::<Vec<_>>()),
        Node::Or(items) => terms.or(items.iter().map(new).collect::<Vec<_>>()),
        Node::Ite(c, a, b) => terms.ite(new(&c), new(&a), new(&b)),
        Node::Eq(a, b) => terms.eq(new(&a), new(&b)),
        Node::Binary(op, a, b) => terms.binary(op, new(&a), new(&b)),
        Node::Compare(op, a, b) => terms.compare(op, new(&a), new(&b)),
        Node::Concat(a, b) => terms.concat(new(&a), new(&b)),
        Node::Extract { term, low, width } => terms.extract(new(&term), low, width),
        Node::ZeroExtend(a, width) => terms.zero_extend(new(&a), width),
        Node::SignExtend(a, width) => terms.sign_extend(new(&a), width),
        Node::BitNot(a) => terms.bit_not(new(&a)),
        Node::Neg(a) => terms.neg(new(&a)),
        Node::Float(op, items) => terms.float(op, &items.iter().map(new).collect::<Vec<_>>()),
    }
}

/// Formulas in a simpler but equivalent form: known values are put in, formulas about one name are joined.
pub fn tidy(terms: &mut Terms, atoms: &[TermId]) -> Vec<TermId> {
    let joined = join_names(terms, atoms);
    let mut values: HashMap<VarId, TermId> = HashMap::new();
    for atom in &joined {
        if let Node::Eq(a, b) = *terms.node(*atom)
            && let (Node::Var(v, _), Some(_)) = (terms.node(a), terms.constant(b))
        {
            values.insert(*v, b);
        }
    }
    let is_value = |terms: &Terms, atom: TermId| match *terms.node(atom) {
        Node::Eq(a, b) => matches!(terms.node(a), Node::Var(..)) && terms.constant(b).is_some(),
        _ => false,
    };
    if values.is_empty() || joined.iter().all(|a| is_value(terms, *a)) {
        return joined;
    }
    let mut simpler = vec![];
    for atom in joined {
        let new = if is_value(terms, atom) { atom } else { terms.substitute(atom, &values) };
        simpler.extend(terms.conjuncts(new).into_iter().filter(|t| terms.truth_value(*t) != Some(true)));
    }
    join_names(terms, &simpler)
}

/// Join formulas about one name: `y != 0 && y <= 0` is `y <= -1`.
fn join_names(terms: &mut Terms, atoms: &[TermId]) -> Vec<TermId> {
    let mut by_name: BTreeMap<TermId, Vec<(TermId, linear::Linear)>> = BTreeMap::new();
    let mut rest = vec![];
    for atom in atoms {
        match linear::bound_of_one(terms, *atom) {
            Some(l) => {
                let name = l.sum.keys().next().expect("one leaf").term;
                by_name.entry(name).or_default().push((*atom, l));
            }
            _ if !rest.contains(atom) => rest.push(*atom),
            _ => {}
        }
    }
    let mut result = vec![];
    for (name, facts) in by_name {
        let joined = if facts.len() > 1 { join(terms, name, &facts) } else { None };
        result.extend(joined.unwrap_or_else(|| facts.iter().map(|f| f.0).collect()));
    }
    result.extend(rest);
    result.sort();
    result.dedup();
    result
}

/// The facts about one name as an interval with holes; `None` when they read its bits in different ways.
fn join(terms: &mut Terms, name: TermId, facts: &[(TermId, linear::Linear)]) -> Option<Vec<TermId>> {
    let orders: Vec<bool> = facts
        .iter()
        .filter(|(_, l)| l.relation == Relation::AtMost)
        .map(|(_, l)| l.sum.keys().next().expect("one leaf").signed)
        .collect();
    let signed = orders.first().copied().unwrap_or(facts[0].1.sum.keys().next().expect("one leaf").signed);
    if orders.iter().any(|s| *s != signed) {
        return None;
    }
    let width = terms.width(name);
    if width > 100 {
        return None;
    }
    let (smallest, largest) =
        if signed { (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1) } else { (0, (1i128 << width) - 1) };
    let (mut low, mut high, mut holes) = (smallest, largest, vec![]);
    for (_, l) in facts {
        let (leaf, k) = l.sum.iter().next().expect("one leaf");
        let reread = |value: i128| {
            let bits = value as u128 & ((1u128 << width) - 1);
            if leaf.signed == signed { value } else { linear::number(bits, width, signed) }
        };
        match l.relation {
            Relation::AtMost if *k > 0 => high = high.min(l.bound),
            Relation::AtMost => low = low.max(-l.bound),
            Relation::Equal => {
                let value = reread(l.bound * k);
                (low, high) = (low.max(value), high.min(value));
            }
            Relation::Different => holes.push(reread(l.bound * k)),
        }
    }
    while holes.contains(&low) && low < high {
        low += 1;
    }
    while holes.contains(&high) && low < high {
        high -= 1;
    }
    if low > high || low == high && holes.contains(&low) {
        return None;
    }
    let leaf = Leaf { term: name, signed };
    let mut atoms = vec![];
    if low == high {
        let value = terms.bits(width, low as u128);
        return Some(vec![terms.eq(name, value)]);
    }
    if low > smallest {
        atoms.push(linear::at_least(terms, leaf, low)?);
    }
    if high < largest {
        atoms.push(linear::at_most(terms, leaf, high)?);
    }
    for hole in holes.into_iter().filter(|h| low < *h && *h < high) {
        let value = terms.bits(width, hole as u128);
        atoms.push(terms.ne(name, value));
    }
    Some(atoms)
}

#[cfg(test)]
mod tests;
