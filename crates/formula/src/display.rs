//! Debugging text of a term. What a person reads in a report is made elsewhere.

use crate::node::{Node, TermId, VarId};
use crate::sort::Sort;
use crate::terms::Terms;

/// Shared parts are written out each time, which can make the text exponentially longer than the term.
const MAX_LENGTH: usize = 1 << 20;

/// What is still to be written.
enum Piece {
    Term(TermId),
    Text(&'static str),
}

impl Terms {
    /// The term as an S-expression with constants as `value:width`, for logs and test failures; cut off with `...`
    /// after about a megabyte.
    pub fn display(&self, t: TermId, name: &dyn Fn(VarId) -> String) -> String {
        let mut out = String::new();
        let mut todo = vec![Piece::Term(t)];
        while let Some(piece) = todo.pop() {
            if out.len() > MAX_LENGTH {
                out.push_str("...");
                break;
            }
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Term(t) => self.display_node(t, name, &mut out, &mut todo),
            }
        }
        out
    }

    fn display_node(&self, t: TermId, name: &dyn Fn(VarId) -> String, out: &mut String, todo: &mut Vec<Piece>) {
        let node = self.node(t);
        let head = match node {
            Node::True => return out.push_str("true"),
            Node::False => return out.push_str("false"),
            Node::Const { width, value } => return out.push_str(&format!("{value}:{width}")),
            Node::Int(value) => return out.push_str(&value.to_string()),
            Node::Var(var, _) => return out.push_str(&name(*var)),
            Node::Not(_) => "not".to_string(),
            Node::And(_) => "and".to_string(),
            Node::Or(_) => "or".to_string(),
            Node::Ite(..) => "ite".to_string(),
            Node::Eq(..) => "=".to_string(),
            Node::Binary(op, a, _) if self.sort(*a) == Sort::Int => format!("int{op:?}").to_lowercase(),
            Node::Compare(op, a, _) if self.sort(*a) == Sort::Int => format!("int{op:?}").to_lowercase(),
            Node::Neg(a) if self.sort(*a) == Sort::Int => "intneg".to_string(),
            Node::Binary(op, ..) => format!("bv{op:?}").to_lowercase(),
            Node::Compare(op, ..) => format!("bv{op:?}").to_lowercase(),
            Node::Concat(..) => "concat".to_string(),
            Node::Extract { low, width, .. } => format!("(extract {} {low})", low + width - 1),
            Node::ZeroExtend(_, width) => format!("(zero_extend {width})"),
            Node::SignExtend(_, width) => format!("(sign_extend {width})"),
            Node::BitNot(_) => "bvnot".to_string(),
            Node::Neg(_) => "bvneg".to_string(),
            Node::Float(op, _) => format!("fp.{op:?}"),
        };
        out.push('(');
        out.push_str(&head);
        let mut children = Vec::new();
        node.for_each_child(|child| children.push(child));
        todo.push(Piece::Text(")"));
        for child in children.into_iter().rev() {
            todo.push(Piece::Term(child));
            todo.push(Piece::Text(" "));
        }
    }
}
