"""A worker's place, as the parent sees it, and the calls of extractors that it stops."""

import multiprocessing

import pytest

from boilersweep.work.watch import Standing, Watch


@pytest.fixture
def watch() -> Watch:
    return Watch(multiprocessing.get_context("spawn"))


def test_where_a_worker_stands(watch: Watch) -> None:
    assert watch.standing() == Standing(0, 0, 0, 0)
    watch.begin(0, 7)
    assert watch.standing() == Standing(0, 7, 1, 0)
    watch.begin(0, 7)  # of another task
    assert watch.standing() == Standing(0, 7, 2, 0)
    with watch.call():
        assert watch.standing() == Standing(0, 7, 2, 1)
    watch.rest()
    assert watch.standing() == Standing(0, 7, 0, 0)
    watch.add(1, 100)
    watch.add(2, 200)
    assert watch.take() == (3, 300)
    watch.forget()
    assert watch.take() == (0, 0)


def test_only_the_call_that_is_meant_is_stopped(watch: Watch) -> None:
    watch.stop_call()
    with watch.call():
        watch.stop_call()
        watch.mark_call(watch.standing().call)
        with pytest.raises(TimeoutError):
            watch.stop_call()
    watch.stop_call()  # the signal came too late
    with watch.call():
        watch.stop_call()
