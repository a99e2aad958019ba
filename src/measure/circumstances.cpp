// SPDX-License-Identifier: MIT
#include "measure/circumstances.h"

#include <fmt/format.h>

namespace strata {

std::vector<Doubt> diagnose(const Circumstances& circumstances) {
    std::vector<Doubt> doubts;
    const int processors = circumstances.processors;
    if (circumstances.threads > processors) {
        doubts.push_back({DoubtKind::oversubscribed,
                          fmt::format("{} threads share {} processor{} and wait for each "
                                      "other; use --threads {} or fewer",
                                      circumstances.threads, processors, processors == 1 ? "" : "s",
                                      processors)});
    }
    if (circumstances.is_shared) {
        doubts.push_back({DoubtKind::shared_machine,
                          "another strata was measuring on this machine at the same time; measure "
                          "again without --no-wait"});
    }
    return doubts;
}

}  // namespace strata
