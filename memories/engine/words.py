"""Turning text into words for recall, the same way for what is stored and for what is asked. Ranking is elsewhere.

The words are what the databases index, so they must come through any tokenizer unchanged: each is lower-case ASCII
letters and digits. Other scripts are written as `u` and hexadecimal, which nobody has to read. Since nothing else ever
reaches a database's query language, no query text can be hostile.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

import regex
import snowballstemmer

_WORD_MAX_CHARS = 40
# People use few words most of the time; so many stems are a few megabytes.
_STEMS_KEPT = 32_768
_RUN = regex.compile(r"[\p{L}\p{M}\p{N}]+")
# Scripts that are written without spaces: found by single characters and by pairs.
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
_LATIN_MARKS = regex.compile(r"(?<=\p{Latin})\p{Mn}+")
_CAMEL = regex.compile(
    r"(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})"
)

# Words that say how a question is put, not what it is about.
STOP = frozenset(
    "a an and are as at be been but by can could did do does for from had has have he her him his how i if in into "
    "is it its me my of on or our she should so than that the their them then there these they this to was we were "
    "what when where which who whom whose why will with would you your".split()
)


def fold(text: str) -> str:
    """Case and Latin accents folded; other scripts keep their marks."""
    if text.isascii():
        # Nothing to take apart, and most words are such.
        return text.lower()
    # Casefolded last as well: taking a compatibility character apart can bring capitals back.
    decomposed = unicodedata.normalize("NFKD", text.casefold()).casefold()
    return unicodedata.normalize("NFKC", _LATIN_MARKS.sub("", decomposed))


def words(text: str) -> list[str]:
    """The index words of `text`, in order, repeated as they occur. Empty for text without a letter or digit."""
    return [_stem(word) for _, word in _pieces(text) if word]


def asked_words(text: str) -> dict[str, str]:
    """The different words to look for, in order, each with what was typed; question words only without any other."""
    every: dict[str, str] = {}
    for typed, word in _pieces(text):
        if word:
            every.setdefault(_stem(word), typed)
    return {word: typed for word, typed in every.items() if word not in _STOPS} or every


def query_words(text: str) -> list[str]:
    """The words of `asked_words` alone."""
    return list(asked_words(text))


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """Pairs of a piece of `text` as it stands and its encoded word, which may be empty."""
    for run in _RUN.findall(text):
        for piece in _scripts(run):
            if _UNSPACED.match(piece):
                yield from ((token, _encoded(token)) for token in _unspaced(piece))
                continue
            whole = _encoded(fold(piece))
            yield piece, whole
            # camelCase and v2 are found by their parts too.
            parts = [part for part in _CAMEL.split(piece) if part]
            if len(parts) > 1:
                yield from ((part, word) for part in parts if (word := _encoded(fold(part))) != whole)


def _scripts(run: str) -> list[str]:
    if not _UNSPACED.search(run):
        return [run]
    pieces: list[str] = []
    for char in run:
        unspaced = bool(_UNSPACED.match(char))
        if pieces and (bool(_UNSPACED.match(pieces[-1][0])) == unspaced or unicodedata.category(char).startswith("M")):
            pieces[-1] += char
        else:
            pieces.append(char)
    return pieces


def _unspaced(piece: str) -> list[str]:
    chars = list(unicodedata.normalize("NFKC", piece))
    return [*chars, *("".join(pair) for pair in pairwise(chars))]


def _encoded(word: str) -> str:
    word = word[:_WORD_MAX_CHARS]
    return word if word.isascii() else "u" + word.encode("utf-8").hex()


@lru_cache(maxsize=_STEMS_KEPT)
def _stem(word: str) -> str:
    """The English stem, so that other forms of a word are found; what is encoded or no word of letters stays."""
    if not word.isalpha() or _is_encoded(word):
        return word
    # A stemmer holds its word while it works on it, so threads must not share one.
    return str(snowballstemmer.stemmer("english").stemWord(word))


def _is_encoded(word: str) -> bool:
    return word[0] == "u" and len(word) > 8 and all(char in "0123456789abcdef" for char in word[1:])


_STOPS = STOP | {_stem(word) for word in STOP}
