//! Capacitated vehicle routing.
