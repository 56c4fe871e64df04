"""All changes."""

from tests.system.changes.code_and_environment import CODE_AND_ENVIRONMENT
from tests.system.changes.inputs import INPUTS
from tests.system.changes.options import OPTIONS

CHANGES = (*INPUTS, *OPTIONS, *CODE_AND_ENVIRONMENT)
