// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/file/constant.h"
#include "networks/onnx/file/model.h"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace strata {

// Values that a model file leaves to its user.
struct OnnxOptions {
    // Extent of the first axis of the inputs; absent: the file's own, or 1 if that is open. If the
    // file fixes a batch, it is changed too, and so are reshape targets that repeat it.
    std::optional<std::int64_t> batch = {};
    std::map<std::string, std::int64_t> dims = {};  // values for named extents
    // Inputs whose values are known in advance; shapes, axes and indices often are.
    std::map<std::string, Constant> values = {};
};

// A batch that the file fixes and the user overrides.
struct BatchChange {
    std::int64_t from = 0;
    std::int64_t to = 0;
};

// Determines every extent of a model's inputs: stated in the file, the batch, or a named value.
class Extents {
public:
    // Requires: both outlive this object. Throws Error if the requested batch is not positive.
    Extents(const WireFile& file, const OnnxOptions& options);

    // The extents of a network input. Throws Error that names the missing --dim if an extent is
    // open.
    Dims of_input(const OnnxValueInfo& input);

    // The extents that the file states for an intermediate tensor; nothing if one is open.
    std::optional<Dims> of_stated(const OnnxValueInfo& info) const;

    // Throws Error if no input has a --dim that was given.
    void require_all_used() const;

    const std::optional<BatchChange>& batch_change() const { return change_; }

private:
    std::int64_t batch_extent(const OnnxDim& dim);
    std::int64_t inner_extent(const OnnxDim& dim, const std::string& name);
    std::optional<std::int64_t> named(std::string_view name) const;

    const WireFile& file_;
    const OnnxOptions& options_;
    std::map<std::string, std::int64_t, std::less<>> known_;  // by name
    std::set<std::string, std::less<>> names_;                // every name that --dim accepts
    std::optional<BatchChange> change_;
};

}  // namespace strata
