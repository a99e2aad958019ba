// SPDX-License-Identifier: MIT
#include "networks/onnx/file/constant_reader.h"

#include "base/error.h"
#include "base/text.h"
#include "networks/onnx/file/element_type.h"

#include <fmt/format.h>
#include <algorithm>
#include <cstring>
#include <utility>

namespace strata {

namespace {

// Elements stored one by one as 64-bit numbers, narrowed to their own width.
TensorData narrowed(std::span<const std::int64_t> numbers, std::size_t size) {
    const auto bytes = std::make_shared<std::vector<std::byte>>(numbers.size() * size);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        std::memcpy(bytes->data() + i * size, &numbers[i], size);  // little endian
    }
    return {.bytes = *bytes, .owner = bytes};
}

std::string_view entry_of(const OnnxExternalData& entries, std::string_view key) {
    const auto found = std::ranges::find(entries, key, &OnnxExternalData::value_type::first);
    return found == entries.end() ? std::string_view() : found->second;
}

}  // namespace

ConstantReader::ConstantReader(std::string file, std::shared_ptr<const void> owner,
                               std::filesystem::path folder)
    : file_(std::move(file)), owner_(std::move(owner)), folder_(std::move(folder)) {}

void ConstantReader::fail(const std::string& sentence) const {
    throw Error(fmt::format("'{}': {}", printable(file_, 400), sentence));
}

Constant ConstantReader::read(const OnnxTensor& tensor) {
    const DataType dtype = data_type_of(tensor.data_type).value();
    try {
        require_sane(tensor.dims);
    } catch (const Error& error) {
        fail(fmt::format("initializer '{}': {}", printable(tensor.name), error.what()));
    }
    const TensorData data = data_of(tensor, dtype);
    const auto wanted = static_cast<std::uint64_t>(Tensor{tensor.dims, dtype}.bytes().value);
    if (data.bytes.size() != wanted) {
        fail(
            fmt::format("initializer '{}' holds {} bytes where its shape {} needs {}; export it "
                        "again",
                        printable(tensor.name), data.bytes.size(), to_text(tensor.dims), wanted));
    }
    bytes_read_ += std::ssize(data.bytes);
    return {{tensor.dims, dtype}, data};
}

TensorData ConstantReader::data_of(const OnnxTensor& tensor, DataType dtype) {
    if (tensor.is_external) {
        return external_data_of(tensor);
    }
    if (!tensor.raw_data.empty()) {
        return {.bytes = tensor.raw_data, .owner = owner_};
    }
    if (dtype == DataType::f32 || dtype == DataType::f64) {
        const WireElements& elements =
            dtype == DataType::f32 ? tensor.float_data : tensor.double_data;
        if (!elements.is_joined()) {
            return {.bytes = elements.bytes(), .owner = owner_};
        }
        const auto own = std::make_shared<const WireElements>(elements);
        return {.bytes = own->bytes(), .owner = own};
    }
    const bool is_unsigned = dtype == DataType::u32 || dtype == DataType::u64;
    return narrowed(dtype == DataType::s64 ? tensor.int64_data
                    : is_unsigned          ? tensor.uint64_data
                                           : tensor.int32_data,
                    static_cast<std::size_t>(size_in_bytes(dtype)));
}

TensorData ConstantReader::external_data_of(const OnnxTensor& tensor) {
    const auto& file = open(entry_of(tensor.external_data, "location"));
    const auto number = [&](std::string_view key, std::uint64_t absent) {
        const auto text = entry_of(tensor.external_data, key);
        const auto value = parse_integer(text);
        if (!text.empty() && (!value || *value < 0)) {
            fail(
                fmt::format("initializer '{}' has external data at {} '{}', which is not a number "
                            "of bytes; export it again",
                            printable(tensor.name), key, printable(text)));
        }
        return value ? static_cast<std::uint64_t>(*value) : absent;
    };
    const std::uint64_t size = file->bytes().size();
    const std::uint64_t offset = number("offset", 0);
    const std::uint64_t length = number("length", offset <= size ? size - offset : 0);
    if (offset > size || length > size - offset) {
        fail(
            fmt::format("initializer '{}' has {} bytes at {} of '{}', which has only {}; copy that "
                        "file again",
                        printable(tensor.name), length, offset,
                        printable(entry_of(tensor.external_data, "location")), size));
    }
    return {.bytes = file->bytes().subspan(offset, length), .owner = file};
}

const std::shared_ptr<const MappedFile>& ConstantReader::open(std::string_view location) {
    if (const auto found = external_files_.find(location); found != external_files_.end()) {
        return found->second;
    }
    if (folder_.empty()) {
        fail(fmt::format("its data is in '{}', which cannot be read; import the model from a file",
                         printable(location)));
    }
    if (location.find('\0') != location.npos) {
        fail(
            fmt::format("its data is in '{}', a name with a NUL in it, which no file has; export "
                        "the model again",
                        printable(location)));
    }
    // Links are resolved before the comparison, so that none can leave the folder.
    std::error_code none, broken;
    const auto home = std::filesystem::weakly_canonical(folder_, none);
    const auto path =
        std::filesystem::weakly_canonical(home / std::filesystem::path(location), broken);
    const auto [end, inside] = std::ranges::mismatch(home, path);
    if (location.empty() || none || broken || end != home.end() || inside == path.end()) {
        fail(fmt::format(
            "its data is in '{}', outside the model's folder; move it next to the model",
            printable(location)));
    }
    try {
        return external_files_.emplace(location, MappedFile::open(path)).first->second;
    } catch (const Error& error) {
        fail(fmt::format("its weights are in '{}' ({}); put that file next to the model",
                         printable(location), error.what()));
    }
}

}  // namespace strata
