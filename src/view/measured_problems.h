// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"

#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace strata {

// The kinds of problems that measured steps can be, each a table with its own header.
enum class ProblemKind { products, convolutions, attention };
inline constexpr std::array<std::string_view, 3> names_of(ProblemKind) {
    return {"products", "convolutions", "attention"};
}

// The steps of runs as a table that `read_problems` takes, and what is not in it.
struct MeasuredProblems {
    std::string csv;
    std::size_t problems = 0;                     // rows
    std::size_t steps = 0;                        // whose times they have
    std::map<std::string, std::size_t> left_out;  // steps of this kind, by the reason
};

// A step whose time stamps could be more than a tenth of its time is left out.
inline constexpr double empty_steps_of_shortest = 10;

// Steps of layers that are products (fully connected layers and matrix products), convolutions or
// attention. A row has the time of the median of all steps with the same problem, in which
// `implementation` is what ran, `network` and `layer` say where it ran first, and `steps` how often
// it did. Left out are steps in which the library's kernel was not alone (a bias, several
// products), steps that took less than `shortest` empty ones, and those that other programs
// delayed. Throws Error if a run was not measured on a GPU.
MeasuredProblems measured_problems(std::span<const Run> runs, ProblemKind kind,
                                   double shortest = empty_steps_of_shortest);

// "7 of 9 steps with convolutions are left out: 3 of several kernels, 4 too short beside their time
// stamps"; empty if nothing was left out.
std::string left_out_sentence(const MeasuredProblems& found, ProblemKind kind);

}  // namespace strata
