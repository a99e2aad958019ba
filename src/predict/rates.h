// SPDX-License-Identifier: MIT
#pragma once

#include "base/file.h"
#include "predict/convolution.h"
#include "predict/fit.h"
#include "predict/gemm.h"
#include "predict/problems.h"
#include "predict/recurrent.h"
#include "predict/streaming.h"

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// A device's rates by class of problem (ProblemRow::problem_class): what was fitted to measured
// times of that class, and what is assumed of others.
struct DeviceRates {
    std::map<std::string, GemmRates, std::less<>> gemm = {};
    std::map<std::string, StreamingRates, std::less<>> streaming = {};
    std::map<std::string, ConvolutionRates, std::less<>> convolution = {};
    std::map<std::string, RecurrentRates, std::less<>> recurrent = {};
    std::map<std::string, TrainingStepRates, std::less<>> training_step = {};
    std::map<std::string, FusedRates, std::less<>> attention = {};  // in one kernel
};

// The file of a device's rates, TOML, and back. `origin` is named in errors. Throws Error that
// names an unknown key, or a rate that is no positive number.
std::string to_toml(const DeviceRates& rates, std::string_view source);
DeviceRates parse_rates(std::string_view toml, std::string_view origin);

// The files of data/rates, by device.
std::span<const EmbeddedFile> rate_files();

// The file of the rates that were fitted here for a device, $XDG_DATA_HOME/strata/rates/NAME.toml.
// Throws Error if no home is known.
std::filesystem::path own_rates_file(std::string_view device);

// The rates for this device by class that were fitted here, and those that are part of strata; none
// where nothing was fitted.
DeviceRates own_rates_of(std::string_view device);
DeviceRates shipped_rates_of(std::string_view device);

// The description that a device's rates are those of (`origin_of`); nothing if its own were
// fitted here under a name of its own.
std::optional<DeviceDescription> origin_of_rates(const DeviceDescription& device);

// Both together: of a class that both have, those fitted here.
DeviceRates rates_of(std::string_view device);

// What attention's parts reach: what was fitted to batched products, the softmax and fused kernels,
// of the library if its were; priors where nothing was.
AttentionRates attention_rates(const DeviceDescription& device, const DeviceRates& rates,
                               std::string_view library = {});

// Whether it is one of those that tables time alone, without a framework's launch, and do not name
// the kernels of: products in matrix units.
bool runs_alone(const GemmRow& product, const DeviceDescription& device);

// What was fitted to a class of products. Other types in matrix units run as 16 bits do, at their
// own peak. Nothing if nothing was fitted.
const GemmRates* find_products(const DeviceRates& rates, std::string_view problem_class);

// What was fitted to a fused kernel's phase, of the library if its were, else of all; without a
// mask also what was fitted with one, and the reverse. Types of 16 bits and others share latencies
// and efficiencies. Nothing if nothing was fitted.
const FusedRates* find_fused_rates(const DeviceRates& rates, AttentionPhase phase,
                                   std::string_view library = {});

// What products reach on a device's systolic arrays, of the training steps that were fitted; what
// is usual where none were.
SystolicRates systolic_rates(const DeviceRates& rates);

// The time of a row's problem. Rates of a class that was not fitted are the device's priors. Throws
// Error where the device lacks a number that the model needs.
Seconds predict_row(const ProblemRow& row, const DeviceDescription& device,
                    const DeviceRates& rates);

// The time that arithmetic at the peak or traffic at the full bandwidth takes, whichever is longer:
// what every model has to beat.
Seconds roofline(const ProblemRow& row, const DeviceDescription& device);

// What a fit of such rates moves, and how strongly it holds each: of products also the rates of
// their kernels, or of the usual one where none is named.
std::vector<FitParameter> parameters_of(GemmRates& rates);
std::vector<FitParameter> parameters_of(StreamingRates& rates);
std::vector<FitParameter> parameters_of(ConvolutionRates& rates);

// Fits the rates of each class among the rows to their measured times, starting from the device's
// priors. Requires: each row has a measured time and a problem that can be predicted.
DeviceRates fit_rates(std::span<const ProblemRow* const> rows, const DeviceDescription& device);

}  // namespace strata
