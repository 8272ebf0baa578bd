//! Two thousand clients: how soon they are connected, and the memory of each.

use super::server::Server;
use super::table::Row;
use super::{Bench, Res, ours};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const CLIENTS: u32 = 2000;

fn suite(server: &Server, clients: u32) -> String {
    format!(
        "suite \"A crowd\"\n{}engine e {{ storage InnoDB }}\nsettle none\n\
         workload oltp_point_select {{ tables 1; rows 10k; distribution uniform; \
         clients {clients}; measure 3s }}\n",
        server.block("ours")
    )
}

/// Seconds from the first clients' connections to the last's, as the server counts them.
fn connecting(server: &Server, over: &AtomicBool) -> Option<f64> {
    /// More than enginecmp has open before its clients come.
    const FIRST: u32 = 8;
    let mut began = None;
    while !over.load(Ordering::Relaxed) {
        let count = server.value(
            "SELECT variable_value FROM information_schema.global_status \
             WHERE variable_name = 'Threads_connected'",
        );
        let count: u32 = count.ok()?.parse().ok()?;
        if count > FIRST {
            let began = *began.get_or_insert_with(Instant::now);
            if count >= CLIENTS {
                return Some(began.elapsed().as_secs_f64());
            }
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    None
}

pub(crate) fn clients(bench: &Bench) -> Res<Vec<Row>> {
    let few = ours::run(bench.server.folder(), &suite(&bench.server, 2))?;
    let few = few.working.ok_or("no client was seen at work")?.resident;
    let over = AtomicBool::new(false);
    let (many, connected) = std::thread::scope(|scope| {
        let watching = scope.spawn(|| connecting(&bench.server, &over));
        let many = ours::run(bench.server.folder(), &suite(&bench.server, CLIENTS));
        over.store(true, Ordering::Relaxed);
        (many.map_err(|error| error.to_string()), watching.join().ok().flatten())
    });
    let many = many?.working.ok_or("no client was seen at work")?.resident;
    let connected = connected.ok_or("the clients were never all connected")?;
    let each = (many - few) / f64::from(CLIENTS - 2) / 1024.0;
    Ok(vec![
        Row::new(
            "2,000 clients connected and prepared",
            "under 5 s",
            format!("{connected:.1} s"),
            "from the first connections to the last".to_string(),
            connected < 5.0,
        ),
        Row::new(
            "memory a client, of 2,000",
            "under 128 KiB beside its stack",
            format!("{each:.0} KiB"),
            "resident, with the touched part of its stack".to_string(),
            each < 128.0,
        ),
    ])
}
