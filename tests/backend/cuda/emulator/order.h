// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace strata::testing {

// The running thread, and the time up to which other threads' accesses are ordered before it. Times
// count the beginnings of launches and blocks and the barriers of all threads.
struct Order {
    bool is_in_kernel = false;
    std::uint32_t time = 1;
    std::uint32_t launch = 0;    // when it began
    std::uint32_t block = 0;     // when it began
    std::uint32_t barrier = 0;   // the block's last one
    std::uint32_t warp = 0;      // the warp's last one
    std::uint32_t thread = 0;    // its number in the grid
    std::uint32_t in_block = 0;  // its number in the block
    std::uint32_t block_size = 0;
    const std::byte* stack_begin = nullptr;
    const std::byte* stack_end = nullptr;
};
extern Order order;

// "block (1,0,0), thread (5,0,0)"
std::string name_of_thread(std::uint32_t thread);

// For the following launches.
void name_kernel(std::string name);

// Ends the launch with a KernelFault of the thread that runs now: `what` is a predicate.
[[noreturn]] void fail(std::string what);

}  // namespace strata::testing
