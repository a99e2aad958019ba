// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "base/file.h"
#include "networks/onnx/file/constant_reader.h"
#include "networks/onnx/file/element_type.h"
#include "tests/onnx_nodes/node_case.h"

#include <fmt/format.h>
#include <fstream>

namespace strata {

namespace {

namespace fs = std::filesystem;

// The tensor in a file; nothing if there is none, or if its element type has no numbers here.
std::optional<Constant> read_tensor(const fs::path& path) {
    if (!fs::exists(path)) {
        return std::nullopt;
    }
    const auto mapped = MappedFile::open(path);
    const WireFile file{path.string(), mapped->bytes()};
    const OnnxTensor tensor = parse_onnx_tensor(WireReader(file, file.bytes));
    if (!data_type_of(tensor.data_type)) {
        return std::nullopt;
    }
    return ConstantReader(path.string(), mapped, {}).read(tensor);
}

std::vector<std::optional<Constant>> read_tensors(const fs::path& folder, std::string_view kind,
                                                  std::size_t count) {
    std::vector<std::optional<Constant>> tensors;
    for (std::size_t i = 0; i < count; ++i) {
        tensors.push_back(read_tensor(folder / fmt::format("{}_{}.pb", kind, i)));
    }
    return tensors;
}

}  // namespace

NodeCase read_node_case(const fs::path& folder) {
    NodeCase one;
    one.name = folder.filename().string();
    one.model = folder / "model.onnx";
    const auto mapped = MappedFile::open(one.model);
    const WireFile file{one.model.string(), mapped->bytes()};
    const OnnxModel model = parse_onnx_model(file);
    one.inputs = read_tensors(folder, "input", model.graph->inputs.size());
    one.outputs = read_tensors(folder, "output", model.graph->outputs.size());
    std::ifstream(folder / "tolerance") >> one.relative >> one.absolute;
    return one;
}

}  // namespace strata
