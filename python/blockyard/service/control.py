"""Commands to a running service, over its control socket."""

import json
import socket
from pathlib import Path
from typing import Any

from blockyard._core import RunError, ScenarioError

# A service that does not reply within this time is taken to hang.
PATIENCE_S = 30.0


def ask(path: Path, order: str | dict[str, Any]) -> Any:
    """Send a command to the socket `path`; return the reply.

    Raises ScenarioError if the service refuses it or there is none, RunError if it does
    not reply.
    """
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(PATIENCE_S)
        try:
            connection.connect(str(path))
        except OSError as error:
            message = f"cannot connect to control socket {path}: {_why(path, error)}"
            raise ScenarioError(message) from error
        answer = _exchange(connection, json.dumps(order), path)
    if "error" in answer:
        raise ScenarioError(f"{path}: {answer['error']}")
    return answer["ok"]


def _why(path: Path, error: OSError) -> str:
    if path.exists() and not path.is_socket():
        return "not a socket; expected the path of `emulate --control`"
    if isinstance(error, ConnectionRefusedError):
        return "its service has ended"
    return (error.strerror or str(error)).lower().removesuffix(" or directory")


def _exchange(connection: socket.socket, line: str, path: Path) -> dict[str, Any]:
    try:
        connection.sendall(line.encode() + b"\n")
        with connection.makefile() as answers:
            answer = answers.readline()
    except OSError as error:
        raise RunError(f"{path}: the service does not answer: {error}") from error
    if not answer.endswith("\n"):
        raise RunError(f"{path}: the service ended before it answered")
    parsed: dict[str, Any] = json.loads(answer)
    return parsed
