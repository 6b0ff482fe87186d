//! A day as a Gantt chart.

use crate::dynamics::Scheduling;
use crate::state::{Action, Pending};
use crate::times::{Processing, Times};
use solo_core::{LogOf, Time};
use solo_plot::svg::{Anchor, PALETTE, Svg, fitting_size, text_width, tick_text, ticks};
use std::collections::HashMap;

const WIDTH: f64 = 1100.0;
const LEFT: f64 = 92.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 76.0;
/// The strip of arrivals below the machines.
const STRIP: f64 = 40.0;
/// The axis with its numbers and its name.
const AXIS: f64 = 48.0;

const INK: &str = "#222222";
const FAINT: &str = "#e4e4e4";
const SETUP: &str = "#dddddd";
const HATCH: &str = "#999999";

/// A job on a machine.
struct Bar {
    job: u32,
    machine: usize,
    class: usize,
    start: Time,
    setup: Time,
    end: Time,
    tip: String,
}

/// Where everything is drawn.
struct Layout {
    row: f64,
    machines: usize,
    /// Pixels per time.
    scale: f64,
}

impl Layout {
    fn x(&self, time: Time) -> f64 {
        LEFT + time * self.scale
    }

    fn y(&self, machine: usize) -> f64 {
        TOP + machine as f64 * self.row
    }

    /// Where the machines end and the arrivals begin.
    fn floor(&self) -> f64 {
        self.y(self.machines) + 6.0
    }

    /// The height of a bar within its row.
    fn thickness(&self) -> f64 {
        self.row * 0.8
    }
}

/// Draws a day, possibly unfinished: a row for each machine, jobs coloured by class with their setups before them,
/// arrivals with their counts below. Decisions that name no known job, or no machine that can do it, are left out.
pub fn gantt(problem: &Scheduling, log: &LogOf<Scheduling>, title: &str) -> String {
    let bars = bars(problem, log);
    let ends = bars.iter().map(|bar| bar.end);
    let times = log.events().map(|event| event.time);
    let times = times.chain(log.decisions().map(|decision| decision.time));
    let end = ends.chain(times).fold(0.0, f64::max);
    let end = if end > 0.0 { end } else { problem.horizon.max(1.0) };
    let layout = Layout {
        row: (660.0 / problem.machines as f64).clamp(4.0, 34.0),
        machines: problem.machines,
        scale: (WIDTH - LEFT - RIGHT) / end,
    };
    let mut svg = Svg::new(WIDTH, layout.floor() + STRIP + AXIS);
    let size = fitting_size(title, WIDTH - LEFT - RIGHT, 17.0);
    svg.text((LEFT, 28.0), size, Anchor::Start, INK, title);
    legend(&mut svg, problem.setup.classes);
    grid(&mut svg, &layout, end);
    for bar in &bars {
        draw(&mut svg, &layout, bar);
    }
    draw_arrivals(&mut svg, &layout, log);
    svg.finish()
}

fn bars(problem: &Scheduling, log: &LogOf<Scheduling>) -> Vec<Bar> {
    let mut times = Times::new(problem.machines);
    let mut jobs = HashMap::new();
    for event in log.events() {
        let job = problem.open_job(event.what, event.time, &mut times);
        jobs.insert(job.id, job);
    }
    let mut last = vec![None; problem.machines];
    let mut bars = Vec::new();
    for decision in log.decisions() {
        let Action::Assign { job, machine } = *decision.what else { continue };
        let machine = machine as usize;
        let known = jobs.get(&job).filter(|_| machine < problem.machines);
        let Some(known) = known.filter(|job| times.able(job, machine as u32)) else { continue };
        let Pending { class, weight, arrival, .. } = *known;
        let processing = times.on(known, machine as u32);
        let elsewhere = times.row(known).map_or(String::new(), |row| {
            format!(" (by machine {})", Processing::ByMachine(row.into()))
        });
        let setup = problem.setup(last[machine].replace(class), class);
        let (start, end) = (decision.time, decision.time + setup + processing);
        let tip = format!(
            "job {job} (class {class}, weight {weight}) on machine {machine}: arrived {}, setup {setup} from {}, processing {processing}{elsewhere}, complete {}, cost {}",
            show(arrival),
            show(start),
            show(end),
            show(weight * (end - arrival))
        );
        bars.push(Bar { job, machine, class: class as usize, start, setup, end, tip });
    }
    bars
}

fn colour(class: usize) -> &'static str {
    PALETTE[class % PALETTE.len()]
}

fn draw(svg: &mut Svg, layout: &Layout, bar: &Bar) {
    let (y, height) = (layout.y(bar.machine), layout.thickness());
    let (start, begin) = (layout.x(bar.start), layout.x(bar.start + bar.setup));
    if begin > start {
        let tip = format!("setup to class {} for job {}: {}", bar.class, bar.job, bar.setup);
        svg.rect((start, y), (begin - start, height), SETUP, &tip);
        hatch(svg, (start, y), (begin - start, height));
    }
    // a sliver of white keeps neighbours apart
    let width = layout.x(bar.end) - begin;
    svg.rect((begin, y), ((width - 0.7).max(0.4), height), colour(bar.class), &bar.tip);
    let label = bar.job.to_string();
    let size = (height * 0.5).min(12.0);
    if size >= 6.0 && text_width(&label, size) + 3.0 <= width {
        let middle = (begin + width / 2.0, y + height / 2.0 + size * 0.36);
        svg.text(middle, size, Anchor::Middle, "white", &label);
    }
}

/// Slanted lines across a rectangle.
fn hatch(svg: &mut Svg, (x, y): (f64, f64), (width, height): (f64, f64)) {
    const STEP: f64 = 6.0;
    if height < 8.0 {
        return;
    }
    let mut foot = x + STEP - height;
    while foot < x + width {
        let (from, to) = ((x - foot).max(0.0), (x + width - foot).min(height));
        if to > from {
            let at = |rise: f64| (foot + rise, y + height - rise);
            svg.line(at(from), at(to), HATCH, 0.7);
        }
        foot += STEP;
    }
}

fn legend(svg: &mut Svg, classes: usize) {
    let (mut x, y) = (LEFT, 44.0);
    let mut entry = |svg: &mut Svg, fill: &str, hatched: bool, text: &str| {
        svg.rect((x, y), (14.0, 14.0), fill, text);
        if hatched {
            hatch(svg, (x, y), (14.0, 14.0));
        }
        svg.text((x + 19.0, y + 11.5), 12.0, Anchor::Start, INK, text);
        x += 19.0 + text_width(text, 12.0) + 18.0;
    };
    entry(svg, SETUP, true, "setup");
    for class in 0..classes.min(PALETTE.len()) {
        let text = match (class, class + PALETTE.len()) {
            (_, again) if again >= classes => format!("class {class}"),
            (0, again) => format!("class 0, {again}, ..."),
            (_, again) => format!("{class}, {again}, ..."),
        };
        entry(svg, colour(class), false, &text);
    }
}

/// A number without the dust of floating point.
fn show(number: f64) -> String {
    ((number * 1e6).round() / 1e6).to_string()
}

fn grid(svg: &mut Svg, layout: &Layout, end: Time) {
    let bottom = layout.floor() + STRIP;
    let times = ticks(end, 12);
    let step = times.get(1).copied().unwrap_or(1.0);
    for time in times {
        let x = layout.x(time);
        svg.line((x, TOP - 6.0), (x, layout.floor()), FAINT, 1.0);
        svg.line((x, bottom), (x, bottom + 5.0), INK, 1.0);
        svg.text((x, bottom + 18.0), 11.0, Anchor::Middle, INK, &tick_text(time, step));
    }
    svg.line((LEFT, bottom), (WIDTH - RIGHT, bottom), INK, 1.0);
    svg.text(((LEFT + WIDTH - RIGHT) / 2.0, bottom + 36.0), 12.0, Anchor::Middle, INK, "time");
    let every = (12.0 / layout.row).ceil() as usize;
    for machine in (0..layout.machines).step_by(every.max(1)) {
        let y = layout.y(machine) + layout.thickness() / 2.0 + 4.0;
        svg.text((LEFT - 10.0, y), 12.0, Anchor::End, INK, &format!("machine {machine}"));
    }
    let strip = (LEFT - 10.0, layout.floor() + 18.0);
    svg.text(strip, 12.0, Anchor::End, INK, "arrivals");
}

/// A tick for each moment of arrival, with the number of jobs where there is room for it.
fn draw_arrivals(svg: &mut Svg, layout: &Layout, log: &LogOf<Scheduling>) {
    let mut free_from = 0.0;
    let times: Vec<Time> = log.events().map(|event| event.time).collect();
    for batch in times.chunk_by(|a, b| a == b) {
        let x = layout.x(batch[0]);
        let top = layout.floor() + 4.0;
        let tip = format!("{} arriving at {}", batch.len(), show(batch[0]));
        svg.rect((x - 0.75, top), (1.5, 12.0), INK, &tip);
        let count = batch.len().to_string();
        let half = text_width(&count, 10.0) / 2.0;
        if x - half >= free_from {
            svg.text((x, top + 24.0), 10.0, Anchor::Middle, INK, &count);
            free_from = x + half + 2.0;
        }
    }
}
