// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/engine.h"

#include "backend/cpu/onednn/executable.h"
#include "backend/cpu/onednn/isa.h"
#include "backend/cpu/onednn/lowering.h"
#include "backend/cpu/onednn/threads.h"
#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <cstdlib>

namespace strata::cpu {

namespace {

std::string version_text() {
    const dnnl_version_t* version = dnnl_version();
    return fmt::format("{}.{}.{}", version->major, version->minor, version->patch);
}

// The widest instruction set that the library uses here, as the library calls it.
std::string isa_text() {
    struct Named {
        dnnl::cpu_isa isa;
        const char* name;
    };
    constexpr Named known[] = {{dnnl::cpu_isa::avx512_core_amx, "avx512_core_amx"},
                               {dnnl::cpu_isa::avx512_core_bf16, "avx512_core_bf16"},
                               {dnnl::cpu_isa::avx512_core_vnni, "avx512_core_vnni"},
                               {dnnl::cpu_isa::avx512_core, "avx512_core"},
                               {dnnl::cpu_isa::avx2, "avx2"},
                               {dnnl::cpu_isa::avx, "avx"},
                               {dnnl::cpu_isa::sse41, "sse41"}};
    for (const Named& named : known) {
        if (library_uses(named.isa)) {
            return named.name;
        }
    }
    return "generic";
}

// The limit that keeps the library below the processor's instruction set, for users who forgot that
// they set it: " (ONEDNN_MAX_CPU_ISA is AVX2 here)"; empty if there is none.
std::string isa_limit() {
    for (const char* name : {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"}) {
        const char* value = std::getenv(name);
        if (value != nullptr && *value != '\0') {
            return fmt::format(" ({} is {} here)", name, printable(value));
        }
    }
    return {};
}

class OnednnBackend : public Backend {
public:
    // Our own loops use no wider instructions than the library may.
    explicit OnednnBackend(std::span<const ConvolutionMethod> methods) : methods_(methods) {
        cap_isa(effective_isa());
    }

    BackendInfo info() const override {
        return {.name = "onednn",
                .version = version_text(),
                .details = "isa " + isa_text() + ", OpenMP threads",
                .vector_bits = vector_bits()};
    }

    std::string refusal_of(const Execution& execution) const override {
        const bool is_narrow = execution.numerics.dtype == DataType::bf16;
        if (is_narrow && execution.engine.bias == BiasAddition::separate) {
            return "separate biases are added only in f32: choose --dtype f32 or --bias fused";
        }
        if (is_narrow && execution.engine.image_layout == ImageLayout::batch_last) {
            return "images with the batch last are only supported in f32: choose --dtype f32 or "
                   "another --layout";
        }
        const Isa isa = effective_isa();
        const bool answers =
            execution.numerics.mode == Mode::inference && answers_in_bf16_by_avx2();
        if (!is_narrow || isa == Isa::avx512 || answers) {
            return {};
        }
        return fmt::format("{} has no bf16 products; AVX-512 is needed{}", text_of(isa),
                           isa_limit());
    }

    std::unique_ptr<Executable> prepare(const Graph& graph, const Execution& execution) override {
        if (const std::string refusal = refusal_of(execution); !refusal.empty()) {
            throw Error(refusal, ExitCode::machine_cannot);
        }
        const int threads = set_threads(execution.scheduling.threads, execution.scheduling.pinned);
        const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
        return std::make_unique<OnednnExecutable>(
            graph, engine, Lowering(graph, execution, engine, methods_).run(), threads);
    }

private:
    std::span<const ConvolutionMethod> methods_;
};

}  // namespace

std::unique_ptr<Backend> make_backend(std::span<const ConvolutionMethod> methods) {
    return std::make_unique<OnednnBackend>(methods);
}

}  // namespace strata::cpu
