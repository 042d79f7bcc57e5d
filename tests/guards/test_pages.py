"""Every page is opened by the browser tests, in all their ways, and has a picture."""

from __future__ import annotations

from django.urls import resolve

from tests.guards.routes import routes
from tests.guards.sources import check_allow_list
from tests.pages import IN_AGENT, NO_PAGE, OUTSIDE, addresses


def names_of_pages() -> set[str]:
    """The names of the addresses that `memories.web` answers."""
    return {str(one.name) for one in routes() if one.view.__module__.startswith("memories.web.")}


def test_every_page_is_in_the_table_or_says_why_not():
    missing = names_of_pages() - set(IN_AGENT) - set(OUTSIDE)
    check_allow_list(missing, NO_PAGE, "Put these pages into tests/pages.py")
    assert set(IN_AGENT) | set(OUTSIDE) <= names_of_pages()


def test_each_address_leads_to_the_page_that_it_stands_for():
    for name, pages in addresses("clawbert").items():
        for page in pages:
            path = page.partition("?")[0]
            if name != "problem":
                assert resolve(path).url_name == name, page
