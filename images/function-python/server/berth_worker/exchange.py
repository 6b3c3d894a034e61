"""One connection: a call after the other, each one of the handler."""

import inspect
import io
import json
import traceback
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

from .departures import CallerGone
from .handler import Call, Reply
from .request_body import Body, Refusal, read_json

# Longer than a caller keeps an unused connection, so that a call never meets one that is closing.
KEEP_ALIVE_SECONDS = 75
# The server's own to say.
FRAMING = {"connection", "content-length", "transfer-encoding"}
WITHOUT_BODY = {204, 304}


# Whether no handler runs: asked before the first call, and after one that was broken off.
IDLE_PATH = "/_berth/idle"


class Exchange(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = KEEP_ALIVE_SECONDS
    disable_nagle_algorithm = True

    def answer(self):
        if self.command == "GET" and self.path == IDLE_PATH:
            idle = self.server.is_idle()
            self._send_plain(Reply({"idle": idle}, 200 if idle else 503))
            return
        self.server.count(1)
        self.connection.settimeout(None)
        self.has_begun = False
        try:
            with self.server.departures.of(self.connection) as departure:
                self._answer(departure)
        finally:
            self.connection.settimeout(self.timeout)
            self.server.count(-1)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = answer

    def log_message(self, *_):
        pass

    def _answer(self, departure):
        call = Call(self.command, self.path, self.headers, departure.event)
        body = None
        try:
            body = Body(self.rfile, self.headers)
            self._send(self._result(body, call, departure), departure)
        except Refusal as refusal:
            self._send_plain(Reply({"error": str(refusal)}, refusal.status))
        except (Exception, SystemExit) as error:
            self._fail(error, departure)
        if body is None or not body.at_end:
            self.close_connection = True

    def _result(self, body, call, departure):
        handler = self.server.handler
        result = handler.call(io.BufferedReader(body) if handler.raw else read_json(body), call)
        return self.server.event_loop.run(result, departure) if inspect.isawaitable(result) else result

    def _fail(self, error, departure):
        if departure.event.is_set() or isinstance(error, CallerGone):
            self.close_connection = True
            return
        traceback.print_exception(error)
        # What has begun is cut short on purpose: nobody may take it for whole.
        if self.has_begun:
            self.close_connection = True
        else:
            self._send_plain(Reply({"error": f"{type(error).__name__}: {error}"}, 500))

    def _send(self, result, departure):
        reply = result if isinstance(result, Reply) else Reply(result)
        if hasattr(reply.body, "__aiter__"):
            self._send_pieces(reply, self.server.event_loop.iterate(reply.body, departure))
        elif isinstance(reply.body, Iterator):
            self._send_pieces(reply, reply.body)
        else:
            self._send_plain(reply)

    def _send_plain(self, reply):
        body = reply.body
        if isinstance(body, str):
            kind, data = "text/plain; charset=utf-8", body.encode()
        elif isinstance(body, (bytes, bytearray, memoryview)):
            kind, data = "application/octet-stream", bytes(body)
        else:
            kind, data = "application/json", to_json(body)
        hollow = reply.status in WITHOUT_BODY
        self._send_head(reply, kind, {} if hollow else {"Content-Length": len(data)})
        if not hollow and self.command != "HEAD":
            self._write(data)

    def _send_pieces(self, reply, pieces):
        """Their head goes with the first: until then an error can still be told."""
        try:
            first = next(pieces, b"")
            hollow = self.command == "HEAD" or reply.status in WITHOUT_BODY
            chunked = self.request_version != "HTTP/1.0" and not hollow
            if not chunked:
                self.close_connection = True
            framing = {"Transfer-Encoding": "chunked"} if chunked else {}
            self._send_head(reply, "application/octet-stream", framing)
            if hollow:
                return
            self._send_piece(first, chunked)
            for piece in pieces:
                self._send_piece(piece, chunked)
            if chunked:
                self._write(b"0\r\n\r\n")
        finally:
            if hasattr(pieces, "close"):
                pieces.close()

    def _send_piece(self, piece, chunked):
        data = piece.encode() if isinstance(piece, str) else bytes(piece)
        if data and chunked:
            self._write(b"%x\r\n%b\r\n" % (len(data), data))
        elif data:
            self._write(data)

    def _send_head(self, reply, kind, framing):
        headers = {"Content-Type": kind}
        for name, value in reply.headers.items():
            if any(mark in f"{name}{value}" for mark in "\r\n"):
                raise ValueError(f"the header {name!r} has a line break in it")
            if name.lower() == "content-type":
                headers.pop("Content-Type", None)
            if name.lower() not in FRAMING:
                headers[name] = value
        if not 200 <= reply.status <= 599:
            raise ValueError(f"{reply.status} is not a status from 200 to 599")
        self.has_begun = True
        self.send_response_only(reply.status)
        for name, value in {**headers, **framing}.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self._to_caller(self.end_headers)

    def _write(self, data):
        self._to_caller(self.wfile.write, data)

    def _to_caller(self, send, *data):
        try:
            send(*data)
        except OSError as error:
            raise CallerGone from error


def to_json(value):
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
