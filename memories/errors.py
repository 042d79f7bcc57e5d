"""Everything Revell raises on purpose. Nothing is imported here, and nothing here knows of HTTP, pages or MCP.

    RevellError
    ├── InvalidInput                invalid_input
    │   ├── BudgetOutOfRange        budget_out_of_range
    │   ├── SharesNot100            shares_not_100
    │   ├── AxiomTooLong            axiom_too_long
    │   └── ContentTooLong          content_too_long
    ├── NotAuthenticated            not_authenticated
    ├── NotPermitted                not_permitted
    ├── NotFound                    not_found
    ├── MethodNotAllowed            method_not_allowed
    ├── NotAcceptable               not_acceptable
    ├── UnsupportedMediaType        unsupported_media_type
    ├── Conflict                    conflict
    │   ├── PromiseCapExceeded      promise_cap_exceeded
    │   ├── CategoryCapExceeded     category_cap_exceeded
    │   ├── AxiomAllowanceExceeded  axiom_allowance_exceeded
    │   ├── StaleVersion            stale_version
    │   └── RelationCycle           relation_cycle
    ├── TooLarge                    too_large
    ├── RateLimited                 rate_limited
    └── Unavailable                 unavailable

A skin looks a class up in its table by walking the ancestors, so a new leaf needs no change in any skin
(`memories/problems.py` holds that table). What is raised and is not a `RevellError` is a bug.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar


class RevellError(Exception):
    """The root. `detail` is a full sentence that says what to do; `data` are the error's own figures.

    `errors` names the fault by field (or by `items.3.content` inside a batch) where there are fields.
    """

    code: ClassVar[str] = "error"
    title: ClassVar[str] = "Something went wrong"

    def __init__(self, detail: str, *, errors: Mapping[str, Sequence[str]] | None = None, **data: Any) -> None:
        super().__init__(detail)
        self.detail = detail
        self.errors: dict[str, list[str]] = {field: list(texts) for field, texts in (errors or {}).items()}
        self.data: dict[str, Any] = data


class InvalidInput(RevellError):
    """The request cannot be understood or breaks a limit; nothing was written."""

    code = "invalid_input"
    title = "Invalid input"

    @classmethod
    def for_field(cls, field: str, detail: str, **data: Any) -> InvalidInput:
        """The same sentence as detail and under its field."""
        return cls(detail, errors={field: [detail]}, **data)


class BudgetOutOfRange(InvalidInput):
    code = "budget_out_of_range"
    title = "Budget out of range"


class SharesNot100(InvalidInput):
    code = "shares_not_100"
    title = "Shares do not sum to 100"


class AxiomTooLong(InvalidInput):
    code = "axiom_too_long"
    title = "Axiom too long"


class ContentTooLong(InvalidInput):
    code = "content_too_long"
    title = "Content too long"


class NotAuthenticated(RevellError):
    """No credential, or one that is unknown, revoked or expired: which of these is never told."""

    code = "not_authenticated"
    title = "Not authenticated"


class NotPermitted(RevellError):
    """The actor is known and lacks the scope or role that `data` names."""

    code = "not_permitted"
    title = "Not permitted"


class NotFound(RevellError):
    """No such thing for this actor; another tenant's thing answers exactly the same."""

    code = "not_found"
    title = "Not found"


class MethodNotAllowed(RevellError):
    """The address is right, the verb is not. Data: `allowed`, the verbs that are."""

    code = "method_not_allowed"
    title = "Method not allowed"


class NotAcceptable(RevellError):
    """The answer cannot be given in any form that was asked for. Data: `available`, the media types that can."""

    code = "not_acceptable"
    title = "Not acceptable"


class UnsupportedMediaType(RevellError):
    """The body is in a form that is not read here. Data: `available`, the media types that are."""

    code = "unsupported_media_type"
    title = "Unsupported media type"


class Conflict(RevellError):
    """The request is fine, the present state forbids it; nothing was written."""

    code = "conflict"
    title = "Conflict"


class PromiseCapExceeded(Conflict):
    """P6. Data: `cap_bytes`, `used_bytes`, `requested_bytes`, `over_bytes`."""

    code = "promise_cap_exceeded"
    title = "Promise cap exceeded"


class CategoryCapExceeded(Conflict):
    """Data: `category`, `cap_chars`, `used_chars`, `requested_chars`, `over_chars`."""

    code = "category_cap_exceeded"
    title = "Category cap exceeded"


class AxiomAllowanceExceeded(Conflict):
    """Data: `allowance_bytes`, `used_bytes`, `requested_bytes`, `over_bytes`."""

    code = "axiom_allowance_exceeded"
    title = "Axiom allowance exceeded"


class StaleVersion(Conflict):
    """Somebody wrote first. Data: `current`, the state as it is now."""

    code = "stale_version"
    title = "Stale version"


class RelationCycle(Conflict):
    """C7. Data: `path`, the capsule ids of the loop that the relation would have closed."""

    code = "relation_cycle"
    title = "Relation would close a loop"


class TooLarge(RevellError):
    """The body is over its limit. Data: `limit_bytes`."""

    code = "too_large"
    title = "Too large"


class RateLimited(RevellError):
    """Too many tries. Data: `retry_after`, in seconds."""

    code = "rate_limited"
    title = "Too many tries"


class Unavailable(RevellError):
    """A part that is needed does not answer now. Data: `retry_after`, in seconds."""

    code = "unavailable"
    title = "Unavailable for the moment"
