"""Turning text into words for recall, the same way for what is stored and for what is asked. Ranking is elsewhere.

The words are what the databases index, so they must come through any tokenizer unchanged: each is lower-case ASCII
letters and digits. Other scripts are written as `u` and hexadecimal, which nobody has to read. Since nothing else ever
reaches a database's query language, no query text can be hostile.
"""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import regex

_WORD_MAX_CHARS = 40
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
    found: list[str] = []
    for run in _RUN.findall(text):
        for piece in _scripts(run):
            if _UNSPACED.match(piece):
                found += _unspaced(piece)
            else:
                whole = _encoded(fold(piece))
                found.append(whole)
                # camelCase and v2 are found by their parts too.
                parts = [_encoded(fold(part)) for part in _CAMEL.split(piece) if part]
                if len(parts) > 1:
                    found += [part for part in parts if part and part != whole]
    return [_stem(word) for word in found if word]


def query_words(text: str) -> list[str]:
    """The different words to look for, in order; question words only when there is nothing else."""
    every = list(dict.fromkeys(words(text)))
    told = [word for word in every if word not in STOP]
    return told or every


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
    pairs = ["".join(pair) for pair in pairwise(chars)]
    return [_encoded(token) for token in (*chars, *pairs)]


def _encoded(word: str) -> str:
    word = word[:_WORD_MAX_CHARS]
    return word if word.isascii() else "u" + word.encode("utf-8").hex()


def _stem(word: str) -> str:
    """English plurals and verb endings taken off, carefully: a wrong stem on both sides still meets itself."""
    if (
        not word.isalpha()
        or len(word) < 4
        or (word[0] == "u" and len(word) > 8 and all(c in "0123456789abcdef" for c in word[1:]))
    ):
        return word
    for ending, replacement, least in (
        ("sses", "ss", 5), ("ies", "y", 5), ("ing", "", 6), ("edly", "", 7), ("ed", "", 5), ("ly", "", 6),
    ):  # fmt: skip
        if word.endswith(ending) and len(word) >= least:
            word = word[: -len(ending)] + replacement
            break
    else:
        if word.endswith("s") and not word.endswith(("ss", "us", "is")):
            word = word[:-1]
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    return word[:-1] if len(word) > 4 and word.endswith("e") else word
