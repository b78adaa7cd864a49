//! Where the statements and conditions of a text are, for those who show them.

use crate::places::Span;
use crate::syntax::{Body, Clause, Declaration, Expr, File, If, Statement, StatementKind, Variables};
use wherefore_source::{Branching, ControlKind, Outline, Region};

/// The outline of a file.
pub fn outline(file: &File) -> Outline {
    let mut outline = Outline::default();
    for declaration in &file.declarations {
        match declaration {
            Declaration::Axiom(holds) => add(&mut outline, &holds.span, Some(holds)),
            Declaration::Globals(groups) => groups.iter().for_each(|group| declared(&mut outline, group)),
            Declaration::Constants { variables, .. } => declared(&mut outline, variables),
            Declaration::Procedure(it) | Declaration::Implementation(it) => {
                it.parameters.iter().chain(&it.results).for_each(|group| declared(&mut outline, group));
                it.requires.iter().chain(&it.ensures).for_each(|it| clause(&mut outline, it));
                it.body.iter().for_each(|it| body(&mut outline, it));
            }
            Declaration::Synonym { .. } | Declaration::Function(_) => {}
        }
    }
    outline
}

fn region(span: &Span, condition: Option<&Expr>) -> Region {
    let condition = condition.map(|condition| condition.span.clone());
    Region { whole: span.clone(), statement: span.clone(), condition, control: None }
}

fn add(outline: &mut Outline, span: &Span, condition: Option<&Expr>) {
    outline.regions.push(region(span, condition));
}

fn declared(outline: &mut Outline, group: &Variables) {
    for name in &group.names {
        let text = name.span.start..if group.names.len() == 1 { group.of.span.end } else { name.span.end };
        add(outline, &text, None);
    }
    if let Some(holds) = &group.condition {
        add(outline, &holds.span, Some(holds));
    }
}

fn clause(outline: &mut Outline, clause: &Clause) {
    add(outline, &clause.span, Some(&clause.condition));
}

fn body(outline: &mut Outline, body: &Body) {
    body.locals.iter().for_each(|group| declared(outline, group));
    statements(outline, &body.statements);
}

fn statements(outline: &mut Outline, all: &[Statement]) {
    for statement in all {
        let span = &statement.span;
        match &statement.it {
            StatementKind::Assert(holds) | StatementKind::Assume(holds) => add(outline, span, Some(holds)),
            StatementKind::If(it) => conditional(outline, span, it),
            StatementKind::While { condition, invariants, body, head } => {
                invariants.iter().for_each(|it| clause(outline, it));
                let mut found = region(span, condition.condition.as_ref());
                found.statement = head.clone();
                found.condition = Some(condition.span.clone());
                found.control =
                    Some(Branching { kind: ControlKind::While, then_part: Some(head.end..span.end), else_part: None });
                outline.regions.push(found);
                statements(outline, body);
            }
            _ => add(outline, span, None),
        }
    }
}

fn conditional(outline: &mut Outline, span: &Span, it: &If) {
    let mut found = region(span, it.condition.condition.as_ref());
    found.statement = it.head.clone();
    found.condition = Some(it.condition.span.clone());
    found.control = Some(Branching {
        kind: ControlKind::If,
        then_part: Some(it.then_span.clone()),
        else_part: it.otherwise_span.clone(),
    });
    outline.regions.push(found);
    statements(outline, &it.then);
    it.otherwise.iter().for_each(|otherwise| statements(outline, otherwise));
}
