// SPDX-License-Identifier: MIT
#include "backend/reference/reference.h"

#include "backend/reference/executable.h"
#include "base/error.h"

#include <omp.h>

#include <new>

namespace strata {

namespace {

class ReferenceBackend final : public Backend {
public:
    BackendInfo info() const override {
        return {.name = "reference",
                .version = "1",
                .details = "plain loops, sums in f64, OpenMP with " +
                           std::to_string(omp_get_max_threads()) + " threads"};
    }

    std::unique_ptr<Executable> prepare(const Graph& graph, const Execution& execution) override {
        try {
            return std::make_unique<ReferenceExecutable>(graph, execution);
        } catch (const std::bad_alloc&) {
            throw Error("network '" + graph.name +
                        "' does not fit in this machine's memory with batch " +
                        std::to_string(batch_of(graph)) + "; choose a smaller batch");
        }
    }
};

}  // namespace

std::unique_ptr<Backend> make_reference_backend() {
    return std::make_unique<ReferenceBackend>();
}

}  // namespace strata
