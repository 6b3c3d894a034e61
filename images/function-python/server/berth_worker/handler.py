"""The user's handler, and what it is told."""

import importlib.util
import inspect
import os
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from email.message import Message
from typing import Any, Callable

DEFAULT_FILE = "/app/handler.py"


class HandlerProblem(Exception):
    """Why it can't be used, for a person to read."""


@dataclass
class Reply:
    """A result with a status and headers of its own."""

    body: Any = None
    status: int = 200
    headers: dict = field(default_factory=dict)


@dataclass
class Call:
    """What a handler is told beside the request."""

    method: str
    path: str  # with its query
    headers: Message  # by names in any case
    gone: threading.Event = field(default_factory=threading.Event)  # set when the caller has gone
    reply = Reply


@dataclass
class Handler:
    call: Callable
    raw: bool  # it reads the body itself: its request is the stream


def load_handler(env):
    source = env.get("HANDLER_SOURCE")
    file = written(source) if source else os.path.abspath(env.get("HANDLER_FILE") or DEFAULT_FILE)
    name = "HANDLER_SOURCE" if source else file
    try:
        module = imported(file)
    except (Exception, SystemExit) as error:
        raise HandlerProblem(f"{name} can't be loaded: {type(error).__name__}: {error}") from error
    function = getattr(module, "handler", None)
    raw = getattr(module, "raw", False)
    if not callable(function):
        raise HandlerProblem(f"{name} has no function that is called handler")
    if not isinstance(raw, bool):
        raise HandlerProblem(f"{name} has a raw that is neither True nor False")
    return Handler(function if takes_two(function) else lambda request, _: function(request), raw)


def imported(file):
    # In the place of this program's own folder.
    sys.path[0] = os.path.dirname(file)
    spec = importlib.util.spec_from_file_location(os.path.splitext(os.path.basename(file))[0], file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def takes_two(function):
    """Python minds an argument too many."""
    parameters = inspect.signature(function).parameters.values()
    by_place = [each for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    return len(by_place) > 1 or any(each.kind == each.VAR_POSITIONAL for each in parameters)


def written(source):
    """As a file, so that a traceback shows lines of it."""
    file = os.path.join(tempfile.mkdtemp(prefix="handler-"), "handler.py")
    with open(file, "w", encoding="utf-8") as out:
        out.write(source)
    return file
