"""The pure part: rows, configuration and `now` in; payloads, packs and plans out.

No Django, no clock, no chance, no settings: every value that matters is an argument, so the same call gives the same
bytes anywhere (P18, C51). Reading rows and writing them belongs to `selectors` and `services`.
"""
