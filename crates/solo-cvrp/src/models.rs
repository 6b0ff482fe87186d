//! The models that come with the program. `models/README.md` says how they were made.

use solo_core::BundledModel;

macro_rules! bundled {
    ($folder:literal, $($name:literal: $presets:expr),+ $(,)?) => {
        &[$(BundledModel {
            name: $name,
            presets: &$presets,
            bytes: include_bytes!(concat!("../models/", $folder, $name, ".safetensors")),
        }),+]
    };
}

/// Networks. Where nothing is known of a day's law, the first is used.
pub const NETWORKS: &[BundledModel] = bundled!["",
    "cvrp-20": ["cvrp-20", "cvrp-50", "cvrp-100"],
    "cvrp-dispatch": [
        "cvrp-dispatch-20", "cvrp-dispatch-50", "cvrp-dispatch-100",
        "cvrp-online-20", "cvrp-online-50", "cvrp-online-100"
    ],
];

/// Rewriters. Where nothing is known of a day's law, the first is used.
pub const REWRITERS: &[BundledModel] = bundled!["rewriter-",
    "cvrp-20": ["cvrp-20", "cvrp-online-20"],
    "cvrp-50": ["cvrp-50", "cvrp-online-50"],
    "cvrp-100": ["cvrp-100", "cvrp-online-100"],
];

/// Guides.
pub const GUIDES: &[BundledModel] = bundled!["guide-",
    "cvrp-dispatch-20": ["cvrp-dispatch-20"],
    "cvrp-dispatch-50": ["cvrp-dispatch-50"],
    "cvrp-dispatch-100": ["cvrp-dispatch-100"],
];

/// The guides after their first round of learning: what the other rounds add.
pub const FIRST_ROUND: &[BundledModel] = bundled!["first-round/guide-",
    "cvrp-dispatch-20": ["cvrp-dispatch-20"],
    "cvrp-dispatch-50": ["cvrp-dispatch-50"],
    "cvrp-dispatch-100": ["cvrp-dispatch-100"],
];
