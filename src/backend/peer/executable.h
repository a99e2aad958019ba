// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "backend/peer/process.h"

#include <nlohmann/json_fwd.hpp>

#include <memory>

namespace strata {

// A peer's process, and whether it computes on a device of its own.
struct PeerOf {
    std::unique_ptr<PeerProcess> process;
    bool has_device = false;
};

// A network that a peer's process has prepared. The process ends with it.
class PeerExecutable final : public Executable {
public:
    // `answer` is the answer to the request "prepare". Throws DeviceFailure if it does not fit the
    // graph's schedule.
    PeerExecutable(const Graph& graph, const Execution& execution, PeerOf peer,
                   const nlohmann::json& answer);

    std::span<const Step> steps() const override { return steps_; }
    Seconds run() override;
    Seconds run_timed(std::span<Seconds> times) override;
    void run_step(std::size_t step) override;
    HostValues read(TensorId tensor, Content content) const override;
    void write(TensorId tensor, Content content, std::span<const float> values) override;
    std::optional<Bytes> device_memory() const override;
    std::optional<Seconds> time_empty_step() override;
    void settle() override;

private:
    nlohmann::json request(nlohmann::json request) const;
    nlohmann::json moved(std::string_view verb, TensorId tensor, Content content) const;
    Step step_of(const Task& task, const nlohmann::json& json) const;
    std::size_t elements(TensorId tensor) const;
    void let_this_process_rest();

    Graph graph_;
    Schedule schedule_;
    Seconds timeout_;
    std::unique_ptr<PeerProcess> process_;
    bool has_device_;
    std::optional<Bytes> resident_before_;
    std::vector<Step> steps_;
    bool own_threads_may_spin_ = false;
};

}  // namespace strata
