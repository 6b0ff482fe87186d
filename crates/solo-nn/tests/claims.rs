//! A short file that claims a large network takes no memory for it.

use allocation_counter::measure;
use solo_nn::{Qnet, Scorer};

/// A safetensors file without tensors, whose header holds these pairs and some padding.
fn file(pairs: &[(&str, &str)], padding: usize) -> Vec<u8> {
    let pairs: Vec<String> =
        pairs.iter().map(|(key, value)| format!("\"{key}\":\"{value}\"")).collect();
    let mut header = format!("{{\"__metadata__\":{{{},\"pad\":\"", pairs.join(","));
    header.extend(std::iter::repeat_n('x', padding));
    header += "\"}}";
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.bytes());
    bytes
}

#[test]
fn a_header_of_75_kilobytes_cannot_claim_gigabytes() {
    let network = [
        ("solo.node_features", "4096"),
        ("solo.edge_features", "4096"),
        ("solo.global_features", "4096"),
        ("solo.hidden", "4096"),
        ("solo.layers", "64"),
        ("solo.encoder", "2"),
        ("solo.decoder", "2"),
        ("solo.dueling", "true"),
        ("solo.aggregate", "sum"),
    ];
    let scorer = [
        ("solo.scorer.global", "65536"),
        ("solo.scorer.option", "65536"),
        ("solo.scorer.hidden", "1024"),
    ];
    let files = [file(&network, 75_000), file(&scorer, 75_000)];
    let mut said = Vec::new();
    let counted = measure(|| {
        said.push(Qnet::from_safetensors(&files[0]).unwrap_err().to_string());
        said.push(Scorer::from_safetensors(&files[1]).unwrap_err().to_string());
    });
    for (said, file) in said.iter().zip(&files) {
        let wanted = format!("parameters, and the file only {} bytes", file.len());
        assert!(said.contains(&wanted), "{said}");
    }
    assert!(counted.bytes_max < 16 * files[0].len() as u64, "{counted:?}");
}
