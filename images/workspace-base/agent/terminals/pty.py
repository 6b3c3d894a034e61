"""A command in a terminal of its own: pty.py ROWS COLUMNS COMMAND [ARGUMENT ...]

stdin    what is typed
stdout   what the terminal shows
fd 3     to here: lines "ROWS COLUMNS", another size
         from here: "started PID" or "failed ERROR"; and last "exit CODE" or "signal NUMBER"

The command leads a session of its own, which PID is the number of. When stdin or fd 3 closes, the agent has gone: the
command is hung up on. What is not taken from stdout is not read from the terminal either, so that a flood waits in the
kernel; what is typed, and a new size, is read all the same.
"""

import errno
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


def tell(line):
    try:
        os.write(CONTROL, f"{line}\n".encode())
    except OSError:
        pass  # nobody is there to be told


def start(rows, columns, command):
    """The command's process and its terminal; or why there is none, as the name of an error."""
    # Closes by itself when the command has taken this program's place.
    failed, fail = os.pipe()
    child, terminal = pty.fork()
    if child == 0:
        try:
            resize(0, rows, columns)
            os.close(CONTROL)
            # Python ignores these two, and what is ignored stays so in the command.
            for name in (signal.SIGPIPE, signal.SIGXFSZ):
                signal.signal(name, signal.SIG_DFL)
            os.execvp(command[0], command)
        except OSError as error:
            os.write(fail, errno.errorcode.get(error.errno, "EIO").encode())
        os._exit(127)
    os.close(fail)
    why = os.read(failed, 64).decode()
    os.close(failed)
    return child, terminal, why


def told(status):
    if os.WIFEXITED(status):
        return f"exit {os.WEXITSTATUS(status)}"
    return f"signal {os.WTERMSIG(status)}"


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


def put(fd, data):
    """What is left of it; nothing where nobody takes it any more."""
    try:
        return data[os.write(fd, data) :]
    except BlockingIOError:
        return data
    except OSError:
        return b""


def relay(child, terminal):
    """Passes bytes both ways until the command or the agent ends; how the command ended, None if it has not."""
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
            return status
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
                return status if status is not None else os.waitpid(child, 0)[1]
        if terminal in writable:
            typed = put(terminal, typed)
        if 1 in writable:
            shown = put(1, shown)


def main():
    rows, columns, *command = sys.argv[1:]
    child, terminal, why = start(int(rows), int(columns), command)
    if why:
        os.waitpid(child, 0)
        tell(f"failed {why}")
        return
    tell(f"started {child}")
    status = relay(child, terminal)
    if status is None:
        hang_up(child)
    else:
        tell(told(status))


main()
