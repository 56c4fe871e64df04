"""Cleaners as extractors: judged on pages whose main text people have marked."""

from boilersweep.outputs.identity import CodeVersion

JUDGE_CODE = CodeVersion("judge", 1)
