"""What each tool about capsules does, as in `operations`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memories.contracts.capsule_calls import capsule_values, framed, relation_values, whole_values, written_values
from memories.engine.actor import Actor
from memories.engine.capsules import number_of
from memories.mcp.answers import Answer, told
from memories.selectors import capsules as rows
from memories.services import capsules

Values = Mapping[str, Any]


def compile_pack(actor: Actor, values: Values) -> Answer:
    return told(rows.bootstrap(actor, arguments=values).to_wire())


def retrieve(actor: Actor, values: Values) -> Answer:
    return told(rows.retrieve(actor, arguments=values).to_wire())


def digest(actor: Actor, values: Values) -> Answer:
    return told(rows.digest(actor, arguments=values).to_wire())


def list_page(actor: Actor, values: Values) -> Answer:
    return told(rows.list_page(actor, arguments=values).to_wire())


def read_one(actor: Actor, values: Values) -> Answer:
    return told(framed(whole_values(rows.get_capsule(actor, number=_number(values)))))


def capture(actor: Actor, values: Values) -> Answer:
    captured, written = capsules.capture(actor, values=values)
    return told(
        framed(
            {**capsule_values(captured.capsule), "duplicate": captured.duplicate, **written_values(written)},
        )
    )


def relate(actor: Actor, values: Values) -> Answer:
    kind, source, target = (values.get(name) for name in ("kind", "from", "to"))
    relation, written = capsules.relate(actor, kind=kind, source=source, target=target)
    return told({**relation_values(relation), **written_values(written)})


def change_tier(actor: Actor, values: Values) -> Answer:
    return told(framed(capsule_values(capsules.set_tier(actor, number=_number(values), tier=values.get("tier")))))


def forget(actor: Actor, values: Values) -> Answer:
    capsule, written = capsules.forget(actor, number=_number(values), reason=values.get("reason"))
    return told(framed({**capsule_values(capsule), **written_values(written)}))


def list_or_make_aliases(actor: Actor, values: Values) -> Answer:
    if values:
        made, _ = capsules.alias(actor, term=values.get("term"), alias=values.get("alias"))
        return told(framed({"term": made.term, "alias": made.alias}))
    aliases = [{"term": one.term, "alias": one.alias} for one in rows.list_aliases(actor)]
    return told(framed({"results": aliases, "total": len(aliases)}))


def _number(values: Values) -> int:
    return number_of(values.get("id"), "id")
