// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace strata::testing {

// Every operator with its unusual attributes, small enough for the reference: every backend must
// compute them correctly. Text as op/problem.h reads it.
const std::vector<std::string>& operator_problems();

// Operators that must also be correct in the layouts that convolutions prefer.
const std::vector<std::string>& inner_problems();

// A network of one operator, given as `problem` text (op/problem.h).
Graph graph_of_problem(const std::string& problem);

// The same between 1x1 convolutions with the same number of channels, so that the operator gets the
// layouts that convolutions prefer. Requires: a first operand and a result of four axes.
Graph graph_between_convolutions(const std::string& problem);

// A test's name, made from its problem.
std::string name_of_case(const ::testing::TestParamInfo<std::string>& info);

}  // namespace strata::testing
