"""Callers that go before they have their answer."""

import select
import threading
from contextlib import contextmanager


class CallerGone(Exception):
    """Nobody is left to hear of anything."""


class Departure:
    """Of one caller: an event that also does something when it comes."""

    def __init__(self):
        self.event = threading.Event()
        self._act = lambda: None

    def then(self, act):
        self._act = act
        if self.event.is_set():
            act()

    def come(self):
        self.event.set()
        self._act()


class Departures:
    """One thread watches every connection with a call under way. Elsewhere than on Linux nobody is told."""

    def __init__(self):
        self._watched = {}
        self._epoll = select.epoll() if hasattr(select, "epoll") else None
        if self._epoll is not None:
            threading.Thread(target=self._watch, daemon=True).start()

    @contextmanager
    def of(self, connection):
        departure = Departure()
        if self._epoll is None:
            yield departure
            return
        number = connection.fileno()
        self._watched[number] = departure
        self._epoll.register(number, select.EPOLLRDHUP | select.EPOLLONESHOT)
        try:
            yield departure
        finally:
            self._watched.pop(number, None)
            self._epoll.unregister(number)

    def _watch(self):
        while True:
            for number, _ in self._epoll.poll():
                departure = self._watched.pop(number, None)
                if departure is not None:
                    departure.come()
