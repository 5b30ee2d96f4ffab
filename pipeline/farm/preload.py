"""What the fork server imports before it forks workers, so that they start with compiled kernels: nothing else does."""

from pipeline.farm.worker import warm

warm()
