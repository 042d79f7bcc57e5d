"""How each client is set up, with this server's address filled in.

The texts are those of docs/integrations.md; `tests/web/test_connect.py` compares them.
"""

from __future__ import annotations

from dataclasses import dataclass

# What stands in the texts for the server and for the folder in which Revell lies on the agent's machine.
ADDRESS = "http://127.0.0.1:8000"
NO_KEY = "rvl_…"


@dataclass(frozen=True, slots=True)
class Step:
    """What to do, and what to type or to put into a file; `id` names the block in the page."""

    id: str
    text: str
    code: str


@dataclass(frozen=True, slots=True)
class Setup:
    """One client. `compaction` says what it cannot do; "" where it boots by itself then, too."""

    name: str
    hint: str
    steps: tuple[Step, ...]
    compaction: str = ""


CLAUDE_CODE_HOOK = """{
  "hooks": {
    "SessionStart": [{
      "matcher": "startup|resume|clear|compact|fork",
      "hooks": [{
        "type": "command",
        "command": "python3 /path/to/revell/integrations/claude-code/boot.py claude-code",
        "timeout": 10
      }]
    }]
  }
}"""
CURSOR = """{
  "mcpServers": {
    "revell": {
      "url": "http://127.0.0.1:8000/mcp",
      "headers": {"Authorization": "Bearer ${env:REVELL_KEY}"}
    }
  }
}"""
VS_CODE = """{
  "inputs": [{"type": "promptString", "id": "revell_key", "description": "Revell API key", "password": true}],
  "servers": {
    "revell": {
      "type": "http",
      "url": "http://127.0.0.1:8000/mcp",
      "headers": {"Authorization": "Bearer ${input:revell_key}"}
    }
  }
}"""
GEMINI_CLI = """{
  "mcpServers": {
    "revell": {
      "httpUrl": "http://127.0.0.1:8000/mcp",
      "headers": {"Authorization": "Bearer $REVELL_KEY"}
    }
  }
}"""
OPEN_CODE = """{
  "mcp": {
    "revell": {
      "type": "remote",
      "url": "http://127.0.0.1:8000/mcp",
      "headers": {"Authorization": "Bearer {env:REVELL_KEY}"}
    }
  }
}"""
OPEN_CLAW = """{
  "mcp": {
    "servers": {
      "revell": {
        "url": "http://127.0.0.1:8000/mcp",
        "transport": "streamable-http",
        "headers": {"Authorization": "Bearer ${REVELL_KEY}"}
      }
    }
  }
}"""
CODEX_COPY = """cp -r /path/to/revell/integrations/codex ~/.codex/revell
cp ~/.codex/revell/hooks.json ~/.codex/hooks.json     # or add its entries to the file that you have
cat ~/.codex/revell/config.toml >> ~/.codex/config.toml"""
ENVIRONMENT = """export REVELL_URL=http://127.0.0.1:8000
export REVELL_KEY=rvl_…"""
BOOT = """curl -sSf --max-time 10 -X POST "$REVELL_URL/api/v1/boot" \\
    -H "Authorization: Bearer $REVELL_KEY" -H 'Accept: text/plain'"""
PREVIEW = """curl -sSf "$REVELL_URL/api/v1/boot/preview" \\
    -H "Authorization: Bearer $REVELL_KEY" -H 'Accept: text/plain'"""

_BY_MCP = "Boots when the agent calls revell_boot"
_SILENT = "At a compaction nothing calls Revell by itself; promises that nobody fetched stay pending."


def environment(address: str, *, key: str = "") -> Step:
    """What every client needs first: where the server is and, where it was made just now, the key."""
    return Step("setup-environment", "", _filled(ENVIRONMENT, address).replace(NO_KEY, key or NO_KEY))


def setups(address: str) -> tuple[Setup, ...]:
    """The clients that Revell knows, those that boot by themselves first. `address` has no slash at its end."""
    by_hooks = "Boots by itself at start, on resume and after a compaction"
    told = (
        ("Claude Code", by_hooks, "", (
            ("As a plugin, with hooks and tools:",
             "claude --plugin-dir /path/to/revell/integrations/claude-code"),
            ("Or without the plugin, the hook in ~/.claude/settings.json:", CLAUDE_CODE_HOOK),
            ("and the tools:",
             'claude mcp add --transport http revell "$REVELL_URL/mcp" --header "Authorization: Bearer $REVELL_KEY"'),
        )),
        ("Codex", f"{by_hooks}, once its hooks are trusted", "", (
            ("Copy the folder and its hooks, then start codex and trust the four hooks when it asks:", CODEX_COPY),
            ("In config.toml the address is:", 'url = "http://127.0.0.1:8000/mcp"'),
        )),
        ("Cursor", _BY_MCP, _SILENT, (("In ~/.cursor/mcp.json:", CURSOR),)),
        ("VS Code", _BY_MCP, _SILENT, (("In .vscode/mcp.json; it asks for the key once:", VS_CODE),)),
        ("Gemini CLI", _BY_MCP, _SILENT, (("In ~/.gemini/settings.json:", GEMINI_CLI),)),
        ("OpenCode", _BY_MCP, _SILENT, (("In opencode.json:", OPEN_CODE),)),
        ("OpenClaw", _BY_MCP, "It is asked to save notes before a compaction and can promise then; afterwards nothing "
         "calls Revell.", (("In ~/.openclaw/openclaw.json:", OPEN_CLAW),)),
        ("curl", "Boots when you call it", "", (
            ("A real boot; its promises are served:", BOOT),
            ("The same text, and nothing is consumed:", PREVIEW),
        )),
    )  # fmt: skip
    return tuple(
        Setup(
            name,
            hint,
            tuple(
                Step(f"setup-{place}-{number}", text, _filled(code, address))
                for number, (text, code) in enumerate(steps)
            ),
            compaction,
        )
        for place, (name, hint, compaction, steps) in enumerate(told)
    )


def _filled(code: str, address: str) -> str:
    return code.replace(ADDRESS, address)
