// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/executable.h"

#include "base/error.h"
#include "base/text.h"
#include "graph/memory.h"

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
                                   int threads, CacheState caches)
    : engine_(engine),
      stream_(engine),
      threads_(threads),
      tensors_(std::move(program.tensors)),
      caches_(caches, threads) {
    plan_memory(program);
    for (const GraphTensor& tensor : graph.tensors) {
        tensor_names_.push_back(tensor.name);
    }
    for (Program::PlannedStep& planned : program.steps) {
        steps_.push_back(std::move(planned.step));
        std::vector<BoundCall>& bound = calls_.emplace_back();
        for (const Call& call : planned.calls) {
            bound.push_back(bind(call));
        }
    }
    for (const Call& call : program.preparations) {
        preparations_.push_back(bind(call));
    }
    initialize(program);
    execute(preparations_);
}

void OnednnExecutable::plan_memory(const Program& program) {
    ArenaPlan plan = plan_arena(lifetimes_of(program.buffers, program.steps.size()));
    arena_ = std::make_unique<Arena>(static_cast<std::size_t>(plan.size.value));
    offsets_ = std::move(plan.offsets);
}

void OnednnExecutable::initialize(const Program& program) const {
    for (const Program::Initialization& initialization : program.initializations) {
        fill(initialization.place, initialization.values());
    }
}

dnnl::memory OnednnExecutable::memory_at(const Place& place) const {
    return dnnl::memory(place.desc, engine_, address_of(place));
}

OnednnExecutable::BoundCall OnednnExecutable::bind(const Call& call) const {
    return std::visit([this](const auto& kind) { return bind(kind); }, call);
}

OnednnExecutable::BoundCall OnednnExecutable::bind(const PrimitiveCall& call) const {
    BoundPrimitive bound{call.primitive, {}, {}};
    for (const auto& [argument, place] : call.arguments) {
        bound.memories.push_back(memory_at(place));
        bound.arguments.push_back({argument, bound.memories.back().get()});
    }
    return bound;
}

OnednnExecutable::BoundCall OnednnExecutable::bind(const KernelCall& call) const {
    BoundKernel bound{call.kernel, {}};
    for (const Place& place : call.places) {
        bound.addresses.push_back(address_of(place));
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

// The library made its primitives for this many threads; another executable may have asked for
// others since.
void OnednnExecutable::use_threads() const {
    omp_set_num_threads(threads_);
}

Seconds OnednnExecutable::run() {
    use_threads();
    const auto begin = Clock::now();
    for (std::size_t step = 0; step < steps_.size(); ++step) {
        execute(calls_[step]);
    }
    return between(begin, Clock::now());
}

Seconds OnednnExecutable::run_timed(std::span<Seconds> times) {
    check(times.size() == steps_.size(), "one time for each step");
    use_threads();
    if (caches_.state() != CacheState::as_left) {
        return run_prepared(times);
    }
    const auto begin = Clock::now();
    auto last = begin;
    for (std::size_t step = 0; step < steps_.size(); ++step) {
        execute(calls_[step]);
        const auto now = Clock::now();
        times[step] = between(last, now);
        last = now;
    }
    return between(begin, last);
}

// With caches prepared before each step, outside its time.
Seconds OnednnExecutable::run_prepared(std::span<Seconds> times) {
    const auto begin = Clock::now();
    for (std::size_t step = 0; step < steps_.size(); ++step) {
        caches_.prepare([&] { execute(calls_[step]); });
        const auto before = Clock::now();
        execute(calls_[step]);
        times[step] = between(before, Clock::now());
    }
    return between(begin, Clock::now());
}

void OnednnExecutable::run_step(std::size_t step) {
    use_threads();
    execute(calls_[step]);
}

const Place& OnednnExecutable::place_of(TensorId tensor, Content content) const {
    const Program::TensorPlaces& places = tensors_[tensor];
    const auto& place = content == Content::value ? places.value : places.gradient;
    if (!place) {
        throw Error("Tensor " + printable(tensor_names_[tensor]) +
                    " has no memory of its own in this execution; prepare it with memory kept.");
    }
    return *place;
}

HostValues OnednnExecutable::read(TensorId tensor, Content content) const {
    return values_at(place_of(tensor, content));
}

void OnednnExecutable::write(TensorId tensor, Content content, std::span<const float> values) {
    fill(place_of(tensor, content), values);
    execute(preparations_);
}

HostValues OnednnExecutable::values_at(const Place& place) const {
    HostValues values(elements_of(place.desc));
    dnnl::memory from = memory_at(place);
    dnnl::memory to(plain(dims_of(place.desc), ElementType::f32), engine_, values.data());
    dnnl::reorder(from, to).execute(stream_, from, to);
    return values;
}

void OnednnExecutable::fill(const Place& place, std::span<const float> values) const {
    check(values.size() == elements_of(place.desc), "one value for each element");
    // The library's interface takes no constant source, though it writes none.
    auto* source = const_cast<float*>(values.data());
    dnnl::memory from(plain(dims_of(place.desc), ElementType::f32), engine_, source);
    dnnl::memory to = memory_at(place);
    dnnl::reorder(from, to).execute(stream_, from, to);
}

}  // namespace strata::cpu
