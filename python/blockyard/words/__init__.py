"""Sentences and tables about runs, plans, capacities and bills, put together of their facts."""
