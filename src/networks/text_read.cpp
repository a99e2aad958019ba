// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "base/text.h"
#include "graph/builder.h"
#include "networks/text.h"
#include "networks/text_cursor.h"
#include "op/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

namespace strata {

namespace {

constexpr std::array<std::string_view, 9> keywords = {
    "graph", "input", "label", "parameter", "statistic", "constant", "output", "alias", "source"};

constexpr std::size_t max_axes = 32;
constexpr std::size_t max_items = 1'000'000;

// Searching for the nearest of very many or very long names would take too long.
constexpr std::size_t max_candidates = 10'000;
constexpr std::size_t max_misspelt = 64;

// The operands in a layer's line.
struct Operands {
    std::vector<TensorId> ids;
    bool complete = false;  // includes the parameters
};

// A result in a layer's line.
struct Result {
    std::string name;
    std::optional<Tensor> stated;
};

// A note below a layer's line.
struct Note {
    LayerId layer = 0;
    std::string Layer::*field = nullptr;
    std::string text;
};

// Reads a text into a graph, line by line.
class Reader {
public:
    Reader(std::string_view origin, std::optional<std::int64_t> batch)
        : build_(std::string(origin)), batch_(batch) {}

    void read(std::string_view line) {
        TextCursor cursor(line);
        if (++items_ > max_items) {
            throw Error(fmt::format("a network has at most {} items; split it", max_items));
        }
        const bool quoted = cursor.is_quoted();
        const std::string first = cursor.name("a layer");
        if (cursor.accept("->")) {
            read_layer(first, read_results(cursor), cursor);
        } else if (cursor.accept("=")) {
            read_layer(first, {}, cursor);
        } else if (first == "graph" && !quoted) {
            read_title(cursor);
        } else if (first == "output" && !quoted) {
            outputs_.push_back(tensor(cursor.name("a tensor")));
            require_end(cursor);
        } else if ((first == "alias" || first == "source") && !quoted) {
            read_note(first == "alias" ? &Layer::alias : &Layer::source, first, cursor);
        } else {
            read_tensor(first, cursor);
        }
    }

    Graph finish() {
        Graph graph = build_.finish(outputs_);
        if (title_) {
            graph.name = *title_;
        }
        for (Note& note : notes_) {
            graph.layers[note.layer].*note.field = std::move(note.text);
        }
        return graph;
    }

private:
    static void require_end(TextCursor& cursor) {
        if (!cursor.at_end()) {
            throw Error(fmt::format("\"{}\" is left over at the end of the line; remove it",
                                    printable(cursor.rest(), 40)));
        }
    }

    void read_title(TextCursor& cursor) {
        if (title_) {
            throw Error("the graph already has a name; remove one");
        }
        title_ = cursor.name("the graph");
        require_end(cursor);
    }

    // A line like "alias node_Conv_7" below a layer's.
    void read_note(std::string Layer::*field, const std::string& keyword, TextCursor& cursor) {
        if (layers_ == 0) {
            throw Error(
                fmt::format("{} is said of the layer above, and there is none; put it below "
                            "its layer's line",
                            keyword));
        }
        notes_.push_back({layers_ - 1, field, cursor.name("a text")});
        require_end(cursor);
    }

    // A line like "input data f32 32x3x8x8".
    void read_tensor(const std::string& keyword, TextCursor& cursor) {
        const auto role = parse_role(keyword);
        if (!role || *role == Role::activation) {
            refuse_keyword(keyword);
        }
        const std::string name = cursor.name("a tensor");
        Tensor tensor = read_shape(cursor);
        require_end(cursor);
        const bool is_input = *role == Role::input || *role == Role::label;
        if (is_input) {
            set_batch(tensor);
        }
        define(name,
               is_input ? build_.input(name, tensor, *role) : build_.constant(name, tensor, *role));
    }

    [[noreturn]] static void refuse_keyword(const std::string& word) {
        const auto meant =
            nearest(word, std::vector<std::string>(keywords.begin(), keywords.end()));
        throw Error(fmt::format("\"{}\" does not start an item; {}", printable(word, 40),
                                meant ? fmt::format("did you mean \"{}\"?", *meant)
                                      : "write a layer as NAME = OPERATOR(OPERANDS)"));
    }

    static Tensor read_shape(TextCursor& cursor) {
        Tensor tensor;
        tensor.dtype = parse_data_type(cursor.word("an element type such as f32"));
        tensor.dims = parse_dims(cursor.word("a shape such as 32x3x8x8"));
        if (tensor.dims.size() > max_axes) {
            throw Error(
                fmt::format("a shape has {} axes; use at most {}", tensor.dims.size(), max_axes));
        }
        product(tensor.dims);  // throws if the element count overflows
        return tensor;
    }

    // The first input determines the text's own batch; other shapes that repeat it change with it.
    void set_batch(Tensor& tensor) {
        if (tensor.dims.empty()) {
            return;
        }
        own_batch_ = own_batch_.value_or(tensor.dims[0]);
        tensor.dims[0] = batch_.value_or(tensor.dims[0]);
    }

    void follow_batch(Dims& dims) const {
        if (batch_ && !dims.empty() && dims[0] == own_batch_) {
            dims[0] = *batch_;
        }
    }

    void define(const std::string& name, TensorId id) {
        if (!names_.emplace(name, id).second) {
            throw Error(fmt::format("tensor \"{}\" already exists; give this one a unique name",
                                    printable(name)));
        }
    }

    TensorId tensor(const std::string& name) const {
        const auto found = names_.find(name);
        if (found == names_.end()) {
            throw Error(fmt::format("there is no tensor \"{}\" so far; {}", printable(name),
                                    neighbour(name)));
        }
        return found->second;
    }

    std::string neighbour(const std::string& name) const {
        std::vector<std::string> known;
        if (name.size() <= max_misspelt && names_.size() <= max_candidates) {
            for (const auto& [other, id] : names_) {
                known.push_back(other);
            }
        }
        std::ranges::sort(known);
        const auto meant = nearest(name, known);
        return meant ? fmt::format("did you mean \"{}\"?", printable(*meant))
                     : "declare it or put the layer that computes it before this line";
    }

    static std::vector<Result> read_results(TextCursor& cursor) {
        std::vector<Result> results;
        do {
            results.push_back({cursor.name("a result"), {}});
            if (!cursor.next_is(",") && !cursor.next_is("=")) {
                results.back().stated = read_shape(cursor);
            }
        } while (cursor.accept(","));
        cursor.expect("=");
        return results;
    }

    // The rest of a layer's line, beginning with its operator.
    void read_layer(const std::string& name, std::vector<Result> results, TextCursor& cursor) {
        const std::string type = cursor.name("an operator");
        Operands operands = read_operands(cursor);
        Op op = parse_op(fmt::format("{} {}", type, cursor.rest()));
        if (Reshape* reshape = std::get_if<Reshape>(&op)) {
            follow_batch(reshape->dims);
        }
        if (!operands.complete) {
            complete(name, op, operands.ids);
        }
        place(name, std::move(op), std::move(operands.ids), std::move(results));
    }

    Operands read_operands(TextCursor& cursor) const {
        Operands operands;
        cursor.expect("(");
        while (!cursor.accept(")")) {
            if (!operands.complete && cursor.accept(";")) {
                operands.complete = true;
                continue;
            }
            operands.ids.push_back(tensor(cursor.name("an operand")));
            if (!cursor.next_is(";") && !cursor.next_is(")")) {
                cursor.expect(",");
            }
        }
        return operands;
    }

    // Creates the operands that the operator needs in addition to its activations.
    void complete(const std::string& name, const Op& op, std::vector<TensorId>& operands) {
        const std::size_t given = operands.size();
        operands = build_.complete(name, op, operands);
        for (const TensorId id : std::span(operands).subspan(given)) {
            define(build_.name(id), id);
        }
    }

    void place(const std::string& name, Op op, std::vector<TensorId> operands,
               std::vector<Result> results) {
        auto named = std::holds_alternative<Opaque>(op)
                         ? stated_results(results)
                         : inferred_results(name, shapes_of(op, operands), results);
        const auto outputs = build_.place(name, std::move(op), std::move(operands), named);
        ++layers_;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            define(named[i].name, outputs[i]);
        }
    }

    std::vector<GraphTensor> stated_results(const std::vector<Result>& results) const {
        std::vector<GraphTensor> named;
        for (const Result& result : results) {
            if (!result.stated) {
                throw Error(
                    fmt::format("the shape of \"{}\" is unknown; state it, as in \"-> {} "
                                "f32 1x8 = opaque(...)\"",
                                printable(result.name), printable(result.name)));
            }
            named.push_back({result.name, *result.stated, Role::activation});
            follow_batch(named.back().tensor.dims);
        }
        return named;
    }

    std::vector<Tensor> shapes_of(const Op& op, const std::vector<TensorId>& operands) const {
        std::vector<Tensor> tensors;
        for (const TensorId id : operands) {
            tensors.push_back(build_.tensor(id));
        }
        return outputs_of(op, tensors);
    }

    static std::vector<GraphTensor> inferred_results(const std::string& name,
                                                     const std::vector<Tensor>& shapes,
                                                     const std::vector<Result>& results) {
        if (!results.empty() && results.size() != shapes.size()) {
            throw Error(
                fmt::format("the operator has {} results and {} are named; name them all or "
                            "none",
                            shapes.size(), results.size()));
        }
        std::vector<GraphTensor> named;
        for (std::size_t i = 0; i < shapes.size(); ++i) {
            const Result result = results.empty() ? Result{result_name(name, i), {}} : results[i];
            if (result.stated && *result.stated != shapes[i]) {
                throw Error(fmt::format("\"{}\" is {} {} and not as stated; omit the shape",
                                        printable(result.name), name_of(shapes[i].dtype),
                                        to_text(shapes[i].dims)));
            }
            named.push_back({result.name, shapes[i], Role::activation});
        }
        return named;
    }

    GraphBuilder build_;
    std::size_t items_ = 0;
    std::optional<std::int64_t> batch_;
    std::optional<std::int64_t> own_batch_;
    std::optional<std::string> title_;
    std::size_t layers_ = 0;  // so far
    std::vector<Note> notes_;
    std::unordered_map<std::string, TensorId> names_;
    std::vector<TensorId> outputs_;
};

// "file.graph:12: sentence".
template <class Call>
void placing(std::string_view origin, std::size_t line, Call&& call) {
    try {
        call();
    } catch (const Error& error) {
        throw Error(fmt::format("{}:{}: {}", printable(origin, 400), line, error.what()));
    }
}

void require_readable_size(std::string_view text, std::string_view origin) {
    if (text.size() > max_graph_text) {
        throw Error(
            fmt::format("{}: it has {} bytes, more than a network's text can have ({}); name "
                        "another file",
                        printable(origin, 400), text.size(), max_graph_text));
    }
}

bool is_item(std::string_view line) {
    return !line.empty() && line.front() != '#';
}

}  // namespace

Graph parse_graph(std::string_view text, std::string_view origin,
                  std::optional<std::int64_t> batch) {
    require_readable_size(text, origin);
    Reader reader(origin, batch);
    std::size_t line_number = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = trim(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        placing(origin, ++line_number, [&] {
            if (is_item(line)) {
                reader.read(line);
            }
        });
    }
    return reader.finish();
}

}  // namespace strata
