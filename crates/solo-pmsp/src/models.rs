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
    "pmsp-80": ["pmsp-80"],
    "pmsp-20": ["pmsp-20"],
    "pmsp-online-3": ["pmsp-online-3"],
    "pmsp-online-10": ["pmsp-online-10"],
];

/// Rewriters. Where nothing is known of a day's law, the first is used.
pub const REWRITERS: &[BundledModel] = bundled!["rewriter-",
    "pmsp-20": ["pmsp-20", "pmsp-online-3", "pmsp-online-10"], // online as published
    "pmsp-80": ["pmsp-80"],
];

/// Guides.
pub const GUIDES: &[BundledModel] = bundled!["guide-",
    "pmsp-online-3": ["pmsp-online-3"],
    "pmsp-online-10": ["pmsp-online-10"],
    "pmsp-unrelated-5": ["pmsp-unrelated-5"],
];

/// The guides after their first round of learning: what the other rounds add.
pub const FIRST_ROUND: &[BundledModel] = bundled!["first-round/guide-",
    "pmsp-online-3": ["pmsp-online-3"],
    "pmsp-online-10": ["pmsp-online-10"],
];

/// Values at the horizon.
pub const VALUES: &[BundledModel] = bundled!["value-",
    "pmsp-online-3": ["pmsp-online-3"],
    "pmsp-online-10": ["pmsp-online-10"],
];
