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

// A device's rates by class of problem (ProblemRow::problem_class): fitted to measured times of
// that class, or assumed from other classes.
struct DeviceRates {
    std::map<std::string, GemmRates, std::less<>> gemm = {};
    std::map<std::string, StreamingRates, std::less<>> streaming = {};
    std::map<std::string, ConvolutionRates, std::less<>> convolution = {};
    std::map<std::string, RecurrentRates, std::less<>> recurrent = {};
    std::map<std::string, TrainingStepRates, std::less<>> training_step = {};
    std::map<std::string, FusedRates, std::less<>> attention = {};  // in one kernel
};

// The file of a device's rates, TOML, and back. Errors name `origin`. Throws Error that names an
// unknown key, or a rate that is not a positive number.
std::string to_toml(const DeviceRates& rates, std::string_view source);
DeviceRates parse_rates(std::string_view toml, std::string_view origin);

// The files of data/rates, by device.
std::span<const EmbeddedFile> rate_files();

// The file of the rates fitted here for a device, $XDG_DATA_HOME/strata/rates/NAME.toml. Throws
// Error if no home is known.
std::filesystem::path own_rates_file(std::string_view device);

// This device's rates by class: those fitted here, and those that are part of strata; empty if
// nothing was fitted.
DeviceRates own_rates_of(std::string_view device);
DeviceRates shipped_rates_of(std::string_view device);

// The description that a device's rates belong to (`origin_of`); nothing if rates were fitted here
// under the device's own name.
std::optional<DeviceDescription> origin_of_rates(const DeviceDescription& device);

// Both together; for a class that both have, those fitted here.
DeviceRates rates_of(std::string_view device);

// The rates of attention's parts: fitted to batched products, the softmax and fused kernels (the
// library's own if there are any), else priors.
AttentionRates attention_rates(const DeviceDescription& device, const DeviceRates& rates,
                               std::string_view library = {});

// Whether tables time the product alone, without a framework's launch, and without naming its
// kernel: true for products in matrix units.
bool runs_alone(const GemmRow& product, const DeviceDescription& device);

// Whether products of this class run in matrix units: those of 16 bits, TF32, fp8 and int8.
bool runs_in_matrix_units(std::string_view problem_class);

// The fitted rates of a class of products. Other types in matrix units use those of 16 bits, with
// their own peak. Nothing if nothing was fitted.
const GemmRates* find_products(const DeviceRates& rates, std::string_view problem_class);

// The fitted rates of a fused kernel's phase: the library's own if there are any, else those of
// all. Rates without a mask also serve for a mask, and vice versa. Types of 16 bits and others
// share latencies and efficiencies. Nothing if nothing was fitted.
const FusedRates* find_fused_rates(const DeviceRates& rates, AttentionPhase phase,
                                   std::string_view library = {});

// The rates of products on a device's systolic arrays, fitted to training steps; the usual ones if
// nothing was fitted.
SystolicRates systolic_rates(const DeviceRates& rates);

// The time of a row's problem. An unfitted class uses the device's priors. Throws Error if the
// device lacks a number that the model needs.
Seconds predict_row(const ProblemRow& row, const DeviceDescription& device,
                    const DeviceRates& rates);

// The longer of the times for arithmetic at the peak and traffic at the full bandwidth: the
// baseline for every model.
Seconds roofline(const ProblemRow& row, const DeviceDescription& device);

// The rates that a fit moves, and how strongly it holds each. For products, this includes the rates
// of their kernels, or of the usual one if none is named.
std::vector<FitParameter> parameters_of(GemmRates& rates);
std::vector<FitParameter> parameters_of(StreamingRates& rates);
std::vector<FitParameter> parameters_of(ConvolutionRates& rates);

// Fits the rates of each class in the rows to their measured times, starting from the device's
// priors. Requires: each row has a measured time and a predictable problem.
DeviceRates fit_rates(std::span<const ProblemRow* const> rows, const DeviceDescription& device);

}  // namespace strata
