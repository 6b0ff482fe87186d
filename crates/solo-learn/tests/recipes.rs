//! Recipes that ask for the impossible are refused with file, line, field and remedy, before anything is allocated.

mod shared;

use shared::{After, CVRP, PMSP, cvrp_insertion, pmsp_insertion, task};
use solo_core::Presets;
use solo_learn::{
    GuideRecipe, LearnError, MOST_MEMORY, NoValue, Recipe, RecipeVariant, RewriterRecipe,
    WithValue, makes_rewriter,
};
use std::fs;
use std::path::Path;

fn text(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../recipes");
    fs::read_to_string(folder.join(name)).unwrap()
}

/// The text with the line of a field after `section` replaced, and that line's number.
fn with(text: &str, section: &str, field: &str, value: &str) -> (String, usize) {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    let from = lines.iter().position(|line| line.starts_with(section)).unwrap();
    let is_field = |line: &String| line.split('=').next().unwrap().trim() == field;
    let at = from + lines[from..].iter().position(is_field).unwrap();
    lines[at] = format!("{field} = {value}");
    (lines.join("\n"), at + 1)
}

#[test]
fn recipes_of_networks_name_line_field_and_range() {
    let good = text("pmsp-20.toml");
    for (field, value, says) in [
        ("hidden", "33", "33 should be a multiple of 16 up to 4096"),
        ("hidden", "8192", "8192 should be a multiple of 16 up to 4096"),
        ("passes", "100", "100 should be a whole number from 1 to 64"),
        ("replay", "5_000_000_000", "5000000000 should be a whole number from 1 to 1000000000"),
        ("replay", "1", "1 should be at least the batch of 32"),
        ("worlds", "1_000_000_000", "1000000000 should be a whole number from 1 to 65536"),
        ("batch", "0", "0 should be a whole number from 1 to 65536"),
        ("batch", "4_000_000_000", "4000000000 should be a whole number from 1 to 65536"),
        ("n_step", "9_000_000_000_000", "should be a whole number from 0 to 1000000"),
        ("learning_rate", "0.0", "0 should be a number from 0.000000001 to 1000"),
        ("discount", "1.5", "1.5 should be a number from 0 to 1"),
        ("clip", "nan", "NaN should be a number from"),
        ("total_steps", "0", "0 should be a whole number from 1 to"),
    ] {
        let (bad, line) = with(&good, "[paper]", field, value);
        let error = Recipe::parse("r.toml", &bad, RecipeVariant::Paper).unwrap_err().to_string();
        assert!(error.starts_with(&format!("r.toml:{line}: paper.{field}: ")), "{error}");
        assert!(error.contains(says), "{error}");
    }
    // What [default] says is of [default]; what it leaves out is of [paper].
    let (bad, line) = with(&good, "[default]", "replay", "5_000_000_000");
    let error = Recipe::parse("r.toml", &bad, RecipeVariant::Default).unwrap_err().to_string();
    assert!(
        error.starts_with(&format!("r.toml:{line}: default.replay: 5000000000 should")),
        "{error}"
    );
    assert!(Recipe::parse("r.toml", &bad, RecipeVariant::Paper).is_ok());
    let (bad, line) = with(&good, "[paper]", "passes", "100");
    let error = Recipe::parse("r.toml", &bad, RecipeVariant::Default).unwrap_err().to_string();
    assert!(error.starts_with(&format!("r.toml:{line}: paper.passes: 100 should")), "{error}");
    let (bad, _) = with(&bad, "[paper]", "worlds", "0");
    let error = Recipe::parse("r.toml", &bad, RecipeVariant::Paper).unwrap_err();
    assert_eq!(error.0.len(), 2, "all faults at once: {error}");
}

#[test]
fn parameters_can_be_changed_as_typed() {
    let good = text("pmsp-20.toml");
    let mut recipe = Recipe::parse("r.toml", &good, RecipeVariant::Paper).unwrap();
    let as_it_is = recipe.fingerprint();
    let typed = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
    recipe.set(&[]).unwrap();
    assert_eq!(recipe.fingerprint(), as_it_is);
    recipe.set(&typed(&["reward_scale=1000", "baseline=insertion", "hidden=64"])).unwrap();
    assert_eq!(recipe.hyper.reward_scale, 1000.0);
    assert_eq!(recipe.hyper.baseline, "insertion");
    assert_eq!(recipe.hyper.hidden, 64);
    assert_ne!(recipe.fingerprint(), as_it_is);
    for (words, says) in [
        (&["hiden=64"][..], "unknown field `hiden`"),
        (&["hidden=65"], "--set:1: hidden: 65 should be a multiple of 16"),
        (&["double=true", "passes=0"], "--set:2: passes: 0 should be"),
        (&["hidden"], "--set:1: hidden: invalid type"),
    ] {
        let error = recipe.set(&typed(words)).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
        assert_eq!(recipe.hyper.hidden, 64, "nothing was changed");
    }
    let command = "solo train recipes/r.toml --paper --set reward_scale=1000 --set baseline=insertion --set hidden=64 --seed 3";
    assert_eq!(recipe.command(3), command, "the card has what was changed, and only that");
}

#[test]
fn recipes_of_rewriters_name_line_field_and_range() {
    let good = text("rewriter-cvrp-20.toml");
    assert!(makes_rewriter(&good) && !makes_rewriter(&text("cvrp-20.toml")));
    for (field, value, says) in [
        ("hidden", "33", "33 should be a multiple of 16 up to 4096"),
        ("attention", "8", "8 should be a multiple of 16 up to 4096"),
        ("rewrites", "0", "0 should be a whole number from 1 to 1000000"),
        ("batch", "100_000", "100000 should be a whole number from 1 to 65536"),
        ("discount", "1.5", "1.5 should be a number from 0 to 1"),
        ("average", "1.0", "1 should be a number from 0 to 0.999999"),
    ] {
        let (bad, line) = with(&good, "[paper]", field, value);
        let parsed = RewriterRecipe::parse("r.toml", &bad, RecipeVariant::Paper);
        let error = parsed.unwrap_err().to_string();
        assert!(error.starts_with(&format!("r.toml:{line}: paper.{field}: ")), "{error}");
        assert!(error.contains(says), "{error}");
    }
    let error = GuideRecipe::parse("r.toml", &good).unwrap_err().to_string();
    assert_eq!(error, "r.toml: this is the recipe of a network: give it to 'solo train'");
    let typed = ["hidden=64", "start=cvrp-50"].map(ToString::to_string);
    let mut recipe = RewriterRecipe::parse("r.toml", &good, RecipeVariant::Paper).unwrap();
    let as_it_is = recipe.fingerprint();
    recipe.set(&typed).unwrap();
    assert_eq!((recipe.hyper.hidden, &*recipe.hyper.start), (64, "cvrp-50"));
    assert_ne!(recipe.fingerprint(), as_it_is);
}

#[test]
fn recipes_of_guides_name_line_field_and_range() {
    let good = text("guide-pmsp-online-3.toml");
    for (section, field, value, says) in [
        ("preset", "hidden", "33", "hidden: 33 should be a multiple of 8 up to 1024"),
        ("preset", "days", "0", "days: 0 should be a whole number from 1 to 1000000"),
        ("preset", "memory", "9_000_000_000", "memory: 9000000000 should be a whole number from 0"),
        ("preset", "options", "1", "options: 1 should be a whole number from 2"),
        ("preset", "pairs", "1_000_000_000_000", "pairs: 1000000000000 should be"),
        ("preset", "futures", "8_000_000_000_000", "futures: 8000000000000 should be"),
        ("preset", "average", "1.0", "average: 1 should be a number from 0 to 0.999999"),
        ("[value]", "hidden", "2_000_000", "value.hidden: 2000000 should be a multiple of 8"),
        ("[value]", "batch", "0", "value.batch: 0 should be"),
        ("[validation]", "every", "0", "validation.every: 0 should be"),
    ] {
        let (bad, line) = with(&good, section, field, value);
        let error = GuideRecipe::parse("r.toml", &bad).unwrap_err().to_string();
        assert!(error.starts_with(&format!("r.toml:{line}: {says}")), "{error}");
    }
}

#[test]
fn a_recipe_of_the_other_kind_is_called_so() {
    let (network, guide) = (text("pmsp-20.toml"), text("guide-pmsp-online-3.toml"));
    let error = GuideRecipe::parse("r.toml", &network).unwrap_err().to_string();
    assert_eq!(error, "r.toml: this is the recipe of a network: give it to 'solo train'");
    let error = Recipe::parse("r.toml", &guide, RecipeVariant::Paper).unwrap_err().to_string();
    assert_eq!(error, "r.toml: this is the recipe of a guide: give it to 'solo teach'");
    // What is neither is told where it is wrong.
    let error = Recipe::parse("r.toml", "\n\nx = 3\n", RecipeVariant::Paper).unwrap_err();
    assert_eq!((error.0.len(), error.0[0].line), (1, 3), "{error}");
    let error = GuideRecipe::parse("r.toml", "preset = \"p\"\n[broken").unwrap_err();
    assert_eq!((error.0.len(), error.0[0].line), (1, 2), "{error}");
}

/// Begins to train, and stops at once.
fn train(text: &str, preset: &str) -> Result<(), LearnError> {
    let text = text.replace("pmsp-20", preset);
    let recipe = Recipe::parse("big.toml", &text, RecipeVariant::Paper).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let task = task(folder.path(), 1, 1, false);
    solo_learn::train(&recipe, &PMSP, Some(pmsp_insertion), &task, &mut After(0)).map(drop)
}

/// Begins to teach, and stops at once.
fn teach(text: &str) -> Result<(), LearnError> {
    let recipe = GuideRecipe::parse("big.toml", text).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let task = task(folder.path(), 1, 1, false);
    let watch = &mut After(0);
    solo_learn::teach::<_, solo_pmsp::InsertionPlan, WithValue>(&recipe, &PMSP, &task, watch)
        .map(drop)
}

#[test]
fn recipes_that_need_too_much_memory_are_refused_before_they_take_it() {
    let network = text("pmsp-20.toml");
    let (large, largest) = ("pmsp-online-3:rate=10", "pmsp-online-3:rate=100,machines=1000");
    for (field, value, preset) in [
        ("replay", "900_000_000", "pmsp-20"),
        ("worlds", "60_000", largest),
        ("batch", "60_000", large),
    ] {
        let (text, _) = with(&network, "[paper]", field, value);
        // The replay must hold a batch.
        let text = text.replace("replay = 5_000\n", "replay = 60_000\n");
        let counted = allocation_counter::measure(|| {
            let error = train(&text, preset).unwrap_err();
            assert!(matches!(&error, LearnError::Memory { field: named, .. } if *named == field));
            let error = error.to_string();
            assert!(error.contains("'big' would take") && error.contains("32 GB"), "{error}");
            assert!(error.ends_with(&format!("lower {field}")), "{error}");
        });
        assert!((counted.bytes_max as f64) < MOST_MEMORY / 50.0, "{field}: {counted:?}");
    }
    let guide = text("guide-pmsp-online-3.toml");
    for (field, value) in [("days", "1_000_000"), ("evolution_days", "1_000_000")] {
        let (text, _) = with(&guide, "preset", field, value);
        let error = teach(&text.replace("pmsp-online-3", large)).unwrap_err();
        assert!(matches!(&error, LearnError::Memory { field: named, .. } if *named == field));
    }
}

/// Begins with every recipe of the tree whose name begins so.
fn begin(prefix: &str, begin: impl Fn(&str, &str) -> Result<(), LearnError>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../recipes");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        if name.starts_with(prefix) {
            begin(&name, &fs::read_to_string(&path).unwrap()).unwrap();
            count += 1;
        }
    }
    assert!(count > 1, "{prefix}: {count}");
}

#[test]
fn recipes_of_the_tree_need_little_enough() {
    fn network<S: solo_core::Scenario<Problem: solo_core::Encode>>(
        presets: &Presets<S>,
        baseline: solo_learn::MakePolicy<S::Problem>,
        name: &str,
        text: &str,
    ) -> Result<(), LearnError> {
        for variant in [RecipeVariant::Paper, RecipeVariant::Default] {
            let recipe = Recipe::parse(name, text, variant).unwrap();
            let folder = tempfile::tempdir().unwrap();
            let task = task(folder.path(), 1, 1, false);
            solo_learn::train(&recipe, presets, Some(baseline), &task, &mut After(0))?;
        }
        Ok(())
    }
    begin("pmsp-", |name, text| network(&PMSP, pmsp_insertion, name, text));
    begin("cvrp-", |name, text| network(&CVRP, cvrp_insertion, name, text));
    fn rewriter<S: solo_core::Scenario<Problem: solo_core::Rewrite>>(
        presets: &Presets<S>,
        name: &str,
        text: &str,
    ) -> Result<(), LearnError> {
        for variant in [RecipeVariant::Paper, RecipeVariant::Default] {
            let recipe = RewriterRecipe::parse(name, text, variant).unwrap();
            let folder = tempfile::tempdir().unwrap();
            let task = task(folder.path(), 1, 1, false);
            solo_learn::train_rewriter(&recipe, presets, None, &task, &mut After(0))?;
        }
        Ok(())
    }
    begin("rewriter-pmsp", |name, text| rewriter(&PMSP, name, text));
    begin("rewriter-cvrp", |name, text| rewriter(&CVRP, name, text));
    begin("guide-pmsp", |_, text| teach(text));
    begin("guide-cvrp", |name, text| {
        let recipe = GuideRecipe::parse(name, text).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let task = task(folder.path(), 1, 1, false);
        type Plan = solo_cvrp::insertion::InsertionPlan;
        solo_learn::teach::<_, Plan, NoValue>(&recipe, &CVRP, &task, &mut After(0)).map(drop)
    });
}
