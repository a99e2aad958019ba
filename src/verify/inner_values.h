// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"

#include <map>

namespace strata {

// An executable that can also be requested values that exist only within one of its operations: as
// the reference computed them.
class InnerValues final : public Executable {
public:
    explicit InnerValues(Executable& executable) : executable_(executable) {}

    void keep(TensorId tensor, HostValues values) { values_[tensor] = std::move(values); }

    std::span<const Step> steps() const override { return executable_.steps(); }
    Seconds run() override { return executable_.run(); }
    Seconds run_timed(std::span<Seconds> times) override { return executable_.run_timed(times); }
    void run_step(std::size_t step) override { executable_.run_step(step); }
    HostValues read(TensorId tensor, Content content) const override {
        const auto found = values_.find(tensor);
        return content == Content::value && found != values_.end()
                   ? found->second
                   : executable_.read(tensor, content);
    }
    void write(TensorId tensor, Content content, std::span<const float> values) override {
        executable_.write(tensor, content, values);
    }

private:
    Executable& executable_;
    std::map<TensorId, HostValues> values_;
};

}  // namespace strata
