//! Good inputs of every reader, and how they are made almost right.

use solo_core::{GraphShape, Rng, Seed, Stream};
use solo_learn::checkpoint::encode;
use solo_learn::dqn::Dqn;
use solo_learn::{Recipe, RecipeVariant, TrainingDays};
use solo_nn::{Config, Qnet};

fn day(preset: &str) -> Box<dyn solo::AnyScenario> {
    solo::bundled().draw(preset, 0, 0).expect("a preset")
}

/// The text of a file of the project.
macro_rules! file {
    ($path:literal) => {
        include_bytes!(concat!("../../", $path)).to_vec()
    };
}

/// Good inputs of a reader, short ones.
pub fn good(reader: &str) -> Vec<Vec<u8>> {
    match reader {
        "scenarios" => ["cvrp-20", "cvrp-fleet-50", "pmsp-20", "pmsp-online-3", "pmsp-unrelated-5"]
            .map(|preset| day(preset).write().to_string().into_bytes())
            .into_iter()
            .chain([MATRIX.as_bytes().to_vec(), LISTS.as_bytes().to_vec()])
            .collect(),
        "solutions" => [("cvrp-20", "nearest"), ("pmsp-20", "wspt")].map(solution).to_vec(),
        "vrplib" => {
            let text = day("cvrp-20").write_foreign("vrp").expect("a format").expect("written");
            vec![text.into_bytes(), EXPLICIT.as_bytes().to_vec()]
        }
        "routes" => {
            let solved = simulate("cvrp-20", "nearest");
            let whole = solved.day.and_then(|day| day.foreign("sol", solved.cost));
            vec![
                whole.expect("a format").into_bytes(),
                b"Route #1: 1 2 3\nRoute #2: 4 5\nCost 12.5\n".to_vec(),
            ]
        }
        "liao" => {
            let text = day("pmsp-20").write_foreign("txt").expect("a format").expect("written");
            vec![text.into_bytes()]
        }
        "log" => [("cvrp-20", "nearest"), ("pmsp-20", "wspt")]
            .map(|(preset, agent)| simulate(preset, agent).day.expect("kept").log().into_bytes())
            .into_iter()
            .chain([LISTED.as_bytes().to_vec()])
            .collect(),
        "suite" => vec![SUITE.as_bytes().to_vec(), PUBLISHED.as_bytes().to_vec()],
        "recipe" => {
            vec![file!("recipes/pmsp-20.toml"), file!("recipes/guide-pmsp-online-3.toml")]
        }
        "model" => {
            vec![file!("crates/solo-pmsp/models/guide-pmsp-online-3.safetensors"), network()]
        }
        "checkpoint" => vec![checkpoint()],
        "record" => RECORDS.iter().map(|text| text.as_bytes().to_vec()).collect(),
        "answer" => vec![
            b"{\"id\":1,\"routes\":[[1,2],[3,4,5],[6,7],[8,9,10],[11,12],[13,14],[15,16],[17,18],[19],[20]]}"
                .to_vec(),
            b"{\"id\":1,\"sequences\":[[0,1,2,3,4,5],[6,7,8,9,10,11,12],[13,14,15,16,17,18,19]]}"
                .to_vec(),
        ],
        "typed" => TYPED.iter().map(|text| text.as_bytes().to_vec()).collect(),
        other => panic!("no good input of {other}"),
    }
}

fn simulate(preset: &str, agent: &str) -> solo::Outcome {
    solo::Simulation::of(&*day(preset)).agent(agent).run().expect("a rule decides")
}

fn solution((preset, agent): (&str, &str)) -> Vec<u8> {
    let problem = preset.split('-').next().unwrap_or(preset);
    let solved = solo::solution::to_json(problem, &simulate(preset, agent));
    solved.expect("kept").to_string().into_bytes()
}

/// The smallest network.
fn network() -> Vec<u8> {
    let shape = GraphShape { node: 3, edge: 2, global: 1 };
    let config = Config { hidden: 16, layers: 1, encoder: 1, ..Config::paper_pmsp(shape) };
    let net = Qnet::new(config, &mut Seed(1).stream(Stream::Init, 0));
    net.to_safetensors(&[("recipe".to_string(), "small".to_string())])
}

/// The inside of a checkpoint after some decisions.
fn checkpoint() -> Vec<u8> {
    let text = include_str!("../../recipes/pmsp-20.toml");
    let recipe = Recipe::parse("r.toml", text, RecipeVariant::Paper).expect("a recipe");
    let mut hyper = recipe.hyper;
    (hyper.hidden, hyper.replay, hyper.batch, hyper.passes) = (16, 32, 4, 1);
    let days = TrainingDays::new(&solo_pmsp::presets::OFFER, &recipe.presets, Seed(1));
    let mut dqn = Dqn::new(hyper, days.expect("presets"), None, Seed(1), 1);
    (0..30).for_each(|_| dqn.tick());
    encode(&dqn.save())
}

const MATRIX: &str = r#"{"name":"m","problem":"cvrp","depot":{"x":0,"y":0},"capacity":10,"pace":1,"waiting_weight":0.1,"horizon":9,"vehicles":2,"customers":[{"x":1,"y":0,"demand":3,"arrival":0},{"x":0,"y":2,"demand":4,"arrival":5}],"distance":[[0,1,2],[1,0,2.5],[2,2.5,0]]}"#;

const LISTS: &str = r#"{"name":"l","problem":"pmsp","machines":3,"horizon":9,"setup":[[0,2],[3,0]],"factors":[[1,null,0.5],[2,1,null]],"jobs":[{"processing":[5,null,2.5],"weight":3,"class":0,"arrival":0},{"processing":4,"weight":1,"class":1,"arrival":5}]}"#;

/// A job whose times are listed by machine.
const LISTED: &str = r#"{"seq":0,"time":0.0,"what":{"event":{"job":{"id":0,"processing":[5,null,2.5],"weight":3.0,"class":0}}}}
{"seq":1,"time":0.0,"what":"closed"}
{"seq":2,"time":0.0,"what":{"decision":{"job":0,"machine":2}}}
"#;

const EXPLICIT: &str = "NAME : small\nTYPE : CVRP\nDIMENSION : 4\nCAPACITY : 9\n\
    EDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : LOWER_ROW\nEDGE_WEIGHT_SECTION\n\
    3\n4 5\n6 7 8\nDEMAND_SECTION\n1 0\n2 3\n3 4\n4 5\nDEPOT_SECTION\n1\n-1\nEOF\n";

const RECORDS: [&str; 3] = [
    "{\"scenario\":\"a\",\"agent\":\"ruin\",\"cost\":1.5,\"decisions\":3,\"rollouts\":9,\"seconds\":0.25,\
     \"slowest\":0.125,\"core\":0.5,\"run\":1,\"budget\":\"5r\",\"seed\":0}\n\
     {\"scenario\":\"b\",\"agent\":\"ruin\",\"cost\":2,\"decisions\":3,\"rollouts\":9,\"seconds\":0.25,\
     \"slowest\":0.125,\"budget\":\"5r\",\"seed\":0,\"law\":\"cvrp-online-20\"}\n",
    "{\"run\":0,\"started\":1700000000,\"version\":\"0.2.0\",\"program\":\"p\",\"commit\":null,\"suite\":\"s\",\
     \"command\":\"solo eval\",\"machine\":\"m\",\"cores\":\"2\"}\n",
    "scenario,method,cost\ncvrp-20/0,ruin,6.25\ncvrp-20/0,nearest,8\ncvrp-20/1,ruin,7\n",
];

const SUITE: &str = r##"title = "small"
about = "a few words"
seed = 7
published = "published.toml"
deviations = [{ what = "faster", decision = "0001.md" }]
[rows.rules]
agents = ["wspt", "ruin@5ms"]
[rows.search]
agents = ["lookahead"]
budgets = ["1ms", "20r"]
first = 3
[rows.known]
methods = ["best"]
[[column]]
name = "one"
preset = "pmsp-online-3"
first = 5
rows = ["rules", "search"]
reference = "ruin@5ms"
pictures = [{ row = "wspt", day = 1 }]
[[column]]
name = "two"
scenarios = "days.jsonl"
references = "known.csv"
rows = ["known", "rules"]
reference = "best"
"##;

const PUBLISHED: &str = r##"[[column]]
name = "one"
source = "Table 3"
reference = "a rule"
values = [{ name = "a rule", agent = "wspt", cost = 12.5 }, { name = "other", cost = 11, note = "in 10 s" }]
"##;

const TYPED: [&str; 8] = [
    "solo2(k=12,margin=2)@10ms",
    "lookahead(arrivals=3)@200r",
    "hold(theta=1.5,age=10)",
    "pmsp-online-3:rate=1.5,size=0.8,machines=4",
    "cvrp-dispatch-50:customers=80,shift=0.1",
    "cvrp-20",
    "250ms",
    "1000r",
];

/// Texts that mean something to some reader.
const TOKENS: &[&str] = &[
    "-1",
    "1e999",
    "-0.0",
    "NaN",
    "inf",
    "null",
    "\"",
    "'",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ",",
    ":",
    "=",
    "@",
    ".",
    "#",
    "99999999999999999999",
    "18446744073709551615",
    "4294967296",
    "1e9",
    "1e-300",
    "0",
    "33",
    "10001",
    "\n",
    "\r\n",
    "\u{0}",
    "\u{feff}",
    "\u{1b}",
    "\u{202e}",
    "name",
    "true",
    "\\u0000",
    "\\ud800",
    "\u{e9}",
    "[[column]]",
    "\"__metadata__\":",
    "EOF",
    "DIMENSION : 100000000",
];

/// Good inputs, changed.
pub struct Mutants {
    good: Vec<Vec<u8>>,
    /// Whether the first eight bytes say how long the header after them is.
    headed: bool,
    rng: Rng,
}

impl Mutants {
    /// Of the good inputs of a reader. The same seed gives the same ones.
    pub fn new(reader: &str, seed: Seed) -> Self {
        let index = reader.bytes().fold(0, |sum: u64, byte| 31 * sum % 1_000_003 + u64::from(byte));
        let rng = seed.stream(Stream::Explore, index);
        Self { good: good(reader), headed: reader == "model", rng }
    }

    /// The next one: first the good inputs themselves.
    pub fn next(&mut self, number: u64) -> Vec<u8> {
        if let Some(good) = self.good.get(number as usize) {
            return good.clone();
        }
        let which = self.rng.below(self.good.len());
        let mut bytes = self.good[which].clone();
        let length = bytes.len();
        for _ in 0..=self.rng.below(4) {
            self.change(&mut bytes);
        }
        // A header that has grown or shrunk is read only as far as it says; so that more than its beginning is tried,
        // it is mostly told its new length.
        if self.headed && self.rng.below(4) > 0 {
            self.mend_length(&mut bytes, length);
        }
        bytes
    }

    fn change(&mut self, bytes: &mut Vec<u8>) {
        let rng = &mut self.rng;
        // Headers and beginnings are where structure is: half of the changes are made there.
        let reach = if rng.below(2) == 0 { bytes.len().min(700) } else { bytes.len() };
        let at = rng.below(reach + 1);
        let end = |rng: &mut Rng, most: usize| (at + rng.below(most)).min(bytes.len());
        match rng.below(13) {
            0 if at < bytes.len() => bytes[at] = rng.bits() as u8,
            1 if at < bytes.len() => bytes[at] ^= 1 << rng.below(8),
            2 => bytes.truncate(at),
            3 => {
                let end = end(rng, 40);
                drop(bytes.drain(at..end));
            }
            4 => {
                let end = end(rng, 200);
                let copy = bytes[at..end].to_vec();
                let to = rng.below(bytes.len() + 1);
                drop(bytes.splice(to..to, copy));
            }
            5 | 10..=12 => self.number(bytes, at),
            6 => {
                // A piece of another good input.
                let other = &self.good[rng.below(self.good.len())];
                let from = rng.below(other.len() + 1);
                let to = (from + rng.below(300)).min(other.len());
                drop(bytes.splice(at..at, other[from..to].iter().copied()));
            }
            7 if rng.below(8) == 0 => {
                let nested = ["[", "{\"a\":", "a.", "(", "[{a="][rng.below(5)];
                drop(bytes.splice(at..at, nested.repeat(1 + rng.below(2_000)).bytes()));
            }
            _ => {
                let token = TOKENS[rng.below(TOKENS.len())].bytes();
                let end = end(rng, 3);
                drop(bytes.splice(at..end, token));
            }
        }
    }

    /// Makes the number at or after a place another one.
    fn number(&mut self, bytes: &mut Vec<u8>, at: usize) {
        let digit = |byte: &u8| byte.is_ascii_digit();
        let Some(from) = bytes[at..].iter().position(digit).map(|i| at + i) else { return };
        let to =
            bytes[from..].iter().position(|byte| !digit(byte)).map_or(bytes.len(), |i| from + i);
        let rng = &mut self.rng;
        let number = match rng.below(4) {
            0 => rng.below(70_000).to_string(),
            1 => rng.below(40).to_string(),
            2 => rng.bits().to_string(),
            _ => ["0", "1e308", "-5", "0.5", "1e-9", "2147483648", "00", "4097"][rng.below(8)]
                .to_string(),
        };
        drop(bytes.splice(from..to, number.bytes()));
    }

    fn mend_length(&mut self, bytes: &mut [u8], before: usize) {
        let grown = bytes.len() as i64 - before as i64;
        if let Some((head, _)) = bytes.split_first_chunk_mut::<8>() {
            let length = i64::from_le_bytes(*head).wrapping_add(grown);
            *head = length.to_le_bytes();
        }
    }
}
