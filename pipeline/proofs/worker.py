"""What a worker does with a batch of deals to prove: deal and exhaust each. It needs no Parquet."""

import numpy as np

from kernels.contradiction import Contradiction
from kernels.dealing import deal_one
from kernels.proof.closure import Closure, exhaust
from kernels.referee import replay_block
from kernels.rules import Rules
from pipeline.proofs.rows import Batch, Proofs
from pipeline.store.rows import SOLVED, UNDECIDED, UNSOLVABLE


def prove_batch(rules: Rules, plain: int, safe: int, batch: Batch) -> Proofs:
    """Exhaust each deal of a batch within so many positions, plain ones and those with safe autoplay.

    Raises
    ------
    Contradiction
        If the referee refuses the moves to a won position that an exhaustion met.
    """
    walks = [exhaust(deal_one(deal), rules, plain, safe) for deal in batch.deals]
    return proofs_of(batch.deals, walks, rules, safe)


def proofs_of(deals: tuple[int, ...], walks: list[Closure], rules: Rules, budget: int) -> Proofs:
    """What exhaustions came to, as columns."""
    for deal, walk in zip(deals, walks, strict=True):
        if walk.path:
            _hear_referee(deal, rules, walk.path)
    return Proofs(
        np.array(deals, np.uint64),
        np.array([_verdict(walk) for walk in walks], np.uint8),
        np.array([walk.positions if walk.ended else 0 for walk in walks], np.uint64),
        np.array([walk.safe_positions if walk.safe_ended else 0 for walk in walks], np.uint64),
        np.array([walk.most_home if _verdict(walk) == UNSOLVABLE else 0 for walk in walks], np.uint8),
        np.full(len(deals), budget, np.uint64),
        tuple(bytes(walk.path or b"") for walk in walks),
    )


def _hear_referee(deal: int, rules: Rules, path: bytes) -> None:
    moves = np.frombuffer(path, np.uint8)
    if replay_block(deal_one(deal)[None], rules, np.array([len(moves)], np.uint32), moves)[0]:
        raise Contradiction(
            f"deal {deal}: an exhaustion met a won position after {len(moves)} moves, "
            "but the referee doesn't come to it by the same moves"
        )


def _verdict(walk: Closure) -> int:
    if walk.ended or walk.safe_ended:
        return UNSOLVABLE
    return SOLVED if walk.path else UNDECIDED
