"""A small NBD client: one request at a time, simple replies."""

import socket
import struct

# https://github.com/NetworkBlockDevice/nbd/blob/master/doc/proto.md
_HELLO = struct.Struct(">8s8sH")
_OPTION = struct.Struct(">8sII")
_REQUEST = struct.Struct(">IHHQQI")
_REPLY = struct.Struct(">IIQ")
_FIXED_NEWSTYLE_NO_ZEROES = 3
_EXPORT_NAME = 1
_REQUEST_MAGIC = 0x25609513
_READ, _WRITE, _FLUSH = 0, 1, 3
_FUA = 1

# What a client that died, or whose server did, gets.
Gone = (ConnectionError, EOFError)


class Client:
    """A connection to an export on a unix socket."""

    def __init__(self, path: str, export: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(path)
        magic, style, _flags = _HELLO.unpack(self._receive(_HELLO.size))
        assert (magic, style) == (b"NBDMAGIC", b"IHAVEOPT")
        name = export.encode()
        option = _OPTION.pack(style, _EXPORT_NAME, len(name))
        self._socket.sendall(struct.pack(">I", _FIXED_NEWSTYLE_NO_ZEROES) + option + name)
        self.size, self.flags = struct.unpack(">QH", self._receive(10))

    def read(self, offset: int, length: int) -> bytes:
        """Read; OSError with the server's errno if it fails."""
        self._ask(_READ, 0, offset, length)
        return self._receive(length)

    def write(self, offset: int, data: bytes, *, fua: bool = False) -> None:
        """Write; durable with `fua`."""
        self._ask(_WRITE, _FUA if fua else 0, offset, len(data), data)

    def flush(self) -> None:
        """Make all writes that were answered before durable."""
        self._ask(_FLUSH, 0, 0, 0)

    def _ask(self, kind: int, flags: int, offset: int, length: int, data: bytes = b"") -> None:
        request = _REQUEST.pack(_REQUEST_MAGIC, flags, kind, 0, offset, length)
        self._socket.sendall(request + data)
        _magic, error, _cookie = _REPLY.unpack(self._receive(_REPLY.size))
        if error:
            raise OSError(error, "the server's answer")

    def _receive(self, length: int) -> bytes:
        received = bytearray()
        while len(received) < length:
            piece = self._socket.recv(length - len(received))
            if not piece:
                raise EOFError
            received += piece
        return bytes(received)

    def timeout(self, seconds: float) -> None:
        """Wait no longer than this for an answer, from now on."""
        self._socket.settimeout(seconds)

    def close(self) -> None:
        """Go, without a word."""
        self._socket.close()
