// SPDX-License-Identifier: MIT
#include "backend/module.h"

#include "base/error.h"
#include "base/text.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

namespace strata {

namespace {

std::vector<std::filesystem::path> module_folders() {
    std::vector<std::filesystem::path> folders;
    if (const char* asked = std::getenv("STRATA_BACKEND_PATH");
        asked != nullptr && *asked != '\0') {
        folders.emplace_back(asked);
    }
    std::error_code unreadable;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", unreadable).parent_path();
    folders.push_back(program);
    folders.push_back(program / ".." / "lib" / "strata");
    return folders;
}

// The module is never closed: it contains the backend's code, and the vendor's threads run in it.
void* open_module(const std::string& file) {
    std::string missed = "it is not installed";
    for (const auto& folder : module_folders()) {
        const auto path = folder / file;
        if (!std::filesystem::exists(path)) {
            continue;
        }
        if (void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
            return module;
        }
        missed = dlerror();
    }
    throw Error(fmt::format("cannot open the module {}: {}; install what it needs, or set "
                            "STRATA_BACKEND_PATH to its folder",
                            file, missed),
                ExitCode::machine_cannot);
}

void* symbol_of(void* module, const std::string& file, const char* entry) {
    void* symbol = dlsym(module, entry);
    if (symbol == nullptr) {
        throw Error(fmt::format("{} is not a module of this strata: it lacks {}; build and "
                                "install both together",
                                file, entry),
                    ExitCode::machine_cannot);
    }
    return symbol;
}

}  // namespace

std::string module_file(const std::string& name) {
    return fmt::format("libstrata_{}.so", name);
}

void* module_function(const std::string& name, const char* entry) {
    const std::string file = module_file(name);
    void* module = open_module(file);
    const auto interface =
        reinterpret_cast<std::uint64_t (*)()>(symbol_of(module, file, interface_entry));
    if (interface() != module_interface()) {
        throw Error(fmt::format("{} was built with another version of strata; build and install "
                                "both together",
                                file),
                    ExitCode::machine_cannot);
    }
    return symbol_of(module, file, entry);
}

std::optional<std::filesystem::path> find_beside_modules(const std::string& file) {
    for (const auto& folder : module_folders()) {
        std::error_code ignored;
        if (std::filesystem::exists(folder / file, ignored)) {
            return folder / file;
        }
    }
    return std::nullopt;
}

std::unique_ptr<Backend> open_backend_module(const std::string& name) {
    const auto make = reinterpret_cast<Backend* (*)()>(module_function(name, module_entry));
    return std::unique_ptr<Backend>(make());
}

std::unique_ptr<AlgorithmSource> open_algorithm_source(const std::string& name,
                                                       const std::string& description) {
    const auto make =
        reinterpret_cast<AlgorithmSource* (*)(const char*)>(module_function(name, algorithm_entry));
    return std::unique_ptr<AlgorithmSource>(make(description.c_str()));
}

namespace {

// Sources: github.com/uxlfoundation/oneDNN/releases; anaconda.org/conda-forge/onednn;
// packages.debian.org/libdnnl-dev; pypi.org/project/onednn-devel-cpu-gomp. (PyPI's onednn-devel of
// 2026 is for SYCL only.)
constexpr std::array offers = {
    LibraryOffer{"3.13.1", "to be built"},
    LibraryOffer{"3.12", "conda-forge"},
    LibraryOffer{"3.7.2", "Debian 13"},
    LibraryOffer{"3.2.0", "pip install onednn-devel-cpu-gomp"},
    LibraryOffer{"2.6.3", "Debian 12"},
};

}  // namespace

std::span<const LibraryOffer> onednn_offers() {
    return offers;
}

std::string newer_onednn(const std::string& version) {
    std::vector<std::string> newer;
    for (const LibraryOffer& offer : offers) {
        if (strverscmp(std::string(offer.version).c_str(), version.c_str()) > 0) {
            newer.push_back(fmt::format("{} ({})", offer.version, offer.from));
        }
    }
    return join(newer, ", ");
}

}  // namespace strata
