// SPDX-License-Identifier: MIT
#pragma once

#include "cli/options.h"
#include "record/run.h"

#include <vector>

namespace strata {

// Collects the runs of a command that asked for several executions of each network and prints,
// after the last of them, each beside the first.
class PairPrinter {
public:
    // `executions`: how many runs of a network follow each other.
    PairPrinter(std::size_t executions, const OutputOptions& output)
        : executions_(executions), output_(output) {}

    // The runs of one group; of a sweep there are several, which are not paired.
    void add(const std::vector<Run>& runs);

private:
    void print() const;

    std::size_t executions_;
    const OutputOptions& output_;
    std::vector<Run> first_runs_;
    std::size_t groups_ = 0;
};

}  // namespace strata
