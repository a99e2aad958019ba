// SPDX-License-Identifier: MIT
#include "networks/onnx/file/order.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>
#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_map>

namespace strata {

namespace {

constexpr int max_depth = 32;  // of nested bodies

// The names that a body reads but does not define.
void collect_captured(const OnnxGraph& body, const WireFile& file, int depth,
                      std::vector<std::string_view>& captured);

void collect_captured(const OnnxNode& node, const WireFile& file, int depth,
                      std::vector<std::string_view>& captured) {
    for (const OnnxNamedMessage& attribute : node.attributes) {
        if (!attribute.has_graphs) {
            continue;
        }
        for (const WireReader& body : parse_onnx_attribute(attribute.message).graphs) {
            if (depth == max_depth) {
                refuse(file, fmt::format("{} nests bodies more than {} deep; simplify the model",
                                         describe(node), max_depth));
            }
            collect_captured(parse_onnx_graph(body), file, depth + 1, captured);
        }
    }
}

void collect_captured(const OnnxGraph& body, const WireFile& file, int depth,
                      std::vector<std::string_view>& captured) {
    std::vector<std::string_view> read;
    std::unordered_set<std::string_view> own;
    for (const OnnxNode& node : body.nodes) {
        read.insert(read.end(), node.inputs.begin(), node.inputs.end());
        collect_captured(node, file, depth, read);
        own.insert(node.outputs.begin(), node.outputs.end());
    }
    for (const OnnxValueInfo& output : body.outputs) {
        read.push_back(output.name);
    }
    for (const OnnxValueInfo& input : body.inputs) {
        own.insert(input.name);
    }
    for (const OnnxNamedMessage& initializer : body.initializers) {
        own.insert(initializer.name);
    }
    std::ranges::copy_if(read, std::back_inserter(captured), [&](std::string_view name) {
        return !name.empty() && own.insert(name).second;  // each name once
    });
}

constexpr std::size_t from_outside = static_cast<std::size_t>(-1);

// The node that produces each name; from_outside for inputs and initializers.
using Producers = std::unordered_map<std::string_view, std::size_t>;

void require_new(bool is_new, std::string_view name, const WireFile& file) {
    if (!is_new) {
        refuse(file, fmt::format("the name '{}' is given to two tensors; rename one of them",
                                 printable(name)));
    }
}

Producers producers_in(const OnnxGraph& graph, const WireFile& file) {
    Producers producers;
    for (const OnnxNamedMessage& initializer : graph.initializers) {
        require_new(producers.emplace(initializer.name, from_outside).second, initializer.name,
                    file);
    }
    for (std::string_view name : graph.sparse_initializers) {
        require_new(producers.emplace(name, from_outside).second, name, file);
    }
    std::unordered_set<std::string_view> inputs;
    for (const OnnxValueInfo& input : graph.inputs) {  // up to IR 3, inputs repeat the initializers
        require_new(inputs.insert(input.name).second, input.name, file);
        producers.emplace(input.name, from_outside);
    }
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        for (std::string_view name : graph.nodes[i].outputs) {
            require_new(name.empty() || producers.emplace(name, i).second, name, file);
        }
    }
    return producers;
}

// The nodes that each node reads from.
using Sources = std::vector<std::vector<std::size_t>>;

Sources sources_of(const std::vector<OrderedNode>& nodes, const Producers& producers,
                   const WireFile& file, DefinedNames names) {
    Sources sources(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        for (std::string_view name : nodes[i].reads) {
            const auto found = producers.find(name);
            if (found == producers.end() && names == DefinedNames::some_from_outside) {
                continue;
            }
            if (found == producers.end()) {
                refuse(file,
                       fmt::format("{} reads '{}', which nothing produces; export the model again",
                                   describe(*nodes[i].node), printable(name)));
            }
            if (found->second != from_outside) {
                sources[i].push_back(found->second);
            }
        }
    }
    return sources;
}

// Kahn's algorithm; among the nodes that are ready, the earliest in the file comes first.
std::vector<std::size_t> sorted(const Sources& sources, const OnnxGraph& graph,
                                const WireFile& file) {
    std::vector<std::size_t> waiting(sources.size());
    Sources readers(sources.size());
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        waiting[i] = sources[i].size();
        for (std::size_t source : sources[i]) {
            readers[source].push_back(i);
        }
        if (waiting[i] == 0) {
            ready.push(i);
        }
    }
    std::vector<std::size_t> order;
    while (!ready.empty()) {
        order.push_back(ready.top());
        ready.pop();
        for (std::size_t reader : readers[order.back()]) {
            if (--waiting[reader] == 0) {
                ready.push(reader);
            }
        }
    }
    if (order.size() == sources.size()) {
        return order;
    }
    // A waiting node may merely depend on the cycle; following waiting nodes upstream reaches it.
    std::size_t node = static_cast<std::size_t>(
        std::ranges::find_if(waiting, [](std::size_t count) { return count > 0; }) -
        waiting.begin());
    for (std::size_t step = 0; step < sources.size(); ++step) {
        node = *std::ranges::find_if(sources[node], [&](std::size_t s) { return waiting[s] > 0; });
    }
    refuse(file,
           fmt::format("{} depends on its own output, so the graph is cyclic; break the cycle",
                       describe(graph.nodes[node])));
}

// Marks the nodes that the outputs depend on. Runtimes do not execute the others.
std::vector<bool> live_nodes(const OnnxGraph& graph, const Producers& producers,
                             const Sources& sources, const WireFile& file, DefinedNames names) {
    std::vector<bool> live(sources.size());
    std::vector<std::size_t> pending;
    const auto reach = [&](std::size_t node) {
        if (node != from_outside && !live[node]) {
            live[node] = true;
            pending.push_back(node);
        }
    };
    for (const OnnxValueInfo& output : graph.outputs) {
        const auto found = producers.find(output.name);
        if (found == producers.end() && names == DefinedNames::some_from_outside) {
            continue;
        }
        if (found == producers.end()) {
            refuse(file, fmt::format("nothing produces its output '{}'; export the model again",
                                     printable(output.name)));
        }
        reach(found->second);
    }
    while (!pending.empty()) {
        const std::size_t node = pending.back();
        pending.pop_back();
        std::ranges::for_each(sources[node], reach);
    }
    return live;
}

std::vector<OrderedNode> with_reads(const OnnxGraph& graph, const WireFile& file) {
    std::vector<OrderedNode> nodes;
    for (const OnnxNode& node : graph.nodes) {
        OrderedNode ordered{.node = &node, .reads = {}};
        std::ranges::copy_if(node.inputs, std::back_inserter(ordered.reads),
                             [](std::string_view name) { return !name.empty(); });
        collect_captured(node, file, 0, ordered.reads);
        nodes.push_back(std::move(ordered));
    }
    return nodes;
}

}  // namespace

std::vector<OrderedNode> execution_order(const OnnxGraph& graph, const WireFile& file,
                                         DefinedNames names) {
    if (graph.outputs.empty()) {
        refuse(file, "its graph has no outputs; export the model again");
    }
    std::vector<OrderedNode> nodes = with_reads(graph, file);
    const Producers producers = producers_in(graph, file);
    const Sources sources = sources_of(nodes, producers, file, names);
    const std::vector<bool> live = live_nodes(graph, producers, sources, file, names);
    std::vector<OrderedNode> order;
    for (std::size_t i : sorted(sources, graph, file)) {
        if (live[i]) {
            order.push_back(std::move(nodes[i]));
        }
    }
    return order;
}

std::string describe(const OnnxNode& node) {
    const std::string_view output = node.outputs.empty() ? std::string_view() : node.outputs[0];
    return fmt::format("node '{}' ({})", printable(node.name.empty() ? output : node.name),
                       printable(node.op_type));
}

bool is_default_domain(std::string_view domain) {
    return domain.empty() || domain == "ai.onnx";
}

}  // namespace strata
