//! Other solvers as child processes.
