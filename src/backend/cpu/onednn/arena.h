// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace strata::cpu {

// One block of memory for a whole program, initially zero, in huge pages if the system has them:
// page faults and address translation would otherwise be part of every measured step.
class Arena {
public:
    // Throws Error if the system cannot provide that much.
    explicit Arena(std::size_t bytes);
    ~Arena();
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    std::byte* at(std::size_t offset) const { return begin_ + offset; }

private:
    std::byte* begin_ = nullptr;
    std::byte* mapped_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace strata::cpu
