"""The compiled segmenter (boilersweep.compiled): without a C compiler the pure one is used."""

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            f"boilersweep.compiled.{module}",
            [f"src/boilersweep/compiled/{module}.pyx"],
            optional=True,
        )
        for module in ("strip", "record", "target")
    ]
)
