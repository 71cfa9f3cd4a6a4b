"""A port of this machine that leads to another one, until it is cut."""

import socket
import threading
from contextlib import contextmanager, suppress


class Wire:
    def __init__(self, port):
        self._port = port
        self._ends = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._begin(self._accept)

    def _begin(self, work, *arguments):
        threading.Thread(target=work, args=arguments, daemon=True).start()

    def _accept(self):
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(("127.0.0.1", self._port))
                self._ends += [near, far]
                self._begin(self._carry, near, far)
                self._begin(self._carry, far, near)

    def _carry(self, one, other):
        with suppress(OSError):
            while part := one.recv(65536):
                other.sendall(part)
            other.shutdown(socket.SHUT_WR)

    def cut(self):
        """From now on nobody answers."""
        for end in (self._listener, *self._ends):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


@contextmanager
def wire(port):
    one = Wire(port)
    try:
        yield one
    finally:
        one.cut()
