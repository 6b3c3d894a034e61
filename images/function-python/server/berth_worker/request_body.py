"""Bodies of requests."""

import io
import json
import re

from .departures import CallerGone

MOST_BYTES = 10 * 1024 * 1024  # of a body that is JSON
PIECE_BYTES = 64 * 1024
MOST_LINE_BYTES = 4096
CHUNK_SIZE = re.compile(rb"[0-9a-fA-F]{1,15}")


class Refusal(Exception):
    """A call that never reaches the handler."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class Body(io.RawIOBase):
    """A request's body as a file to read: with a known length, or in chunks."""

    def __init__(self, source, headers):
        self._source = source
        coding = headers.get("transfer-encoding", "").lower()
        if coding not in ("", "chunked"):
            raise Refusal(400, f"Transfer-Encoding may be chunked, but is {coding}")
        self._chunked = coding == "chunked"
        length = headers.get("content-length", "0")
        if not length.isdecimal():
            raise Refusal(400, f"Content-Length is not a number: {length}")
        self._left = 0 if self._chunked else int(length)
        self.at_end = not self._chunked and self._left == 0

    def readable(self):
        return True

    def readinto(self, buffer):
        if self._chunked and self._left == 0 and not self.at_end:
            self._next_chunk()
        if self.at_end:
            return 0
        read = self._source.readinto1(memoryview(buffer)[: self._left])
        if read == 0:
            raise CallerGone
        self._left -= read
        if self._left == 0:
            if self._chunked:
                self._line()
            else:
                self.at_end = True
        return read

    def _next_chunk(self):
        size = self._line().split(b";")[0].strip()
        if not CHUNK_SIZE.fullmatch(size):
            raise Refusal(400, "the body's chunks are broken")
        self._left = int(size, 16)
        if self._left == 0:
            while self._line() != b"":
                pass  # trailers
            self.at_end = True

    def _line(self):
        line = self._source.readline(MOST_LINE_BYTES)
        if line == b"":
            raise CallerGone
        if not line.endswith(b"\n"):
            raise Refusal(400, "the body's chunks are broken")
        return line.rstrip(b"\r\n")


def read_json(body):
    """An empty body is {}. One that is too long is read to its end all the same, or its sender would not hear why."""
    kept = bytearray()
    size = 0
    while piece := body.read(PIECE_BYTES):
        size += len(piece)
        if size <= MOST_BYTES:
            kept += piece
    if size > MOST_BYTES:
        raise Refusal(413, f"the body has {size} bytes; {MOST_BYTES} is the most")
    if size == 0:
        return {}
    try:
        return json.loads(kept)
    except ValueError as error:
        raise Refusal(400, f"the body is not JSON: {error}") from error
