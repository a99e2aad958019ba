// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/onednn/arena.h"
#include "backend/cpu/onednn/cache_preparation.h"
#include "backend/cpu/onednn/lowering.h"
#include "backend/lower/bound_program.h"

#include <set>

namespace strata::cpu {

// A program with memory: every call has its addresses, and nothing is decided or allocated while it
// runs.
class OnednnExecutable : public Executable {
public:
    // Throws Error if the machine lacks the memory.
    OnednnExecutable(const Graph& graph, const dnnl::engine& engine, Program program, int threads);

    std::span<const Step> steps() const override { return bound_.steps; }
    Seconds run() override;
    Seconds run_timed(std::span<Seconds> times) override;
    void prepare_caches(CacheState state) override;
    bool report_to(WaitWatch* watch) override {
        watch_ = watch;
        return true;
    }
    void run_step(std::size_t step) override;
    HostValues read(TensorId tensor, Content content) const override;
    void write(TensorId tensor, Content content, std::span<const float> values) override;

private:
    // A primitive with its arguments in the form of the C interface, which avoids a map for each
    // call.
    struct BoundPrimitive {
        dnnl::primitive primitive;
        std::vector<dnnl::memory> memories;
        std::vector<dnnl_exec_arg_t> arguments;
    };
    struct BoundKernel {
        Kernel kernel;
        std::vector<void*> addresses;
    };
    using BoundCall = std::variant<BoundPrimitive, BoundKernel>;

    void plan_memory(const Program& program);
    std::vector<BoundCall> bind_all(const std::vector<Call>& calls) const;
    BoundCall bind(const Call& call) const;
    BoundCall bind(const PrimitiveCall& call) const;
    BoundCall bind(const KernelCall& call) const;
    dnnl::memory memory_at(const TensorView& view) const;
    void* address_of(const TensorView& view) const {
        return arena_->at(offsets_[view.buffer] + view.offset);
    }
    void execute(const std::vector<BoundCall>& calls) const;
    Seconds run_prepared(std::span<Seconds> times);
    void use_threads() const;
    HostValues values_at(const TensorView& view) const;
    void fill(const TensorView& view, std::span<const float> values) const;

    dnnl::engine engine_;
    mutable dnnl::stream stream_;
    int threads_ = 1;
    std::unique_ptr<Arena> arena_;
    std::vector<std::size_t> offsets_;
    BoundProgram<OnednnViews, BoundCall> bound_;
    std::set<TensorId> fed_;  // inputs: nothing is prepared from them
    CachePreparation caches_;
    WaitWatch* watch_ = nullptr;
};

}  // namespace strata::cpu
