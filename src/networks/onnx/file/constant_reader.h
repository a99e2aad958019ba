// SPDX-License-Identifier: MIT
#pragma once

#include "base/file.h"
#include "networks/onnx/file/constant.h"
#include "networks/onnx/file/model.h"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace strata {

// Converts tensors of a model file to constants. Raw weights are views into the model file or into
// external files; other forms are decoded.
class ConstantReader {
public:
    // `owner` keeps the model's bytes alive; `folder` holds external data, empty if there are none.
    ConstantReader(std::string file, std::shared_ptr<const void> owner,
                   std::filesystem::path folder);

    // Requires: data_type_of(tensor.data_type). Throws Error if the data do not match the shape, or
    // if an external file is missing, too short or outside the model's folder.
    Constant read(const OnnxTensor& tensor);

    // The total of all tensors read so far.
    std::int64_t bytes_read() const { return bytes_read_; }

private:
    TensorData data_of(const OnnxTensor& tensor, DataType dtype);
    TensorData external_data_of(const OnnxTensor& tensor);
    const std::shared_ptr<const MappedFile>& open(std::string_view location);
    [[noreturn]] void fail(const std::string& sentence) const;

    std::int64_t bytes_read_ = 0;
    std::string file_;
    std::shared_ptr<const void> owner_;
    std::filesystem::path folder_;
    std::map<std::string, std::shared_ptr<const MappedFile>, std::less<>> external_files_;
};

}  // namespace strata
