"""The page's answers: who may ask, and what a form may say."""

import socket
import time
from pathlib import Path

import pytest

from boilersweep.collection.format import SourceLocation
from boilersweep.eval.assess.output import Judgement
from boilersweep.eval.people.documents import ShownDocument
from tests.eval.assess.conftest import Make
from tests.eval.people.serving import TOKEN, Served, serving


def test_the_token_is_in_the_address_and_in_no_cookie(served: Served) -> None:
    status, body, headers = served.ask("/")
    assert status == 200
    assert "default-src 'none'; script-src 'self'" in headers["content-security-policy"]
    # No cleaner is named beside a document
    assert "words&gt;" not in body.split("<aside")[0]
    assert "learned" not in body.split("<aside")[0]
    status, _, headers = served.ask("")
    assert (status, headers["location"]) == (303, f"/{TOKEN}/")
    status, _, headers = served.ask("/name", {"name": "eve"})
    assert (status, headers["location"]) == (303, f"/{TOKEN}/")
    cookie = headers["set-cookie"].split("; ")
    assert {
        "boilersweep-name=eve",
        f"Path=/{TOKEN}/",
        "HttpOnly",
        "SameSite=strict",
    } <= {*cookie}


@pytest.mark.parametrize(
    ("path", "form", "headers"),
    [
        ("/", None, {"token": "guess"}),
        ("/page.css", None, {"token": "guess"}),
        ("/", None, {"token": TOKEN[:-1]}),
        ("", None, {"token": ""}),
        ("/", None, {"token": f"/{TOKEN}"}),
        ("/", None, {"host": "attacker.example"}),
        ("/judge", {"grade": "1"}, {"origin": "http://attacker.example"}),
        ("/judge", {"grade": "1"}, {"origin": ""}),
        ("/name", {"name": "eve"}, {"origin": "null"}),
    ],
)
def test_strangers_see_nothing(
    served: Served, path: str, form: dict[str, str] | None, headers: dict[str, str]
) -> None:
    status, body, _ = served.ask(path, form, **headers)
    assert status == 403
    assert "bread" not in body
    assert served.page.judgements.grades() == {}


@pytest.mark.parametrize(
    ("host", "port", "asked"),
    [
        ("127.0.0.1", 8080, ["127.0.0.1:8080", "localhost:8080"]),
        ("myhost", 80, ["myhost", "myhost:80", "localhost", "127.0.0.1"]),
        ("MyHost.Example", 8080, ["myhost.example:8080"]),
        ("bücher.example", 80, ["xn--bcher-kva.example"]),
        ("0:0:0:0:0:0:0:1", 80, ["[::1]", "[::1]:80"]),
        ("0.0.0.0", 8080, ["0.0.0.0:8080", f"{socket.gethostname().lower()}:8080"]),  # noqa: S104
        ("::", 80, ["[::]", socket.gethostname().lower()]),
    ],
)
def test_the_page_answers_at_the_address_that_is_printed(
    needs_serve: None, host: str, port: int, asked: list[str]
) -> None:
    from boilersweep.eval.people.serving import host_headers

    hosts = host_headers(host, port)
    assert {*asked} <= {*hosts}
    assert hosts[0].endswith(f":{port}")
    assert all(one.endswith(f":{port}") for one in hosts) == (port != 80)


def test_a_machine_answers_at_each_of_its_addresses(
    needs_serve: None, make: Make
) -> None:
    from boilersweep.eval.serve.judging import judging_routes

    with serving(None, judging_routes(make()), "0.0.0.0") as served:  # noqa: S104
        assert served.ask("/", host=f"127.0.0.1:{served.port}")[0] == 200
        assert served.ask("/", host=f"LOCALHOST:{served.port}")[0] == 200
        assert served.ask("/", host=f"10.1.2.3:{served.port}")[0] == 403


@pytest.mark.parametrize(
    "name", ["a" * 300 + ".js", "%00.js", "..%2Fserving.py%00.js", "judging.js%20.js"]
)
def test_names_of_no_file_are_not_found(served: Served, name: str) -> None:
    assert served.ask(f"/{name}")[0] == 404


@pytest.mark.parametrize(
    ("path", "change", "message"),
    [
        ("/judge", {"grade": "9"}, "expected a grade from 0 to 3"),
        ("/judge", {"docid": "elsewhere"}, "has no document"),
        ("/judge", {"topic": "nowhere"}, "has no document"),
        ("/judge", {"note": "x" * 30_000}, "at most 20,000 bytes"),
        ("/name", {"name": "../../anna"}, "expected an assessor"),
    ],
)
def test_wrong_forms_are_refused(
    served: Served, path: str, change: dict[str, str], message: str
) -> None:
    right = {
        "topic": "t01",
        "docid": "r2",
        "grade": "1",
        "seconds": "2.5",
        "note": "",
        "name": "b",
    }
    status, body, _ = served.ask(path, right | change)
    assert (status, message in body) == (400, True)
    assert served.page.judgements.grades() == {}


@pytest.mark.parametrize(
    "back",
    ["%C2%B2", "%D9%A3", "%E2%91%A0", "-1", "1.5", "9999999", "x", "", "%00", "%FF"],
)
def test_a_place_that_is_no_number_is_the_next_document(
    served: Served, back: str
) -> None:
    status, body, _ = served.ask(f"/?back={back}")
    assert status == 200
    assert 'name="docid"' in body


def test_judgement_is_on_disk_when_the_next_page_comes(served: Served) -> None:
    note = "why?\n<b>because</b>\x00"
    form = {"topic": "t01", "docid": "r2", "grade": "2", "seconds": "NaN", "note": note}
    assert served.ask("/judge", form)[0] == 303
    [record] = served.page.judgements.records["people"]["anna"]
    assert isinstance(record, Judgement)
    assert (record.grade, record.seconds) == (2, 0.0)
    folder = served.page.judgements.folder
    assert (folder / "people" / "anna.qrels").read_text() == "t01 0 r2 2\n"
    assert (folder / "qrels.txt").read_text() == "t01 0 r2 2\n"
    status, body, _ = served.ask("/?back=1")
    assert status == 200
    assert 'value="2" data-key="2" class="given"' in body


def test_a_name_may_have_any_letters(served: Served, folder: Path) -> None:
    cookie = served.ask("/name", {"name": " Zoe\u0308 "}, cookie="")[2]["set-cookie"]
    cookie = cookie.partition(";")[0]
    assert "Zoë: 0 judged" in served.ask("/", cookie=cookie)[1]
    judged = {"topic": "t01", "docid": "r2", "grade": "2"}
    assert served.ask("/judge", judged, cookie=cookie)[0] == 303
    assert (folder / "people" / "Zoë.qrels").read_text() == "t01 0 r2 2\n"


def test_skipped_document_comes_back_last(served: Served) -> None:
    first = served.page.next_for("anna")
    assert first
    topic, docid = first[0]
    assert (
        served.ask("/judge", {"topic": topic, "docid": docid, "grade": "skip"})[0]
        == 303
    )
    assert f'name="docid" value="{docid}"' not in served.ask("/")[1]
    assert served.page.judgements.grades() == {}


def test_pages_of_a_hostile_collection_are_text(served: Served) -> None:
    body = served.ask("/")[1]
    assert "<script>document" not in body
    assert "&lt;script&gt;" in body
    assert 'href="javascript' not in body
    assert "<mark>bread</mark>" in body


def half_sent(served: Served) -> socket.socket:
    """Connect a client that promises a longer form than it sends."""
    client = socket.create_connection(("127.0.0.1", served.port))
    client.sendall(
        f"POST /{TOKEN}/judge HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n"
        f"Origin: http://127.0.0.1:{served.port}\r\nContent-Length: 99\r\n\r\ngrade=".encode()
    )
    return client


def test_a_client_that_leaves_is_not_logged(
    served: Served, capfd: pytest.CaptureFixture[str]
) -> None:
    for _ in range(3):
        half_sent(served).close()
    assert served.ask("/")[0] == 200
    time.sleep(0.3)
    assert capfd.readouterr().err == ""


def test_a_half_sent_form_does_not_delay_the_end(
    needs_serve: None, make: Make, capfd: pytest.CaptureFixture[str]
) -> None:
    from boilersweep.eval.serve.judging import judging_routes

    assessment = make()
    with serving(assessment, judging_routes(assessment)) as served:
        client = half_sent(served)
        assert served.ask("/")[0] == 200
        begun = time.monotonic()
    assert time.monotonic() - begun < 60
    client.close()
    assert "Traceback" not in capfd.readouterr().err


def test_passages_around_matches_are_open_and_the_rest_is_folded(
    needs_serve: None,
) -> None:
    from boilersweep.eval.serve.judging import folded, query_words

    texts = (
        "menu",
        "far away",
        "near it",
        "Bread rises.",
        "after it",
        "end",
        "bread menu",
    )
    kept = (False, True, True, True, True, True, False)
    shown = ShownDocument("d", "", "", "", texts, kept, SourceLocation("", 0))
    parts = folded(shown, query_words("breads"))
    assert [(text, len(blocks)) for text, blocks in parts] == [
        ("2 blocks, 3 words", 2),
        ("", 3),
        ("2 blocks, 3 words", 2),
    ]
    assert [text for text, _ in folded(shown, query_words("ovens"))] == [
        "1 blocks, 1 words that no cleaner keeps",
        "",
        "1 blocks, 2 words that no cleaner keeps",
    ]
