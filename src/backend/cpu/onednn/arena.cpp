// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/arena.h"

#include "base/error.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstdint>

namespace strata::cpu {

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

}  // namespace

Arena::Arena(std::size_t bytes) : bytes_(bytes + huge_page) {
    void* const mapped = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) {
        throw Error(fmt::format("The network needs {:.1f} GB of memory, which could not be "
                                "allocated; use a smaller batch.",
                                static_cast<double>(bytes) * 1e-9),
                    ExitCode::machine_cannot);
    }
    mapped_ = static_cast<std::byte*>(mapped);
    const auto address = reinterpret_cast<std::uintptr_t>(mapped);
    begin_ = mapped_ + (huge_page - address % huge_page) % huge_page;
    madvise(mapped_, bytes_, MADV_HUGEPAGE);
}

Arena::~Arena() {
    munmap(mapped_, bytes_);
}

}  // namespace strata::cpu
