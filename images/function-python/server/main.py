"""Makes a worker of a handler: a call to any path is a call of the handler. It listens once the handler is loaded."""

import os
import signal
import sys
import threading
import traceback

from berth_worker.handler import HandlerProblem, load_handler
from berth_worker.worker import Worker

# Only this machine, unless told otherwise; the image listens to all.
DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = "8080"


def fail(message):
    print(f"function: {message}", file=sys.stderr, flush=True)
    sys.exit(2)


def parse_port(given):
    if given.isdecimal() and int(given) <= 65_535:
        return int(given)
    fail(f"PORT is not a port: {given}")


def main():
    port = parse_port(os.environ.get("PORT") or DEFAULT_PORT)
    try:
        handler = load_handler(os.environ)
    except HandlerProblem as problem:
        if problem.__cause__ is not None:
            traceback.print_exception(problem.__cause__)
        fail(problem)
    try:
        worker = Worker((os.environ.get("HOST") or DEFAULT_HOST, port), handler)
    except OSError as error:
        fail(f"cannot listen on {port}: {error.strerror}")
    told = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: told.set())
    threading.Thread(target=worker.serve_forever, daemon=True).start()
    print(f"function: listens on {worker.server_port}", flush=True)
    # A signal that another thread got is heard when this one looks up.
    while not told.wait(0.5):
        pass
    worker.end()
    sys.stdout.flush()
    # Not sys.exit: that waits for threads of the handler's own.
    os._exit(0)


main()
