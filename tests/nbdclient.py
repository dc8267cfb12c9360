"""A small NBD client: one request at a time, simple replies."""

import socket
import struct

# https://github.com/NetworkBlockDevice/nbd/blob/master/doc/proto.md
_HELLO = struct.Struct(">8s8sH")
_OPTION = struct.Struct(">8sII")
_REQUEST = struct.Struct(">IHHQQI")
_REPLY = struct.Struct(">IIQ")
_FIXED_NEWSTYLE_NO_ZEROES = 3
_OPTION_REPLY = struct.Struct(">QIII")
_EXPORT_NAME = 1
_GO = 7
_ACK = 1
_REQUEST_MAGIC = 0x25609513
_READ, _WRITE, _FLUSH = 0, 1, 3
_FUA = 1

# The errors of a client that was cut off, or whose server died.
Gone = (ConnectionError, EOFError)


def option(kind: int, data: bytes) -> bytes:
    """An option as clients send it."""
    return _OPTION.pack(b"IHAVEOPT", kind, len(data)) + data


def flags() -> bytes:
    """The first message of a client."""
    return struct.pack(">I", _FIXED_NEWSTYLE_NO_ZEROES)


def request(kind: int, offset: int, length: int) -> bytes:
    """The header of a request."""
    return _REQUEST.pack(_REQUEST_MAGIC, 0, kind, 0, offset, length)


def go(export: str) -> bytes:
    """The option that chooses an export."""
    name = export.encode()
    return option(_GO, struct.pack(">I", len(name)) + name + b"\0\0")


def negotiated(connection: socket.socket, export: str) -> tuple[int, str]:
    """Choose an export: the kind of the last reply, and its text."""
    received(connection, _HELLO.size)
    connection.sendall(flags() + go(export))
    while True:
        header = received(connection, _OPTION_REPLY.size)
        _magic, _option, kind, length = _OPTION_REPLY.unpack(header)
        text = received(connection, length)
        if kind == _ACK or kind >> 31:
            return kind, text.decode()


def received(connection: socket.socket, length: int) -> bytes:
    """Exactly so many bytes; EOFError if the connection ends before."""
    gathered = bytearray()
    while len(gathered) < length:
        piece = connection.recv(length - len(gathered))
        if not piece:
            raise EOFError
        gathered += piece
    return bytes(gathered)


class Client:
    """A connection to an export on a unix socket."""

    def __init__(self, path: str, export: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.connect(path)
        except OSError:
            self._socket.close()
            raise
        magic, style, _flags = _HELLO.unpack(self._receive(_HELLO.size))
        assert (magic, style) == (b"NBDMAGIC", b"IHAVEOPT")
        self._socket.sendall(flags() + option(_EXPORT_NAME, export.encode()))
        self.size, self.flags = struct.unpack(">QH", self._receive(10))

    def read(self, offset: int, length: int) -> bytes:
        """Read; OSError with the server's errno if it fails."""
        self._ask(_READ, 0, offset, length)
        return self._receive(length)

    def write(self, offset: int, data: bytes, *, fua: bool = False) -> None:
        """Write; durable with `fua`."""
        self._ask(_WRITE, _FUA if fua else 0, offset, len(data), data)

    def flush(self) -> None:
        """Make all acknowledged writes durable."""
        self._ask(_FLUSH, 0, 0, 0)

    def _ask(self, kind: int, flags: int, offset: int, length: int, data: bytes = b"") -> None:
        request = _REQUEST.pack(_REQUEST_MAGIC, flags, kind, 0, offset, length)
        self._socket.sendall(request + data)
        _magic, error, _cookie = _REPLY.unpack(self._receive(_REPLY.size))
        if error:
            raise OSError(error, "the server's answer")

    def _receive(self, length: int) -> bytes:
        return received(self._socket, length)

    def timeout(self, seconds: float) -> None:
        """Wait no longer than this for a reply, from now on."""
        self._socket.settimeout(seconds)

    def close(self) -> None:
        """Disconnect without a message."""
        self._socket.close()
