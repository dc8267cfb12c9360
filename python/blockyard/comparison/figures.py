"""What the figures of a comparison are called."""

# The operation under which transactions are compared.
TRANSACTION = "transaction"

# The figures that count what was done in a second.
RATES = ("iops", "tps")

# What jobs and devices are called that are taken together.
ALL = "all"
