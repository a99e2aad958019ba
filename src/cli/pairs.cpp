// SPDX-License-Identifier: MIT
#include "cli/pairs.h"

#include "view/paired.h"

namespace strata {

void PairPrinter::add(const std::vector<Run>& runs) {
    if (runs.size() == 1) {
        first_runs_.push_back(runs.front());
    }
    if (++groups_ % executions_ == 0) {
        print();
        first_runs_.clear();
    }
}

// In the form of the runs themselves, but for columns that another table has.
void PairPrinter::print() const {
    OutputOptions output = output_;
    output.columns.clear();
    output.sort.clear();
    output.top = 0;
    for (std::size_t i = 1; i < first_runs_.size(); ++i) {
        emit(paired_document(first_runs_.front(), first_runs_[i]), output);
    }
}

}  // namespace strata
