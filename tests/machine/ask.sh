#!/bin/sh
# `blockyard`, for a command that needs no process of its own: asks loaded.py, and ends as it ends.
answer=/run/loaded/$$
mkfifo $answer
echo $$ >/run/loaded/asked
read -r status <$answer
rm $answer
exit $status
