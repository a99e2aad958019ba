// SPDX-License-Identifier: MIT
#pragma once

#include "verify/expected.h"

#include <map>
#include <optional>
#include <vector>

namespace strata {

// A gradient on its way: the sum of what the reference contributed until now, and who did.
struct PendingGradient {
    Expected expected;
    std::vector<std::size_t> contributors;      // steps, in order
    std::optional<std::size_t> first_mismatch;  // step after which the partial sum was wrong
    std::optional<std::size_t> accumulation;    // step that added the contributions up
    bool whole = true;                          // no contributor was refused

    // The step at fault if the sum is wrong.
    std::size_t suspect() const;
};

// The gradients that are not yet compared, by tensor.
class GradientLedger {
public:
    // A step has contributed; `partial` is what the executable now holds for the tensor.
    void contribute(TensorId tensor, std::size_t step, const Expected& contribution,
                    std::span<const float> partial);

    // A layer without a step of its own has contributed by sharing memory.
    void contribute_silently(TensorId tensor, const Expected& contribution) {
        pending_[tensor].expected.add(contribution);
    }

    // A contributor is refused: nobody can say what the sum should be.
    void refuse(TensorId tensor) { pending_[tensor].whole = false; }

    // A step added up contributions to one of these tensors.
    void accumulate(std::span<const TensorId> candidates, std::size_t step);

    bool has(TensorId tensor) const { return pending_.contains(tensor); }

    // Takes a gradient out that is about to be read, or nothing if there is none to compare.
    std::optional<PendingGradient> take(TensorId tensor);

    std::vector<TensorId> tensors() const;

private:
    std::map<TensorId, PendingGradient> pending_;
};

}  // namespace strata
