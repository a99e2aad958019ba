# SPDX-License-Identifier: MIT
# Warnings live on a target, and are errors only where strata itself is the top-level project: a user
# who embeds it with a newer compiler must not be stopped by a new warning.
add_library(strata_warnings INTERFACE)
target_compile_options(strata_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  $<$<BOOL:${PROJECT_IS_TOP_LEVEL}>:-Werror>)
