# SPDX-License-Identifier: MIT
# Warnings are properties of a target, and are errors only if strata itself is the top-level
# project: a user who embeds it with a newer compiler must not be stopped by a new warning.
add_library(strata_warnings INTERFACE)
# nvcc has its own warnings (src/backend/cuda says which are on).
set(strata_cxx_warnings
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wold-style-cast
  # In a unity build a local name may shadow a name of another source, which it does not do
  # otherwise.
  $<$<NOT:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>:-Wshadow>
  # GCC 12 sees overlapping copies in std::string's own code (GCC bug 105651).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  # Files of the program are literals. GCC 12's std::stable_sort calls what C++17 deprecates, of which
  # Clang complains to whoever sorts. It has no `GCC ivdep`, and reports loops that GCC vectorizes and
  # it does not.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-overlength-strings>
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
  $<$<CXX_COMPILER_ID:Clang>:-Wno-unknown-pragmas>
  $<$<CXX_COMPILER_ID:Clang>:-Wno-pass-failed>
  $<$<BOOL:${PROJECT_IS_TOP_LEVEL}>:-Werror>)
target_compile_options(strata_warnings INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${strata_cxx_warnings}>")
