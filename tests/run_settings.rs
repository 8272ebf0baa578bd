//! Settings on their way from a suite to the sessions of clients.

use crate::support::bench::{plan, run, script};
use enginecmp::model::{FailureKind, Place};
use enginecmp::target::OptionLine;
use enginecmp::target::fake::{Fault, Script, Value};

/// A plan of one cell whose clients ask for this variable at line 7 of the suite.
fn asking(name: &str, value: &str) -> enginecmp::plan::Plan {
    let mut plan = plan(&["InnoDB"]);
    plan.cells[0].clients = 2;
    let place = Some(Place::new("shop.bench", 7, 1));
    plan.cells[0].set_session.push(OptionLine { place, ..OptionLine::own(name, value) });
    plan
}

#[test]
fn every_client_sets_the_session_variables_and_they_are_read_back() {
    let ran = run(&asking("sort_buffer_size", "1M"), script());
    for client in 0..2 {
        let said = format!("client {client} sets sort_buffer_size = 1048576");
        assert!(ran.trace.contains(&said), "{:#?}", ran.trace);
    }
    let views = ran.journal.repetitions();
    assert!(views[0].record.failure.is_none(), "{:?}", views[0].record.failure);
    assert_eq!(views[0].record.variables["sort_buffer_size"], "1048576");
}

#[test]
fn a_session_variable_that_the_server_cuts_or_lacks_fails_at_the_line_that_asked() {
    let failure = |script: Script| {
        let ran = run(&asking("sort_buffer_size", "1"), script);
        ran.journal.repetitions()[0].record.failure.clone().expect("it failed")
    };
    let cut = failure(script().gives(
        "SHOW SESSION VARIABLES LIKE 'sort_buffer_size'",
        vec![vec![Value::Text("sort_buffer_size".into()), Value::Text("1024".into())]],
    ));
    assert_eq!(cut.kind, FailureKind::OptionNotTaken);
    assert_eq!(cut.message, "sort_buffer_size: asked 1, runs 1024");
    let lacks = failure(
        script()
            .fault(Fault::error(1193, "Unknown system variable").on("SESSION sort_buffer_size")),
    );
    assert_eq!(lacks.errno, Some(1193));
    for failure in [cut, lacks] {
        assert_eq!(failure.place, Some(Place::new("shop.bench", 7, 1)));
    }
}
