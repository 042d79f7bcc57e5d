"""The start on a bare machine: install once, again only after a change, and say plainly what is missing."""

from __future__ import annotations

import socket
import subprocess

import pytest

from revell import install as module
from revell.install import InstallFailed, install, require_free


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project without packages whose commands are only noted; `project.fails` makes one of them fail."""

    class Project:
        commands: list[list[str]] = []
        fails = ""

        def run(self, command, check):
            self.commands.append(command)
            failed = bool(self.fails) and self.fails in command
            if "venv" in command and not failed:
                python.parent.mkdir(parents=True)
                python.touch()
            return subprocess.CompletedProcess(command, int(failed))

    venv = tmp_path / ".venv"
    python = venv / "bin" / "python"
    (tmp_path / "requirements.txt").write_text("a==1\n")
    (tmp_path / "requirements-dev.txt").write_text("b==1\n")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "VENV", venv)
    monkeypatch.setattr(module, "PYTHON", python)
    project = Project()
    project.commands = []
    monkeypatch.setattr(module.subprocess, "run", project.run)
    return project


def installed(project):
    return [command[-1].rsplit("/", 1)[-1] for command in project.commands if "install" in command]


def test_a_second_start_installs_nothing(project):
    install(dev=False)
    install(dev=False)
    assert installed(project) == ["requirements.txt"]
    assert len(project.commands) == 2


def test_a_changed_requirement_is_installed(project, tmp_path):
    install(dev=True)
    (tmp_path / "requirements.txt").write_text("a==2\n")
    install(dev=True)
    assert installed(project) == ["requirements-dev.txt", "requirements-dev.txt"]


def test_what_failed_is_tried_again(project):
    project.fails = "install"
    with pytest.raises(InstallFailed, match=r"requirements\.txt could not be installed"):
        install(dev=False)
    project.fails = ""
    install(dev=False)
    assert installed(project) == ["requirements.txt", "requirements.txt"]


def test_a_python_without_venv_is_told_how_to_get_it(project):
    project.fails = "venv"
    with pytest.raises(InstallFailed, match="apt-get install python3-venv"):
        install(dev=False)


def test_a_taken_port_is_told_before_anything_else():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(InstallFailed, match="Choose another"):
            require_free(taken.getsockname()[1])
    with pytest.raises(InstallFailed, match="Choose another"):
        require_free(99_999)
