"""The fork server imports this module before it forks workers, so that they start with compiled kernels."""

from pipeline.farm.worker import warm

warm()
