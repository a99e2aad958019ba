// SPDX-License-Identifier: MIT
#include "backend/cuda/nvtx_range.h"

#include "networks/network.h"
#include "tests/backend/cuda/emulated.h"

#include <gtest/gtest.h>

#define NVTX_NO_IMPL  // this is the tool's side of NVTX
#include <nvtx3/nvToolsExt.h>

#include <algorithm>
#include <vector>

namespace {

// What a tool attached to this program has seen.
std::vector<std::string> seen;

nvtxDomainHandle_t NVTX_API create_domain(const char* name) {
    seen.push_back(std::string("domain ") + name);
    return reinterpret_cast<nvtxDomainHandle_t>(&seen);
}

int NVTX_API push_range(nvtxDomainHandle_t, const nvtxEventAttributes_t* attributes) {
    seen.push_back(std::string("push ") + attributes->message.ascii);
    return 0;
}

int NVTX_API pop_range(nvtxDomainHandle_t) {
    seen.emplace_back("pop");
    return 0;
}

template <class Function>
void replace(NvtxFunctionTable table, int index, Function function) {
    *table[index] = reinterpret_cast<NvtxFunctionPointer>(function);
}

int attach(NvtxGetExportTableFunc_t export_table) {
    const auto* callbacks =
        static_cast<const NvtxExportTableCallbacks*>(export_table(NVTX_ETID_CALLBACKS));
    NvtxFunctionTable table = nullptr;
    unsigned int size = 0;
    if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) == 0) {
        return 0;
    }
    replace(table, NVTX_CBID_CORE2_DomainCreateA, create_domain);
    replace(table, NVTX_CBID_CORE2_DomainRangePushEx, push_range);
    replace(table, NVTX_CBID_CORE2_DomainRangePop, pop_range);
    return 1;
}

}  // namespace

// The interface that NVTX has for tools linked into a program.
extern "C" {
NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr = attach;
}

namespace strata::cuda {
namespace {

TEST(NvtxRange, AToolSeesNestedRangesInTheirOwnDomain) {
    { const NvtxRange first("the domain is made once"); }
    EXPECT_EQ(std::ranges::count(seen, "domain strata"), 1);
    seen.clear();
    {
        const NvtxRange iteration("iteration");
        const NvtxRange layer("conv1 forward");
    }
    EXPECT_EQ(seen,
              (std::vector<std::string>{"push iteration", "push conv1 forward", "pop", "pop"}));
}

TEST(NvtxRange, EveryStepOfANetworkHasOne) {
    const Graph graph =
        load_network({.network = "fc:layers=1,nodes=8", .batch = 2, .dims = {}, .variables = {}});
    const auto executable = strata::testing::emulated_backend()->prepare(graph, {});
    seen.clear();
    executable->run();
    for (const Step& step : executable->steps()) {
        const std::string name =
            "push " + graph.layers[step.layer].name + " " + std::string(name_of(step.pass));
        const auto starts = [&](const std::string& one) { return one.starts_with(name); };
        EXPECT_TRUE(std::ranges::any_of(seen, starts)) << name;
    }
}

}  // namespace
}  // namespace strata::cuda
