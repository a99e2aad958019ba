// SPDX-License-Identifier: MIT
#include "networks/onnx/node/extents.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace strata {

namespace {

bool is_fixed(const OnnxDim& dim) {
    return dim.value && *dim.value > 0;  // some exporters write an open extent as 0 or -1
}

}  // namespace

Extents::Extents(const WireFile& file, const OnnxOptions& options)
    : file_(file), options_(options) {
    if (options.batch && *options.batch < 1) {
        refuse(file, fmt::format("a batch of {} is invalid; give at least 1", *options.batch),
               ExitCode::usage);
    }
    for (const auto& [name, value] : options.dims) {
        if (value < 1) {
            refuse(file,
                   fmt::format("--dim {}={} is invalid; give at least 1", printable(name), value),
                   ExitCode::usage);
        }
    }
}

std::optional<std::int64_t> Extents::named(std::string_view name) const {
    if (const auto found = known_.find(name); found != known_.end()) {
        return found->second;
    }
    const auto given = options_.dims.find(std::string(name));
    return given == options_.dims.end() ? std::nullopt : std::optional(given->second);
}

std::int64_t Extents::batch_extent(const OnnxDim& dim) {
    if (is_fixed(dim)) {
        if (!change_ && options_.batch && *options_.batch != *dim.value) {
            change_ = {.from = *dim.value, .to = *options_.batch};
        }
        return change_ && *dim.value == change_->from ? change_->to : *dim.value;
    }
    if (!dim.name.empty()) {
        names_.insert(printable(dim.name));
    }
    const auto extent = named(dim.name).value_or(options_.batch.value_or(1));
    known_.emplace(dim.name, extent);
    return extent;
}

std::int64_t Extents::inner_extent(const OnnxDim& dim, const std::string& name) {
    if (is_fixed(dim)) {
        return *dim.value;
    }
    names_.insert(printable(name));
    const auto extent = named(name);
    if (!extent) {
        refuse(file_,
               fmt::format("the extent '{}' of an input is open; give --dim {}=VALUE",
                           printable(name), printable(name)),
               ExitCode::usage);
    }
    known_.emplace(name, *extent);
    return *extent;
}

Dims Extents::of_input(const OnnxValueInfo& input) {
    if (!input.shape) {
        refuse(file_,
               fmt::format("its input '{}' has no shape; export the model with one",
                           printable(input.name)),
               ExitCode::usage);
    }
    Dims dims;
    for (const OnnxDim& dim : *input.shape) {
        const std::string name = dim.name.empty() ? fmt::format("{}.{}", input.name, dims.size())
                                                  : std::string(dim.name);
        dims.push_back(dims.empty() ? batch_extent(dim) : inner_extent(dim, name));
    }
    return dims;
}

std::optional<Dims> Extents::of_stated(const OnnxValueInfo& info) const {
    if (!info.shape) {
        return std::nullopt;
    }
    Dims dims;
    for (const OnnxDim& dim : *info.shape) {
        const auto extent = is_fixed(dim) ? dim.value : named(dim.name);
        if (!extent || (dim.name.empty() && !is_fixed(dim))) {
            return std::nullopt;
        }
        const bool is_batch = dims.empty() && change_ && *extent == change_->from;
        dims.push_back(is_batch ? change_->to : *extent);
    }
    return dims;
}

void Extents::require_all_used() const {
    for (const auto& [name, value] : options_.dims) {
        if (!names_.contains(printable(name))) {
            refuse(
                file_,
                fmt::format("no input has an extent '{}'; those that can be given are: {}",
                            printable(name),
                            names_.empty() ? "none" : fmt::format("{}", fmt::join(names_, ", "))),
                ExitCode::usage);
        }
    }
}

}  // namespace strata
