"""What a fit of latencies and limits reads, and the profile that it gives."""
