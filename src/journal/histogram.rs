//! Latency histograms as text: HDR V2, deflated, base64. They merge, so percentiles of several
//! clients, rounds or repetitions come from merged histograms and are never averaged.

use super::JournalError;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer as _, V2DeflateSerializer};

/// Significant digits: a percentile is within 0.1 % of the true value.
pub const DIGITS: u8 = 3;

/// An empty histogram of microseconds that grows as it must.
pub fn empty() -> Histogram<u64> {
    Histogram::new(DIGITS).expect("three digits are within the crate's bounds")
}

/// A histogram as text.
pub fn encode(histogram: &Histogram<u64>) -> String {
    let mut bytes = Vec::new();
    V2DeflateSerializer::new()
        .serialize(histogram, &mut bytes)
        .expect("counts fit the format and a Vec takes every byte");
    STANDARD.encode(bytes)
}

/// Reads what [`encode`] wrote. An empty text is an empty histogram.
pub fn decode(text: &str) -> Result<Histogram<u64>, JournalError> {
    if text.is_empty() {
        return Ok(empty());
    }
    let bytes =
        STANDARD.decode(text).map_err(|error| JournalError::BadHistogram(error.to_string()))?;
    // Cookie, then the length of what follows, each of four bytes, most significant first. A
    // compressed text whose end is missing may still decompress, so its length is looked at.
    let stated = bytes.get(4..8).and_then(|length| length.try_into().ok()).map(u32::from_be_bytes);
    if stated.is_none_or(|length| length as usize != bytes.len() - 8) {
        return Err(JournalError::BadHistogram("it is cut short".to_string()));
    }
    Deserializer::new()
        .deserialize(&mut bytes.as_slice())
        .map_err(|error| JournalError::BadHistogram(error.to_string()))
}

/// The value at a quantile (0 to 1) in seconds; none when nothing was recorded.
pub fn quantile_seconds(histogram: &Histogram<u64>, quantile: f64) -> Option<f64> {
    (!histogram.is_empty()).then(|| histogram.value_at_quantile(quantile) as f64 / 1e6)
}

/// The longest in seconds; none when nothing was recorded.
pub fn max_seconds(histogram: &Histogram<u64>) -> Option<f64> {
    (!histogram.is_empty()).then(|| histogram.max() as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_histogram_round_trip() {
        let mut histogram = empty();
        for value in [1, 250, 250, 1_000_000, 61_000_000] {
            histogram.record(value).expect("it grows");
        }
        let back = decode(&encode(&histogram)).expect("it was just written");
        assert_eq!(back, histogram);
        assert_eq!(back.len(), 5);
        assert_eq!(quantile_seconds(&back, 0.5), Some(0.000_25));
        assert_eq!(decode("").expect("empty is empty").len(), 0);
    }

    #[test]
    fn nothing_recorded_has_no_percentile() {
        assert_eq!(quantile_seconds(&empty(), 0.95), None);
        assert_eq!(max_seconds(&empty()), None);
    }

    #[test]
    fn damaged_text_is_an_error_and_no_panic() {
        let mut histogram = empty();
        histogram.record(5000).expect("it grows");
        let text = encode(&histogram);
        for cut in 1..text.len() {
            assert!(decode(&text[..cut]).is_err(), "cut at {cut}");
        }
        assert!(decode("no base64!").is_err());
        assert!(decode("AAAA").is_err());
    }

    #[test]
    fn merging_does_not_depend_on_the_order() {
        let (mut a, mut b) = (empty(), empty());
        a.record_n(300, 7).expect("it grows");
        b.record_n(90_000, 3).expect("it grows");
        let (mut ab, mut ba) = (a.clone(), b.clone());
        ab.add(&b).expect("it grows");
        ba.add(&a).expect("it grows");
        assert_eq!(ab, ba);
    }
}
