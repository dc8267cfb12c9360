"""Thresholds from which reports mention something, or warn of it."""

# Waiting that is a smaller share is not worth naming.
NOTEWORTHY = 0.01
# Answers of an emulation that are later, in ms, are no longer small beside the latency of a
# volume.
TRUSTED_MS = 0.2
