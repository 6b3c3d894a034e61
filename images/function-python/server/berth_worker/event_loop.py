"""Handlers that are coroutines share one event loop, as their clients and locks expect."""

import asyncio
import threading

END = object()


class EventLoop:
    """Started with the first coroutine."""

    def __init__(self):
        self._loop = None
        self._lock = threading.Lock()

    def run(self, awaitable, departure=None):
        """Its result, for the thread that asks. It is cancelled when the caller goes."""
        future = asyncio.run_coroutine_threadsafe(_awaited(awaitable), self._started())
        if departure is not None:
            departure.then(future.cancel)
        return future.result()

    def iterate(self, pieces, departure):
        """An async iterable as a plain one, which closes it at its end."""
        iterator = aiter(pieces)
        try:
            while (piece := self.run(anext(iterator, END), departure)) is not END:
                yield piece
        finally:
            if hasattr(iterator, "aclose"):
                self.run(iterator.aclose())

    def _started(self):
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, daemon=True).start()
            return self._loop


async def _awaited(awaitable):
    return await awaitable
