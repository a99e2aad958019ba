// SPDX-License-Identifier: MIT
#include "predict/problems.h"

#include "base/enumeration.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>

namespace strata {

namespace {

constexpr std::int64_t largest_extent = std::int64_t{1} << 40;

// A line of the table, read by column name.
class Line {
public:
    Line(const std::vector<std::string>& columns, std::vector<std::string> fields,
         std::string place)
        : columns_(columns), fields_(std::move(fields)), place_(std::move(place)) {}

    bool has(std::string_view column) const { return place_of(column) < columns_.size(); }

    std::string_view text(std::string_view column) const {
        return has(column) ? std::string_view(fields_[place_of(column)]) : std::string_view();
    }

    std::int64_t extent(std::string_view column) const {
        const auto value = parse_integer(text(column));
        if (!value || *value < 1 || *value > largest_extent) {
            refuse(column, "is no positive whole number");
        }
        return *value;
    }

    // 1 if the table has no such column.
    std::int64_t extent_if_any(std::string_view column) const {
        return has(column) ? extent(column) : 1;
    }

    std::int64_t pad(std::string_view column) const {
        const auto value = parse_integer(text(column));
        if (!value || *value < 0 || *value > largest_extent) {
            refuse(column, "is no whole number");
        }
        return *value;
    }

    bool is_transposed(std::string_view column) const {
        const std::string_view letter = text(column);
        if (letter != "N" && letter != "T") {
            refuse(column, "is neither N nor T");
        }
        return letter == "T";
    }

    std::optional<Seconds> milliseconds() const {
        if (text("milliseconds").empty()) {
            return {};
        }
        const auto value = parse_number(text("milliseconds"));
        if (!value || !(*value > 0) || !std::isfinite(*value)) {
            refuse("milliseconds", "is no positive number");
        }
        return Seconds{*value * 1e-3};
    }

    [[noreturn]] void refuse(std::string_view column, std::string_view what) const {
        throw Error(fmt::format("{}: {} '{}' {}", place_, column, printable(text(column)), what));
    }

    // The column's index; the number of columns if it is absent.
    std::size_t place_of(std::string_view column) const {
        return static_cast<std::size_t>(std::ranges::find(columns_, column) - columns_.begin());
    }

    std::vector<std::string> take_fields() { return std::move(fields_); }

private:
    const std::vector<std::string>& columns_;
    std::vector<std::string> fields_;
    std::string place_;
};

// The kernel that ran a product, and its splits: the grid's third extent is splits times batch.
std::optional<GemmKernel> kernel_of(const Line& line, std::int64_t batch) {
    const auto threads = parse_integer(line.text("block"));
    const auto grid = split(line.text("grid"), 'x');
    auto kernel = kernel_named(line.text("kernel"), threads && *threads > 0 && *threads <= 1024
                                                        ? static_cast<int>(*threads)
                                                        : 256);
    const auto blocks = grid.size() == 3 ? parse_integer(grid[2]) : std::nullopt;
    if (kernel && blocks && *blocks > batch && *blocks <= 65535) {
        kernel->splits = static_cast<int>((*blocks + batch / 2) / batch);
    }
    return kernel;
}

void read_neusight_gemm(const Line& line, ProblemRow& row) {
    const std::string_view op = line.text("op");
    if (op != "linear" && op != "bmm") {
        line.refuse("op", "is neither linear nor bmm");
    }
    const GemmProblem problem{.batch = line.extent("batch"),
                              .m = line.extent("m"),
                              .n = line.extent("n"),
                              .k = line.extent("k"),
                              .b_is_transposed = op == "linear"};
    row.problem_class = op;
    row.problem = GemmRow{problem, kernel_of(line, problem.batch)};
}

// DeepBench's names of precisions: fp16_mixed multiplies in tensor cores, fp16_pseudo stores 16
// bits and computes in 32.
struct Precision {
    std::string_view name;
    std::string_view short_name;
    Arithmetic arithmetic;
    double element_bytes;
};
constexpr std::array precisions = {Precision{"fp32", "fp32", Arithmetic::f32, 4},
                                   Precision{"tf32", "tf32", Arithmetic::tf32, 4},
                                   Precision{"fp16_mixed", "fp16", Arithmetic::f16, 2},
                                   Precision{"bf16_mixed", "bf16", Arithmetic::bf16, 2},
                                   Precision{"fp16_pseudo", "fp16_pseudo", Arithmetic::f32, 2}};
// Only for products.
constexpr std::array precisions_of_8_bits = {Precision{"fp8", "fp8", Arithmetic::f8, 1},
                                             Precision{"int8", "int8", Arithmetic::i8, 1}};

const Precision* precision_called(std::string_view name, std::span<const Precision> among) {
    const auto found = std::ranges::find_if(
        among, [&](const Precision& p) { return p.name == name || p.short_name == name; });
    return found == among.end() ? nullptr : &*found;
}

const Precision& precision_of(const Line& line) {
    const Precision* const found = precision_called(line.text("precision"), precisions);
    if (found == nullptr) {
        line.refuse("precision", "is none of fp32, tf32, fp16_mixed, bf16_mixed and fp16_pseudo");
    }
    return *found;
}

const Precision& precision_of_product(const Line& line) {
    const Precision* found = precision_called(line.text("precision"), precisions);
    if (found == nullptr) {
        found = precision_called(line.text("precision"), precisions_of_8_bits);
    }
    if (found == nullptr) {
        line.refuse("precision",
                    "is none of fp32, tf32, fp16_mixed, bf16_mixed, fp16_pseudo, fp8 and int8");
    }
    return *found;
}

// fp16 and bf16 are one class: they run in the same units at the same rate.
bool has_16_bits(const Precision& precision) {
    return precision.arithmetic == Arithmetic::f16 || precision.arithmetic == Arithmetic::bf16;
}

std::string class_of_products(const Precision& precision) {
    return has_16_bits(precision) ? std::string(products_of_16_bits)
                                  : fmt::format("gemm {}", precision.name);
}

std::string_view class_of_convolutions(const Precision& precision) {
    return has_16_bits(precision) ? "16 bits" : precision.name;
}

// Column-major, with A's rows along m: in row-major terms it is C^T = B^T A^T.
void read_deepbench_gemm(const Line& line, ProblemRow& row) {
    const Precision& precision = precision_of_product(line);
    row.problem_class = class_of_products(precision);
    row.problem =
        GemmRow{.problem = with_loads({.m = line.extent("n"),
                                       .n = line.extent("m"),
                                       .k = line.extent("k"),
                                       .b_is_transposed = line.is_transposed("a_transposed"),
                                       .arithmetic = precision.arithmetic,
                                       .element_bytes = precision.element_bytes,
                                       .a_is_transposed = line.is_transposed("b_transposed")})};
}

void read_streaming(const Line& line, ProblemRow& row) {
    StreamingProblem problem{.op = std::string(line.text("op")),
                             .rows = line.extent("rows"),
                             .columns = line.extent("columns")};
    if (!line.text("precision").empty()) {
        problem.element_bytes = precision_of(line).element_bytes;
    }
    if (problem.op.empty()) {
        line.refuse("op", "names no operator");
    }
    row.problem_class = printable(problem.kernel());
    row.problem = std::move(problem);
}

template <NamedEnumeration E>
E choice_of(const Line& line, std::string_view column) {
    const auto value = value_named<E>(line.text(column));
    if (!value) {
        line.refuse(column, fmt::format("is none of {}", fmt::join(names_of(E{}), ", ")));
    }
    return *value;
}

void read_recurrent(const Line& line, ProblemRow& row) {
    const Precision& precision = precision_of(line);
    const RecurrentProblem problem{
        .cell = choice_of<RecurrentCell>(line, "cell"),
        .hidden = line.extent("hidden"),
        .batch = line.extent("batch"),
        .steps = line.extent("timesteps"),
        .pass = line.has("pass") ? choice_of<RecurrentPass>(line, "pass") : RecurrentPass::forward,
        .arithmetic = precision.arithmetic,
        .element_bytes = precision.element_bytes};
    row.problem_class = fmt::format("recurrent {} {}", precision.name, name_of(problem.pass));
    if (problem.pass == RecurrentPass::backward_weights) {
        row.problem = GemmRow{.problem = weights_product(problem)};
    } else {
        row.problem = problem;
    }
}

// The size of an element of cached keys and values, in bytes.
double cache_bytes_of(const Line& line) {
    const std::string_view type = line.text("cache");
    if (type == "fp8" || type == "int8") {
        return 1;
    }
    if (type == "fp16" || type == "bf16") {
        return 2;
    }
    if (type != "fp32") {
        line.refuse("cache", "is none of fp32, fp16, bf16, fp8 and int8");
    }
    return 4;
}

void read_attention(const Line& line, ProblemRow& row) {
    const Precision& precision = precision_of(line);
    AttentionRow attention{.problem = {.batch = line.extent("batch"),
                                       .heads = line.extent("heads"),
                                       .queries = line.extent("queries"),
                                       .keys = line.extent("keys"),
                                       .width = line.extent("width"),
                                       .arithmetic = precision.arithmetic,
                                       .element_bytes = precision.element_bytes}};
    AttentionProblem& problem = attention.problem;
    if (!line.text("kv_heads").empty()) {
        problem.kv_heads = line.extent("kv_heads");
        if (problem.heads % problem.kv_heads != 0) {
            line.refuse("kv_heads", "does not divide heads");
        }
    }
    if (!line.text("window").empty()) {
        problem.window = line.pad("window");
    }
    if (!line.text("cache").empty()) {
        problem.cache_bytes = cache_bytes_of(line);
    }
    if (line.has("mask")) {
        attention.problem.mask = choice_of<AttentionMask>(line, "mask");
    }
    if (line.has("pass")) {
        attention.problem.pass = choice_of<AttentionPass>(line, "pass");
    }
    if (!line.text("algorithm").empty()) {
        attention.algorithm = choice_of<AttentionAlgorithm>(line, "algorithm");
    }
    attention.library = printable(line.text("library"));
    row.problem_class =
        problem.element_bytes <= 2
            ? attention_class(problem.phase(), attention.library)
            : fmt::format("attention {} {}", precision.name, name_of(problem.phase()));
    row.problem = attention;
}

void read_training_step(const Line& line, ProblemRow& row) {
    row.problem_class = "fully connected training";
    row.problem = TrainingStepProblem{.layers = line.extent("layers"),
                                      .nodes = line.extent("nodes"),
                                      .inputs = line.extent("inputs"),
                                      .outputs = line.extent("outputs"),
                                      .batch = line.extent("batch")};
}

// A convolution must have a result.
void require_result(const Line& line, const ConvolutionProblem& problem, std::string_view filter) {
    if (problem.result_h() < 1 || problem.result_w() < 1) {
        line.refuse(filter, "is larger than the padded image");
    }
}

void read_neusight_convolution(const Line& line, ProblemRow& row) {
    const std::int64_t image = line.extent("hw"), filter = line.extent("rs"), pad = line.pad("pad"),
                       stride = line.extent("stride");
    const ConvolutionProblem problem{.n = line.extent("n"),
                                     .c = line.extent("c"),
                                     .h = image,
                                     .w = image,
                                     .k = line.extent("k"),
                                     .r = filter,
                                     .s = filter,
                                     .pad_h = pad,
                                     .pad_w = pad,
                                     .stride_h = stride,
                                     .stride_w = stride};
    require_result(line, problem, "rs");
    row.problem_class = "convolution";
    row.problem = ConvolutionRow{problem, convolution_kernel_named(line.text("kernels"), filter)};
}

void read_deepbench_convolution(const Line& line, ProblemRow& row) {
    const Precision& precision = precision_of(line);
    const ConvolutionProblem problem{.n = line.extent("n"),
                                     .c = line.extent("c"),
                                     .h = line.extent("h"),
                                     .w = line.extent("w"),
                                     .k = line.extent("k"),
                                     .r = line.extent("r"),
                                     .s = line.extent("s"),
                                     .pad_h = line.pad("pad_h"),
                                     .pad_w = line.pad("pad_w"),
                                     .stride_h = line.extent("stride_h"),
                                     .stride_w = line.extent("stride_w"),
                                     .dilation_h = line.extent_if_any("dilation_h"),
                                     .dilation_w = line.extent_if_any("dilation_w"),
                                     .groups = line.extent_if_any("groups"),
                                     .pass = choice_of<ConvolutionPass>(line, "pass"),
                                     .arithmetic = precision.arithmetic,
                                     .element_bytes = precision.element_bytes};
    require_result(line, problem, "r");
    if (problem.c % problem.groups != 0 || problem.k % problem.groups != 0) {
        line.refuse("groups", "divides not both c and k");
    }
    row.problem_class =
        fmt::format("convolution {} {}", class_of_convolutions(precision), name_of(problem.pass));
    row.problem = ConvolutionRow{.problem = problem};
}

using Reader = void (*)(const Line&, ProblemRow&);

// The reader for a header.
Reader reader_of(const std::vector<std::string>& columns, std::string_view origin) {
    const auto has = [&](std::initializer_list<std::string_view> names) {
        return std::ranges::all_of(names, [&](std::string_view name) {
            return std::ranges::find(columns, name) != columns.end();
        });
    };
    if (has({"op", "batch", "m", "n", "k"})) {
        return read_neusight_gemm;
    }
    if (has({"precision", "m", "n", "k", "a_transposed", "b_transposed"})) {
        return read_deepbench_gemm;
    }
    if (has({"op", "rows", "columns"})) {
        return read_streaming;
    }
    if (has({"n", "c", "hw", "k", "rs", "stride", "pad"})) {
        return read_neusight_convolution;
    }
    if (has({"precision", "n", "c", "h", "w", "k", "r", "s", "pad_h", "pad_w", "stride_h",
             "stride_w", "pass"})) {
        return read_deepbench_convolution;
    }
    if (has({"cell", "hidden", "batch", "timesteps", "precision"})) {
        return read_recurrent;
    }
    if (has({"precision", "batch", "heads", "queries", "keys", "width"})) {
        return read_attention;
    }
    if (has({"layers", "nodes", "inputs", "outputs", "batch"})) {
        return read_training_step;
    }
    throw Error(
        fmt::format("{}: its header is none of the known forms; strata predict --help names "
                    "them",
                    printable(origin)));
}

std::vector<std::string> fields_of(std::string_view line) {
    std::vector<std::string> fields;
    for (const std::string_view field : split(line, ',')) {
        fields.emplace_back(trim(field));
    }
    return fields;
}

}  // namespace

std::string attention_class(AttentionPhase phase, std::string_view library) {
    return fmt::format("attention 16 bits {}{}{}", name_of(phase), library.empty() ? "" : " ",
                       library);
}

ProblemTable read_problems(std::string_view csv, std::string_view origin) {
    ProblemTable table;
    Reader read = nullptr;
    std::size_t number = 0;
    for (const std::string_view text : split(csv, '\n')) {
        ++number;
        if (trim(text).empty()) {
            continue;
        }
        std::vector<std::string> fields = fields_of(text);
        if (read == nullptr) {
            table.columns = std::move(fields);
            read = reader_of(table.columns, origin);
            continue;
        }
        std::string place = fmt::format("{}:{}", printable(origin), number);
        if (fields.size() != table.columns.size()) {
            throw Error(fmt::format("{}: has {} fields where the header has {}", place,
                                    fields.size(), table.columns.size()));
        }
        Line line(table.columns, std::move(fields), std::move(place));
        ProblemRow row{.time_field = line.place_of("milliseconds"),
                       .device = std::string(line.text("device")),
                       .measured = line.milliseconds()};
        read(line, row);
        row.fields = line.take_fields();
        table.rows.push_back(std::move(row));
    }
    if (read == nullptr) {
        throw Error(fmt::format("{}: is empty; give a table with a header", printable(origin)));
    }
    return table;
}

ProblemTable read_problem_file(const std::string& path) {
    const auto file = MappedFile::open(path);
    const std::span<const std::byte> bytes = file->bytes();
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (trim(text).starts_with('{')) {
        const std::string name = std::filesystem::path(path).filename().string();
        return read_problems(paradnn_csv(text, name.starts_with("tpu_") ? "tpu-v2" : "", path),
                             path);
    }
    return read_problems(text, path);
}

}  // namespace strata
