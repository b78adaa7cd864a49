//! Version 1.0: an automaton as a graph in XML. Its shortest way from the entry to a violation is followed.

use crate::{Error, Kind, Place, Segment, Waypoint, Witness};
use roxmltree::{Document, Node};
use std::collections::{HashMap, HashSet, VecDeque};

/// Reads a witness.
pub fn read(text: &str) -> Result<Witness, Error> {
    let options = roxmltree::ParsingOptions { allow_dtd: false, ..Default::default() };
    let document = Document::parse_with_options(text, options)
        .map_err(|error| Error::new(error.pos().row as usize, format!("this is no GraphML: {error}")))?;
    let graph = document.descendants().find(|node| node.has_tag_name_local("graph"));
    let graph = graph.ok_or_else(|| Error::new(1, "there is no graph"))?;
    let said = |key: &str| data(graph, key);
    if let Some(kind) = said("witness-type").filter(|kind| *kind != "violation_witness") {
        return Err(Error::new(
            line(graph),
            format!("this is a {}, which has no counterexample", kind.replace('_', " ")),
        ));
    }
    let file = said("programfile").unwrap_or_default();
    let mut edges: HashMap<&str, Vec<Node>> = HashMap::new();
    for edge in graph.children().filter(|node| node.has_tag_name_local("edge")) {
        let ends = edge.attribute("source").zip(edge.attribute("target"));
        let (source, _) = ends.ok_or_else(|| Error::new(line(edge), "an edge needs a source and a target"))?;
        edges.entry(source).or_default().push(edge);
    }
    let nodes = || graph.children().filter(|node| node.has_tag_name_local("node"));
    let marked = |key: &'static str| nodes().filter(move |node| data(*node, key) == Some("true"));
    let entry = marked("entry").find_map(|node| node.attribute("id"));
    let entry = entry.ok_or_else(|| Error::new(line(graph), "no node is marked as the entry"))?;
    let ends: HashSet<&str> = marked("violation").filter_map(|node| node.attribute("id")).collect();
    if ends.is_empty() {
        return Err(Error::new(line(graph), "no node is marked as a violation"));
    }
    let way = shortest(entry, &ends, &edges)
        .ok_or_else(|| Error::new(line(graph), "no way leads from the entry to a violation"))?;
    let mut segments = vec![];
    for edge in &way {
        for kind in kinds(*edge)? {
            let follow = Waypoint { kind, at: place(*edge, file)?, line: line(*edge) };
            segments.push(Segment { avoid: vec![], follow });
        }
    }
    // Where it happens is known from the last step, if at all.
    let at = way.last().map(|edge| place(*edge, file)).transpose()?.unwrap_or_default();
    let end = way.last().map_or(line(graph), |edge| line(*edge));
    segments.push(Segment { avoid: vec![], follow: Waypoint { kind: Kind::Target, at, line: end } });
    Ok(Witness { segments })
}

/// What an edge says.
fn kinds(edge: Node) -> Result<Vec<Kind>, Error> {
    let mut found = vec![];
    match data(edge, "control") {
        None => {}
        Some("condition-true") => found.push(Kind::Branch(true)),
        Some("condition-false") => found.push(Kind::Branch(false)),
        Some(other) => return Err(Error::new(line(edge), format!("there is no control {other}"))),
    }
    if let Some(assumption) = data(edge, "assumption") {
        let parts = assumption.split(';').map(str::trim).filter(|part| !part.is_empty());
        let all = parts.map(|part| format!("({part})")).collect::<Vec<_>>().join(" && ");
        match all.contains("\\result") {
            _ if all.is_empty() => {}
            true => found.push(Kind::Return(Some(all))),
            false => found.push(Kind::After(all)),
        }
    }
    Ok(found)
}

fn place(edge: Node, file: &str) -> Result<Place, Error> {
    let named = data(edge, "originfile").unwrap_or(file).to_string();
    let Some(told) = data(edge, "startline") else { return Ok(Place { file: named, ..Place::default() }) };
    match told.parse() {
        Ok(line) if line > 0 => Ok(Place { file: named, line, column: None }),
        _ => Err(Error::new(line(edge), format!("{told} is no line"))),
    }
}

/// The edges of a shortest way.
fn shortest<'a, 'd>(
    entry: &'a str,
    ends: &HashSet<&str>,
    edges: &HashMap<&'a str, Vec<Node<'a, 'd>>>,
) -> Option<Vec<Node<'a, 'd>>> {
    let mut came: HashMap<&str, Node<'a, 'd>> = HashMap::new();
    let mut work = VecDeque::from([entry]);
    let mut seen = HashSet::from([entry]);
    while let Some(node) = work.pop_front() {
        if ends.contains(node) {
            let mut way = vec![];
            let mut at = node;
            while let Some(edge) = came.get(at) {
                way.push(*edge);
                at = edge.attribute("source")?;
            }
            way.reverse();
            return Some(way);
        }
        for edge in edges.get(node).into_iter().flatten() {
            let target = edge.attribute("target")?;
            if seen.insert(target) {
                came.insert(target, *edge);
                work.push_back(target);
            }
        }
    }
    None
}

fn data<'a>(node: Node<'a, '_>, key: &str) -> Option<&'a str> {
    let is_it = |child: &Node| child.has_tag_name_local("data") && child.attribute("key") == Some(key);
    node.children().find(is_it).and_then(|found| found.text()).map(str::trim)
}

fn line(node: Node) -> usize {
    node.document().text_pos_at(node.range().start).row as usize
}

/// Tags have a namespace or not, as the writer likes.
trait Local {
    fn has_tag_name_local(&self, name: &str) -> bool;
}

impl Local for Node<'_, '_> {
    fn has_tag_name_local(&self, name: &str) -> bool {
        self.tag_name().name() == name
    }
}
