"""The real agents with homes of their own, a Revell as people run it, and a model on loopback.

Nothing here goes outside: the agents' only proxy is a port at which nobody listens, loopback is exempt.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.integrations.agents import model as models
from tests.integrations.agents.model import Model

if not os.environ.get("TEST_AGENTS"):
    collect_ignore_glob = ["test_*"]  # `make test-agents` runs these; they need programs from npm

ROOT = Path(__file__).resolve().parent.parent.parent.parent
AGENTS = ROOT / "build" / "agents" / "node_modules"
SECRET_KEY = "for-tests-with-agents-only-" + "0123456789abcdefghijklmnopqrstuvwxyz" * 2
NOWHERE = "http://127.0.0.1:9"


class Server:
    """A Revell with an SQLite file, started as the docs say; `stop` and `start` as often as a test likes."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "DATABASE_URL": f"sqlite:///{folder}/revell.sqlite3",
            "SECRET_KEY": SECRET_KEY,
            "ALLOWED_HOSTS": "127.0.0.1",
        }
        self.process: subprocess.Popen[bytes] | None = None
        self.manage("migrate", "--verbosity", "0")

    def manage(self, *arguments: str) -> str:
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout

    def start(self) -> None:
        granian = [str(Path(sys.executable).parent / "granian"), "--interface", "wsgi", "--no-ws"]
        self.process = subprocess.Popen(
            [*granian, "--port", str(self.port), "--log-level", "error", "revell.wsgi:application"],
            cwd=ROOT,
            env=self.environment,
        )
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"{self.url}/readyz", timeout=2).close()  # noqa: S310 (an address of ours)
                return
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=0.1)
                break
        raise AssertionError("the server does not start")

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(timeout=30)
            self.process = None


@dataclass(frozen=True, slots=True)
class Memory:
    """One tenant of the server, by its key."""

    server: Server
    key: str

    def call(self, method: str, path: str, body: Any = None) -> Any:
        request = urllib.request.Request(  # noqa: S310
            f"{self.server.url}/api/v1/{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=20) as response:  # noqa: S310
            return json.loads(response.read())

    def promise(self, content: str) -> None:
        self.call("POST", "promises", {"content": content})

    def pending(self) -> list[str]:
        return [row["content"] for row in self.call("GET", "promises")["results"]]

    def decayed(self) -> list[str]:
        rows = self.call("GET", "memories?tag=payload-promise-decayed")["results"]
        assert {row["type"] for row in rows} <= {"episodic"}
        return [row["content"] for row in rows]

    def channels(self) -> list[str]:
        """The channels of the boots so far, oldest first."""
        return [row["channel"] for row in self.call("GET", "boots")["results"]][::-1]


@dataclass(frozen=True, slots=True)
class Turn:
    """One call of an agent: its session, what it asked its model meanwhile, how it ended."""

    session: str
    asked: list[str]
    code: int
    told: str


class Agent:
    """A program with a home of its own that holds nothing but the integration."""

    path: str  # of its requests to the model

    def __init__(self, home: Path, model: Model, memory: Memory) -> None:
        self.home, self.model = home, model
        self.work = home / "work"
        self.work.mkdir(parents=True)
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "NO_COLOR": "1",
            "HTTP_PROXY": NOWHERE,
            "HTTPS_PROXY": NOWHERE,
            "NO_PROXY": "127.0.0.1,localhost",
            "REVELL_URL": memory.server.url,
            "REVELL_KEY": memory.key,
        }

    def run(self, command: list[str]) -> tuple[subprocess.CompletedProcess[str], list[str]]:
        self.model.forget()
        done = subprocess.run(
            command,
            cwd=self.work,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return done, self.model.asked(self.path)

    def start(self, prompt: str) -> Turn:
        raise NotImplementedError

    def resume(self, session: str, prompt: str) -> Turn:
        raise NotImplementedError

    def compact(self, session: str, meanwhile: Callable[[], None]) -> Turn:
        """The conversation is compacted, and something is asked after it. `meanwhile` happens before the summary."""
        raise NotImplementedError


class ClaudeCode(Agent):
    path = "/v1/messages"
    programs = "@anthropic-ai/claude-code-*/claude"

    def __init__(self, home: Path, model: Model, memory: Memory) -> None:
        super().__init__(home, model, memory)
        quiet = ("DISABLE_TELEMETRY", "DISABLE_AUTOUPDATER", "DISABLE_ERROR_REPORTING")
        self.environment |= dict.fromkeys((*quiet, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"), "1")
        self.environment |= {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "none"}

    def _turn(self, *arguments: str) -> Turn:
        plugin = str(ROOT / "integrations" / "claude-code")
        command = [program(self.programs), "-p", "--output-format", "json", "--plugin-dir", plugin, *arguments]
        done, asked = self.run(command)
        return Turn(json.loads(done.stdout)["session_id"], asked, done.returncode, done.stderr)

    def start(self, prompt: str) -> Turn:
        return self._turn(prompt)

    def resume(self, session: str, prompt: str) -> Turn:
        return self._turn("--resume", session, prompt)

    def compact(self, session: str, meanwhile: Callable[[], None]) -> Turn:
        self.model.before_next = meanwhile
        self._turn("--resume", session, "/compact")
        return self._turn("--resume", session, "and now?")


class Codex(Agent):
    path = "/v1/responses"
    programs = "@openai/codex-*/vendor/*/bin/codex"

    def __init__(self, home: Path, model: Model, memory: Memory) -> None:
        super().__init__(home, model, memory)
        self.environment["MODEL_KEY"] = "none"
        folder = home / ".codex"
        shutil.copytree(ROOT / "integrations" / "codex", folder / "revell")
        shutil.copy(folder / "revell" / "hooks.json", folder / "hooks.json")
        tools = (folder / "revell" / "config.toml").read_text()
        (folder / "config.toml").write_text(
            f"""model = "gpt-5"
model_provider = "loopback"
check_for_update_on_startup = false
[model_providers.loopback]
name = "loopback"
base_url = "{model.url}/v1"
wire_api = "responses"
env_key = "MODEL_KEY"
[analytics]
enabled = false
"""
            + tools.replace("http://127.0.0.1:8000", memory.server.url)
        )

    def _turn(self, *arguments: str) -> Turn:
        # In a terminal a person lets the hooks run once, under /hooks; without one there is nobody to ask.
        trusted = ["--skip-git-repo-check", "--json", "--dangerously-bypass-hook-trust"]
        done, asked = self.run([program(self.programs), "exec", *arguments[:-1], *trusted, arguments[-1]])
        events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        session = next(event["thread_id"] for event in events if event["type"] == "thread.started")
        return Turn(session, asked, done.returncode, done.stderr)

    def start(self, prompt: str) -> Turn:
        return self._turn(prompt)

    def resume(self, session: str, prompt: str) -> Turn:
        return self._turn("resume", session, prompt)

    def compact(self, session: str, meanwhile: Callable[[], None]) -> Turn:
        # In the middle of a turn: the hooks of the resumed session have run, and a tool fills the context.
        self.model.before_next = meanwhile
        self.model.tool_next = "get_goal"
        return self._turn("-c", "model_auto_compact_token_limit=20000", "resume", session, "and now?")


def program(pattern: str) -> str:
    return str(next(AGENTS.glob(pattern)))


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("server"))
    running.start()
    yield running
    running.stop()


@pytest.fixture
def memory(server: Server, request: pytest.FixtureRequest) -> Memory:
    """A new tenant for each test."""
    slug = "a" + "".join(char for char in request.node.name.lower() if char.isalnum())[-40:]
    server.manage("create_tenant", slug, "--json")
    key = server.manage("issue_key", slug, "--name", "agent", "--scopes", "read,write,boot,configure", "--json")
    return Memory(server, json.loads(key)["key"])


@pytest.fixture
def model() -> Iterator[Model]:
    with models.running() as running:
        yield running


@pytest.fixture(params=[ClaudeCode, Codex], ids=["claude-code", "codex"])
def agent(request: pytest.FixtureRequest, tmp_path: Path, model: Model, memory: Memory) -> Agent:
    return request.param(tmp_path, model, memory)
