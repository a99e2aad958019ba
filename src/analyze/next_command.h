// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/bottleneck.h"
#include "record/run.h"

#include <cstdint>
#include <optional>
#include <string>

namespace strata {

// What could make a step faster.
enum class Remedy {
    none,             // nothing is known
    other_algorithm,  // the engine has one that is commonly faster there
    narrower_type,    // the machine multiplies bf16 faster than f32
    larger_batch,     // weights move once, whatever the batch
    fusion,           // with the layer before it
    closer_look,      // what nothing explains, or the terms of a model
};
inline constexpr std::array<std::string_view, 6> names_of(Remedy) {
    return {"none", "other algorithm", "narrower type", "larger batch", "fusion", "closer look"};
}

// The strata command that tries the remedy, quoted for a shell, and what it is expected to save.
// The command is empty where nothing is known to help, or where the stored run cannot be repeated
// from a command line (a name that a shell cannot show).
struct Advice {
    Remedy remedy = Remedy::none;
    std::string command = {};
    // Of the step's time; of a larger batch, of the time that this batch's examples take. Nothing
    // of a closer look.
    std::optional<Seconds> saving = {};
    std::optional<PassAlgorithm> algorithm = {};  // the one that promises most
};

// For a step at this place of the run. Rules go by what the engine declared: what it offered for
// the step, the capabilities that are known of it, and the ceilings that were measured:
//   an offered algorithm commonly takes 5 % less      strata tune alexnet --batch 32
//   the machine multiplies bf16 faster than f32       strata run … --dtype f32,bf16
//   weights wait for memory                           strata run alexnet --vary batch=32..128
//   traffic after a layer that can include it         strata run … --fuse off,on
//   a convolution on a GPU                            strata algorithms … --slice conv2
//   what no ceiling explains on a GPU                 strata run … --slice conv2 --counters default
//   a prediction                                      strata predict … --device v100 --explain
//   conv2
Advice advice_for(const Run& run, std::size_t step, const StepBound& bound, Seconds time);

// A kernel that reaches this share of its ceiling counts as good: only less work helps.
inline constexpr double good_share = 0.75;

// How many times larger a batch is tried.
inline constexpr std::int64_t batch_growth = 4;

}  // namespace strata
