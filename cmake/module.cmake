# SPDX-License-Identifier: MIT
include_guard()

# GCC collects garbage whenever its memory doubles, from 128 MB on, which is a tenth of the time of a
# large unit.
if(PROJECT_IS_TOP_LEVEL AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=524288>)
endif()

# Most of a small source's compilation time is spent on its headers. Users' builds therefore compile
# a module as a few large units; a developer's build compiles each source separately, so that an
# edit costs one compilation. The same holds for the tests of a module. Therefore a name in an anonymous
# namespace must be unique within its module, or within its tests.
option(STRATA_UNITY_BUILD "Compile each module, and its tests, as a few large units" OFF)

# Headers that are compiled once for a target. The compiler compares them with their sources byte for
# byte, so ccache must too, and not what the preprocessor leaves.
function(strata_precompile target)
  target_precompile_headers(${target} PRIVATE ${ARGN})
  if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
    set_target_properties(${target} PROPERTIES
      CXX_COMPILER_LAUNCHER "env;CCACHE_DEPEND=1;${CMAKE_CXX_COMPILER_LAUNCHER}")
  endif()
endfunction()

# -Og halves what optimising costs: a unit of src/cli takes 8 s instead of 14.
function(strata_compile_quickly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>)
endfunction()

# strata_module(analyze SOURCES roofline.cpp ... DEPENDS record predict [LINK fmt::fmt ...]
#               [PRECOMPILE header.h ...] [ONCE])
#
# One static library per folder of src/. DEPENDS names modules and is what others see; LINK names
# libraries that only the sources need. PRECOMPILE names headers that are compiled once for the
# module and keeps its sources apart: for engines, whose files speak of the same things by the same
# names. ONCE is for a module whose code runs once per command, on little data: a release spends less time
# on optimising it.
function(strata_module name)
  cmake_parse_arguments(PARSE_ARGV 1 module "ONCE" "" "SOURCES;DEPENDS;LINK;PRECOMPILE")
  add_library(strata_${name} STATIC ${module_SOURCES})
  add_library(strata::${name} ALIAS strata_${name})
  set_target_properties(strata_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON EXPORT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY STRATA_MODULES strata_${name})
  target_compile_features(strata_${name} PUBLIC cxx_std_20)
  if(STRATA_UNITY_BUILD AND NOT module_PRECOMPILE)
    set_target_properties(strata_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 24)
  elseif(STRATA_PRECOMPILED_HEADERS AND module_PRECOMPILE)
    list(TRANSFORM module_PRECOMPILE REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:\\1>")
    strata_precompile(strata_${name} ${module_PRECOMPILE})
  endif()
  if(module_ONCE)
    strata_compile_quickly(strata_${name})
  endif()
  target_include_directories(strata_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:include/strata>)
  list(TRANSFORM module_DEPENDS PREPEND strata::)
  target_link_libraries(strata_${name} PUBLIC ${module_DEPENDS}
                                       PRIVATE ${module_LINK} $<BUILD_INTERFACE:strata_warnings>)
endfunction()

# strata_embedded_files(published_files HEADER published/files.h FOLDER data/published SUFFIX toml
#                       NAMES a b ...)
#
# Writes FUNCTION.cpp, a source for the module of this folder, which holds the files as the list that
# the function returns (base/file.h). HEADER declares the function.
function(strata_embedded_files function)
  cmake_parse_arguments(PARSE_ARGV 1 embedded "" "HEADER;FOLDER;SUFFIX" "NAMES")
  set(script "${PROJECT_SOURCE_DIR}/cmake/embed_folder.cmake")
  list(TRANSFORM embedded_NAMES PREPEND "${embedded_FOLDER}/" OUTPUT_VARIABLE files)
  list(TRANSFORM files APPEND ".${embedded_SUFFIX}")
  list(JOIN embedded_NAMES "," names)
  add_custom_command(
    OUTPUT ${function}.cpp
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${embedded_FOLDER} -DNAMES=${names} -DSUFFIX=${embedded_SUFFIX}
            -DHEADER=${embedded_HEADER} -DFUNCTION=${function}
            -DOUTPUT=${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp -P ${script}
    DEPENDS ${files} ${script}
    VERBATIM)
endfunction()

# strata_test(op SOURCES convolution_test.cpp ... [DEPENDS graph])
#
# The tests of one module as one program; each of its tests is a CTest test of its own, or, where a
# program takes long to start, each of SHARDS equal parts. Tests that span modules, such as `physics`,
# have no module of their name and say what they need in DEPENDS. Past TIMEOUT seconds a test counts as
# failed.
function(strata_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "TIMEOUT;SHARDS" "SOURCES;DEPENDS;LINK")
  add_executable(test_${name} ${test_SOURCES})
  list(TRANSFORM test_DEPENDS PREPEND strata::)
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(test_${name} PRIVATE $<TARGET_NAME_IF_EXISTS:strata::${name}>
                                             ${test_DEPENDS} ${test_LINK}
                                             GTest::gtest_main strata_warnings)
  # Headers, GoogleTest's above all, take more than half of a small test's compilation time.
  if(STRATA_UNITY_BUILD)
    set_target_properties(test_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
  elseif(STRATA_PRECOMPILED_HEADERS)
    strata_precompile(test_${name} <gtest/gtest.h>)
  endif()
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 1500)  # CTest's own
  endif()
  # Most of a test's compilation is optimisation, which a release would spend on code that runs once.
  target_compile_options(test_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(NOT test_SHARDS)
    gtest_discover_tests(test_${name} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60
                         PROPERTIES TIMEOUT ${test_TIMEOUT})
    return()
  endif()
  math(EXPR last "${test_SHARDS} - 1")
  foreach(shard RANGE ${last})
    add_test(NAME ${name}.shard_${shard} COMMAND test_${name})
    set_tests_properties(${name}.shard_${shard} PROPERTIES TIMEOUT ${test_TIMEOUT}
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${test_SHARDS};GTEST_SHARD_INDEX=${shard}")
  endforeach()
endfunction()
