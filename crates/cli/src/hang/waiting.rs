//! Who waits where, for what, and who has it: `main() waits for the mutex m, which worker() has held since line 12`.

use crate::run::Happened;
use crate::sources::Sources;
use wherefore_clib::waiting::{Meets, meets};
use wherefore_program::{CType, FileId, FunctionId, GlobalId, Origin, TypeId};
use wherefore_report::words::{counted, listed, ordinal};
use wherefore_trace::{Awaited, Does, Met, Standings};
use wherefore_wording::called;

/// So many sentences are told of other threads.
const TOLD: usize = 6;
/// So many places of calls are listed.
const PLACES: usize = 3;

/// The threads of a run that was stopped, to be told.
pub struct Waiting<'a> {
    pub standings: &'a Standings,
    pub happened: &'a Happened,
    pub sources: &'a Sources,
    /// The file that is told about.
    pub file: Option<FileId>,
}

impl Waiting<'_> {
    /// What the thread that is followed does; the place is known to who reads it.
    pub fn first(&self) -> String {
        let does = self.does(0, false).unwrap_or_else(|| "has not ended".into());
        format!("{} {does}", self.name(0))
    }

    /// What the others do, a sentence for each. Beside another story only who never goes on is told.
    pub fn others(&self, beside: bool) -> Vec<String> {
        let is_told = |thread: &usize| *thread > 0 && (!beside || self.standings.is_stuck(*thread));
        let mut told: Vec<(String, Vec<usize>)> = vec![];
        for thread in self.standings.in_order().into_iter().filter(is_told) {
            let Some(does) = self.does(thread, true) else { continue };
            let is_alike = |(text, threads): &&mut (String, Vec<usize>)| {
                *text == does && self.standings.all[threads[0]].began == self.standings.all[thread].began
            };
            match told.iter_mut().find(is_alike) {
                Some((_, threads)) => threads.push(thread),
                None => told.push((does, vec![thread])),
            }
        }
        let more = told.len().saturating_sub(TOLD);
        told.truncate(TOLD);
        let mut sentences: Vec<String> = told.iter().map(|(does, threads)| self.sentence(does, threads)).collect();
        if more > 0 {
            sentences.push(format!("Where {} are is not told.", counted(more as u64, "more thread")));
        }
        sentences
    }

    fn sentence(&self, does: &str, threads: &[usize]) -> String {
        let [one] = threads else {
            let began = self.standings.all[threads[0]].began;
            let of = began.map_or(String::new(), |began| format!(" of {}", self.function(began)));
            let verb = does.split_once(' ').map(|(verb, rest)| match verb {
                "is" => format!("are {rest}"),
                _ => format!("wait {rest}"),
            });
            return format!("{} threads{of} {}.", threads.len(), verb.unwrap_or_default());
        };
        let name = self.name(*one);
        let name = if name.starts_with("the ") { name.replacen('t', "T", 1) } else { name };
        format!("{name} {does}.")
    }

    /// What a thread does; nothing of one that has ended.
    fn does(&self, thread: usize, with_place: bool) -> Option<String> {
        let standing = &self.standings.all[thread];
        let place = |met: &Met| {
            let function =
                (Some(met.function) != standing.began).then(|| format!(" in {}", self.function(met.function)));
            let at = format!(" ({}{})", self.line(met.at), function.unwrap_or_default());
            if with_place { at } else { String::new() }
        };
        let text = match &standing.does {
            Does::Waits(met) => format!("waits {}", self.awaits(thread, met, &place(met))),
            Does::Calls(met) if met.callee.is_empty() => format!("is in a call{}", place(met)),
            Does::Calls(met) => format!("is in {}(){}", met.callee, place(met)),
            Does::Works(_, _, Some(head)) => format!("is in the loop at {}", self.line(Some(*head))),
            Does::Works(_, at, None) => format!("is at work at {}", self.line(*at)),
            Does::Ended => return None,
        };
        Some(text)
    }

    /// What a thread waits for: `for the mutex m (line 12), which main() has held since line 9`.
    fn awaits(&self, thread: usize, met: &Met, place: &str) -> String {
        let address = met.arguments.first().copied().unwrap_or(0);
        let Some((how, what)) = meets(&met.callee) else { return format!("in {}(){place}", met.callee) };
        let name = self.object(met, 0, what).map_or_else(|| format!("a {what}"), |name| format!("the {what} {name}"));
        match how {
            Meets::Joins => match self.standings.awaited(thread) {
                Some(Awaited::End(other)) => format!("for {} to end{place}", self.name(other)),
                _ => match self.standings.began(address) {
                    Some(began) => format!("for a thread of {} to end{place}", self.function(began)),
                    None => format!("for a thread to end{place}"),
                },
            },
            Meets::Gathers => {
                let (here, all) = self.standings.gathered(address);
                let all = all.filter(|_| self.standings.are_all);
                let count = all.map_or(String::new(), |all| format!(", where {here} of {all} threads are"));
                format!("at {name}{place}{count}")
            }
            Meets::Sleeps { .. } => {
                let held = met.arguments.get(1).and_then(|lock| self.standings.holder(*lock));
                let held = held.filter(|(holder, _)| *holder != thread).map(|(holder, by)| {
                    let lock =
                        self.object(met, 1, "mutex").map_or("its mutex".into(), |name| format!("the mutex {name}"));
                    format!(", or for {lock}{}", self.held(thread, holder, &by))
                });
                format!("for {name}{place}{}{}", self.given(address, "signalled"), held.unwrap_or_default())
            }
            Meets::TakesOut => format!("for {name}{place}{}", self.given(address, "posted")),
            _ => match self.standings.awaited(thread) {
                Some(Awaited::Holder(holder, by)) => format!("for {name}{place}{}", self.held(thread, holder, &by)),
                _ => format!("for {name}{place}"),
            },
        }
    }

    /// Since when a lock is held.
    fn held(&self, thread: usize, holder: usize, by: &Met) -> String {
        let since = self.line(by.at);
        if holder == thread {
            return format!(", which it has held itself since {since}");
        }
        let who = self.name(holder);
        match self.standings.all[holder].does {
            Does::Ended => format!(", which {who} took at {since} and still held when it ended"),
            _ => format!(", which {who} has held since {since}"),
        }
    }

    /// Where somebody was to wake who waits, or that nobody has.
    fn given(&self, address: u64, how: &str) -> String {
        let given = self.standings.given(address);
        let mut lines: Vec<String> = given.iter().map(|met| self.line(met.at)).collect();
        lines.dedup();
        match lines.len() {
            _ if !self.standings.are_all => String::new(),
            0 => format!(", which nobody has {how}"),
            1..=PLACES => format!(", which was {how} at {}", listed(&lines)),
            _ => String::new(),
        }
    }

    /// How a thread is called: by the function that it began in.
    fn name(&self, thread: usize) -> String {
        let standing = &self.standings.all[thread];
        let Some(began) = standing.began.filter(|_| self.standings.all.len() > 1) else {
            return if thread == 0 { "it".into() } else { "another thread".into() };
        };
        let name = self.function(began);
        let alike = |range: std::ops::Range<usize>| {
            self.standings.all[range].iter().filter(|s| !s.is_first && s.began == Some(began)).count()
        };
        match alike(0..self.standings.all.len()) {
            _ if standing.is_first => name,
            ..=1 => name,
            _ => format!("the {} thread of {name}", ordinal(alike(0..thread) as u64 + 1)),
        }
    }

    fn function(&self, function: FunctionId) -> String {
        called(&self.happened.program.functions[function.index()].name, "")
    }

    fn line(&self, at: Option<Origin>) -> String {
        match at {
            Some(at) if self.file.is_none_or(|file| file == at.file) => format!("line {}", at.line),
            Some(at) => format!("{}:{}", self.sources.path(at.file), at.line),
            None => "an unknown line".into(),
        }
    }

    /// The name of what an argument points to: that of a variable, else as the call has it.
    fn object(&self, met: &Met, index: usize, what: &str) -> Option<String> {
        self.variable(*met.arguments.get(index)?, what).or_else(|| self.written(met, index))
    }

    fn variable(&self, address: u64, what: &str) -> Option<String> {
        let size = match what {
            "mutex" => 40,
            "read-write lock" => 56,
            "condition" => 48,
            "semaphore" | "barrier" => 32,
            "spin lock" => 4,
            _ => return None,
        };
        let images = (0..).zip(&self.happened.recording.globals);
        let (id, image) = images.into_iter().find(|(_, g)| address >= g.address && address - g.address < g.size)?;
        let global = &self.happened.program.globals[GlobalId(id).index()];
        let part = self.part(global.ctype?, address - image.address, size)?;
        Some(format!("{}{part}", global.name.as_ref()?))
    }

    /// The part of an object that begins at an offset and has a size: `[2].lock`.
    fn part(&self, ctype: TypeId, offset: u64, size: u64) -> Option<String> {
        let types = &self.happened.program.types;
        if offset == 0 && types.size(ctype) == Some(size) {
            return Some(String::new());
        }
        match &types[ctype] {
            CType::Array { element, .. } => {
                let each = types.size(*element).filter(|each| *each > 0)?;
                Some(format!("[{}]{}", offset / each, self.part(*element, offset % each, size)?))
            }
            CType::Record { fields, .. } => {
                fields.iter().filter(|field| field.offset / 8 <= offset).find_map(|field| {
                    let rest = self.part(field.ctype, offset - field.offset / 8, size)?;
                    Some(if field.name.is_empty() { rest } else { format!(".{}{rest}", field.name) })
                })
            }
            _ => None,
        }
    }

    /// What an argument points to, as the source has it: `from->lock` of `pthread_mutex_lock(&from->lock)`.
    fn written(&self, met: &Met, index: usize) -> Option<String> {
        let at = met.at?;
        let source = self.sources.text(at.file)?;
        let call = source.text(source.extent_of_expression(at.line, at.column)?);
        let given = call.trim_end().strip_prefix(met.callee.as_str())?.trim_start();
        let given = given.strip_prefix('(')?.strip_suffix(')')?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.&->[]*, ".contains(c);
        let argument = given.split(',').nth(index)?.trim();
        let text = argument.strip_prefix('&').map_or_else(|| format!("*{argument}"), str::to_string);
        (given.chars().all(is_plain) && !text.is_empty()).then_some(text)
    }
}
