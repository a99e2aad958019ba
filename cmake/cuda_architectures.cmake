# SPDX-License-Identifier: MIT
# The GPUs that a build serves, by what the toolkit can compile for (CMAKE_CUDA_ARCHITECTURES).

# strata_cuda_architectures(OUT VERSION [PORTABLE])
#
# Turing (75), Ampere (80, which serves 86 and 89, too), Hopper (90) and, from CUDA 12.8 on, Blackwell
# (100 and 120). PORTABLE leaves out the intermediate code of all but the oldest, which a driver
# compiles for chips that came later.
function(strata_cuda_architectures out version)
  set(chips 75 80 90)
  if(NOT version VERSION_LESS 12.8)
    list(APPEND chips 100 120)
  endif()
  if("PORTABLE" IN_LIST ARGN)
    list(TRANSFORM chips APPEND "-real")
    list(APPEND chips 75-virtual)
  endif()
  set(${out} "${chips}" PARENT_SCOPE)
endfunction()
