"""The HTTP server of a worker."""

import socketserver
import sys
import threading
from http.server import ThreadingHTTPServer

from .departures import Departures
from .event_loop import EventLoop
from .exchange import Exchange


class Worker(ThreadingHTTPServer):
    """Listens once it is made, answers once it serves. A call takes as long as it takes: who makes it has a deadline."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address, handler):
        super().__init__(address, Exchange)
        self.handler = handler
        self.departures = Departures()
        self.event_loop = EventLoop()
        self._under_way = 0
        self._change = threading.Condition()

    def end(self):
        """Takes no more calls, and returns when those under way are over."""
        self.shutdown()
        self.socket.close()
        with self._change:
            self._change.wait_for(lambda: self._under_way == 0)

    def is_idle(self):
        with self._change:
            return self._under_way == 0

    def count(self, step):
        with self._change:
            self._under_way += step
            self._change.notify_all()

    def server_bind(self):
        # Not the one above it, which asks the name service what this machine is called.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)
