#!/bin/sh
# `blockyard`: asks loaded.py for the command, and ends as it ends. The command's process is in
# /run/loaded/NUMBER.process, by the number of this one.
answer=/run/loaded/$$
mkfifo $answer
echo $$ >/run/loaded/asked
read -r status <$answer
rm $answer $answer.process
exit $status
