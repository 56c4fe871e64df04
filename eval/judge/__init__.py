"""Cleaners as extractors: judged on pages whose main text people have marked."""
