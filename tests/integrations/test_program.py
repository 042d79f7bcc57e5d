"""The program in the agents' hooks: it prints what the server says, and whatever happens, the agent starts."""

from __future__ import annotations

import json
import os
import re
import socket
import stat
import threading
import tomllib
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.integrations.conftest import EVENT, KEY, PROGRAM, ROOT, output

PAYLOAD = "[REVELL | HELLO] Zoë 🦊 漢字\n• prm-1 2026-11-30: x\n"
CACHED = re.compile(r"\[REVELL \| CACHED\] .* \d{4}-\d{2}-\d{2} \d{2}:\d{2} UTC, .*\n")
# The limit with what a loaded machine adds to the start and the end of a process.
TWO_SECONDS = 4.0


@pytest.fixture
def nobody():
    """An address at which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    return f"http://127.0.0.1:{port}"


def check_nothing_is_added(done, *words):
    assert (done.code, json.loads(done.out)) == (0, {})
    check_line(done, *words)


def check_line(done, *words):
    assert done.told.startswith("revell: ")
    assert done.told.count("\n") == 1
    assert KEY not in done.told
    for word in words:
        assert word in done.told


def test_it_sends_the_event_as_it_is_and_prints_the_answer_as_it_is(hook, server):
    server.says(PAYLOAD)
    raw = b'{"hook_event_name": "SessionStart",  "session_id": "s-1", "cwd": "/b\xc3\xb6at"}'
    done = hook("codex", event=raw)
    assert (done.code, done.told) == (0, "")
    assert done.out == json.dumps(output(PAYLOAD), ensure_ascii=False) + "\n"
    (path, headers, sent) = server.asked[0]
    assert sent == raw
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert headers["Content-Type"] == "application/json"
    assert urlsplit(path).path == "/api/v1/hooks/codex"
    query = parse_qs(urlsplit(path).query)
    assert (query["slice"], query["of"], len(query["moment"])) == (["1"], ["1"], 1)
    assert KEY not in path


def test_an_event_that_asks_for_nothing_leaves_the_cache_alone(hook, server):
    server.says(PAYLOAD)
    assert hook().text == PAYLOAD
    server.answers(b"{}")
    assert hook(event={"hook_event_name": "Stop"}).out == "{}\n"
    server.answers(b"", 503)
    check_nothing_is_added(hook(event={"hook_event_name": "Stop"}), "answers 503")
    assert PAYLOAD in hook().text


def test_every_call_is_a_moment_of_its_own(hook, server):
    hook()
    hook()
    moments = {parse_qs(urlsplit(path).query)["moment"][0] for path, _, _ in server.asked}
    assert len(moments) == 2


def test_a_dead_server_without_a_cache(hook, nobody):
    done = hook(REVELL_URL=nobody)
    check_nothing_is_added(done, f"no answer from {nobody}", "no payload is cached")
    assert done.seconds < TWO_SECONDS


def test_a_dead_server_gives_the_last_good_payload_marked_with_its_date(hook, server):
    server.says(PAYLOAD)
    hook()
    server.answers(b"", 500)
    done = hook()
    assert done.code == 0
    check_line(done, "answers 500", "the payload of 20")
    mark = CACHED.match(done.text)
    assert mark
    assert done.text == mark[0] + PAYLOAD
    assert len(mark[0]) <= 200
    again = hook()
    assert again.text == done.text, "an old payload is not kept again as a new one"


def test_the_cache_is_of_one_key_one_server_and_one_slice(hook, server, nobody):
    server.says(PAYLOAD)
    hook()
    server.answers(b"", 500)
    check_nothing_is_added(hook(REVELL_KEY="rvl_other"))
    check_nothing_is_added(hook("claude-code", "2", "2"))
    check_nothing_is_added(hook(REVELL_URL=nobody))
    assert PAYLOAD in hook().text


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "does not accept the API key (401): look at REVELL_KEY"),
        (403, "needs the scope"),
        (404, "answers 404"),
        (302, "put the address itself into REVELL_URL"),
        (503, "answers 503"),
    ],
)
def test_a_refusal_is_told_in_one_line(hook, server, status, words):
    server.answers(b'{"code": "x"}', status, Location="http://127.0.0.1:9/elsewhere")
    check_nothing_is_added(hook(), words)


def test_a_key_is_never_sent_to_another_server(hook, server):
    server.answers(b"", 307, Location=f"{server.url}/elsewhere")
    check_nothing_is_added(hook())
    assert len(server.asked) == 1


@pytest.fixture
def slow(server):
    """A server that has taken the request and says nothing more until the test is over."""
    released = threading.Event()

    def answer(handler):
        released.wait(30)

    server.answer = answer
    yield server
    released.set()


def test_a_slow_server_is_waited_for_two_seconds_on_the_whole(hook, slow):
    done = hook()
    check_nothing_is_added(done, "no answer within 2 seconds")
    assert done.seconds < TWO_SECONDS


def test_a_server_that_drips_is_slow_too(hook, server):
    stop = threading.Event()

    def drip(handler):
        handler.send_response(200)
        handler.end_headers()
        while not stop.wait(0.05):
            handler.wfile.write(b" ")

    server.answer = drip
    done = hook()
    stop.set()
    check_nothing_is_added(done, "no answer within 2 seconds")
    assert done.seconds < TWO_SECONDS


def test_an_event_that_never_comes_is_not_waited_for(hook, server):
    with hook.start() as process:
        assert process.wait(timeout=10) == 0
        assert b"no answer within 2 seconds" in process.stderr.read()
        process.stdin.close()


def test_an_answer_that_is_complete_is_used_though_its_end_does_not_come(hook, server):
    stop = threading.Event()

    def answer(handler):
        handler.send_response(200)
        handler.end_headers()
        handler.wfile.write(json.dumps(output(PAYLOAD)).encode())
        handler.wfile.flush()
        stop.wait(30)

    server.answer = answer
    done = hook()
    stop.set()
    assert (done.text, done.told) == (PAYLOAD, "")


def test_an_answer_that_breaks_off_is_asked_for_again_with_the_same_moment(hook, server):
    """P43: the server sees a repeat."""

    def answer(handler):
        if len(server.asked) == 1:
            handler.send_response(200)
            handler.send_header("Content-Length", "1000")
            handler.end_headers()
            handler.wfile.write(b'{"hookSpecificOutput": {')
        else:
            server.says(PAYLOAD)
            server.answer(handler)

    server.answer = answer
    assert hook().text == PAYLOAD
    paths = [path for path, _, _ in server.asked]
    assert len(paths) == 2
    assert paths[0] == paths[1]


@pytest.mark.parametrize(
    "body",
    [
        b"<html>Sign in to the hotel</html>",
        b"",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"hookSpecificOutput": 5}',
        b'{"hookSpecificOutput": {"additionalContext": ["x"]}}',
        b'{"error": "no"}',
        b"[" * 100_000,
        b"x" * 3_000_000,
    ],
    ids=lambda body: repr(body[:20]),
)
def test_garbage_is_never_printed_and_never_kept(hook, server, body):
    server.says(PAYLOAD)
    hook()
    server.answers(body)
    done = hook()
    assert done.code == 0
    check_line(done, "does not answer like Revell")
    assert CACHED.sub("", done.text) == PAYLOAD


def test_a_huge_payload_comes_through(hook, server):
    large = "ü🦊\n" * 100_000
    server.says(large)
    assert hook().text == large
    server.answers(b"", 500)
    assert hook().text.endswith(large)


@pytest.mark.parametrize("umask", ["0000", "0022"])
def test_the_cache_is_private(hook, server, umask, tmp_path):
    server.says(PAYLOAD)
    before = os.umask(int(umask, 8))
    try:
        hook()
        hook("claude-code", "1", "2")
    finally:
        os.umask(before)
    assert stat.S_IMODE(hook.cache.stat().st_mode) == 0o700
    files = list(hook.cache.iterdir())
    assert len(files) >= 4
    for path in files:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path.name
        assert KEY not in path.read_text() + path.name
        assert "secret" not in path.read_text() + path.name


def test_a_cache_that_cannot_be_written_is_no_fault(hook, server, tmp_path):
    server.says(PAYLOAD)
    (tmp_path / "file").write_text("in the way")
    for arguments in (["claude-code"], ["claude-code", "1", "2"]):
        done = hook(*arguments, REVELL_CACHE=str(tmp_path / "file" / "below"))
        assert (done.text, done.told) == (PAYLOAD, "")


def test_a_damaged_cache_is_no_fault(hook, server):
    server.says(PAYLOAD)
    hook()
    for path in hook.cache.glob("payload-*"):
        path.write_bytes(b'{"at": 5')
    server.answers(b"", 500)
    check_nothing_is_added(hook())


def test_without_a_folder_of_its_own_it_uses_the_users_cache(hook, server, tmp_path):
    server.says(PAYLOAD)
    hook.environment.pop("REVELL_CACHE")
    hook()
    assert list((tmp_path / ".cache" / "revell").glob("payload-*"))
    hook(XDG_CACHE_HOME=str(tmp_path / "xdg"))
    assert list((tmp_path / "xdg" / "revell").glob("payload-*"))


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"REVELL_KEY": ""}, "REVELL_KEY is not set"),
        ({"REVELL_KEY": "rvl_a\nb"}, "a character that no key has"),
        ({"REVELL_KEY": "rvl_ä"}, "a character that no key has"),
        ({"REVELL_URL": "memory.example.org"}, "does not begin with http"),
        ({"REVELL_URL": "http://[::"}, ""),
        ({"REVELL_URL": "http://127.0.0.1:99999"}, ""),
    ],
)
def test_a_wrong_environment_is_told(hook, environment, words):
    check_nothing_is_added(hook(**environment), words)


def test_an_address_is_told_without_the_password_in_it(hook, nobody):
    done = hook(REVELL_URL=nobody.replace("//", "//keeper:hunter2@"))
    check_nothing_is_added(done)
    assert "hunter2" not in done.told


@pytest.mark.parametrize("arguments", [["codex", "one", "two"], ["codex", "1"], ["codex", "1", "2", "3"]])
def test_a_wrong_call_is_told(hook, arguments):
    check_nothing_is_added(hook(*arguments), "call it as")


@pytest.mark.parametrize("event", [b"", b"nonsense", b"[]", b"\xff"])
def test_an_event_that_is_none_is_left_to_the_server(hook, server, event):
    server.answers(b"{}")
    done = hook(event=event)
    assert (done.out, done.told) == ("{}\n", "")
    assert server.asked[0][2] == event


def test_the_hooks_of_one_event_agree_on_a_moment_and_end_in_order(hook, server):
    """Claude Code puts the texts together in the order in which its hooks end."""
    ended = []

    def answer(handler):
        number = int(parse_qs(urlsplit(handler.path).query)["slice"][0])
        if len(server.asked) >= 3:
            others_asked.set()
        if number == 1:
            others_asked.wait(1)
        server_says[number](handler)

    def saying(number):
        server.says(f"slice {number}")
        return server.answer

    others_asked = threading.Event()
    server_says = {number: saying(number) for number in (1, 2, 3)}
    server.answer = answer

    def watch(number, process):
        out, told = process.communicate(json.dumps(EVENT).encode(), timeout=30)
        ended.append((number, json.loads(out)["hookSpecificOutput"]["additionalContext"], told))

    threads = [
        threading.Thread(target=watch, args=(number, hook.start("claude-code", str(number), "3")))
        for number in (3, 2, 1)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ended == [(1, "slice 1", b""), (2, "slice 2", b""), (3, "slice 3", b"")]
    moments = {parse_qs(urlsplit(path).query)["moment"][0] for path, _, _ in server.asked}
    assert len(moments) == 1
    others_asked.set()
    again = [hook("claude-code", str(number), "3") for number in (1, 2)]
    assert all(done.code == 0 for done in again)
    later = [parse_qs(urlsplit(path).query)["moment"][0] for path, _, _ in server.asked[3:]]
    assert len(set(later)) == 1
    assert not moments & set(later)


def test_a_slice_whose_forerunner_never_comes_does_not_wait_for_ever(hook, server):
    server.says("slice 2")
    done = hook("claude-code", "2", "2")
    assert done.text == "slice 2"
    assert done.seconds < TWO_SECONDS


def test_both_folders_hold_the_same_program():
    assert PROGRAM.read_bytes() == (ROOT / "integrations" / "codex" / "boot.py").read_bytes()


@pytest.mark.parametrize(("client", "file"), [("claude-code", "hooks/hooks.json"), ("codex", "hooks.json")])
def test_the_hooks_are_commands_that_name_each_slice_once(client, file):
    (group,) = json.loads((ROOT / "integrations" / client / file).read_text())["hooks"]["SessionStart"]
    assert set(group["matcher"].split("|")) >= {"startup", "resume", "clear", "compact"}
    assert {hook["type"] for hook in group["hooks"]} == {"command"}
    of = len(group["hooks"])
    ends = [hook["command"].rpartition('boot.py" ')[2] for hook in group["hooks"]]
    assert ends == [f"{client} {number} {of}" for number in range(1, of + 1)]
    assert not any("KEY" in hook["command"] for hook in group["hooks"])


def test_the_plugin_names_no_secret_and_no_machine():
    for path in (ROOT / "integrations").rglob("*"):
        if path.is_file():
            assert "rvl_" not in path.read_text(encoding="utf-8"), path.name
    mcp = json.loads((ROOT / "integrations/claude-code/.mcp.json").read_text())["mcpServers"]["revell"]
    assert mcp["headers"] == {"Authorization": "Bearer ${REVELL_KEY}"}
    manifest = json.loads((ROOT / "integrations/claude-code/.claude-plugin/plugin.json").read_text())
    assert manifest["name"] == "revell"


def test_the_configurations_in_the_docs_can_be_read():
    text = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 6
    for block in blocks:
        json.loads(block)
    tomllib.loads((ROOT / "integrations" / "codex" / "config.toml").read_text(encoding="utf-8"))
