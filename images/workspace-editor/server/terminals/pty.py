"""A command in a terminal of its own: pty.py ROWS COLUMNS COMMAND [ARGUMENT ...]

stdin    what is typed
stdout   what the terminal shows
fd 3     lines "ROWS COLUMNS": another size

Ends with the command's own code, 128 + N where signal N ended it. When stdin or fd 3 closes, the server has gone or
closes the terminal: the command is hung up on. What is not taken from stdout is not read from the terminal either,
so that a flood waits in the kernel; what is typed is read all the same.
"""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

CONTROL = 3
CHUNK = 65536
HANG_UP_SECONDS = 1.0
# What may still come of a command that has ended; its children can write on for ever.
MAX_LEFT = 1024 * 1024


def resize(terminal, rows, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def start(rows, columns, command):
    child, terminal = pty.fork()
    if child != 0:
        return child, terminal
    try:
        resize(0, rows, columns)
        os.closerange(3, 64)
        # Python ignores these two, and what is ignored stays so in the command.
        for name in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(name, signal.SIG_DFL)
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\r\n".encode())
    os._exit(127)


def code_of(status):
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)


def hang_up(child):
    """Ends the command, by force if it does not heed."""
    for name in (signal.SIGHUP, signal.SIGCONT):
        os.kill(child, name)
    until = time.monotonic() + HANG_UP_SECONDS
    while time.monotonic() < until:
        if os.waitpid(child, os.WNOHANG)[0] != 0:
            return
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)


def take(terminal):
    """What there is to show, and whether anybody has the other end open still. The kernel gives 4 KiB at a time."""
    pieces = []
    for _ in range(CHUNK // 4096):
        try:
            pieces.append(os.read(terminal, CHUNK))
        except BlockingIOError:
            break
        except OSError:
            return b"".join(pieces), False
    return b"".join(pieces), True


def relay(child, terminal):
    """Passes bytes both ways until the command or the server ends; the code to end with."""
    awake, wake = os.pipe()
    for fd in (wake, awake, terminal, 1):
        os.set_blocking(fd, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    typed, shown, sizes = b"", b"", b""
    status, left = None, MAX_LEFT
    while True:
        if status is None:
            ended, found = os.waitpid(child, os.WNOHANG)
            status = found if ended else None
        reads = [0, CONTROL, awake] if len(typed) < CHUNK else [CONTROL, awake]
        if not shown:
            reads.append(terminal)
        writes = ([terminal] if typed and status is None else []) + ([1] if shown else [])
        # Once the command has ended, only what it left in the terminal is waited for, and nothing new.
        patience = 0 if status is not None and not shown else None
        readable, writable, _ = select.select(reads, writes, [], patience)
        if status is not None and not shown and (terminal not in readable or left < 0):
            return code_of(status)
        if awake in readable:
            os.read(awake, CHUNK)
        if 0 in readable:
            data = os.read(0, CHUNK)
            if not data:
                return None
            typed += data
        if CONTROL in readable:
            data = os.read(CONTROL, CHUNK)
            if not data:
                return None
            *lines, sizes = (sizes + data).split(b"\n")
            if lines:
                resize(terminal, *map(int, lines[-1].split()))
        if terminal in readable:
            shown, open_still = take(terminal)
            left -= len(shown) if status is not None else 0
            if not shown and not open_still:
                return code_of(status if status is not None else os.waitpid(child, 0)[1])
        try:
            if terminal in writable:
                typed = typed[os.write(terminal, typed) :]
            if 1 in writable:
                shown = shown[os.write(1, shown) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            return None


def main():
    rows, columns, *command = sys.argv[1:]
    child, terminal = start(int(rows), int(columns), command)
    code = relay(child, terminal)
    if code is None:
        hang_up(child)
        code = 129
    sys.exit(code)


main()
