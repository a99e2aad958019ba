// SPDX-License-Identifier: MIT
// Whole ONNX models with one thing wrong: a valid model is read field by field, a few extents,
// types, attributes, edges, operators or the opset are changed, and it is written again. Nearly all
// results are well-formed, so they reach the converters, the folding and the counting.
#include "graph/memory.h"
#include "networks/onnx/file/wire.h"
#include "networks/onnx/import.h"
#include "tests/fuzz/use_graph.h"
#include "tests/support/onnx_writer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace strata {
namespace {

// The messages of onnx.proto that are changed.
enum class Message {
    none,
    model,
    opset,
    graph,
    node,
    attribute,
    tensor,
    value_info,
    type,
    tensor_type,
    shape,
    dim
};

// The message that a field holds; none for numbers and texts.
Message message_in(Message around, std::uint64_t field) {
    struct Entry {
        Message around;
        std::uint64_t field;
        Message held;
    };
    constexpr std::array<Entry, 15> entries = {{{Message::model, 7, Message::graph},
                                                {Message::model, 8, Message::opset},
                                                {Message::graph, 1, Message::node},
                                                {Message::graph, 5, Message::tensor},
                                                {Message::graph, 11, Message::value_info},
                                                {Message::graph, 12, Message::value_info},
                                                {Message::graph, 13, Message::value_info},
                                                {Message::node, 5, Message::attribute},
                                                {Message::attribute, 5, Message::tensor},
                                                {Message::attribute, 6, Message::graph},
                                                {Message::value_info, 2, Message::type},
                                                {Message::type, 1, Message::tensor_type},
                                                {Message::tensor_type, 2, Message::shape},
                                                {Message::shape, 1, Message::dim},
                                                {Message::attribute, 11, Message::graph}}};
    for (const Entry& entry : entries) {
        if (entry.around == around && entry.field == field) {
            return entry.held;
        }
    }
    return Message::none;
}

// Lists of numbers that may come packed: dims of a tensor, ints of an attribute, its small types.
bool is_packable(Message around, std::uint64_t field) {
    return (around == Message::tensor && (field == 1 || field == 5 || field == 7)) ||
           (around == Message::attribute && field == 8);
}

struct Field {
    std::uint64_t number = 0;
    WireType type = WireType::varint;
    std::uint64_t value = 0;
    std::string bytes = {};
    Message held = Message::none;
    std::vector<Field> inside = {};  // of a message
};

std::vector<Field> read(WireReader reader, Message around) {
    std::vector<Field> fields;
    while (const auto field = reader.next()) {
        if (field->type == WireType::bytes && is_packable(around, field->number)) {
            std::vector<std::int64_t> numbers;
            append_integers(*field, numbers);
            for (const std::int64_t number : numbers) {
                fields.push_back(
                    {field->number, WireType::varint, static_cast<std::uint64_t>(number)});
            }
            continue;
        }
        Field kept{field->number, field->type, field->value};
        if (field->type == WireType::bytes) {
            kept.bytes.assign(reinterpret_cast<const char*>(field->bytes.data()),
                              field->bytes.size());
            kept.held = message_in(around, field->number);
        }
        if (kept.held != Message::none) {
            kept.inside = read(as_message(*field), kept.held);
        }
        fields.push_back(std::move(kept));
    }
    return fields;
}

void write(WireWriter& to, const std::vector<Field>& fields) {
    for (const Field& field : fields) {
        to.key(static_cast<int>(field.number), static_cast<int>(field.type));
        switch (field.type) {
            case WireType::varint:
                to.varint(field.value);
                break;
            case WireType::fixed32:
            case WireType::fixed64:
                to.bytes.append(reinterpret_cast<const char*>(&field.value),
                                field.type == WireType::fixed32 ? 4 : 8);
                break;
            case WireType::bytes: {
                WireWriter inner;
                write(inner, field.inside);
                const std::string& content =
                    field.held == Message::none ? field.bytes : inner.bytes;
                to.varint(content.size());
                to.bytes += content;
            }
        }
    }
}

constexpr std::array<std::int64_t, 24> numbers = {0,
                                                  1,
                                                  2,
                                                  3,
                                                  4,
                                                  5,
                                                  6,
                                                  7,
                                                  8,
                                                  10,
                                                  11,
                                                  16,
                                                  -1,
                                                  -2,
                                                  -3,
                                                  64,
                                                  1000,
                                                  65536,
                                                  std::int64_t{1} << 20,
                                                  std::int64_t{1} << 31,
                                                  std::int64_t{1} << 40,
                                                  std::int64_t{1} << 59,
                                                  std::int64_t{1} << 62,
                                                  std::numeric_limits<std::int64_t>::min()};

constexpr std::array texts = {"SAME_UPPER",
                              "SAME_LOWER",
                              "VALID",
                              "NOTSET",
                              "edge",
                              "reflect",
                              "constant",
                              "linear",
                              "cubic",
                              "nearest",
                              "tanh",
                              "none",
                              "forward",
                              "reverse",
                              "bidirectional",
                              "DCR",
                              "CRD",
                              "zeros",
                              "border",
                              "align_corners",
                              "half_pixel",
                              "ij,jk->ik",
                              "...ij,...jk->...ik",
                              "i->",
                              "",
                              "asymmetric",
                              "reflection",
                              "ceil",
                              "floor",
                              "stretch"};

constexpr std::array operators = {"Attention",
                                  "BatchNormalization",
                                  "Cast",
                                  "CastLike",
                                  "Compress",
                                  "Concat",
                                  "Constant",
                                  "ConstantOfShape",
                                  "Conv",
                                  "ConvTranspose",
                                  "CumSum",
                                  "DepthToSpace",
                                  "Dropout",
                                  "Einsum",
                                  "Expand",
                                  "EyeLike",
                                  "Flatten",
                                  "GRU",
                                  "Gather",
                                  "GatherElements",
                                  "GatherND",
                                  "Gemm",
                                  "GridSample",
                                  "GroupNormalization",
                                  "Hardmax",
                                  "Identity",
                                  "If",
                                  "LSTM",
                                  "LayerNormalization",
                                  "LpPool",
                                  "MatMul",
                                  "MaxPool",
                                  "Mean",
                                  "Mod",
                                  "NonZero",
                                  "OneHot",
                                  "PRelu",
                                  "Pad",
                                  "Pow",
                                  "RNN",
                                  "Range",
                                  "ReduceMax",
                                  "ReduceMean",
                                  "ReduceSum",
                                  "Relu",
                                  "Reshape",
                                  "Resize",
                                  "ReverseSequence",
                                  "RotaryEmbedding",
                                  "ScatterElements",
                                  "ScatterND",
                                  "Shape",
                                  "Size",
                                  "Slice",
                                  "Softmax",
                                  "SpaceToDepth",
                                  "Split",
                                  "Squeeze",
                                  "Sum",
                                  "Swish",
                                  "Tile",
                                  "TopK",
                                  "Transpose",
                                  "Trilu",
                                  "Unknown",
                                  "Unsqueeze",
                                  "Upsample",
                                  "Where"};

// Turns a valid model into a hostile one.
class Mutator {
public:
    Mutator(std::vector<Field> model, unsigned seed) : model_(std::move(model)), random_(seed) {
        collect(model_, Message::model);
    }

    void change() {
        switch (below(10)) {
            case 0:
            case 1:
            case 2:
                return change_number();
            case 3:
                return change_edge();
            case 4:
                return change_list();
            case 5:
                return change_attribute();
            case 6:
                return change_data();
            case 7:
                return change_node();
            case 8:
                return add_output();
            default:
                return change_text();
        }
    }

    std::string bytes() const {
        WireWriter writer;
        write(writer, model_);
        return writer.bytes;
    }

private:
    // Fields of messages that a change may pick; collected anew by each Mutator.
    void collect(std::vector<Field>& fields, Message around) {
        holders_.push_back({&fields, around});
        for (Field& field : fields) {
            if (around == Message::node && (field.number == 1 || field.number == 2)) {
                names_.push_back(field.bytes);
            }
            if (around == Message::tensor && field.number == 8) {
                names_.push_back(field.bytes);
            }
            if (field.held != Message::none) {
                collect(field.inside, field.held);
            }
        }
    }

    std::size_t below(std::size_t limit) { return random_() % std::max<std::size_t>(limit, 1); }

    template <class List>
    auto one_of(const List& list) {
        return list[below(list.size())];
    }

    std::uint64_t number(std::uint64_t before) {
        const std::size_t kind = below(4);
        return kind == 0   ? before + 1
               : kind == 1 ? before - 1
                           : static_cast<std::uint64_t>(one_of(numbers));
    }

    using Fields = std::vector<Field>;

    // A message of one of these kinds; null where the model has none.
    Fields* holder(std::initializer_list<Message> kinds) {
        std::vector<Fields*> found;
        for (const auto& [fields, kind] : holders_) {
            if (std::ranges::find(kinds, kind) != kinds.end() && !fields->empty()) {
                found.push_back(fields);
            }
        }
        return found.empty() ? nullptr : found[below(found.size())];
    }

    // Extents, element types, attributes and the opset.
    void change_number() {
        Fields* fields = holder({Message::tensor, Message::attribute, Message::dim,
                                 Message::tensor_type, Message::opset});
        if (fields) {
            Field& field = (*fields)[below(fields->size())];
            if (field.type == WireType::varint) {
                field.value = number(field.value);
            } else if (field.type == WireType::fixed32) {
                const auto real = static_cast<float>(one_of(numbers)) / 4;
                std::memcpy(&field.value, &real, sizeof real);
            }
        }
    }

    // A node gets another input, one more, one less, or an empty one.
    void change_edge() {
        Fields* fields = holder({Message::node});
        if (!fields || names_.empty()) {
            return;
        }
        Field edge{below(6) == 0 ? std::uint64_t{2} : 1, WireType::bytes, 0, one_of(names_)};
        if (below(4) == 0) {
            edge.bytes.clear();
        }
        if (below(2) == 0) {
            fields->insert(fields->begin() + static_cast<std::ptrdiff_t>(below(fields->size())),
                           std::move(edge));
            return;
        }
        Field& field = (*fields)[below(fields->size())];
        if (field.number == edge.number) {
            field = std::move(edge);
        }
    }

    // Adds a number to a list or removes one, or repeats a field.
    void change_list() {
        Fields* fields = holder({Message::tensor, Message::attribute, Message::shape});
        if (!fields) {
            return;
        }
        const auto at = fields->begin() + static_cast<std::ptrdiff_t>(below(fields->size()));
        if (below(2) == 0) {
            fields->erase(at);
        } else {
            Field copy = *at;
            copy.value = copy.type == WireType::varint ? number(copy.value) : copy.value;
            fields->insert(at, std::move(copy));
        }
    }

    // Takes an attribute from another node, or removes one.
    void change_attribute() {
        Fields* from = holder({Message::node});
        Fields* to = holder({Message::node});
        if (!from || !to) {
            return;
        }
        const Field field = (*from)[below(from->size())];
        if (field.number == 5) {
            to->push_back(field);
        } else {
            const auto at = to->begin() + static_cast<std::ptrdiff_t>(below(to->size()));
            if (at->number == 5) {
                to->erase(at);
            }
        }
    }

    // Elements of a tensor in raw form: an integer, a float, more or less of them.
    void change_data() {
        Fields* fields = holder({Message::tensor});
        if (!fields) {
            return;
        }
        for (Field& field : *fields) {
            if (field.number != 9 || field.bytes.empty()) {
                continue;
            }
            const std::int64_t value = one_of(numbers);
            const std::size_t size =
                std::min<std::size_t>(below(2) == 0 ? 8 : 4, field.bytes.size());
            const std::size_t at = below(field.bytes.size() / size) * size;
            std::memcpy(field.bytes.data() + at, &value, size);
            if (below(8) == 0) {
                field.bytes.resize(below(64));
            }
        }
    }

    void change_node() {
        Fields* fields = holder({Message::node});
        if (!fields) {
            return;
        }
        for (Field& field : *fields) {
            if (field.number == 4) {
                field.bytes = one_of(operators);
            }
        }
    }

    // Anything that a graph computes may be its output.
    void add_output() {
        Fields* fields = holder({Message::graph});
        if (fields && !names_.empty()) {
            Field name{1, WireType::bytes, 0, one_of(names_)};
            Field output{12, WireType::bytes, 0, {}, Message::value_info, {std::move(name)}};
            fields->push_back(std::move(output));
        }
    }

    void change_text() {
        Fields* fields = holder({Message::attribute});
        if (!fields) {
            return;
        }
        for (Field& field : *fields) {
            if (field.number == 4) {
                field.bytes = one_of(texts);
            }
        }
    }

    std::vector<Field> model_;
    std::minstd_rand random_;
    std::vector<std::pair<Fields*, Message>> holders_;
    std::vector<std::string> names_;
};

std::string mutated(std::string bytes, unsigned seed) {
    std::minstd_rand random(seed);
    for (unsigned changes = 1 + random() % 4; changes > 0; --changes) {
        const WireFile file{"seed.onnx", std::as_bytes(std::span(bytes))};
        Mutator mutator(read(WireReader(file, file.bytes), Message::model),
                        static_cast<unsigned>(random()));
        mutator.change();
        bytes = mutator.bytes();
    }
    return bytes;
}

// What `show` plans: the memory for training and for inference.
void plan_memory(const Graph& graph) {
    for (const Mode mode : {Mode::training, Mode::inference}) {
        Execution execution;
        execution.numerics.mode = mode;
        footprint_of(graph, execution);
    }
}

}  // namespace
}  // namespace strata

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
    std::string bytes(reinterpret_cast<const char*>(data), size);
    try {
        bytes = strata::mutated(std::move(bytes), seed);
    } catch (const strata::Error&) {  // no model: leave it as it is
    }
    if (bytes.size() > max_size) {
        return size;
    }
    std::memcpy(data, bytes.data(), bytes.size());
    return bytes.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    for (const std::optional<std::int64_t> batch : {std::optional<std::int64_t>(), {3}}) {
        strata::graph_or_error([&] {
            strata::Graph graph =
                strata::import_onnx({.name = "fuzz.onnx",
                                     .bytes = std::as_bytes(std::span(data, size)),
                                     .owner = nullptr,
                                     .folder = {}},
                                    {.batch = batch, .dims = {}});
            strata::plan_memory(graph);
            return graph;
        });
    }
    return 0;
}
