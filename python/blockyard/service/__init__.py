"""A running `blockyard emulate` from outside: its control socket, its state, its metrics."""
