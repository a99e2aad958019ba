// SPDX-License-Identifier: MIT
#include "run/choices.h"

#include <utility>

namespace strata {

namespace {

template <class Value>
void vary(std::vector<Execution>& executions, Value Execution::*field,
          const std::vector<Value>& values) {
    std::vector<Execution> varied;
    for (const Execution& execution : executions) {
        for (const Value value : values) {
            varied.push_back(execution);
            varied.back().*field = value;
        }
    }
    if (!values.empty()) {
        executions = std::move(varied);
    }
}

}  // namespace

std::vector<Execution> executions_of(const Execution& common, const Choices& choices) {
    std::vector<Execution> executions = {common};
    vary(executions, &Execution::dtype, choices.dtypes);
    vary(executions, &Execution::algorithm, choices.algorithms);
    vary(executions, &Execution::image_layout, choices.layouts);
    vary(executions, &Execution::fusion, choices.fusions);
    vary(executions, &Execution::l1, choices.l1);
    vary(executions, &Execution::threads, choices.threads);
    return executions;
}

}  // namespace strata
