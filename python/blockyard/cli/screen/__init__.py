"""The full-screen view of a run, for `--live`."""
