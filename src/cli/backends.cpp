// SPDX-License-Identifier: MIT
#include "cli/backends.h"

#include "backend/module.h"
#include "backend/peer/peer.h"
#include "backend/reference/reference.h"
#include "base/error.h"
#include "base/processors.h"
#include "base/text.h"
#include "image/jpeg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace strata {

namespace {

constexpr std::array entries = {
    BackendEntry{.name = "onednn",
                 .meaning = "this CPU through oneDNN: the fast engine",
                 .make = [] { return open_backend_module("onednn"); },
                 .can_be_fed = true,
                 .has_known_versions = true},
    BackendEntry{.name = "cuda",
                 .meaning = "an NVIDIA GPU through cuDNN, cuBLASLt and strata's own kernels",
                 .make = [] { return open_backend_module("cuda"); },
                 .make_past_l1 = [] { return open_backend_module("cuda_past_l1"); },
                 .is_on_gpu = true,
                 .lists_algorithms = true},
    BackendEntry{.name = "reference",
                 .meaning = "plain loops that accumulate in double precision: slow, the standard "
                            "of correctness",
                 .make = [] { return make_reference_backend(); },
                 .can_be_fed = true,
                 .is_studied = false},
    BackendEntry{.name = "pytorch",
                 .meaning = "PyTorch in a separate process: eager, or compiled with --fuse",
                 .make = [] { return make_peer_backend("pytorch"); },
                 .make_on_gpu = [] { return make_peer_backend("pytorch", options_for_gpu()); },
                 .profiler = "torch.profiler"},
    BackendEntry{.name = "tensorflow",
                 .meaning = "TensorFlow in a separate process: graphs, or XLA with --fuse",
                 .make = [] { return make_peer_backend("tensorflow"); },
                 .profiler = "tf.profiler"},
    BackendEntry{.name = "jax",
                 .meaning = "JAX in a separate process: jitted layers, or one step with --fuse",
                 .make = [] { return make_peer_backend("jax"); },
                 .profiler = "jax.profiler"},
    BackendEntry{.name = "libtorch",
                 .meaning = "PyTorch's C++ library in a separate process: eager, without Python",
                 .make = [] { return make_peer_backend("libtorch"); }},
    BackendEntry{.name = "onnxruntime",
                 .meaning = "ONNX Runtime, inference only: node by node, or optimised with --fuse",
                 .make = [] { return make_peer_backend("onnxruntime"); },
                 .step_timer = "its profile of nodes"},
    BackendEntry{.name = "openvino",
                 .meaning = "OpenVINO, inference only, which fuses layers on its own",
                 .make = [] { return make_peer_backend("openvino"); },
                 .step_timer = "its counters of nodes"},
};

}  // namespace

std::unique_ptr<Backend> BackendEntry::make_for(const Execution& execution) const {
    if (execution.engine.l1 == L1Caching::bypassed) {
        return make_past_l1();
    }
    return make_on_gpu != nullptr && ask_for_gpu(execution.engine.peer_options) ? make_on_gpu()
                                                                                : make();
}

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

void require_ability(const BackendEntry& entry, const Settings& settings) {
    const auto refusal = refusal_of(settings, entry.capabilities());
    if (!refusal.empty()) {
        throw Error(fmt::format("the backend {} {}", entry.name, refusal), ExitCode::usage);
    }
}

std::string refusal_here(Backend& backend, const Execution& execution) {
    const int threads = execution.scheduling.threads;
    const auto processors = static_cast<int>(allowed_processors().size());
    if (threads > processors && !backend.info().device_memory) {
        return fmt::format(
            "{} threads would share the {} that this process may use: choose "
            "--threads {} or fewer",
            threads, processors == 1 ? "processor" : fmt::format("{} processors", processors),
            processors);
    }
    return backend.refusal_of(execution);
}

void require_profiler(const BackendEntry& entry, std::string_view option) {
    if (!entry.capabilities().has(Capability::profiling)) {
        throw Error(fmt::format("the backend {} records neither kernels nor counters: omit {}, or "
                                "choose another backend with --backend",
                                entry.name, option),
                    ExitCode::usage);
    }
}

void require_feeding(const BackendEntry& entry) {
    if (!entry.can_be_fed) {
        throw Error(fmt::format("--infeed needs a backend that runs on this machine's processors, "
                                "unlike {}: choose --backend onednn",
                                entry.name),
                    ExitCode::usage);
    }
    if (!has_jpeg()) {
        throw Error(
            "--infeed needs a JPEG library, and this strata was built without one: "
            "install libjpeg-dev, then build it again",
            ExitCode::machine_cannot);
    }
}

}  // namespace strata
