#!/usr/bin/env python3
"""The hook of an agent: hands the agent's event to Revell and prints Revell's answer, which holds the boot payload.

    boot.py claude-code|codex [SLICE OF]

The agent gives the event on standard input. REVELL_URL names the server (http://127.0.0.1:8000 when not set) and
REVELL_KEY the API key, which needs the scope `boot`. With SLICE and OF this is one of OF hooks of the same event, each
of which brings one part of one payload.

It never holds an agent up: it takes two seconds at most and always ends with 0. When there is no good answer it says
why in one line on standard error and prints the last good payload, marked as such. That one lies in REVELL_CACHE, or in
`revell` in the user's cache folder, and only the user can read it.

Python 3.9 or newer, standard library only. Serving, slicing and everything about memory is the server's.
"""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import os
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

STARTED = time.monotonic()
LIMIT_SECONDS = 1.8  # with the start of Python two seconds on the whole
ANSWER_MAX_BYTES = 1024 * 1024
EVENT_MAX_BYTES = 2 * 1024 * 1024
# Hooks of one event start together; the next event of a session is further away.
TOGETHER_SECONDS = 5.0
# What another hook printed is taken in when it has ended, a moment after it has said so.
ENDING_SECONDS = 0.05
KEPT_SECONDS = 24 * 3600


class Fault(Exception):
    """There is no good answer. The text is for the person at the terminal; `again` says that a second try may do."""

    def __init__(self, text: str, *, again: bool = False) -> None:
        super().__init__(text)
        self.again = again


def main(arguments: list[str]) -> None:
    event: dict[str, object] = {}
    cache = turn = None
    try:
        client, number, of = read_arguments(arguments)
        raw = within_limit(lambda: sys.stdin.buffer.read(EVENT_MAX_BYTES))
        event = read_event(raw)
        url, key = read_environment()
        folder = Folder()
        cache = Cache(folder, (client, url, key), f"{number}-of-{of}")
        turn = Turn(folder, (client, str(event.get("session_id")), str(event.get("source"))), number, of)
        query = urllib.parse.urlencode({"slice": number, "of": of, "moment": turn.moment})
        answer, text = ask(f"{url}/api/v1/hooks/{client}?{query}", key, raw)
    except Fault as fault:
        answer, note = fallback(cache, event)
        print_line(f"{fault}; {note}")
    else:
        if is_start(event):
            cache.keep(text)
    if turn is not None:
        turn.wait()
    with contextlib.suppress(OSError):  # the agent may have gone
        sys.stdout.buffer.write(answer + b"\n")
        sys.stdout.buffer.flush()
    if turn is not None:
        turn.end()


def read_arguments(arguments: list[str]) -> tuple[str, int, int]:
    try:
        client, number, of = (*arguments, "1", "1")[:3] if len(arguments) == 1 else arguments
        return client, int(number), int(of)
    except ValueError:
        raise Fault("call it as boot.py claude-code|codex [SLICE OF]") from None


def read_environment() -> tuple[str, str]:
    url = (os.environ.get("REVELL_URL") or "http://127.0.0.1:8000").strip().rstrip("/")
    key = os.environ.get("REVELL_KEY", "").strip()
    if not key:
        raise Fault("REVELL_KEY is not set")
    if not all("!" <= char <= "~" for char in key):
        raise Fault("REVELL_KEY holds a character that no key has")
    if not url.startswith(("http://", "https://")):
        raise Fault("REVELL_URL does not begin with http:// or https://")
    try:
        _ = urllib.parse.urlsplit(url).port
    except ValueError:
        raise Fault("REVELL_URL is no address") from None
    return url, key


def read_event(raw: bytes) -> dict[str, object]:
    try:
        event = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    return event if isinstance(event, dict) else {}


def is_start(event: dict[str, object]) -> bool:
    return event.get("hook_event_name") == "SessionStart"


def hook_output(text: str) -> bytes:
    output = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}} if text else {}
    return json.dumps(output).encode()


def fallback(cache: Cache | None, event: dict[str, object]) -> tuple[bytes, str]:
    """What is printed without a good answer, and what to say about it."""
    if not is_start(event):
        return hook_output(""), "nothing is added"
    kept = cache.find() if cache else None
    if kept is None:
        return hook_output(""), "no payload is cached, so this session starts without its memory"
    text, day = kept
    if text:
        text = f"[REVELL | CACHED] Revell gave no answer; this is its payload of {day}, without anything newer.\n{text}"
    return hook_output(text), f"the payload of {day} is used"


def print_line(text: str) -> None:
    with contextlib.suppress(OSError):
        sys.stderr.write("revell: " + " ".join(text.split()).encode("ascii", "replace").decode() + "\n")
        sys.stderr.flush()


# Asking --------------------------------------------------------------------------------------------------------------


def left() -> float:
    return LIMIT_SECONDS - (time.monotonic() - STARTED)


def within_limit(work):
    """What `work` returns. Names that do not resolve and servers that drip cannot be timed out in any other way."""
    outcome: list[object] = []

    def run() -> None:
        try:
            outcome.append(work())
        except Exception as error:  # noqa: BLE001 (it is raised again in the thread that waits)
            outcome.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(max(0.0, left()))
    if not outcome:
        raise Fault("no answer within 2 seconds")
    if isinstance(outcome[0], Exception):
        raise outcome[0]
    return outcome[0]


def ask(address: str, key: str, event: bytes) -> tuple[bytes, str]:
    """The server's answer as it came, and the text in it."""
    heard = bytearray()

    def try_until_good() -> None:
        while True:
            heard.clear()
            try:
                return hear(address, key, event, heard)
            except Fault as fault:
                if not fault.again or left() < 0.4:
                    raise
            time.sleep(0.1)

    try:
        within_limit(try_until_good)
    except Fault:
        # An answer that is complete but for its end is one: the server is only slow with what comes after it.
        with contextlib.suppress(Fault):
            if heard:
                return bytes(heard), text_of(bytes(heard), address)
        raise
    return bytes(heard), text_of(bytes(heard), address)


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """A key goes to the server it was meant for and to no other."""

    def redirect_request(self, *_: object) -> None:
        return None


def hear(address: str, key: str, event: bytes, heard: bytearray) -> None:
    """Fills `heard` with the body of the answer."""
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json", "Accept": "application/json"}
    request = urllib.request.Request(address, data=event, headers=headers, method="POST")  # noqa: S310 (checked above)
    try:
        with urllib.request.build_opener(NoRedirect).open(request, timeout=max(0.1, left())) as response:
            while piece := response.read1(65_536):
                heard.extend(piece)
                if len(heard) > ANSWER_MAX_BYTES:
                    raise Fault(f"{server(address)} does not answer like Revell: too much")
            if response.length:
                raise http.client.IncompleteRead(b"")
    except urllib.error.HTTPError as error:
        raise refused(error.code, address) from None
    except (http.client.IncompleteRead, ConnectionResetError, http.client.RemoteDisconnected):
        raise Fault(f"the answer of {server(address)} broke off", again=True) from None
    except TimeoutError:
        raise Fault("no answer within 2 seconds") from None
    except urllib.error.URLError as error:
        raise Fault(
            f"no answer from {server(address)} ({getattr(error.reason, 'strerror', None) or 'not reached'})"
        ) from None
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise Fault(f"no answer from {server(address)} ({type(error).__name__})") from None


def refused(status: int, address: str) -> Fault:
    if status == 401:
        return Fault(f"{server(address)} does not accept the API key (401): look at REVELL_KEY")
    if status == 403:
        return Fault(f"{server(address)} does not let this API key boot (403): it needs the scope “boot”")
    if 300 <= status < 400:
        return Fault(f"{server(address)} sends elsewhere ({status}): put the address itself into REVELL_URL")
    return Fault(f"{server(address)} answers {status}", again=status in (502, 503))


def server(address: str) -> str:
    """Scheme, host and port: an address may hold a password."""
    parts = urllib.parse.urlsplit(address)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def text_of(answer: bytes, address: str) -> str:
    """The text that the answer adds to the context, maybe none; a Fault when it is no hook output."""
    try:
        told = json.loads(answer)
        text = told["hookSpecificOutput"]["additionalContext"] if told != {} else ""
    except (ValueError, TypeError, KeyError, RecursionError):
        text = None
    if not isinstance(text, str):
        raise Fault(f"{server(address)} does not answer like Revell: look at REVELL_URL")
    return text


# What is kept between calls ------------------------------------------------------------------------------------------


class Folder:
    """The user's private folder. Where it cannot be written, nothing is kept and nothing fails."""

    def __init__(self) -> None:
        told = os.environ.get("REVELL_CACHE")
        base = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME")
        self.path = Path(told) if told else (Path(base) if base else Path.home() / ".cache") / "revell"
        with contextlib.suppress(OSError):
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)

    def read(self, name: str) -> dict[str, object]:
        try:
            found = json.loads((self.path / name).read_bytes())
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def write(self, name: str, values: dict[str, object]) -> bool:
        """In one step and readable by nobody else, whatever the umask is."""
        draft = self.path / f".{name}.{os.getpid()}"
        try:
            with contextlib.suppress(FileNotFoundError):
                draft.unlink()
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(json.dumps(values).encode())
            draft.replace(self.path / name)
        except OSError:
            with contextlib.suppress(OSError):
                draft.unlink()
            return False
        return True

    @contextlib.contextmanager
    def locked(self):
        """One process at a time; without locks on this machine, all at once."""
        try:
            file = os.fdopen(os.open(self.path / ".lock", os.O_RDWR | os.O_CREAT, 0o600), "r+b")
        except OSError:
            yield
            return
        with file:
            while left() > ENDING_SECONDS and not self._lock(file.fileno()):
                time.sleep(0.005)
            yield  # closing the file lets go

    @staticmethod
    def _lock(file: int) -> bool:
        try:
            if os.name == "nt":
                import msvcrt

                msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True


def digest(parts: tuple[str, ...]) -> str:
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


class Cache:
    """The last good text of one slice, for one agent, server and key."""

    def __init__(self, folder: Folder, whose: tuple[str, ...], place: str) -> None:
        self.folder = folder
        self.name = f"payload-{digest(whose)}-{place}.json"

    def keep(self, text: str) -> None:
        now = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
        self.folder.write(self.name, {"at": now, "text": text})

    def find(self) -> tuple[str, str] | None:
        """Text and date."""
        kept = self.folder.read(self.name)
        text, at = kept.get("text"), kept.get("at")
        return (text, at) if isinstance(text, str) and isinstance(at, str) else None


class Turn:
    """The place of this hook among those of its event: they agree on a moment, and end one after the other.

    The moment tells the server which hooks belong to one boot. The order matters because an agent may put the texts
    together in the order in which they come.
    """

    def __init__(self, folder: Folder, event: tuple[str, ...], number: int, of: int) -> None:
        self.folder, self.number, self.of = folder, number, of
        self.name = f"event-{digest((*event, str(of)))}.json"
        now = time.time()
        self.moment = f"{time.time_ns()}-{os.getpid()}"
        if of == 1:
            return
        with folder.locked():
            self._forget_old(now)
            known = folder.read(self.name)
            began = known.get("began")
            since = known.get("at")
            together = isinstance(since, float) and 0 <= now - since < TOGETHER_SECONDS
            if together and isinstance(began, list) and number not in began:
                self.moment = str(known.get("moment"))
                folder.write(self.name, {**known, "began": [*began, number]})
                return
            if not folder.write(self.name, {"moment": self.moment, "at": now, "began": [number], "ended": []}):
                self.moment = str(int(now / TOGETHER_SECONDS))  # the best that can be had without a place to agree

    def wait(self) -> None:
        """Returns when the hook before this one has ended, or when there is no more time."""
        if self.number == 1:
            return
        while left() > ENDING_SECONDS:
            known = self.folder.read(self.name)
            if known.get("moment") != self.moment:
                return
            ended = known.get("ended")
            if isinstance(ended, list) and self.number - 1 in ended:
                time.sleep(ENDING_SECONDS)
                return
            time.sleep(0.01)

    def end(self) -> None:
        if self.of == 1:
            return
        with self.folder.locked():
            known = self.folder.read(self.name)
            ended = known.get("ended")
            if known.get("moment") == self.moment and isinstance(ended, list):
                self.folder.write(self.name, {**known, "ended": [*ended, self.number]})

    def _forget_old(self, now: float) -> None:
        for path in self.folder.path.glob("event-*.json"):
            with contextlib.suppress(OSError):
                if now - path.stat().st_mtime > KEPT_SECONDS:
                    path.unlink()


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except BaseException as error:  # noqa: BLE001 (whatever it is, the agent must start)
        print_line(f"a fault in this hook ({type(error).__name__}); nothing is added")
        with contextlib.suppress(OSError):
            sys.stdout.buffer.write(b"{}\n")
            sys.stdout.buffer.flush()
    # Without waiting for a thread that still hears an answer.
    os._exit(0)
