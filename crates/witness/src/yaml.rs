//! Version 2.0: a list of entries in YAML, one of which is a sequence of segments.

use crate::{Error, Kind, Place, Segment, Waypoint, Witness};
use saphyr::{LoadableYamlNode, MarkedYaml, Scalar, YamlData};

type Node<'a> = MarkedYaml<'a>;

/// Reads a witness.
pub fn read(text: &str) -> Result<Witness, Error> {
    let documents = Node::load_from_str(text)
        .map_err(|error| Error::new(error.marker().line(), format!("this is no YAML: {}", error.info())))?;
    let Some(document) = documents.first() else { return Err(Error::new(1, "the witness is empty")) };
    let mut found = vec![];
    for entry in list(document, "a list of entries")? {
        let kind = field(entry, "entry_type")?;
        match text_of(kind)?.as_str() {
            "violation_sequence" => found.push(entry),
            "invariant_set" | "loop_invariant" | "location_invariant" => {
                return Err(Error::new(line(kind), "this is a witness of correctness, which has no counterexample"));
            }
            other => return Err(Error::new(line(kind), format!("no entry of type {other} is understood"))),
        }
    }
    match found[..] {
        [entry] => sequence(entry),
        [] => Err(Error::new(line(document), "there is no entry of type violation_sequence")),
        [_, second, ..] => Err(Error::new(line(second), "there is more than one violation_sequence")),
    }
}

fn sequence(entry: &Node) -> Result<Witness, Error> {
    if let Some(metadata) = optional(entry, "metadata")
        && let Some(version) = optional(metadata, "format_version")
    {
        let told = text_of(version)?;
        if !told.starts_with("2.") && told != "2" {
            return Err(Error::new(line(version), format!("witnesses of version {told} are not understood, only 2.0")));
        }
    }
    let content = field(entry, "content")?;
    let mut segments = vec![];
    for item in list(content, "a list of segments")? {
        segments.push(segment(field(item, "segment")?)?);
    }
    let Some(last) = segments.last() else { return Err(Error::new(line(content), "there is no segment")) };
    if last.follow.kind != Kind::Target {
        return Err(Error::new(last.follow.line, "the last segment has to end in a waypoint of type target"));
    }
    let is_early = |segment: &&Segment| segment.follow.kind == Kind::Target;
    if let Some(early) = segments[..segments.len() - 1].iter().find(is_early) {
        return Err(Error::new(early.follow.line, "only the last segment ends in a waypoint of type target"));
    }
    Ok(Witness { segments })
}

fn segment(node: &Node) -> Result<Segment, Error> {
    let (mut avoid, mut follow) = (vec![], None);
    for item in list(node, "a list of waypoints")? {
        let inner = field(item, "waypoint")?;
        let (waypoint, action) = (waypoint(inner)?, field(inner, "action")?);
        match (text_of(action)?.as_str(), &follow) {
            (_, Some(_)) => return Err(Error::new(line(inner), "a segment ends with the waypoint that is followed")),
            ("follow", None) => follow = Some(waypoint),
            ("avoid", None) if waypoint.kind == Kind::Target => {
                return Err(Error::new(line(action), "a target cannot be avoided"));
            }
            ("avoid", None) => avoid.push(waypoint),
            ("cycle", None) => return Err(Error::new(line(action), "witnesses of non-termination are not understood")),
            (other, None) => return Err(Error::new(line(action), format!("there is no action {other}"))),
        }
    }
    match follow {
        Some(follow) => Ok(Segment { avoid, follow }),
        None => Err(Error::new(line(node), "a segment needs a waypoint to follow")),
    }
}

fn waypoint(node: &Node) -> Result<Waypoint, Error> {
    let location = field(node, "location")?;
    let number = |node: &Node| {
        let wrong = || Error::new(line(node), "expected a number from 1");
        let value = integer(node).ok_or_else(wrong)?;
        u32::try_from(value).ok().filter(|value| *value > 0).ok_or_else(wrong)
    };
    let at = Place {
        file: text_of(field(location, "file_name")?)?,
        line: number(field(location, "line")?)?,
        column: optional(location, "column").map(number).transpose()?,
    };
    let constraint = optional(node, "constraint").map(|node| field(node, "value")).transpose()?;
    let told = constraint.map(text_of).transpose()?;
    let kind = field(node, "type")?;
    let needed = || told.clone().ok_or_else(|| Error::new(line(node), "this waypoint needs a constraint"));
    let kind = match text_of(kind)?.as_str() {
        "assumption" => Kind::Before(needed()?),
        "branching" => match needed()?.as_str() {
            "true" => Kind::Branch(true),
            "false" => Kind::Branch(false),
            "default" => Kind::Case(None),
            value => Kind::Case(Some(value.to_string())),
        },
        "function_enter" => Kind::Enter,
        "function_return" => Kind::Return(told),
        "target" => Kind::Target,
        other => return Err(Error::new(line(kind), format!("there is no waypoint of type {other}"))),
    };
    Ok(Waypoint { kind, at, line: line(node) })
}

fn line(node: &Node) -> usize {
    node.span.start.line()
}

fn list<'a>(node: &'a Node<'a>, what: &str) -> Result<&'a Vec<Node<'a>>, Error> {
    match &node.data {
        YamlData::Sequence(items) => Ok(items),
        _ => Err(Error::new(line(node), format!("expected {what}"))),
    }
}

fn optional<'a>(node: &'a Node<'a>, name: &str) -> Option<&'a Node<'a>> {
    node.data.as_mapping_get(name)
}

fn field<'a>(node: &'a Node<'a>, name: &str) -> Result<&'a Node<'a>, Error> {
    optional(node, name).ok_or_else(|| Error::new(line(node), format!("there is no {name}")))
}

fn integer(node: &Node) -> Option<i64> {
    match &node.data {
        YamlData::Value(Scalar::Integer(value)) => Some(*value),
        YamlData::Value(Scalar::String(text)) => text.parse().ok(),
        _ => None,
    }
}

/// A scalar as text: what looks like a number may be meant as one or not.
fn text_of(node: &Node) -> Result<String, Error> {
    match &node.data {
        YamlData::Value(Scalar::String(text)) => Ok(text.to_string()),
        YamlData::Value(Scalar::Boolean(value)) => Ok(value.to_string()),
        YamlData::Value(Scalar::Integer(value)) => Ok(value.to_string()),
        YamlData::Value(Scalar::FloatingPoint(value)) => Ok(value.to_string()),
        _ => Err(Error::new(line(node), "expected a text")),
    }
}
