// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/streams.h"

#include "backend/cuda/kernels/launch.cuh"

namespace strata::cuda {

namespace {

constexpr std::int64_t on_their_way = 4;
constexpr std::int64_t elements_of_pack = 4;
constexpr float no_sum = -1.25e30f;  // a value that no sum has

// Reads from L2, bypassing L1. Relaxed, because ptxas keeps what a weak load has read, even a
// volatile one, in registers for the next pass. (The tests' emulator cannot run PTX.)
__device__ float4 load(const float4* from) {
#ifdef __CUDACC__
    float4 pack;
    asm volatile("ld.relaxed.gpu.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(pack.x), "=f"(pack.y), "=f"(pack.z), "=f"(pack.w)
                 : "l"(from)
                 : "memory");
    return pack;
#else
    return *from;
#endif
}

__device__ void store(float4* to, const float4& pack) {
    __stcg(to, pack);
}

__device__ float4 sum(const float4& a, const float4& b, float factor) {
    return {a.x + factor * b.x, a.y + factor * b.y, a.z + factor * b.z, a.w + factor * b.w};
}

// In each pass thread i has the packs i, i + threads, i + 2 threads ..., and loads all of them
// before it stores the first.
template <class Take, class Give>
__device__ void go(std::int64_t i, std::int64_t threads, std::int64_t passes, const Take& take,
                   const Give& give) {
    for (std::int64_t pass = 0; pass < passes; ++pass) {
        float4 held[on_their_way];
        for (std::int64_t k = 0; k < on_their_way; ++k) {
            held[k] = take(i + k * threads);
        }
        for (std::int64_t k = 0; k < on_their_way; ++k) {
            give(i + k * threads, held[k]);
        }
    }
}

struct Read {
    const float4* a;
    float* never;
    std::int64_t threads;
    std::int64_t passes;
    __device__ void operator()(std::int64_t i) const {
        float4 total = {0, 0, 0, 0};
        go(
            i, threads, passes, [&](std::int64_t at) { return load(a + at); },
            [&](std::int64_t, const float4& pack) { total = sum(total, pack, 1); });
        if (total.x + total.y + total.z + total.w == no_sum) {
            *never = total.x;  // otherwise the loads could be optimised away
        }
    }
};

struct Write {
    float4* a;
    std::int64_t threads;
    std::int64_t passes;
    __device__ void operator()(std::int64_t i) const {
        go(
            i, threads, passes, [](std::int64_t) { return float4{}; },
            [&](std::int64_t at, const float4& pack) { store(a + at, pack); });
    }
};

struct Copy {
    const float4* a;
    float4* b;
    std::int64_t threads;
    std::int64_t passes;
    __device__ void operator()(std::int64_t i) const {
        go(
            i, threads, passes, [&](std::int64_t at) { return load(a + at); },
            [&](std::int64_t at, const float4& pack) { store(b + at, pack); });
    }
};

struct Triad {
    const float4* a;
    const float4* b;
    float4* c;
    std::int64_t threads;
    std::int64_t passes;
    __device__ void operator()(std::int64_t i) const {
        go(
            i, threads, passes, [&](std::int64_t at) { return sum(load(a + at), load(b + at), 3); },
            [&](std::int64_t at, const float4& pack) { store(c + at, pack); });
    }
};

float4* packs(void* address) {
    return static_cast<float4*>(address);
}

}  // namespace

Kernel stream(StreamPattern pattern, std::int64_t elements, std::int64_t passes) {
    const std::int64_t threads = elements / (elements_of_pack * on_their_way);
    switch (pattern) {
        case StreamPattern::read:
            return each("read", threads, [=](std::span<void* const> at) {
                return Read{packs(at[0]), floats(at[1]), threads, passes};
            });
        case StreamPattern::write:
            return each("write", threads, [=](std::span<void* const> at) {
                return Write{packs(at[0]), threads, passes};
            });
        case StreamPattern::copy:
            return each("copy", threads, [=](std::span<void* const> at) {
                return Copy{packs(at[0]), packs(at[1]), threads, passes};
            });
        case StreamPattern::triad:
            break;
    }
    return each("triad", threads, [=](std::span<void* const> at) {
        return Triad{packs(at[0]), packs(at[1]), packs(at[2]), threads, passes};
    });
}

}  // namespace strata::cuda
