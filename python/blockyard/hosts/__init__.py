"""One scenario on several machines at one moment, by OpenSSH.

For each host there is an SSH connection, whose two ends exchange messages (`wire`). There `boot`
begins, which needs nothing but Python, gets Blockyard where it is missing (`package`), and goes on
as `worker`: the bench of one host, held up before anything is written and before the clock starts.
The connections here (`session`) are led by `fleet`; `merging` adds up what they bring.
"""
