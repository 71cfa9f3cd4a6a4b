"""The gate in front of every route: other sites, other hosts and other users stay outside.

The app shows raw data about people, and any page a steward visits can send requests to the
loopback interface. So each request must name this host, come from this app's own pages or from
the address bar, and carry the cookie that only the link printed at the start hands out.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SAFE = ("GET", "HEAD")
"""Methods that change nothing."""
FORM_LIMIT = 4_000_000
"""Bytes of a request that is not an upload; a plan of thousands of columns needs one million."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
"""Scripts and styles are files of the app: no inline ones, no eval, nothing from elsewhere."""
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    # Not no-referrer, with which browsers send `Origin: null` for the app's own forms.
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@dataclass(frozen=True, kw_only=True)
class Gate:
    """Who may come in.

    >>> gate = Gate.at(port=8123, hosts=["127.0.0.1"])
    >>> gate.hosts, gate.origins
    (('127.0.0.1:8123',), ('http://127.0.0.1:8123',))
    """

    hosts: tuple[str, ...]
    """What the Host header may say."""
    cookie: str
    """Its name; cookies do not tell ports apart, so the port is part of it."""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    """Of this launch; the printed link carries it."""
    tickets: set[str] = field(default_factory=set, repr=False)
    """Good for one visit each: other users may see the command line a browser is opened with."""
    session: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    """What the cookie holds."""

    @classmethod
    def at(cls, *, port: int, hosts: Iterable[str] = ("127.0.0.1", "localhost", "[::1]")) -> Gate:
        """The gate of an app that is served on this port."""
        return cls(hosts=tuple(f"{host}:{port}" for host in hosts), cookie=f"hedgerow-{port}")

    @property
    def origins(self) -> tuple[str, ...]:
        """What the Origin header may say."""
        return tuple(f"http://{host}" for host in self.hosts)

    def ticket(self) -> str:
        """A token for one visit."""
        made = secrets.token_urlsafe(32)
        self.tickets.add(made)
        return made

    def admits(self, given: str) -> bool:
        """Whether a link's token is right; a ticket is used up by it."""
        if _same(given, self.token):
            return True
        used = next((ticket for ticket in self.tickets if _same(given, ticket)), None)
        self.tickets.discard(used or "")
        return used is not None

    def refusal(self, method: str, headers: Headers) -> str | None:
        """Why a request comes from elsewhere; None if it does not."""
        named = headers.getlist("host")
        if len(named) != 1 or named[0].lower() not in self.hosts:
            return "This address is not the app's. Open the link that `hedgerow explore` printed."
        origins = headers.getlist("origin")
        if len(origins) > 1 or any(origin.lower() not in self.origins for origin in origins):
            return "The request comes from another site."
        site = headers.get("sec-fetch-site")
        if method in SAFE:
            return None if site in (None, "same-origin", "none") else "Another site links here."
        if site not in (None, "same-origin"):
            return "The request comes from another site."
        if site is None and not origins:
            return "Nothing says where the request comes from: it has no Origin."
        return None


def _same(one: str, other: str) -> bool:
    """Compared in a time that does not tell how much of it is right."""
    return secrets.compare_digest(one.encode(), other.encode())


class GateMiddleware:
    """Asks the gate before anything else is run, and dresses every answer.

    Args:
        app: Everything behind the gate.
        gate: Who may come in.
        limit: The largest body of a request to a path, in bytes.
    """

    def __init__(
        self, app: ASGIApp, *, gate: Gate, limit: Callable[[str], int] = lambda path: FORM_LIMIT
    ) -> None:
        self.app, self.gate, self.limit = app, gate, limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = Headers(scope=scope)
        answer = self._turned_away(scope, headers)
        if answer is not None:
            await answer(scope, receive, _dressed(send))
            return
        most = self.limit(scope["path"])
        declared = headers.get("content-length", "0")
        if not (declared.isascii() and declared.isdigit()) or int(declared) > most:
            await _too_large(most)(scope, receive, _dressed(send))
            return
        await self.app(scope, _bounded(receive, most), _dressed(send))

    def _turned_away(self, scope: Scope, headers: Headers) -> Response | None:
        why = self.gate.refusal(scope["method"], headers)
        if why is not None:
            return PlainTextResponse(why, 403)
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [value for key, value in query if key == "token"]
        if given and scope["method"] in SAFE and self.gate.admits(given[0]):
            rest = urlencode([(key, value) for key, value in query if key != "token"])
            # A path that begins with two slashes would be another host to a browser.
            path = "/" + scope["path"].lstrip("/")
            onward = RedirectResponse(path + (f"?{rest}" if rest else ""), 303)
            onward.set_cookie(
                self.gate.cookie, self.gate.session, httponly=True, samesite="strict", path="/"
            )
            return onward
        if not given and _same(_cookie(headers, self.gate.cookie), self.gate.session):
            return None
        return PlainTextResponse(
            "The app does not know you. Open the link that `hedgerow explore` printed; each start "
            "makes a new one.",
            403,
        )


def _cookie(headers: Headers, name: str) -> str:
    """The cookie's value, empty if there is none or if there are two, which only others set."""
    found = [
        value.strip()
        for line in headers.getlist("cookie")
        for key, equals, value in (part.partition("=") for part in line.split(";"))
        if equals and key.strip() == name
    ]
    return found[0] if len(found) == 1 else ""


def _too_large(most: int) -> Response:
    return PlainTextResponse(f"The request is larger than {most:,} bytes.", 413)


def _bounded(receive: Receive, most: int) -> Receive:
    """The body, as long as it is not longer than that."""
    read = 0

    async def bounded() -> Message:
        nonlocal read
        message = await receive()
        if message["type"] == "http.request":
            read += len(message.get("body", b""))
            if read > most:
                # The header said less, or nothing.
                raise HTTPException(413, f"The request is larger than {most:,} bytes.")
        return message

    return bounded


def _dressed(send: Send) -> Send:
    """Every answer says what browsers must not do with it."""

    async def dressed(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            headers.setdefault("Content-Security-Policy", POLICY)
        await send(message)

    return dressed
