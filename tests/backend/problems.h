// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace strata::testing {

// Every operator with its odd attributes, small enough for the reference: what each backend must
// get right. Text as op/problem.h reads it.
const std::vector<std::string>& operator_problems();

// Operators that must also be right in the layouts that convolutions like.
const std::vector<std::string>& inner_problems();

// A network of one operator, given as `problem` text (op/problem.h).
Graph graph_of_problem(const std::string& problem);

// The same behind and before 1x1 convolutions of as many channels, so that the operator meets the
// layouts that convolutions like. Requires: a first operand of four axes, and as many in the
// result.
Graph graph_between_convolutions(const std::string& problem);

// A test's name made of its problem.
std::string name_of_case(const ::testing::TestParamInfo<std::string>& info);

}  // namespace strata::testing
