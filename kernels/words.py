"""Small numbers as 64-bit words, `U3` for 3: what kernels compute with.

Numba makes a float of a uint64 and a plain Python integer, so every number beside a word has to be a word itself.
"""

import numpy as np

U0 = np.uint64(0)
U1 = np.uint64(1)
U2 = np.uint64(2)
U3 = np.uint64(3)
U4 = np.uint64(4)
U5 = np.uint64(5)
U6 = np.uint64(6)
U7 = np.uint64(7)
U8 = np.uint64(8)
U12 = np.uint64(12)
U13 = np.uint64(13)
U15 = np.uint64(15)
U16 = np.uint64(16)
U18 = np.uint64(18)
U20 = np.uint64(20)
U29 = np.uint64(29)
U31 = np.uint64(31)
U32 = np.uint64(32)
U52 = np.uint64(52)
U63 = np.uint64(63)
U64 = np.uint64(64)
