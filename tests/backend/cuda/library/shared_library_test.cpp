// SPDX-License-Identifier: MIT
#include "backend/cuda/library/shared_library.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace strata::testing {

namespace {

using cuda::LibraryFolders;
using cuda::open_first;
using cuda::places_of;
using cuda::SharedLibrary;

const std::string wheels = STRATA_WHEELS;

TEST(SharedLibrary, IsSearchedInTheUsersFoldersThenByTheLoaderThenNearKnownLibraries) {
    const LibraryFolders folders = {.named = {"/mine"},
                                    .found = {"/opt/cuda/lib64"},
                                    .neighbour = "/site/nvidia/cudnn/lib",
                                    .roots = {"/conda"}};
    const std::vector<std::string> expected = {
        "/mine/libnvrtc.so.12",
        "libnvrtc.so.12",
        "/opt/cuda/lib64/libnvrtc.so.12",
        "/site/nvidia/cudnn/lib/libnvrtc.so.12",
        "/site/nvidia/cudnn/extras/CUPTI/lib64/libnvrtc.so.12",
        "/site/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
        "/site/nvidia/cu13/lib/libnvrtc.so.12",
        "/conda/lib64/libnvrtc.so.12",
        "/conda/lib/libnvrtc.so.12",
        "/conda/targets/x86_64-linux/lib/libnvrtc.so.12",
        "/conda/extras/CUPTI/lib64/libnvrtc.so.12"};
    EXPECT_EQ(places_of("libnvrtc.so.12", "cuda_nvrtc", folders), expected);
}

TEST(SharedLibrary, IsSearchedOnceInAFolderThatIsKnownTwice) {
    const LibraryFolders folders = {.named = {"/cuda/lib64"},
                                    .found = {"/cuda/lib64"},
                                    .neighbour = "/cuda/lib64",
                                    .roots = {"/cuda"}};
    const auto places = places_of("libcupti.so.13", "cuda_cupti", folders);
    EXPECT_EQ(std::count(places.begin(), places.end(), "/cuda/lib64/libcupti.so.13"), 1);
}

// Mimics the neighbouring wheels of cuDNN and NVRTC, of which a program links only one. The second
// part lets cuDNN find what strata has found: it opens NVRTC only by name.
TEST(SharedLibrary, InTheWheelBesideALoadedOneIsFoundAndThenAlsoFoundByName) {
    const SharedLibrary loaded = open_first({wheels + "/cuda_neighbour/lib/libneighbour.so.13"});
    ASSERT_NE(loaded.handle, nullptr) << loaded.refusal;
    EXPECT_EQ(dlopen("libsought.so.13", RTLD_NOW), nullptr);

    const LibraryFolders folders = cuda::library_folders(loaded.symbol("neighbour"));
    EXPECT_EQ(folders.neighbour,
              std::filesystem::weakly_canonical(wheels + "/cuda_neighbour/lib").string());
    const SharedLibrary found = open_first(places_of("libsought.so.13", "cuda_sought", folders));
    ASSERT_NE(found.handle, nullptr) << found.refusal;
    EXPECT_TRUE(found.place.ends_with("nvidia/cuda_sought/lib/libsought.so.13")) << found.place;
    EXPECT_NE(found.symbol("sought"), nullptr);
    EXPECT_EQ(found.symbol("neighbour"), nullptr);
    EXPECT_NE(dlopen("libsought.so.13", RTLD_NOW), nullptr);
}

TEST(SharedLibrary, ThatIsMissingIsRefusedByNameAndABrokenOneByPath) {
    const SharedLibrary absent = open_first({"libabsent.so.13", "/nowhere/libabsent.so.13"});
    EXPECT_EQ(absent.handle, nullptr);
    EXPECT_EQ(absent.symbol("anything"), nullptr);
    EXPECT_TRUE(absent.refusal.starts_with("libabsent.so.13: ")) << absent.refusal;

    const auto broken = std::filesystem::temp_directory_path() / "strata_broken_library.so.13";
    std::ofstream(broken) << "not a library";
    const SharedLibrary refused = open_first({"libabsent.so.13", broken.string()});
    std::filesystem::remove(broken);
    EXPECT_TRUE(refused.refusal.starts_with(broken.string())) << refused.refusal;
}

TEST(SharedLibrary, FoldersFromTheEnvironmentAreKnown) {
    ::setenv("STRATA_CUDA_LIBRARIES", "/one::/two", 1);
    ::setenv("CUDA_HOME", "/cuda", 1);
    ::setenv("CONDA_PREFIX", "/conda", 1);
    ::unsetenv("CUDA_PATH");
    const LibraryFolders folders = cuda::library_folders(nullptr);
    EXPECT_EQ(folders.named, (std::vector<std::string>{"/one", "/two"}));
    EXPECT_EQ(folders.roots, (std::vector<std::string>{"/cuda", "/conda"}));
    EXPECT_EQ(folders.neighbour, "");
}

TEST(SharedLibrary, CarriesTheMajorVersionInItsName) {
    EXPECT_EQ(cuda::library_name("cupti", 12), "libcupti.so.12");
}

}  // namespace

}  // namespace strata::testing
