// SPDX-License-Identifier: MIT
#pragma once

#include "base/error.h"
#include "op/convention.h"
#include "op/problem.h"

#include <gtest/gtest.h>

#include <string>

namespace strata {

// Shape of the first result of a problem in one line of text.
inline std::string output_of(std::string_view problem) {
    return to_text(signature_of(parse_problem(problem)).outputs.at(0).dims);
}

// The sentence that refuses a problem; empty if it is accepted.
inline std::string refusal_of(std::string_view problem) {
    try {
        signature_of(parse_problem(problem));
        return {};
    } catch (const Error& error) {
        return error.what();
    }
}

inline Work work_of(std::string_view text, Pass pass) {
    const Problem problem = parse_problem(text);
    return work_of(problem.op, signature_of(problem), pass);
}

// Operations by the default convention.
inline double flops_of(std::string_view text, Pass pass) {
    const Problem problem = parse_problem(text);
    return count(problem.op, signature_of(problem), pass, conventions()[0]).value;
}

inline bool has_pass(std::string_view text, Pass pass) {
    const Problem problem = parse_problem(text);
    return has_pass(problem.op, signature_of(problem), pass);
}

// Whether `whole` contains `part`; shows both if it does not.
inline ::testing::AssertionResult contains(const std::string& whole, const std::string& part) {
    if (whole.find(part) != std::string::npos) {
        return ::testing::AssertionSuccess();
    }
    return ::testing::AssertionFailure()
           << "\"" << whole << "\" does not contain \"" << part << "\"";
}

}  // namespace strata
