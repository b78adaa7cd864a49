//! Texts that are printed, and formats of what is read.

use super::Proposer;
use crate::edit::Kind;
use crate::format;
use crate::unit::{Switch, Unit, called};
use tree_sitter::Node;
use wherefore_source::syntax;

pub(super) fn of(proposer: &mut Proposer, unit: &Unit, node: Node) {
    if unit.switch == Switch::Build || node.kind() != "call_expression" {
        return;
    }
    let name = called(node, proposer.text).unwrap_or_default().to_string();
    let arguments = node.child_by_field_name("arguments").map(syntax::named_children).unwrap_or_default();
    let literal = arguments.iter().find(|a| a.kind() == "string_literal").copied();
    let Some(literal) = literal else { return };
    let text = proposer.text(literal).to_string();
    let Some(inside) = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')) else { return };
    let others = match name.as_str() {
        "printf" | "fprintf" | "sprintf" | "snprintf" => {
            let mut others = format::other_formats(inside);
            others.extend(format::as_expected(inside, &proposer.failures.outputs, true));
            others
        }
        "puts" | "fputs" | "fwrite" | "putchar" | "write" => {
            format::as_expected(inside, &proposer.failures.outputs, false)
        }
        "scanf" | "fscanf" | "sscanf" => format::other_scans(inside),
        _ => return,
    };
    for (other, price) in others {
        proposer.replace(unit, literal.byte_range(), format!("\"{other}\""), Kind::Format, price);
    }
    if name == "puts" {
        // Without the line end that `puts` adds.
        let printed = format!("printf(\"{}\")", inside.replace('%', "%%"));
        proposer.replace(unit, node.byte_range(), printed, Kind::Format, 3);
    }
}
