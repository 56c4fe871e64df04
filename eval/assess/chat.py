"""A server with OpenAI's interface for conversations with a language model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPException
from time import monotonic, sleep
from typing import Annotated
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import msgspec

from boilersweep.errors import BoilersweepError

# Statuses that a later attempt may not meet again: too early, too much, out of order.
_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
# Seconds between two attempts, doubled each time.
_FIRST_WAIT = 0.5
_LONGEST_WAIT = 30.0
_LONGEST_ANSWER = 1_000_000  # bytes
_LONGEST_REASON = 150  # characters


class Message(msgspec.Struct, frozen=True):
    """What the model wrote."""

    content: str | None = None


class Choice(msgspec.Struct, frozen=True):
    """One of the model's answers."""

    message: Message


class Usage(msgspec.Struct, frozen=True):
    """The tokens that the model read and wrote."""

    prompt_tokens: int = 0
    completion_tokens: int = 0


class Completion(msgspec.Struct, frozen=True):
    """A server's answer."""

    choices: Annotated[list[Choice], msgspec.Meta(min_length=1)]
    usage: Usage | None = None

    @property
    def text(self) -> str:
        """What the model wrote."""
        return self.choices[0].message.content or ""

    @property
    def tokens(self) -> tuple[int, int]:
        """How many tokens the model read and wrote; 0 if the server does not say."""
        usage = self.usage or Usage()
        return usage.prompt_tokens, usage.completion_tokens


@dataclass(frozen=True, slots=True)
class ChatServer:
    """A server with OpenAI's interface.

    Attributes:
        address: Its address, which often ends in /v1.
        key: The key; "" to send none.
        timeout: Seconds that one request may take.
        give_up: The reading of the monotonic clock after which no attempt starts.
    """

    address: str
    key: str
    timeout: float
    give_up: float

    def complete(self, model: str, messages: Sequence[Mapping[str, str]]) -> Completion:
        """Ask a model, at temperature 0, until the server answers.

        Args:
            model: The model.
            messages: The conversation so far.

        Raises:
            BoilersweepError: The server rejects the request, or the last attempt failed.
        """
        question = msgspec.json.encode({"model": model, "messages": messages, "temperature": 0})
        attempts = 0
        while True:
            wait = min(_FIRST_WAIT * 2**attempts, _LONGEST_WAIT)
            attempts += 1
            try:
                return msgspec.json.decode(self._post(question), type=Completion)
            except HTTPError as error:
                reason = f"{error.code} {_body_of(error)}"
                if error.code not in _PASSING:
                    raise BoilersweepError(
                        f"{self.address} rejects the request: {reason}"
                    ) from None
                asked = error.headers.get("Retry-After", "")
                if asked.isascii() and asked.isdigit():
                    wait = float(asked)
            except (OSError, HTTPException, msgspec.MsgspecError) as error:
                reason = f"{type(error).__name__} {error}"
            if monotonic() + wait > self.give_up:
                raise BoilersweepError(
                    f"{self.address} gave no usable answer in {attempts} attempts; run the command "
                    f"again to continue. The last one: {reason[:_LONGEST_REASON]}"
                )
            sleep(wait)

    def _post(self, question: bytes) -> bytes:
        """Send a request; raise OSError or HTTPException for no, a slow or an endless answer."""
        request = Request(  # noqa: S310 (the caller checked the scheme)
            f"{self.address}/chat/completions", question, {"Content-Type": "application/json"}
        )
        if self.key:
            # Another host, to which the server sends us on, does not get the key.
            request.add_unredirected_header("Authorization", f"Bearer {self.key}")
        end = monotonic() + self.timeout
        answer = b""
        with urlopen(request, timeout=self.timeout) as response:  # noqa: S310
            while part := response.read1():
                answer += part
                if len(answer) > _LONGEST_ANSWER or monotonic() > end:
                    raise TimeoutError(
                        f"more than {_LONGEST_ANSWER:,} bytes or {self.timeout:g} seconds"
                    )
        return answer


def _body_of(error: HTTPError) -> str:
    try:
        text = error.read(4 * _LONGEST_REASON).decode("utf-8", "replace")
    except (OSError, HTTPException):
        text = error.reason
    return " ".join(text.split())[:_LONGEST_REASON]
