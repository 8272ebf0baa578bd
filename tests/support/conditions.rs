//! The twelve consistency conditions of TPC-C (clause 3.3.2) as queries that give the violating
//! rows: another way to the same truth, to hold the workload's own check against.

use enginecmp::target::session::Session;

/// Each condition's number and its query. The eleventh holds right after a load alone.
const QUERIES: &[(usize, &str)] = &[
    (
        1,
        "SELECT w_id FROM warehouse LEFT JOIN \
         (SELECT d_w_id, SUM(d_ytd) s FROM district GROUP BY d_w_id) d ON d_w_id = w_id \
         WHERE s IS NULL OR w_ytd <> s",
    ),
    (
        2,
        "SELECT d_w_id, d_id FROM district \
         LEFT JOIN (SELECT o_w_id, o_d_id, MAX(o_id) o FROM orders GROUP BY o_w_id, o_d_id) x \
         ON o_w_id = d_w_id AND o_d_id = d_id \
         LEFT JOIN (SELECT no_w_id, no_d_id, MAX(no_o_id) n FROM new_orders \
         GROUP BY no_w_id, no_d_id) y ON no_w_id = d_w_id AND no_d_id = d_id \
         WHERE o IS NULL OR o <> d_next_o_id - 1 OR (n IS NOT NULL AND n <> d_next_o_id - 1)",
    ),
    (
        3,
        "SELECT no_w_id, no_d_id FROM new_orders GROUP BY no_w_id, no_d_id \
         HAVING MAX(no_o_id) - MIN(no_o_id) + 1 <> COUNT(*)",
    ),
    (
        4,
        "SELECT o_w_id, o_d_id FROM \
         (SELECT o_w_id, o_d_id, SUM(o_ol_cnt) s FROM orders GROUP BY o_w_id, o_d_id) x \
         LEFT JOIN (SELECT ol_w_id, ol_d_id, COUNT(*) c FROM order_line \
         GROUP BY ol_w_id, ol_d_id) y ON ol_w_id = o_w_id AND ol_d_id = o_d_id \
         WHERE c IS NULL OR s <> c",
    ),
    (
        5,
        "SELECT o_w_id, o_d_id, o_id FROM orders LEFT JOIN new_orders \
         ON no_w_id = o_w_id AND no_d_id = o_d_id AND no_o_id = o_id \
         WHERE (o_carrier_id IS NULL) <> (no_o_id IS NOT NULL)",
    ),
    (
        6,
        "SELECT o_w_id, o_d_id, o_id FROM orders LEFT JOIN \
         (SELECT ol_w_id, ol_d_id, ol_o_id, COUNT(*) c FROM order_line \
         GROUP BY ol_w_id, ol_d_id, ol_o_id) x \
         ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id \
         WHERE COALESCE(c, 0) <> o_ol_cnt",
    ),
    (
        7,
        "SELECT ol_w_id, ol_d_id, ol_o_id FROM order_line LEFT JOIN orders \
         ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND o_id = ol_o_id \
         WHERE o_id IS NULL OR (ol_delivery_d IS NULL) <> (o_carrier_id IS NULL)",
    ),
    (
        8,
        "SELECT w_id FROM warehouse LEFT JOIN \
         (SELECT h_w_id, SUM(h_amount) s FROM history GROUP BY h_w_id) h ON h_w_id = w_id \
         WHERE s IS NULL OR s <> w_ytd",
    ),
    (
        9,
        "SELECT d_w_id, d_id FROM district LEFT JOIN \
         (SELECT h_w_id, h_d_id, SUM(h_amount) s FROM history GROUP BY h_w_id, h_d_id) h \
         ON h_w_id = d_w_id AND h_d_id = d_id WHERE s IS NULL OR s <> d_ytd",
    ),
    (
        10,
        "SELECT w, d, c FROM (SELECT c_w_id w, c_d_id d, c_id c, c_balance v FROM customer \
         UNION ALL SELECT o_w_id, o_d_id, o_c_id, -SUM(ol_amount) FROM orders JOIN order_line \
         ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id \
         WHERE ol_delivery_d IS NOT NULL GROUP BY o_w_id, o_d_id, o_c_id \
         UNION ALL SELECT h_c_w_id, h_c_d_id, h_c_id, SUM(h_amount) FROM history \
         GROUP BY h_c_w_id, h_c_d_id, h_c_id) u GROUP BY w, d, c HAVING SUM(v) <> 0",
    ),
    (
        11,
        "SELECT o_w_id, o_d_id FROM \
         (SELECT o_w_id, o_d_id, COUNT(*) c FROM orders GROUP BY o_w_id, o_d_id) x \
         LEFT JOIN (SELECT no_w_id, no_d_id, COUNT(*) n FROM new_orders \
         GROUP BY no_w_id, no_d_id) y ON no_w_id = o_w_id AND no_d_id = o_d_id \
         WHERE c - COALESCE(n, 0) <> 21",
    ),
    (
        12,
        "SELECT w, d, c FROM \
         (SELECT c_w_id w, c_d_id d, c_id c, c_balance + c_ytd_payment v FROM customer \
         UNION ALL SELECT o_w_id, o_d_id, o_c_id, -SUM(ol_amount) FROM orders JOIN order_line \
         ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id \
         WHERE ol_delivery_d IS NOT NULL GROUP BY o_w_id, o_d_id, o_c_id) u \
         GROUP BY w, d, c HAVING SUM(v) <> 0",
    ),
];

/// Conditions that rows violate, at 1 % density (21 delivered orders in each district).
pub(crate) fn violated(session: &mut dyn Session) -> Vec<usize> {
    let violated = QUERIES.iter().filter(|(number, sql)| {
        let outcome = session.text(sql).unwrap_or_else(|error| panic!("{number}: {error}"));
        outcome.rows > 0
    });
    violated.map(|(number, _)| *number).collect()
}
