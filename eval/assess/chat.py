"""A server with OpenAI's interface for conversations with a language model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from time import monotonic, sleep
from typing import Annotated
from urllib.request import HTTPErrorProcessor, Request, build_opener

import msgspec

from boilersweep.errors import BoilersweepError

# Statuses that a later attempt may not meet again: too early, too much, out of order.
_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
# Seconds.
_FIRST_WAIT = 0.5
_LONGEST_WAIT = 30.0
_LONGEST_REQUEST = 60.0
_LONGEST_BODY = 1_000_000  # bytes


class _Message(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    message: _Message


class _Usage(msgspec.Struct):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Completion(msgspec.Struct):
    choices: Annotated[list[_Choice], msgspec.Meta(min_length=1)]
    usage: _Usage | None = None


class _EveryStatus(HTTPErrorProcessor):
    """Follows no redirection, which might send the key elsewhere, and raises nothing."""

    def http_response(self, request: Request, response: HTTPResponse) -> HTTPResponse:  # noqa: ARG002
        return response

    https_response = http_response


@dataclass(slots=True)
class ChatServer:
    """A model of a server with OpenAI's interface.

    Attributes:
        address: The server's address, with http or https; it often ends in /v1.
        key: The key; "" to send none.
        model: The model.
        give_up: The reading of the monotonic clock after which no attempt starts.
        tokens_read: How many tokens the model has read for us, if the server says so.
        tokens_written: How many it has written.
    """

    address: str
    key: str
    model: str
    give_up: float
    tokens_read: int = 0
    tokens_written: int = 0

    def complete(self, messages: Sequence[Mapping[str, str]]) -> str:
        """Ask at temperature 0 until the server answers, and return what the model wrote.

        Args:
            messages: The conversation so far.

        Raises:
            BoilersweepError: The server rejects the request, or the last attempt failed.
        """
        question = msgspec.json.encode(
            {"model": self.model, "messages": messages, "temperature": 0}
        )
        wait = _FIRST_WAIT
        while True:
            pause = wait
            try:
                status, body, retry_after = self._post(question)
                if status == 200:
                    return self._text(msgspec.json.decode(body, type=_Completion))
                reason = f"{status} {body[:150].decode('utf-8', 'replace')}"
                if status not in _PASSING:
                    raise BoilersweepError(f"{self.address} rejects the request: {reason}")
                if retry_after.isdecimal():
                    pause = float(retry_after)
            except (OSError, HTTPException, msgspec.MsgspecError) as error:
                reason = f"{type(error).__name__} {error}"
            if monotonic() + pause > self.give_up:
                raise BoilersweepError(
                    f"{self.address} gives no usable answer; run the command again to continue. "
                    f"The last one: {reason}"
                )
            sleep(pause)
            wait = min(2 * wait, _LONGEST_WAIT)

    def _post(self, question: bytes) -> tuple[int, bytes, str]:
        """Return status, body and Retry-After; raise OSError or HTTPException."""
        key = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        headers = {"Content-Type": "application/json", **key}
        request = Request(f"{self.address}/chat/completions", question, headers)  # noqa: S310
        end = monotonic() + _LONGEST_REQUEST
        body = b""
        with build_opener(_EveryStatus).open(request, timeout=_LONGEST_REQUEST) as response:
            while part := response.read1():
                body += part
                if len(body) > _LONGEST_BODY or monotonic() > end:
                    raise TimeoutError(f"more than {_LONGEST_BODY:,} bytes or {_LONGEST_REQUEST} s")
            return response.status, body, response.headers.get("Retry-After", "")

    def _text(self, completion: _Completion) -> str:
        usage = completion.usage or _Usage()
        self.tokens_read += usage.prompt_tokens
        self.tokens_written += usage.completion_tokens
        return completion.choices[0].message.content or ""
