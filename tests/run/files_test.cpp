// SPDX-License-Identifier: MIT
#include "run/files.h"

#include "graph/builder.h"
#include "tests/support/scripted_backend.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(Files, ATensorsNameBecomesAFileNameThatCannotLeaveTheFolder) {
    EXPECT_EQ(file_name_of("conv1/relu:0"), "conv1_relu_0");
    EXPECT_EQ(file_name_of("../../etc/passwd"), ".._.._etc_passwd");
    EXPECT_EQ(file_name_of("A-z_0.9"), "A-z_0.9");
    EXPECT_EQ(file_name_of("caf\xC3\xA9"), "caf__");
}

// x -> a -> b and x -> c.
Graph fork() {
    GraphBuilder builder("fork");
    const TensorId x = builder.input("x", {{2, 3}});
    builder.add("b", Activation{}, {builder.add("a", Activation{}, {x})});
    builder.add("c", Activation{}, {x});
    return builder.finish();
}

TEST(Files, WhatARefusedLayerGivesIsNotWrittenNorWhatIsMadeOfIt) {
    const Graph graph = fork();
    testing::ScriptedExecutable executable(
        make_reference_backend()->prepare(graph, {.numerics = {.mode = Mode::inference}}));
    executable.refuse(0, "not here");
    executable.run();
    const TemporaryDirectory folder;
    write_dump(graph, {.directory = folder.path(), .layers = "*"}, executable);
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "a.npy"));
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "b.npy"));
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "c.npy"));
}

}  // namespace
}  // namespace strata
