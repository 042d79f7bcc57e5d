"""Recall: what it finds, what no query can break, and what a context hint brings into a boot (P32, P33, P48)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memories.engine.actor import Actor
from memories.engine.delivery import BootRequest
from memories.engine.kinds import MemoryType, Scope, Source
from memories.engine.limits import RECALLED_MAX
from memories.engine.memories import MemoryDraft
from memories.engine.moments import moment_of
from memories.errors import InvalidInput, NotPermitted
from memories.models import Memory, MemoryWords, Tenant
from memories.selectors.memories import MemoryFilter, page_memories
from memories.selectors.recall import CANDIDATES_MAX, RecallQuery, recall
from memories.services import boot, memories, promises
from tests import factories
from tests.services.conftest import Clock
from tests.services.tables import dump, found_by_the_database

pytestmark = pytest.mark.django_db

# No letter or digit in them: they ask for nothing.
WORDLESS = ["'\"", "()[]{}", "***", ":-:", "\\", "\\\\'", "%", "_", "%_%", "--", "/* */", ";", "👍", "👩‍👩‍👧‍👦", "…?!",
            "<>&|", "\x00", "\u200b", "\u2028", "$", "^", "~"]  # fmt: skip

HOSTILE = [
    *WORDLESS,
    "NOT", "AND", "OR", "NEAR", "NOT NEAR(", "OR OR OR", "a AND", "NEAR(a b, 5)", '"unclosed', "unclosed'", 'col:value',
    "tenant_id : 1", 'words:"x" OR tenant_id:"2"', "x*", "-x", "+x", "^x", "a\\b", "x'; DROP TABLE memories_memory;--",
    "x\x00y", "100%", "a_b", "!x & y | z:*", "<-> x", "x:A", "$1", "'x':*", "\\:*", "{}", "%s %s %(a)s", "x" * 1_000,
    "x " * 500, "漢" * 1_000, "🙂" * 1_000, '"' * 1_000, "(" * 1_000, " AND ".join("abcdefghijklmnopqrstuvwxyz" * 7),
    "é́" * 500, "ß", "İ", "\U0001f1e9\U0001f1ea", "ﬁ", "１２３", "²", "٣", "a\tb\nc",
]  # fmt: skip


def contents(actor: Actor, query: str, **options: object) -> list[str]:
    found = recall(actor, query=RecallQuery(query, **options))  # type: ignore[arg-type]
    return [hit.memory.content for hit in found.hits]


# Hostile queries -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", HOSTILE)
def test_p33_no_query_breaks_recall_or_reaches_another_tenant(actor: Actor, other_actor: Actor, query: str) -> None:
    """Whatever the query says in the language of a database, it is only words."""
    factories.remember(actor, content="mine: x y z a b 100")
    if query.strip("\x00 ") and query.strip():
        factories.remember(other_actor, content=f"theirs: x y z a b tenant_id {query}".replace("\x00", ""))
    before = dump()
    try:
        found = recall(actor, query=RecallQuery(query))
    except InvalidInput as refused:
        assert list(refused.errors) == ["query"]
        assert not query.strip() or len(query) > 1_000
    else:
        assert [hit.memory.tenant_id for hit in found.hits] == [actor.tenant] * len(found.hits)
        assert found.total_matched == len(found.hits) <= 1
    assert dump() == before


@pytest.mark.parametrize("query", WORDLESS)
def test_p33_a_query_without_a_word_finds_nothing(actor: Actor, query: str) -> None:
    factories.remember(actor, content=f"something {query} happened".replace("\x00", ""))
    found = recall(actor, query=RecallQuery(f"x{query}" if not query.strip() else query))
    assert (found.hits, found.total_matched) == ([], 0)


@pytest.mark.parametrize("hint", [*WORDLESS, "unmatched zebra"])
def test_p33_a_hint_without_a_match_adds_nothing(actor: Actor, hint: str) -> None:
    factories.remember(actor, content="something happened")
    if "\x00" in hint:
        with pytest.raises(InvalidInput):
            boot.preview(actor, request=BootRequest(context_hint=hint))
        hint = ""
    plain = boot.preview(actor, request=BootRequest()).text
    assert boot.preview(actor, request=BootRequest(context_hint=hint)).text == plain
    assert "RECALLED" not in plain


@pytest.mark.parametrize("hint", [query for query in HOSTILE if len(query) <= 1_000 and "\x00" not in query])
def test_p33_no_hint_breaks_a_boot(actor: Actor, hint: str) -> None:
    factories.remember(actor, content=f"something x y z {hint}")
    assert boot.serve(actor, request=BootRequest(context_hint=hint)).payload.endswith("[REVELL | END]\n")


@pytest.mark.parametrize("query", ["", " ", "\n\t", "x" * 1_001, "\ud800"])
def test_an_empty_or_overlong_query_is_refused(actor: Actor, query: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        recall(actor, query=RecallQuery(query))
    assert list(refused.value.errors) == ["query"]


@pytest.mark.parametrize("limit", [0, -1, 51, 10**30])
def test_a_limit_out_of_range_is_refused(actor: Actor, limit: int) -> None:
    with pytest.raises(InvalidInput) as refused:
        recall(actor, query=RecallQuery("x", limit=limit))
    assert list(refused.value.errors) == ["limit"]


@pytest.mark.parametrize("importance", [-0.1, 1.1, float("nan"), float("inf")])
def test_an_importance_out_of_range_is_refused(actor: Actor, importance: float) -> None:
    with pytest.raises(InvalidInput) as refused:
        recall(actor, query=RecallQuery("x", min_importance=importance))
    assert list(refused.value.errors) == ["min_importance"]


@pytest.mark.parametrize("tag", ["\x00", "a\x00b", "\ud800"])
def test_a_tag_that_cannot_exist_is_refused_or_finds_nothing(actor: Actor, tag: str) -> None:
    factories.remember(actor, content="something", tags=("a",))
    with pytest.raises(InvalidInput) as refused:
        recall(actor, query=RecallQuery("something", tags=(tag,)))
    assert list(refused.value.errors) == ["tags"]


def test_more_tags_than_a_memory_can_have_are_refused(actor: Actor) -> None:
    """Each tag is a join, and databases have a limit of these."""
    factories.remember(actor, content="something", tags=tuple(f"t{n}" for n in range(50)))
    fifty = tuple(f"t{n}" for n in range(50))
    assert contents(actor, "something", tags=fifty) == ["something"]
    assert contents(actor, "something", tags=fifty * 3) == ["something"]
    with pytest.raises(InvalidInput) as refused:
        recall(actor, query=RecallQuery("something", tags=tuple(f"t{n}" for n in range(51))))
    assert list(refused.value.errors) == ["tags"]


# What is found -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "query"),
    [
        ("look into src/app/models.py first", "src/app/models.py"),
        ("look into src/app/models.py first", "models.py"),
        ("the Celery task_tools module", "task_tools"),
        ("the Celery task_tools module", "tools"),
        ("call parseHttpRequest twice", "parseHttpRequest"),
        ("call parseHttpRequest twice", "http request"),
        ("version v2.14.3 broke it", "v2.14.3"),
        ("我们在上海开会讨论记忆系统", "上海"),
        ("我们在上海开会讨论记忆系统", "记忆系统"),
        ("昨日は東京で会議をしました", "東京"),
        ("어제 서울에서 회의했다", "서울"),
        ("ประชุมที่กรุงเทพ", "กรุงเทพ"),
        ("Über Straße und Fußgänger", "strasse"),
        ("Café in Zürich", "cafe zurich"),
        ("обсудили миграцию базы", "миграцию"),
        ("migrations were running", "migration run"),
        ("50% of O'Brien's \"quoted\" words", "O'Brien's"),
        ("a -> b, c_d; e:f (g) [h]", "c_d"),
        ("email keeper@example.org about it", "keeper@example.org"),
        ("WHAT", "what"),
        ("👍 shipped", "shipped 🚀"),
    ],
)
def test_p48_words_are_found_however_they_are_written(actor: Actor, content: str, query: str) -> None:
    factories.remember(actor, content=content)
    factories.remember(actor, content="wholly other")
    assert contents(actor, query) == [content]


def test_a_pattern_character_is_no_pattern(actor: Actor) -> None:
    """`%` and `_` and `*` match nothing but themselves, and they are not words."""
    factories.remember(actor, content="migration")
    assert contents(actor, "migr%") == contents(actor, "migr*") == contents(actor, "m_gration") == []


def test_recall_covers_key_category_and_tags(actor: Actor) -> None:
    factories.remember(actor, "core", "the text", category="operations", key="deploy-window")
    factories.remember(actor, content="another text", tags=("incident-42",))
    assert contents(actor, "deploy window") == ["the text"]
    assert contents(actor, "operations") == ["the text"]
    assert contents(actor, "incident-42") == ["another text"]


def test_recall_covers_the_source_but_not_that_of_nearly_everything(actor: Actor) -> None:
    """What agents store says so nowhere: the word would only make every memory a match."""
    factories.remember(actor, content="told by the keeper", source=Source.HUMAN)
    factories.remember(actor, content="brought along", source=Source.IMPORT)
    factories.remember(actor, content="noted")
    assert contents(actor, "human") == ["told by the keeper"]
    assert contents(actor, "imports") == ["brought along"]
    assert contents(actor, "agent") == []


def test_recall_covers_every_type_and_the_archive_but_not_the_bin(actor: Actor, clock: Clock) -> None:
    ended = factories.remember(actor, "working", "zebra ended", key="ended")
    clock.forward(days=9)
    for kind in ("core", "working", "episodic", "axiom"):
        factories.remember(actor, kind, f"zebra {kind}")
    factories.remember(actor, "semantic", subject="a zebra", predicate="is", object="striped", content="")
    archived = factories.remember(actor, content="zebra archived")
    memories.archive(actor, number=archived.number)
    forgotten = factories.remember(actor, content="zebra forgotten")
    memories.forget(actor, number=forgotten.number)
    assert sorted(contents(actor, "zebra")) == sorted(
        ["zebra core", "zebra working", "zebra episodic", "zebra axiom", "a zebra is striped", "zebra archived",
         "zebra ended"]
    )  # fmt: skip
    assert Memory.objects.get(number=ended.number).archived_at is None


def test_filters_narrow_and_the_answer_tells_its_scope(actor: Actor, clock: Clock) -> None:
    factories.remember(actor, content="zebra old", occurred_at=clock.now - timedelta(days=30), importance=0.9)
    factories.remember(actor, content="zebra new", tags=("a", "b"), importance=0.2)
    factories.remember(actor, "axiom", "zebra rule", importance=0.9)
    assert contents(actor, "zebra", types=(MemoryType.AXIOM,)) == ["zebra rule"]
    assert contents(actor, "zebra", tags=("a", "b")) == ["zebra new"]
    assert contents(actor, "zebra", tags=("a", "c")) == []
    assert sorted(contents(actor, "zebra", min_importance=0.9)) == ["zebra old", "zebra rule"]
    assert contents(actor, "zebra", until=clock.now - timedelta(days=1)) == ["zebra old"]
    assert sorted(contents(actor, "zebra", since=clock.now - timedelta(days=1))) == ["zebra new", "zebra rule"]
    nothing = recall(actor, query=RecallQuery("the unicorn", types=(MemoryType.CORE,), tags=("a",), min_importance=0.5))
    assert nothing.scope == {
        "query": "the unicorn", "words": ["unicorn"], "types": ["core"], "tags": ["a"], "min_importance": 0.5,
    }  # fmt: skip


@pytest.mark.parametrize("name", ["since", "until"])
@pytest.mark.parametrize("moment", [datetime.min, datetime(2026, 11, 30, 8)])  # noqa: DTZ001, DTZ901
def test_a_time_without_a_zone_is_refused(actor: Actor, name: str, moment: datetime) -> None:
    for call in (
        lambda: recall(actor, query=RecallQuery("x", **{name: moment})),
        lambda: page_memories(actor, where=MemoryFilter(**{name: moment})),
    ):
        with pytest.raises(InvalidInput) as refused:
            call()
        assert list(refused.value.errors) == [name]


@pytest.mark.parametrize("name", ["since", "until"])
@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_a_time_beyond_the_calendar_is_refused(actor: Actor, name: str, text: str) -> None:
    moment = datetime.fromisoformat(text)
    for call in (
        lambda: recall(actor, query=RecallQuery("x", **{name: moment})),
        lambda: page_memories(actor, where=MemoryFilter(**{name: moment})),
    ):
        with pytest.raises(InvalidInput) as refused:
            call()
        assert list(refused.value.errors) == [name]


def test_the_best_comes_first_and_the_order_is_total(actor: Actor, clock: Clock) -> None:
    factories.remember(actor, content="one zebra among many other words that dilute what is said about it here")
    factories.remember(actor, content="zebra crossing")
    factories.remember(actor, content="zebra")
    assert contents(actor, "zebra crossing")[0] == "zebra crossing"
    twins = []
    for _ in range(5):
        # An hour lies between them: what is told in one go lifts one another.
        clock.forward(hours=1)
        twins.append(factories.remember(actor, content="twin words").number)
    found = recall(actor, query=RecallQuery("twin")).hits
    assert [hit.memory.number for hit in found] == sorted(twins, reverse=True)
    assert len({hit.score for hit in found}) == 1


def test_what_another_tenant_stores_changes_no_order(actor: Actor, other_actor: Actor) -> None:
    """P48: how rare a word is, is judged among the tenant's own."""
    for text in ("the tide gauge", "a gauge of the harbour", "the tide table", "gauge gauge"):
        factories.remember(actor, content=text)
    before = [(hit.memory.number, hit.score) for hit in recall(actor, query=RecallQuery("tide gauge")).hits]
    for number in range(40):
        factories.remember(other_actor, content=f"tide {number} tide and more of the tide")
    assert [(hit.memory.number, hit.score) for hit in recall(actor, query=RecallQuery("tide gauge")).hits] == before


def test_a_tenant_has_its_own_list_of_each_word(actor: Actor, other_actor: Actor) -> None:
    """What others store is nothing that a recall goes through, and a word cannot be made to look like another's."""
    factories.remember(actor, content="tide")
    factories.remember(other_actor, content=f"tide {actor.tenant}xtide")
    for one, other in ((actor, other_actor), (other_actor, actor)):
        assert contents(one, f"{other.tenant}xtide tide") != []
        assert {hit.memory.tenant_id for hit in recall(one, query=RecallQuery("tide")).hits} == {one.tenant}
    assert contents(actor, f"{actor.tenant}xtide") == []


def test_a_new_time_counts_at_once(actor: Actor, clock: Clock) -> None:
    """What a recall ranks by follows the memory, to the microsecond."""
    moments = [datetime(1969, 7, 20, 20, 17, 40, 123456, UTC), datetime(9999, 12, 31, 23, 59, 59, 999999, UTC)]
    kept = factories.remember(actor, content="gauge one", occurred_at=moments[0])
    for moment in (*moments, datetime(1, 1, 1, tzinfo=UTC)):
        memories.revise(actor, number=kept.number, changes={"occurred_at": moment})
        row = MemoryWords.objects.get()
        assert moment_of(row.occurred_us) == Memory.objects.get().occurred_at == moment
        assert row.number == kept.number
    factories.remember(actor, content="gauge two", occurred_at=clock.now)
    assert contents(actor, "gauge") == ["gauge two", "gauge one"]
    memories.revise(actor, number=kept.number, changes={"occurred_at": clock.now + timedelta(days=1)})
    assert contents(actor, "gauge") == ["gauge one", "gauge two"]


def test_a_statement_is_found_by_its_parts(actor: Actor) -> None:
    factories.remember(actor, "semantic", "It measures.", subject="quay 7", predicate="has", object="two gauges")
    hits = recall(actor, query=RecallQuery("gauges of quay 7")).hits
    assert [hit.why for hit in hits] == ["words: gauges, quay, 7"]


def test_a_hit_says_why_it_is_one(actor: Actor, clock: Clock) -> None:
    factories.remember(actor, content="the tide report was late", occurred_at=clock.now - timedelta(days=2))
    factories.remember(actor, content="the report of today", occurred_at=clock.now)
    factories.remember(actor, content="a report beside it", occurred_at=clock.now)
    hits = recall(actor, query=RecallQuery("Reports of 30 November 2026?")).hits
    assert {str(hit.memory): hit.why for hit in hits} == {
        "mem-1": "words: Reports; of the time that was asked for",
        "mem-2": "words: Reports; of the time that was asked for; beside mem-3",
        "mem-3": "words: Reports; of the time that was asked for; beside mem-2",
    }
    assert hits[-1].memory.number == 1


def remember_all(actor: Actor, texts: list[str]) -> None:
    for start in range(0, len(texts), 500):
        drafts = [MemoryDraft(MemoryType.EPISODIC, text) for text in texts[start : start + 500]]
        memories.remember_many(actor, drafts=drafts)


@pytest.mark.parametrize(
    "query", ["common zyzzyva", "note on zyzzyva: " + " ".join(["common", *"abcdefghijklmnopqrst"])]
)
def test_a_common_word_never_crowds_out_a_rare_one(actor: Actor, query: str) -> None:
    """However many newer memories hold the other words of a question."""
    factories.remember(actor, content="zyzzyva")
    remember_all(actor, [f"common note {n % 60}" for n in range(CANDIDATES_MAX + 200)])
    assert contents(actor, query, limit=1) == ["zyzzyva"]
    assert "zyzzyva" in contents(actor, query, limit=1, types=(MemoryType.EPISODIC,))
    text = boot.preview(actor, request=BootRequest(context_hint=query)).text
    assert text.index("[REVELL | RECALLED]") < text.index("zyzzyva") < text.index("[REVELL | EPISODIC]")


def test_an_old_memory_that_holds_all_the_words_comes_before_new_ones_that_hold_one(actor: Actor) -> None:
    factories.remember(actor, content="red kite over the quay")
    remember_all(actor, [f"{('red', 'kite', 'quay')[n % 3]} note {n}" for n in range(CANDIDATES_MAX * 2)])
    assert contents(actor, "red kite quay", limit=1) == ["red kite over the quay"]
    assert recall(actor, query=RecallQuery("red kite quay")).total_matched == CANDIDATES_MAX * 2 + 1
    found = recall(actor, query=RecallQuery("red kite quay", min_importance=0.1))
    assert found.total_matched == CANDIDATES_MAX * 2 + 1


def test_the_limit_cuts_and_the_total_counts_everything(actor: Actor) -> None:
    factories.remember_many(actor, 620)
    found = recall(actor, query=RecallQuery("note", limit=3))
    assert (len(found.hits), found.total_matched) == (3, 620)


def test_words_follow_every_change(actor: Actor) -> None:
    """Revise, tag, forget, restore: the index of the database itself is in step, on both databases."""
    memory = factories.remember(actor, content="zebra")
    assert found_by_the_database("zebra") == 1
    memories.revise(actor, number=memory.number, changes={"content": "tiger"})
    assert (found_by_the_database("zebra"), found_by_the_database("tiger")) == (0, 1)
    assert contents(actor, "zebra") == []
    assert contents(actor, "tiger") == ["tiger"]
    memories.revise(actor, number=memory.number, changes={"tags": ("tall",)})
    assert contents(actor, "tall") == ["tiger"]
    memories.forget(actor, number=memory.number)
    assert found_by_the_database("tiger") == 0
    assert MemoryWords.objects.count() == 0
    memories.restore(actor, number=memory.number)
    assert contents(actor, "tall tiger") == ["tiger"]


def test_another_tenants_memories_never_appear(actor: Actor, other_actor: Actor) -> None:
    """By no word, no tag, no type, no hint, with neighbouring keys of tenants."""
    agents = [factories.agent_of(factories.make_tenant(f"Agent {n}")) for n in range(12)]
    for place, agent in enumerate([actor, other_actor, *agents]):
        for kind in ("core", "working", "episodic", "axiom"):
            factories.remember(agent, kind, f"zebra of agent number {place}", tags=("stripes",))
        promises.make(agent, content=f"zebra promise of {place}")
        boot.decay(agent, boot=boot.serve(agent, request=BootRequest()).boot)
    for place, agent in enumerate([actor, other_actor, *agents]):
        for query in ("zebra", "stripes", f"tenant_id {actor.tenant}", "agent number"):
            for hit in recall(agent, query=RecallQuery(query, limit=50)).hits:
                assert hit.memory.tenant_id == agent.tenant
        assert recall(agent, query=RecallQuery("zebra")).total_matched == 5
        text = boot.preview(agent, request=BootRequest(context_hint="zebra stripes")).text
        assert f"number {place}\n" in text
        assert all(f"number {other}\n" not in text for other in range(14) if other != place)


def test_recall_needs_the_scope_to_read(actor: Actor) -> None:
    with pytest.raises(NotPermitted):
        recall(factories.without(actor, Scope.READ), query=RecallQuery("x"))


# The hint of a boot --------------------------------------------------------------------------------------------------


def recalled(actor: Actor, hint: str, **options: object) -> list[str]:
    """The ids in RECALLED."""
    payload = boot.preview(actor, request=BootRequest(context_hint=hint, **options))  # type: ignore[arg-type]
    return next(s["included"] for s in payload.manifest["sections"] if s["name"] == "recalled")


def test_p32_a_hint_recalls_episodic_decayed_semantic_and_archived_working(actor: Actor, clock: Clock) -> None:
    """Not core, not axioms, not working memories that stand in the payload anyway, not the bin."""
    ended = factories.remember(actor, "working", "zebra ended", key="ended")
    clock.forward(days=9)
    promises.make(actor, content="zebra promised")
    boot.decay(actor, boot=boot.serve(actor, request=BootRequest()).boot)
    decayed = Memory.objects.get(content="zebra promised")
    episodic = factories.remember(actor, content="zebra episodic")
    semantic = factories.remember(actor, "semantic", subject="zebra", predicate="is", object="striped", content="")
    archived = factories.remember(actor, "working", "zebra archived", key="archived")
    memories.archive(actor, number=archived.number)
    wanted = {str(memory) for memory in (ended, decayed, episodic, semantic, archived)}

    factories.remember(actor, "core", "zebra core")
    factories.remember(actor, "axiom", "zebra axiom")
    factories.remember(actor, "working", "zebra working")
    memories.archive(actor, number=factories.remember(actor, "core", "zebra old core").number)
    memories.archive(actor, number=factories.remember(actor, "axiom", "zebra old axiom").number)
    memories.forget(actor, number=factories.remember(actor, content="zebra forgotten").number)
    assert set(recalled(actor, "zebra")) == wanted


def test_p32_a_working_memory_that_ended_and_is_not_swept_is_recalled(actor: Actor, clock: Clock) -> None:
    """P35: before the sweep as after it."""
    ended = factories.remember(actor, "working", "zebra ended", key="ended")
    clock.forward(days=9)
    assert recalled(actor, "zebra") == [str(ended)]
    boot.serve(actor, request=BootRequest())
    assert Memory.objects.get().archived_at is not None
    assert recalled(actor, "zebra") == [str(ended)]


def test_p32_what_is_archived_never_crowds_out_what_may_be_recalled(actor: Actor) -> None:
    """However much newer memories hold the word and may not be shown."""
    kept = factories.remember(actor, content="zyzzyva in the harbour")
    remember_all(actor, [f"zyzzyva note {n}" for n in range(CANDIDATES_MAX + 100)])
    Memory.objects.exclude(pk=kept.pk).update(archived_at=kept.created_at)
    text = boot.preview(actor, request=BootRequest(context_hint="zyzzyva")).text
    assert text.index("[REVELL | RECALLED]") < text.index("zyzzyva in the harbour")


def test_p32_at_most_ten_and_not_repeated_in_episodic(actor: Actor) -> None:
    for n in range(15):
        factories.remember(actor, content=f"zebra {n}")
    found = recalled(actor, "zebra")
    assert len(found) == RECALLED_MAX == 10
    text = boot.preview(actor, request=BootRequest(context_hint="zebra")).text
    assert all(text.count(f"{number} ") == 1 for number in found)
    assert all(text.count(f"zebra {n}\n") == 1 for n in range(15))


def test_p32_recalled_takes_at_most_half_of_the_episodic_allocation(actor: Actor) -> None:
    for n in range(10):
        factories.remember(actor, content=f"zebra {n} ".ljust(2_500, "."))
    tenant_manifest = boot.preview(actor, request=BootRequest(context_hint="zebra")).manifest
    section = next(s for s in tenant_manifest["sections"] if s["name"] == "recalled")
    assert 0 < section["bytes"] <= tenant_manifest["allocations"]["episodic"]["after"] // 2
    assert section["left_out_total"] == 10 - len(section["included"])


def test_p32_the_project_path_is_looked_for_too(actor: Actor) -> None:
    memory = factories.remember(actor, content="the importer of work/ledger")
    assert recalled(actor, "", project_prefix="work/ledger") == [str(memory)]


def test_p32_a_hint_of_a_thousand_characters_is_allowed(actor: Actor) -> None:
    memory = factories.remember(actor, content="zebra")
    assert recalled(actor, "zebra " + "x" * 994) == [str(memory)]


def test_a_tenant_reads_only_its_own_counters(tenant: Tenant, other_tenant: Tenant) -> None:
    """Ranking weighs rarity among the tenant's own memories: another tenant's thousand change no score."""
    actor = factories.agent_of(tenant)
    factories.remember(actor, content="zebra crossing")
    before = [hit.score for hit in recall(actor, query=RecallQuery("zebra")).hits]
    factories.remember_many(factories.agent_of(other_tenant), 500)
    assert [hit.score for hit in recall(actor, query=RecallQuery("zebra")).hits] == before
