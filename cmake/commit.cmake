# SPDX-License-Identifier: MIT
# cmake -DSOURCE=dir -DOUTPUT=commit.h -P commit.cmake
#
# Writes the commit that SOURCE stands at, at every build but only when it differs: what includes the
# header is compiled again after a commit, and nothing else.
cmake_policy(VERSION 3.25)
execute_process(COMMAND git -C "${SOURCE}" describe --always --dirty --abbrev=12 --exclude=*
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
                RESULT_VARIABLE failure)
if(failure OR commit STREQUAL "")
  set(commit "unknown")
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT
"// SPDX-License-Identifier: MIT
// Made by cmake/commit.cmake.
#pragma once

namespace strata::build {

inline constexpr const char* commit = \"@commit@\";

}  // namespace strata::build
")
