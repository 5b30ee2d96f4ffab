"""`python -m pipeline` is `freecell-census`."""

import signal
import sys

# Ctrl-C ends the process: KeyboardInterrupt would be a traceback while modules are imported, and libraries may lose it.
if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from pipeline.cli import main

if __name__ == "__main__":
    sys.exit(main())
