// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace strata {

// A loop of pure arithmetic in one element type, as fast as its instructions allow.
struct ComputeKernel {
    std::string_view dtype;         // "f32"
    std::string_view name;          // "AVX-512 FMA, 24 accumulators"
    std::string_view instructions;  // flags of /proc/cpuinfo that it needs, joined by spaces
    double operations = 0;          // per round; a multiply-add counts two
    void (*run)(std::size_t rounds) = nullptr;
};

// How a loop moves memory. Its bytes are those that the program reads and writes. A plain store
// also makes the hardware read the line first; that is not counted here, but takes time.
enum class MemoryPattern {
    read,       // every byte is read once
    triad,      // a[i] = b[i] + s * c[i] over thirds of the memory (McCalpin's STREAM)
    streaming,  // the triad with stores that bypass the caches, so that nothing is read for them
};

// A loop that moves memory as fast as its instructions allow.
struct MemoryKernel {
    MemoryPattern pattern = MemoryPattern::read;
    std::string_view name;          // "AVX-512 read"
    std::string_view instructions;  // as above
    void (*run)(std::span<float> memory, std::size_t passes) = nullptr;
};

// Memory kernels move only multiples of this many floats.
inline constexpr std::size_t memory_granule = 3 * 256;

// All kernels in this build, whether or not this machine can run them.
std::vector<ComputeKernel> compute_kernels();
std::vector<MemoryKernel> memory_kernels();

// The kernels of each instruction set; the lists above join them.
std::vector<ComputeKernel> compute_kernels_avx512();
std::vector<ComputeKernel> compute_kernels_avx2();
std::vector<ComputeKernel> compute_kernels_amx();
std::vector<ComputeKernel> compute_kernels_portable();
std::vector<MemoryKernel> memory_kernels_avx512();
std::vector<MemoryKernel> memory_kernels_avx2();
std::vector<MemoryKernel> memory_kernels_portable();

// Makes the compiler believe that a value is used, so that the loop that computes it is kept.
template <class T>
inline void keep(const T& value) {
    asm volatile("" : : "r"(&value) : "memory");
}

}  // namespace strata
