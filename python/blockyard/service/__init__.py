"""A running `blockyard emulate` from outside: its control socket and its metrics."""
