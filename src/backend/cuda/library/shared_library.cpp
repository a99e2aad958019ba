// SPDX-License-Identifier: MIT
#include "backend/cuda/library/shared_library.h"

#include "base/error.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <set>

namespace strata::cuda {

namespace {

std::vector<std::string> folders_in(std::string_view list) {
    std::vector<std::string> folders;
    while (!list.empty()) {
        const std::size_t end = std::min(list.find(':'), list.size());
        if (end > 0) {
            folders.emplace_back(list.substr(0, end));
        }
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return folders;
}

std::string_view variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string_view() : std::string_view(value);
}

// As seen through symbolic links, because pip and toolkits link one folder into another.
std::string folder_of_library(const void* function) {
    Dl_info info = {};
    if (function == nullptr || dladdr(function, &info) == 0 || info.dli_fname == nullptr) {
        return {};
    }
    std::error_code failed;
    const auto file = std::filesystem::weakly_canonical(info.dli_fname, failed);
    return failed ? std::string() : file.parent_path().string();
}

}  // namespace

void* SharedLibrary::symbol(const char* name) const {
    return handle == nullptr ? nullptr : dlsym(handle, name);
}

SharedLibrary open_first(const std::vector<std::string>& places) {
    check(!places.empty(), "a library is looked for somewhere");
    SharedLibrary library;
    bool is_found = false;
    for (const std::string& place : places) {
        if (void* opened = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL)) {
            return {.handle = opened, .place = place};
        }
        const char* reason = dlerror();
        std::error_code unreadable;
        const bool exists = std::filesystem::exists(place, unreadable);
        if (library.refusal.empty() || (exists && !is_found)) {
            library.refusal = reason == nullptr ? "the loader gives no reason" : reason;
            is_found = exists;
        }
    }
    return library;
}

LibraryFolders library_folders(const void* neighbour) {
    LibraryFolders folders{.named = folders_in(variable("STRATA_CUDA_LIBRARIES")),
                           .found = folders_in(STRATA_CUDA_FOLDERS),
                           .neighbour = folder_of_library(neighbour)};
    for (const char* root : {"CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX"}) {
        if (const auto value = variable(root); !value.empty()) {
            folders.roots.emplace_back(value);
        }
    }
    return folders;
}

std::vector<std::string> places_of(std::string_view file, std::string_view wheel,
                                   const LibraryFolders& folders) {
    std::vector<std::string> places;
    std::set<std::string> seen;
    const auto add = [&](std::string place) {
        if (seen.insert(place).second) {
            places.push_back(std::move(place));
        }
    };
    for (const std::string& folder : folders.named) {
        add(fmt::format("{}/{}", folder, file));
    }
    add(std::string(file));
    for (const std::string& folder : folders.found) {
        add(fmt::format("{}/{}", folder, file));
    }
    if (!folders.neighbour.empty()) {
        for (const std::string& from :
             {std::string("."), std::string("../extras/CUPTI/lib64"),
              fmt::format("../../{}/lib", wheel), std::string("../../cu13/lib")}) {
            const std::filesystem::path folder(folders.neighbour);
            add((folder / from / file).lexically_normal().string());
        }
    }
    for (const std::string& root : folders.roots) {
        for (const char* below :
             {"lib64", "lib", "targets/x86_64-linux/lib", "extras/CUPTI/lib64"}) {
            add(fmt::format("{}/{}/{}", root, below, file));
        }
    }
    return places;
}

std::string library_name(std::string_view library, int cuda_major) {
    return fmt::format("lib{}.so.{}", library, cuda_major);
}

}  // namespace strata::cuda
