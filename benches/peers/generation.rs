//! How fast rows are made on one core, and how often memory is asked for meanwhile.

use super::loads::tpcc_mysql;
use super::rows::{CHUNK, TabText};
use super::table::Row;
use super::{Bench, Res};
use std::hint::black_box;
use std::time::Instant;

/// How often memory is asked for, by all of the process.
mod counting {
    #![allow(unsafe_code)] // an allocator is unsafe by its nature; this one only counts

    use std::alloc::{GlobalAlloc, Layout, System};
    use std::sync::atomic::{AtomicU64, Ordering};

    static ASKED: AtomicU64 = AtomicU64::new(0);

    struct Counting;

    // SAFETY: every call goes on to the system's allocator as it came.
    unsafe impl GlobalAlloc for Counting {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            ASKED.fetch_add(1, Ordering::Relaxed);
            // SAFETY: the caller keeps the contract of `alloc`.
            unsafe { System.alloc(layout) }
        }

        unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
            // SAFETY: the caller keeps the contract of `dealloc`.
            unsafe { System.dealloc(memory, layout) }
        }
    }

    #[global_allocator]
    static COUNTING: Counting = Counting;

    /// How often so far.
    pub(super) fn asked() -> u64 {
        ASKED.load(Ordering::Relaxed)
    }
}

pub(crate) fn rows(bench: &Bench) -> Res<Vec<Row>> {
    let warehouses = bench.either(1, 3);
    let workload = tpcc_mysql(warehouses)?;
    let mut text = TabText { text: Vec::with_capacity(CHUNK + 4096), bytes: 0 };
    let (mut best, mut made, mut asked) = (f64::MAX, 0u64, 0u64);
    // The best of three: others on the machine only make it slower.
    for _ in 0..3 {
        made = 0;
        let (began, before) = (Instant::now(), counting::asked());
        for part in 1..=warehouses as u32 {
            let mut source = workload.rows(1, "order_line", part);
            while source.next_row(&mut text) {
                made += 1;
                if text.text.len() >= CHUNK {
                    black_box(&text.text);
                    text.empty();
                }
            }
        }
        best = best.min(began.elapsed().as_secs_f64());
        asked = counting::asked() - before;
    }
    let rate = made as f64 / best;
    let each = asked as f64 / made as f64;
    Ok(vec![
        Row::new(
            "row generation, order lines on one core",
            "4 million/s",
            format!("{:.2} million/s", rate / 1e6),
            format!("{made} rows, best of three"),
            rate >= 4e6,
        ),
        Row::new(
            "row generation, allocations a row",
            "none",
            format!("{each:.5}"),
            format!("{asked} in all, for {warehouses} row sources"),
            asked < 100,
        ),
    ])
}
