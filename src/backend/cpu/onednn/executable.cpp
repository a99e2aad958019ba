// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/executable.h"

#include "base/error.h"
#include "graph/memory.h"
#include "measure/waits.h"

#include <omp.h>

#include <algorithm>
#include <chrono>

namespace strata::cpu {

namespace {

using Clock = std::chrono::steady_clock;

Seconds between(Clock::time_point begin, Clock::time_point end) {
    return {std::chrono::duration<double>(end - begin).count()};
}

}  // namespace

OnednnExecutable::OnednnExecutable(const Graph& graph, const dnnl::engine& engine, Program program,
                                   int threads)
    : engine_(engine),
      stream_(engine),
      threads_(threads),
      fed_(graph.inputs.begin(), graph.inputs.end()),
      caches_(CacheState::as_left, threads) {
    plan_memory(program);
    bound_.bind(
        graph, program,
        [this](const std::vector<Call>& calls, const Step&) { return bind_all(calls); },
        [this](const Call& call) { return bind(call); });
    initialize(program,
               [this](const TensorView& view, const HostValues& values) { fill(view, values); });
    execute(bound_.preparations);
}

void OnednnExecutable::plan_memory(const Program& program) {
    ArenaPlan plan = plan_arena(lifetimes_of(program.buffers, program.steps.size()));
    arena_ = std::make_unique<Arena>(static_cast<std::size_t>(plan.size.value));
    offsets_ = std::move(plan.offsets);
}

dnnl::memory OnednnExecutable::memory_at(const TensorView& view) const {
    return dnnl::memory(view.desc, engine_, address_of(view));
}

std::vector<OnednnExecutable::BoundCall> OnednnExecutable::bind_all(
    const std::vector<Call>& calls) const {
    std::vector<BoundCall> bound;
    for (const Call& call : calls) {
        bound.push_back(bind(call));
    }
    return bound;
}

OnednnExecutable::BoundCall OnednnExecutable::bind(const Call& call) const {
    return std::visit([this](const auto& kind) { return bind(kind); }, call);
}

OnednnExecutable::BoundCall OnednnExecutable::bind(const PrimitiveCall& call) const {
    BoundPrimitive bound{call.primitive, {}, {}};
    for (const auto& [argument, view] : call.arguments) {
        bound.memories.push_back(memory_at(view));
        bound.arguments.push_back({argument, bound.memories.back().get()});
    }
    return bound;
}

OnednnExecutable::BoundCall OnednnExecutable::bind(const KernelCall& call) const {
    BoundKernel bound{call.kernel, {}};
    for (const TensorView& view : call.views) {
        bound.addresses.push_back(address_of(view));
    }
    return bound;
}

void OnednnExecutable::execute(const std::vector<BoundCall>& calls) const {
    for (const BoundCall& call : calls) {
        if (const auto* bound = std::get_if<BoundPrimitive>(&call)) {
            dnnl::error::wrap_c_api(
                dnnl_primitive_execute(bound->primitive.get(), stream_.get(),
                                       static_cast<int>(bound->arguments.size()),
                                       bound->arguments.data()),
                "a primitive could not be executed");
        } else {
            const auto& kernel = std::get<BoundKernel>(call);
            kernel.kernel(kernel.addresses);
        }
    }
}

// The library made its primitives for this number of threads, but another executable may have
// changed it since.
void OnednnExecutable::use_threads() const {
    omp_set_num_threads(threads_);
}

Seconds OnednnExecutable::run() {
    use_threads();
    const auto begin = Clock::now();
    for (std::size_t step = 0; step < bound_.steps.size(); ++step) {
        execute(bound_.calls[step]);
    }
    return between(begin, Clock::now());
}

Seconds OnednnExecutable::run_timed(std::span<Seconds> times) {
    check(times.size() == bound_.steps.size(), "one time for each step");
    use_threads();
    if (caches_.state() != CacheState::as_left) {
        return run_prepared(times);
    }
    auto last = Clock::now();
    auto begin = last;  // advanced by the time to read the waits
    for (std::size_t step = 0; step < bound_.steps.size(); ++step) {
        execute(bound_.calls[step]);
        const auto now = Clock::now();
        times[step] = between(last, now);
        last = now;
        if (watch_ != nullptr && watch_->took(times[step])) {
            last = Clock::now();
            begin += last - now;
        }
    }
    return between(begin, last);
}

// Prepares the caches before each step, outside its time.
Seconds OnednnExecutable::run_prepared(std::span<Seconds> times) {
    const auto begin = Clock::now();
    for (std::size_t step = 0; step < bound_.steps.size(); ++step) {
        caches_.prepare([&] { execute(bound_.calls[step]); });
        const auto before = Clock::now();
        execute(bound_.calls[step]);
        times[step] = between(before, Clock::now());
        if (watch_ != nullptr) {
            watch_->took(times[step]);
        }
    }
    return between(begin, Clock::now());
}

void OnednnExecutable::prepare_caches(CacheState state) {
    caches_ = {state, threads_};
}

void OnednnExecutable::run_step(std::size_t step) {
    use_threads();
    execute(bound_.calls[step]);
}

HostValues OnednnExecutable::read(TensorId tensor, Content content) const {
    return values_at(bound_.view_of(tensor, content));
}

void OnednnExecutable::write(TensorId tensor, Content content, std::span<const float> values) {
    fill(bound_.view_of(tensor, content), values);
    if (!fed_.contains(tensor)) {
        execute(bound_.preparations);
    }
}

HostValues OnednnExecutable::values_at(const TensorView& view) const {
    HostValues values(elements_of(view.desc));
    dnnl::memory from = memory_at(view);
    dnnl::memory to(plain(dims_of(view.desc), ElementType::f32), engine_, values.data());
    dnnl::reorder(from, to).execute(stream_, from, to);
    return values;
}

void OnednnExecutable::fill(const TensorView& view, std::span<const float> values) const {
    check(values.size() == elements_of(view.desc), "one value for each element");
    // The library's interface does not take a constant source, though it does not write to it.
    auto* source = const_cast<float*>(values.data());
    dnnl::memory from(plain(dims_of(view.desc), ElementType::f32), engine_, source);
    dnnl::memory to = memory_at(view);
    dnnl::reorder(from, to).execute(stream_, from, to);
}

}  // namespace strata::cpu
