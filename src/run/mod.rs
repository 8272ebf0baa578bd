//! Execution of a plan: loads, repetitions, clients, recording.
