// SPDX-License-Identifier: MIT
#include "cli/backends.h"

#include "backend/module.h"
#include "backend/reference/reference.h"
#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace strata {

namespace {

constexpr std::array entries = {
    BackendEntry{"onednn", "this CPU through oneDNN: the fast engine",
                 [] { return open_backend_module("onednn"); }, false, false, true},
    BackendEntry{"cuda", "an NVIDIA GPU through cuDNN, cuBLASLt and strata's own kernels",
                 [] { return open_backend_module("cuda"); }, true, true, true, true,
                 [] { return open_backend_module("cuda_past_l1"); }},
    BackendEntry{
        "reference",
        "plain loops that accumulate in double precision: slow, the standard of correctness",
        [] { return make_reference_backend(); }},
};

}  // namespace

std::span<const BackendEntry> backends() {
    return entries;
}

std::vector<std::string> backend_names() {
    std::vector<std::string> names;
    std::ranges::transform(entries, std::back_inserter(names),
                           [](const BackendEntry& entry) { return std::string(entry.name); });
    return names;
}

const BackendEntry& find_backend(std::string_view name) {
    const auto found = std::ranges::find(entries, name, &BackendEntry::name);
    if (found != entries.end()) {
        return *found;
    }
    throw Error(fmt::format("there is no backend '{}': choose one of {}", printable(name),
                            join(backend_names(), ", ")),
                ExitCode::usage);
}

std::unique_ptr<Backend> make_backend(const BackendEntry& entry, const Execution& execution) {
    return execution.engine.l1 == L1Caching::bypassed ? entry.make_past_l1() : entry.make();
}

void require_ability(const BackendEntry& entry, const Execution& execution, CacheState caches) {
    const auto require = [&](bool holds, const std::string& what) {
        if (!holds) {
            throw Error(fmt::format("the backend {} {}", entry.name, what), ExitCode::usage);
        }
    };
    const bool has_f16 = entry.has_tensor_cores;
    const bool fits = execution.numerics.dtype == DataType::f32 ||
                      execution.numerics.dtype == DataType::bf16 ||
                      (has_f16 && execution.numerics.dtype == DataType::f16);
    require(fits, fmt::format("does not support {}: choose f32{} bf16 with --dtype",
                              name_of(execution.numerics.dtype), has_f16 ? ", f16 or" : " or"));
    require(entry.has_tensor_cores || execution.engine.image_layout == ImageLayout::automatic,
            "chooses layouts itself: omit --layout");
    require(entry.fuses_convolutions || execution.engine.fusion == Fusion::none,
            "does not fuse layers: omit --fuse");
    require(entry.make_past_l1 != nullptr || execution.engine.l1 == L1Caching::used,
            "has no L1 cache to bypass: omit --l1");
    require(entry.has_tensor_cores || execution.engine.algorithm != ConvolutionAlgorithm::fastest,
            "does not try algorithms itself: strata algorithms shows the time of each");
    require(entry.has_tensor_cores || execution.numerics.single_precision == SinglePrecision::full,
            "does not support TF32: omit --tf32");
    require(entry.prepares_caches || caches == CacheState::as_left,
            "does not prepare caches: omit --cache");
}

void require_machine(const BackendEntry& entry, std::span<const Execution> executions) {
    const auto backend = entry.make();
    for (const Execution& execution : executions) {
        if (const std::string refusal = backend->refusal_of(execution); !refusal.empty()) {
            throw Error(fmt::format("the backend {} cannot run {} here: {}", entry.name,
                                    name_of(execution.numerics.dtype), refusal),
                        ExitCode::machine_cannot);
        }
    }
}

void require_profiler(const BackendEntry& entry, std::string_view option) {
    if (!entry.has_profiler) {
        throw Error(fmt::format("the backend {} records neither kernels nor counters: omit {}, or "
                                "choose another backend with --backend",
                                entry.name, option),
                    ExitCode::usage);
    }
}

}  // namespace strata
