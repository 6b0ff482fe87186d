//! Searching online: what to do now, found by playing dreamt futures to their end.
