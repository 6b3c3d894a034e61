"""at-terminal.py COLUMNS ROWS PROGRAM [ARGUMENT ...]: runs a program at a terminal of its own.

What comes on stdin is typed there, what it prints comes on stdout, and this ends as the program does.
"""

import contextlib
import fcntl
import os
import select
import struct
import subprocess
import sys
import termios

columns, rows, *command = sys.argv[1:]
master, slave = os.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", int(rows), int(columns), 0, 0))
child = subprocess.Popen(
    command,
    stdin=slave,
    stdout=slave,
    stderr=slave,
    start_new_session=True,
    preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
)
os.close(slave)
watched = [master, 0]
while master in watched:
    for ready in select.select(watched, [], [])[0]:
        try:
            data = os.read(ready, 65536)
        except OSError:  # the program, and all who had its terminal, are gone
            data = b""
        if not data:
            watched.remove(ready)
        elif ready == 0:
            with contextlib.suppress(OSError):  # likewise
                os.write(master, data)
        else:
            while data:
                data = data[os.write(1, data) :]
code = child.wait()
sys.exit(code if code >= 0 else 128 - code)
