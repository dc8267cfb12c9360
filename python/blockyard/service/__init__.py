"""A run from outside: the control socket of `blockyard emulate`, and metrics."""
