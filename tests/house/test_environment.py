"""The environment: defaults, files, and a start that is refused with every fault at once."""

from __future__ import annotations

import stat
import subprocess
import sys
import threading

import pytest

from revell import environment
from revell.environment import LOOPBACK_HOSTS, VARIABLES, WrongEnvironment, kept_secret, read
from tests.guards.sources import ROOT

SECRET = "a-secret-of-more-than-thirty-two-characters"


@pytest.fixture(autouse=True)
def bare(monkeypatch):
    for variable in VARIABLES:
        monkeypatch.delenv(variable.name, raising=False)
        monkeypatch.delenv(f"{variable.name}_FILE", raising=False)


@pytest.fixture
def key_file(tmp_path):
    return tmp_path / ".secret_key"


def problems(key_file):
    with pytest.raises(WrongEnvironment) as caught:
        read(key_file)
    return caught.value.problems


def test_nothing_given_is_a_server_for_this_machine(key_file):
    found = read(key_file)
    assert found.uses_sqlite
    assert found.database["NAME"] == str(ROOT / "revell.sqlite3")
    assert found.allowed_hosts == LOOPBACK_HOSTS
    assert (found.port, found.workers, found.debug, found.behind_https) == (8000, 1, False, False)


def test_the_secret_is_made_once_and_for_its_owner_only(key_file):
    first = read(key_file).secret_key
    assert len(first) >= 50
    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
    assert read(key_file).secret_key == first
    assert list(key_file.parent.iterdir()) == [key_file]


def test_processes_that_start_together_agree_on_one_secret(key_file, monkeypatch):
    """Each sees no file, each makes one, one of them wins."""
    barrier = threading.Barrier(4)
    token = environment.secrets.token_urlsafe

    def meet(size):
        barrier.wait(timeout=10)
        return token(size)

    monkeypatch.setattr(environment.secrets, "token_urlsafe", meet)
    found: list[str] = []
    threads = [threading.Thread(target=lambda: found.append(kept_secret(key_file))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert set(found) == {key_file.read_text().strip()}


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    assert "SECRET_KEY is not set" in problems(tmp_path / "missing" / "key")[0]


def test_postgresql_needs_a_secret_and_makes_no_file(monkeypatch, key_file):
    monkeypatch.setenv("DATABASE_URL", "postgres://revell:pass@127.0.0.1:5432/revell")
    assert "SECRET_KEY is required" in problems(key_file)[0]
    assert not key_file.exists()
    monkeypatch.setenv("SECRET_KEY", SECRET)
    assert read(key_file).database["ENGINE"] == "django.db.backends.postgresql"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "eighty"),
        ("PORT", "0"),
        ("PORT", "65536"),
        ("WORKERS", "0"),
        ("DEBUG", "perhaps"),
        ("BEHIND_HTTPS", "maybe"),
        ("LOG_LEVEL", "LOUD"),
        ("SECRET_KEY", "short"),
        ("METRICS_KEY", "short"),
        ("ALLOWED_HOSTS", "*"),
        ("ALLOWED_HOSTS", "https://revell.example.org"),
        ("ALLOWED_HOSTS", "revell.example.org:8000"),
        ("CSRF_TRUSTED_ORIGINS", "revell.example.org"),
        ("CSRF_TRUSTED_ORIGINS", "https://revell.example.org/path"),
        ("DATABASE_URL", "mysql://a:b@c/d"),
        ("DATABASE_URL", "nonsense"),
        ("DATABASE_URL", "sqlite://:memory:"),
        ("DATABASE_URL", "postgres://a:b@c"),
    ],
)
def test_a_wrong_value_stops_the_start_and_is_named(monkeypatch, key_file, name, value):
    monkeypatch.setenv(name, value)
    if name == "DATABASE_URL":
        monkeypatch.setenv("SECRET_KEY", SECRET)
    assert [problem for problem in problems(key_file) if name in problem]
    assert not key_file.exists()


def test_all_faults_are_told_at_once(monkeypatch, key_file):
    wrong = {"PORT": "x", "WORKERS": "x", "DEBUG": "x", "LOG_LEVEL": "x", "ALLOWED_HOSTS": "*", "DATABASE_URL": "x"}
    for name, value in wrong.items():
        monkeypatch.setenv(name, value)
    text = "\n".join(problems(key_file))
    assert [name for name in wrong if name not in text] == []


def test_no_secret_is_repeated_in_a_fault(monkeypatch, key_file):
    monkeypatch.setenv("DATABASE_URL", "mysql://someone:hunter2@host/name")
    monkeypatch.setenv("SECRET_KEY", "tooshort")
    monkeypatch.setenv("METRICS_KEY", "alsoshort")
    text = "\n".join(problems(key_file))
    assert not any(secret in text for secret in ("hunter2", "tooshort", "alsoshort"))


def test_each_variable_may_be_a_file(monkeypatch, key_file, tmp_path):
    given = {"SECRET_KEY": SECRET, "DATABASE_URL": "postgres://a:b@c:1/d", "PORT": "9000", "METRICS_KEY": SECRET + "2"}
    for name, value in given.items():
        (tmp_path / name).write_text(value + "\n")
        monkeypatch.setenv(f"{name}_FILE", str(tmp_path / name))
    found = read(key_file)
    assert (found.secret_key, found.port, found.metrics_key) == (SECRET, 9000, SECRET + "2")
    assert found.database["PASSWORD"] == "b"


def test_a_missing_file_and_a_value_given_twice_are_faults(monkeypatch, key_file, tmp_path):
    monkeypatch.setenv("SECRET_KEY_FILE", str(tmp_path / "nowhere"))
    (tmp_path / "port").write_text("1")
    monkeypatch.setenv("PORT_FILE", str(tmp_path / "port"))
    monkeypatch.setenv("PORT", "2")
    text = "\n".join(problems(key_file))
    assert "SECRET_KEY_FILE" in text
    assert "PORT and PORT_FILE" in text
    assert not key_file.exists()


def test_an_empty_value_counts_as_not_given(monkeypatch, key_file):
    for variable in VARIABLES:
        monkeypatch.setenv(variable.name, "")
    assert read(key_file).port == 8000


def test_the_command_tells_the_faults_without_a_traceback():
    """What an operator sees who mistypes two variables."""
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env={"PORT": "x", "LOG_LEVEL": "x", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "PORT" in done.stderr
    assert "LOG_LEVEL" in done.stderr
    assert "Traceback" not in done.stderr
