from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from boilersweep.cleaners.learned.inference import ReadyNetwork
from boilersweep.pages.columns import BlockColumns, FloatArray, IntArray, Structure

class Reader:
    def __init__(
        self,
        networks: Sequence[ReadyNetwork],
        columns: NDArray[np.int32] | slice,
        width: int,
    ) -> None: ...
    def read(
        self, columns: BlockColumns, structure: Structure, with_values: bool
    ) -> tuple[
        IntArray,
        IntArray,
        FloatArray,
        IntArray,
        FloatArray,
        NDArray[np.float32],
    ]: ...
