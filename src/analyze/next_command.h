// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/bottleneck.h"
#include "record/run.h"

#include <cstdint>
#include <optional>
#include <string>

namespace strata {

// A change that could make a step faster.
enum class Remedy {
    none,             // nothing is known
    other_algorithm,  // the engine has one that is commonly faster here
    narrower_type,    // the machine multiplies bf16 faster than f32
    larger_batch,     // weights move once for any batch
    fusion,           // with the layer before it
    closer_look,      // an unexplained time, or the terms of a model
};
inline constexpr std::array<std::string_view, 6> names_of(Remedy) {
    return {"none", "other algorithm", "narrower type", "larger batch", "fusion", "closer look"};
}

// The strata command that tries the remedy, quoted for a shell, and its expected saving. The
// command is empty if nothing is known to help, or if the stored run cannot be repeated from a
// command line (a name that a shell cannot show).
struct Advice {
    Remedy remedy = Remedy::none;
    std::string command = {};
    // The share of the step's time; for a larger batch, of the time of as many examples. Nothing
    // for a closer look.
    std::optional<Seconds> saving = {};
    std::optional<PassAlgorithm> algorithm = {};  // the most promising one
};

// For the step at this index of the run. The rules use the algorithms that the engine offered for
// the step, its known capabilities, and the measured ceilings:
//   an offered algorithm commonly takes 5 % less      strata tune alexnet --batch 32
//   the machine multiplies bf16 faster than f32       strata run … --dtype f32,bf16
//   weights wait for memory                           strata run alexnet --vary batch=32..128
//   traffic after a layer that can include it         strata run … --fuse off,on
//   a convolution on a GPU                            strata algorithms … --slice conv2
//   a slow kernel of a GPU                            strata run … --slice conv2 --counters default
//   a prediction                                      strata predict … --device v100 --explain
//   conv2
Advice advice_for(const Run& run, std::size_t step, const StepBound& bound, Seconds time);

// The length, in numbers, of the rows of an operand or of the result of a product of 16-bit numbers
// that was measured on, or predicted for, a GPU, if it is not a multiple of 16 bytes: libraries
// have only slow kernels for such rows, whatever the batch (GPT-2's head of 50,257 columns: 19 % of
// an H100's peak).
std::optional<std::int64_t> unaligned_row(const Run& run, const StepResult& step);

// A kernel at this share of its ceiling or more is good: only less work helps.
inline constexpr double good_share = 0.75;

// The factor to the larger batch that is tried.
inline constexpr std::int64_t batch_growth = 4;

}  // namespace strata
