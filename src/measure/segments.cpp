// SPDX-License-Identifier: MIT
#include "measure/segments.h"

#include "base/error.h"
#include "measure/team.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>

namespace strata {
namespace {

constexpr std::size_t segment_unit = std::size_t{1} << 20;
constexpr std::size_t huge_page = 2 * segment_unit;

}  // namespace

Segments::Segments(std::span<const int> processors, std::size_t count, std::size_t floats)
    : count_(count),
      floats_(floats),
      stride_((count * floats * sizeof(float) + huge_page - 1) / huge_page * huge_page),
      bytes_(stride_ * processors.size()),
      memory_(::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (memory_ == MAP_FAILED) {
        throw Error(fmt::format("calibration needs {} MiB of free memory; stop other programs",
                                bytes_ / segment_unit),
                    ExitCode::machine_cannot);
    }
    ::madvise(memory_, bytes_, MADV_HUGEPAGE);
    run_rounds(processors, 0, [this](std::size_t thread) {
        return [this, thread] {
            for (std::size_t segment = 0; segment < count_; ++segment) {
                std::ranges::fill(of(thread, segment), 1.0F);
            }
        };
    });
}

Segments::~Segments() {
    ::munmap(memory_, bytes_);
}

std::span<float> Segments::of(std::size_t thread, std::size_t round) const {
    float* const first = static_cast<float*>(memory_) + thread * stride_ / sizeof(float);
    return {first + round % count_ * floats_, floats_};
}

}  // namespace strata
