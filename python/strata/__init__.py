# SPDX-License-Identifier: MIT
"""Time, work and memory of a neural network, layer by layer.

    import strata
    profile = strata.profile(module, x)     # a PyTorch module, exported; or a network that strata knows
    profile.layers                          # a pandas DataFrame
    strata.open().runs                      # what is stored

The program `strata` measures, stores and compares everything; this package calls it and shows its
output. docs/python.md describes it.
"""
from .program import Error, find
from .results import Comparison, Database, Profile, open
from .profiling import profile

__all__ = ["Comparison", "Database", "Error", "Profile", "find", "open", "profile"]
