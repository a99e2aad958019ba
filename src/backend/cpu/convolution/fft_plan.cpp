// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/fft_plan.h"

#include "backend/lower/program.h"
#include "base/error.h"

#include <fftw3.h>

#include <map>
#include <memory>
#include <mutex>

namespace strata::cpu {

namespace {

// The imaginary parts exchanged with the real ones: the inverse transform.
enum class Direction { forward, backward };

struct Parts {
    float* real = nullptr;
    float* imaginary = nullptr;
};

Parts parts_of(float* tile, std::size_t part, Direction direction) {
    return direction == Direction::forward ? Parts{tile, tile + part} : Parts{tile + part, tile};
}

// Transforms of `count` elements, `step` floats apart, side by side in the given number of floats.
struct Transforms {
    std::size_t count = 0;
    std::size_t step = 0;
    std::size_t beside = 0;
};

fftwf_plan plan_of(const Transforms& t, float* tile, std::size_t part, Direction direction,
                   unsigned flags) {
    const auto integer = [](std::size_t value) { return static_cast<int>(value); };
    const fftwf_iodim axis = {integer(t.count), integer(t.step), integer(t.step)};
    const fftwf_iodim lanes = {integer(t.beside), 1, 1};
    const Parts parts = parts_of(tile, part, direction);
    const fftwf_plan plan = fftwf_plan_guru_split_dft(
        1, &axis, 1, &lanes, parts.real, parts.imaginary, parts.real, parts.imaginary, flags);
    check(plan != nullptr, "FFTW plans transforms of every size");
    return plan;
}

void execute(void* plan, float* tile, std::size_t part, Direction direction) {
    const Parts parts = parts_of(tile, part, direction);
    fftwf_execute_split_dft(static_cast<fftwf_plan>(plan), parts.real, parts.imaginary, parts.real,
                            parts.imaginary);
}

// For a plan with vectors the library would count instructions.
Operations operations_of(const Transforms& t, float* tile, std::size_t part) {
    const fftwf_plan plan =
        plan_of(t, tile, part, Direction::forward, FFTW_ESTIMATE | FFTW_NO_SIMD);
    double adds = 0, multiplies = 0, both = 0;
    fftwf_flops(plan, &adds, &multiplies, &both);
    fftwf_destroy_plan(plan);
    return {.multiply_adds = both, .adds = adds, .multiplies = multiplies};
}

}  // namespace

FftPlan::FftPlan(const FftExtents& extents) : extents_(extents) {
    constexpr std::size_t line = 64;
    std::size_t space = extents.floats() * sizeof(float) + line;
    const std::unique_ptr<void, void (*)(void*)> memory(fftwf_malloc(space), fftwf_free);
    void* start = memory.get();
    auto* tile = static_cast<float*>(std::align(line, space - line, start, space));
    const auto axis = [&](const Transforms& transforms) {
        const std::size_t part = extents.part_floats();
        return Axis{plan_of(transforms, tile, part, Direction::forward, FFTW_MEASURE),
                    plan_of(transforms, tile, part, Direction::backward, FFTW_MEASURE),
                    operations_of(transforms, tile, part)};
    };
    row_ = axis({extents.width, fft_lanes, fft_lanes});
    columns_ = axis({extents.height, extents.pitch() * fft_lanes, extents.width * fft_lanes});
}

Operations FftPlan::operations(std::size_t rows) const {
    Operations sum = row_.operations;
    sum *= static_cast<double>(rows);
    return sum += columns_.operations;
}

// FFTW's planner may run on one thread at a time. Plans live as long as the process.
const FftPlan& FftPlan::of(const FftExtents& extents) {
    static std::mutex mutex;
    static std::map<FftExtents, std::unique_ptr<const FftPlan>> plans;
    const std::lock_guard lock(mutex);
    auto& plan = plans[extents];
    if (plan == nullptr) {
        plan.reset(new FftPlan(extents));
    }
    return *plan;
}

void FftPlan::forward(float* tile, const TileRows& nonzero) const {
    for (std::size_t i = 0; i < nonzero.count; ++i) {
        const std::size_t row = (nonzero.first + i) % extents_.height;
        execute(row_.forward, tile + row * extents_.pitch() * fft_lanes, extents_.part_floats(),
                Direction::forward);
    }
    execute(columns_.forward, tile, extents_.part_floats(), Direction::forward);
}

void FftPlan::backward(float* tile, const TileRows& needed) const {
    execute(columns_.backward, tile, extents_.part_floats(), Direction::backward);
    for (std::size_t i = 0; i < needed.count; ++i) {
        const std::size_t row = (needed.first + i) % extents_.height;
        execute(row_.backward, tile + row * extents_.pitch() * fft_lanes, extents_.part_floats(),
                Direction::backward);
    }
}

}  // namespace strata::cpu
