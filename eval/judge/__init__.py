"""Cleaners as extractors: judged on pages whose main text people have marked."""

from boilersweep.outputs.identity import Stage

JUDGE_CODE = Stage("judge", 1)
