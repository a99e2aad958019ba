// SPDX-License-Identifier: MIT
#include "backend/cuda/engine.h"
#include "tests/backend/cuda/emulated.h"
#include "tests/backend/networks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>

namespace strata::testing {

namespace {

Execution past_l1() {
    Execution execution;
    execution.engine.l1 = L1Caching::bypassed;
    return execution;
}

bool has_own_kernel(const cuda::Program::PlannedStep& planned) {
    return std::ranges::any_of(planned.calls, [](const cuda::Call& call) {
        return std::holds_alternative<cuda::Kernel>(call.function);
    });
}

TEST(PastL1, AStepWithAKernelOfOursSaysSoAndNoOther) {
    for (const Graph& graph : {residual_network(), branching_network()}) {
        const auto program = cuda::prepare_program(graph, past_l1(), described_h200());
        for (const auto& planned : program.steps) {
            EXPECT_EQ(planned.step.implementation.ends_with(" past L1"), has_own_kernel(planned))
                << planned.step.implementation;
        }
    }
}

// The output of a command; empty if there is no such command.
std::string output_of(const std::string& command) {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    std::string text;
    std::array<char, 4096> piece = {};
    while (pipe && fgets(piece.data(), piece.size(), pipe.get()) != nullptr) {
        text += piece.data();
    }
    return text;
}

std::string machine_code_of(const std::filesystem::path& object) {
    return output_of("cuobjdump -sass '" + object.string() + "' 2>/dev/null");
}

std::size_t count_of(const std::string& text, std::string_view word) {
    std::size_t count = 0;
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        ++count;
    }
    return count;
}

// Loads that bypass L1 are "strong" at the scope of the GPU.
TEST(PastL1, TheMachineCodeLoadsDifferently) {
    const std::string through = machine_code_of(STRATA_OBJECT_THROUGH_L1);
    const std::string past = machine_code_of(STRATA_OBJECT_PAST_L1);
    if (through.empty()) {
        GTEST_SKIP() << "there is no cuobjdump here to read machine code with";
    }
    EXPECT_GT(count_of(through, "LDG"), 0U);
    EXPECT_EQ(count_of(through, "STRONG.GPU"), 0U);
    EXPECT_GT(count_of(past, "STRONG.GPU"), 0U);
    EXPECT_EQ(count_of(past, "STRONG.GPU"), count_of(past, "LDG"));
}

}  // namespace

}  // namespace strata::testing
