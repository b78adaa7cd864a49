//! Where a report goes, and in which form.

use crate::nearby::Nearby;
use crate::options::{self, Color, Format};
use crate::sources::Sources;
use crate::{Status, UsageError, watch};
use std::io::{IsTerminal, Write};
use wherefore_program::{FileId, Program};
use wherefore_report::{Report, Style};

/// Writes a report that tells this status; how much of it is told to people is the style's, its looks are the target's.
pub fn emit(
    status: Status,
    target: &options::Report,
    style: Style,
    report: &Report,
    program: &Program,
    sources: &Sources,
) -> anyhow::Result<()> {
    let text = match target.format {
        Format::Json => wherefore_report::json(report),
        Format::Human => {
            let color = match target.color {
                Color::Always => true,
                Color::Never => false,
                Color::Auto => target.output.is_none() && wants_color(),
            };
            let width = terminal_width().filter(|_| target.output.is_none()).unwrap_or(100);
            let nearby = Nearby::new(&program.files, std::env::current_dir().ok().as_deref());
            let line_source = |path: &str| {
                let index = program.files.iter().position(|f| f == nearby.given(path))?;
                let text = sources.text(FileId(index as u32))?;
                Some((1..=text.line_count()).map(|n| text.line(n)).collect::<Vec<_>>().join("\n"))
            };
            let shortened = nearby.shorten(report);
            wherefore_report::human(shortened.as_ref().unwrap_or(report), &line_source, Style { width, color, ..style })
        }
    };
    watch::tell(status, || match &target.output {
        Some(path) => {
            std::fs::write(path, text).map_err(|e| anyhow::anyhow!(UsageError(format!("{}: {e}", path.display()))))
        }
        None => print(&text),
    })
}

/// Writes to standard output.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut output = std::io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        // Whoever read our output has seen enough.
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        result => Ok(result?),
    }
}

/// A report for a person, without colour and lines of the source.
pub fn plain(report: &Report) -> String {
    wherefore_report::human(report, &|_| None, Style::default())
}

fn wants_color() -> bool {
    std::io::stdout().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
        && std::env::var_os("TERM").is_none_or(|t| t != "dumb")
}

fn terminal_width() -> Option<usize> {
    if !std::io::stdout().is_terminal() {
        return None;
    }
    // SAFETY: the kernel fills the structure, which is plain data.
    let size = unsafe {
        let mut size: libc::winsize = std::mem::zeroed();
        (libc::ioctl(libc::STDOUT_FILENO, libc::TIOCGWINSZ, &mut size) == 0).then_some(size)
    };
    size.map(|s| usize::from(s.ws_col)).filter(|w| *w > 0)
}
