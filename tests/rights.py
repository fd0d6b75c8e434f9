"""A script that runs a command without administrator rights, so that file permissions apply."""

from __future__ import annotations

# Linux's numbers: PR_CAPBSET_DROP, then CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH.
DROP_AND_RUN = """
import ctypes, os, sys
if os.geteuid() == 0:
    for capability in (1, 2):
        ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
