//! How quantities are written for people. Sizes count in powers of 1024, counts in powers of 1000.

use std::time::Duration;

/// Bytes as people read them: `612.0 MiB`, `8.3 GiB`, `512 B`.
pub fn human_bytes(bytes: f64) -> String {
    const NAMES: [&str; 6] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let mut value = bytes;
    let mut name = 0;
    while value.abs() >= 1024.0 && name + 1 < NAMES.len() {
        value /= 1024.0;
        name += 1;
    }
    if name == 0 { format!("{value:.0} B") } else { format!("{value:.1} {}", NAMES[name]) }
}

/// A size as the language writes it: the largest unit that divides it (`4GB`, `1536MB`, `100`).
pub fn exact_size(bytes: u64) -> String {
    for (shift, name) in [(40, "TB"), (30, "GB"), (20, "MB"), (10, "KB")] {
        let unit = 1u64 << shift;
        if bytes >= unit && bytes.is_multiple_of(unit) {
            return format!("{}{name}", bytes / unit);
        }
    }
    format!("{bytes}B")
}

/// A duration as the language writes it: the largest unit that divides it (`20m`, `90s`, `250ms`).
pub fn exact_duration(duration: Duration) -> String {
    let ms = duration.as_millis() as u64;
    for (unit, name) in [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s")] {
        if ms >= unit && ms.is_multiple_of(unit) {
            return format!("{}{name}", ms / unit);
        }
    }
    format!("{ms}ms")
}

/// Seconds as people read them: `1 h 22 min`, `2 min 05 s`, `2.79 s`, `41.3 ms`, `250 us`.
pub fn human_seconds(seconds: f64) -> String {
    if seconds.is_nan() {
        return "-".to_string();
    }
    if seconds >= 3600.0 {
        let minutes = (seconds / 60.0).round() as u64;
        format!("{} h {:02} min", minutes / 60, minutes % 60)
    } else if seconds >= 120.0 {
        let whole = seconds.round() as u64;
        format!("{} min {:02} s", whole / 60, whole % 60)
    } else if seconds >= 1.0 || seconds == 0.0 {
        format!("{seconds:.2} s")
    } else if seconds >= 0.001 {
        format!("{:.1} ms", seconds * 1e3)
    } else {
        format!("{:.0} us", seconds * 1e6)
    }
}

/// A number with thousands separated: `18,524.9`. `decimals` digits after the point.
pub fn grouped(value: f64, decimals: usize) -> String {
    let plain = format!("{value:.decimals$}");
    let (sign, digits) = plain.strip_prefix('-').map_or(("", plain.as_str()), |rest| ("-", rest));
    let (whole, fraction) = digits.split_once('.').map_or((digits, None), |(w, f)| (w, Some(f)));
    let mut out = String::with_capacity(plain.len() + plain.len() / 3);
    out.push_str(sign);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if let Some(fraction) = fraction {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_read_as_people_write_them() {
        assert_eq!(human_bytes(8.3 * 1024.0 * 1024.0 * 1024.0), "8.3 GiB");
        assert_eq!(human_bytes(512.0), "512 B");
        assert_eq!(exact_size(4 << 30), "4GB");
        assert_eq!(exact_size(1536 << 20), "1536MB");
        assert_eq!(exact_duration(Duration::from_secs(1200)), "20m");
        assert_eq!(exact_duration(Duration::from_secs(90)), "90s");
        assert_eq!(human_seconds(4920.0), "1 h 22 min");
        assert_eq!(human_seconds(2.79), "2.79 s");
        assert_eq!(grouped(18_524.949, 3), "18,524.949");
        assert_eq!(grouped(-1234.0, 0), "-1,234");
        assert_eq!(grouped(999.0, 0), "999");
    }
}
