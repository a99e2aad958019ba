// SPDX-License-Identifier: MIT
#include "verify/state.h"

namespace strata {

std::size_t PendingGradient::suspect() const {
    // An engine that accumulates in a separate step holds no partial sums, so a mismatch of those
    // means nothing.
    return accumulation ? *accumulation : first_mismatch.value_or(contributors.back());
}

void GradientLedger::contribute(TensorId tensor, std::size_t step, const Expected& contribution,
                                std::span<const float> partial) {
    PendingGradient& pending = pending_[tensor];
    pending.expected.add(contribution);
    pending.contributors.push_back(step);
    if (!pending.first_mismatch && !pending.expected.compare(partial).agrees()) {
        pending.first_mismatch = step;
    }
}

void GradientLedger::accumulate(std::span<const TensorId> candidates, std::size_t step) {
    for (const TensorId tensor : candidates) {
        const auto found = pending_.find(tensor);
        if (found != pending_.end() && found->second.contributors.size() > 1) {
            found->second.accumulation = step;
        }
    }
}

std::optional<PendingGradient> GradientLedger::take(TensorId tensor) {
    const auto found = pending_.find(tensor);
    if (found == pending_.end()) {
        return std::nullopt;
    }
    PendingGradient pending = std::move(found->second);
    pending_.erase(found);
    const bool comparable = pending.whole && !pending.contributors.empty();
    return comparable ? std::optional(std::move(pending)) : std::nullopt;
}

std::vector<TensorId> GradientLedger::tensors() const {
    std::vector<TensorId> keys;
    for (const auto& [tensor, pending] : pending_) {
        keys.push_back(tensor);
    }
    return keys;
}

}  // namespace strata
