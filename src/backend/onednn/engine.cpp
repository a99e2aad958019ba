// SPDX-License-Identifier: MIT
#include "backend/onednn/engine.h"

#include "backend/onednn/executable.h"
#include "backend/onednn/lowering.h"
#include "backend/onednn/threads.h"

#include <fmt/format.h>

namespace strata::onednn {

namespace {

std::string version_text() {
    const dnnl_version_t* version = dnnl_version();
    return fmt::format("{}.{}.{}", version->major, version->minor, version->patch);
}

// The widest instruction set that the library uses here. Sets are bit masks, each with the bits of
// those it contains.
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
                               {dnnl::cpu_isa::sse41, "sse41"}};
    const auto actual = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
    for (const Named& named : known) {
        const auto bits = static_cast<unsigned>(named.isa);
        if ((actual & bits) == bits) {
            return named.name;
        }
    }
    return "generic";
}

class OnednnBackend : public Backend {
public:
    // Remembers the processors of the process before anyone is bound to one.
    OnednnBackend() { allowed_processors(); }

    BackendInfo info() const override {
        return {"onednn", version_text(), "isa " + isa_text() + ", OpenMP threads"};
    }

    std::unique_ptr<Executable> prepare(const Graph& graph, const Execution& execution) override {
        const int threads = set_threads(execution.threads, execution.pinned);
        const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
        return std::make_unique<OnednnExecutable>(
            graph, engine, Lowering(graph, execution, engine).run(), threads, execution.caches);
    }
};

}  // namespace

std::unique_ptr<Backend> make_backend() {
    return std::make_unique<OnednnBackend>();
}

}  // namespace strata::onednn
