// SPDX-License-Identifier: MIT
#include "import/devices.h"
#include "import/formats.h"
#include "import/units.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace strata {

namespace {

// The columns of a primitive's line that are read, by the names in the log's template.
enum class VerboseColumn {
    operation,
    engine,
    primitive,
    implementation,
    prop_kind,
    memory_descriptors,
    attributes,
    auxiliary,
    problem,
    time,
    timestamp,
    count,
};
constexpr std::array<std::string_view, static_cast<std::size_t>(VerboseColumn::count)>
    column_names = {"operation",          "engine",     "primitive", "implementation", "prop_kind",
                    "memory_descriptors", "attributes", "auxiliary", "problem_desc",   "exec_time",
                    "timestamp"};

// The default template: version 1 logs none, and those of 2 and 3 look like this.
constexpr std::string_view usual_template =
    "operation,engine,primitive,implementation,prop_kind,memory_descriptors,attributes,auxiliary,"
    "problem_desc,exec_time";

// The primitives of one problem whose gradients are still to come: the backward passes run in
// reverse order.
struct OpenForwards {
    std::vector<std::uint32_t> places = {};
    std::array<std::size_t, 2> taken = {};  // separately for data's and weights' gradients
};

// The extents of a problem such as "mb32_ic96oc256_ih27oh27kh5sh1dh0ph2_iw27...": of data and
// weights. Nothing if it does not have this form.
std::string shape_of_problem(std::string_view problem) {
    std::map<std::string, std::int64_t> extents;
    for (std::size_t i = 0; i < problem.size();) {
        if (problem[i] == '_') {
            ++i;
            continue;
        }
        const auto digits = problem.find_first_of("0123456789", i);
        if (digits == problem.npos || digits == i) {
            return {};
        }
        const auto end = std::min(problem.find_first_not_of("0123456789", digits), problem.size());
        const std::string key(problem.substr(i, digits - i));
        extents[key] = parse_integer(problem.substr(digits, end - digits)).value_or(0);
        i = end;
    }
    const auto extent = [&](const char* name) {
        const auto found = extents.find(name);
        return found == extents.end() ? std::int64_t{1} : found->second;
    };
    if (!extents.contains("mb") || !extents.contains("ic")) {
        return {};
    }
    std::string shape = fmt::format("{}x{}x{}x{}x{}", extent("mb"), extent("ic"), extent("id"),
                                    extent("ih"), extent("iw"));
    if (extents.contains("oc")) {
        const bool has_window = extents.contains("kh") || extents.contains("kw");
        const auto taps = has_window ? extent("kd") * extent("kh") * extent("kw")
                                     : extent("id") * extent("ih") * extent("iw");
        shape += fmt::format(" {}x{}x{}", extent("oc"),
                             extent("ic") / std::max<std::int64_t>(extent("g"), 1), taps);
    }
    return shape;
}

// "aBcd16b" for "src_f32::blocked:aBcd16b:f0" and for 3.x's "src_f32:a:blocked:aBcd16b::f0".
std::string layout_of(std::string_view descriptors) {
    std::vector<std::string> layouts;
    for (const std::string_view one : split(descriptors, ' ')) {
        const auto blocked = one.find("blocked:");
        if (blocked == one.npos) {
            continue;
        }
        const auto colon = one.find_first_of("_:");
        const std::string_view format = one.substr(blocked + 8);
        layouts.push_back(
            fmt::format("{}:{}", one.substr(0, colon), format.substr(0, format.find(':'))));
    }
    return join(layouts, " ");
}

class VerboseReader {
public:
    explicit VerboseReader(ByteSource& source) : source_(source) { take_template(usual_template); }

    RecordedProfile read() {
        recording_.tool = "onednn";
        std::string line;
        while (source_.next_line(line)) {
            take(line);
        }
        take_partitions();
        recording_.has_starts = has_timestamps_;
        if (has_timestamps_) {
            std::ranges::stable_sort(recording_.operators, {}, &RecordedOperator::start);
        }
        // A reorder serves the next primitive, which decides the pass.
        std::map<std::uint32_t, Pass> passes;  // by device
        for (auto one = recording_.operators.rbegin(); one != recording_.operators.rend(); ++one) {
            Pass& pass = passes.emplace(one->device, Pass::forward).first->second;
            pass = one->kind == StepKind::reorder ? pass : one->pass;
            one->pass = pass;
        }
        return std::move(recording_);
    }

private:
    void take(std::string_view line);
    void take_info(const std::vector<std::string_view>& fields);
    void take_template(std::string_view columns);
    void take_primitive(const std::vector<std::string_view>& fields);
    void take_partition(const std::vector<std::string_view>& fields);
    void take_partitions();
    void take_other(std::string_view object, std::string_view event, std::string_view time);
    std::optional<Nanoseconds> time_in(std::string_view text);
    std::uint32_t device_of(std::string_view engine) {
        return device_place(recording_.devices, {.number = std::string(engine)});
    }
    void link(RecordedOperator& one, std::string_view problem, std::string_view prop_kind);
    std::string_view at(const std::vector<std::string_view>& fields, VerboseColumn column) const {
        const auto place = columns_[static_cast<std::size_t>(column)];
        return place && *place < fields.size() ? fields[*place] : std::string_view();
    }

    ByteSource& source_;
    RecordedProfile recording_ = {};
    std::vector<RecordedOperator> partitions_ = {};  // of graphs
    std::array<std::optional<std::size_t>, column_names.size()> columns_ = {};
    std::size_t columns_count_ = 0;
    std::map<std::string, OpenForwards> forwards_ = {};
    Nanoseconds now_ = Nanoseconds(1);
    bool has_timestamps_ = false;
};

void VerboseReader::take_template(std::string_view columns) {
    columns_ = {};
    const auto names = split(columns, ',');
    columns_count_ = names.size();
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto known = std::ranges::find(column_names, names[i]);
        if (known != column_names.end()) {
            columns_[static_cast<std::size_t>(known - column_names.begin())] = i;
        }
    }
    has_timestamps_ = columns_[static_cast<std::size_t>(VerboseColumn::timestamp)].has_value();
}

// Other output of the program may appear between the lines, and before a line's prefix.
void VerboseReader::take(std::string_view line) {
    auto prefix = line.find("onednn_verbose,");
    if (prefix == line.npos) {
        prefix = line.find("dnnl_verbose,");
    }
    if (prefix == line.npos) {
        return;
    }
    auto fields = split(line.substr(prefix), ',');
    fields.erase(fields.begin());
    if (fields.front().size() >= 2 && fields.front()[0] == 'v' &&
        parse_integer(fields.front().substr(1))) {
        fields.erase(fields.begin());  // 3.x: the log's own version
    }
    const bool is_timestamp = !fields.empty() && parse_number(fields.front()).has_value();
    const auto word = fields.begin() + (is_timestamp ? 1 : 0);
    const auto is = [&](std::ptrdiff_t i, std::string_view what) {
        return fields.end() - word > i && word[i] == what;
    };
    if (fields.end() == word) {
        return;
    }
    const bool has_object =
        is(0, "primitive") || is(0, "graph") || is(0, "ukernel") || is(0, "common");
    const std::string_view object = has_object ? *word : "primitive";
    const auto event = word + (has_object ? 1 : 0);
    if (event == fields.end()) {
        return;
    }
    if (*event == "info") {
        take_info({word, fields.end()});
    } else if (*event == "exec" && object == "primitive") {
        if (is_timestamp && !has_timestamps_) {  // for a log without its first lines
            take_template(fmt::format("timestamp,{}", usual_template));
        }
        if (has_object) {
            fields.erase(word);
        }
        take_primitive(fields);
    } else if (*event == "exec" && object == "graph") {
        take_partition({event + 1, fields.end()});
    } else if (event->starts_with("error") || event->starts_with("warn") ||
               event->ends_with(":check")) {
        recording_.ledger.quote(line.substr(prefix));
    } else {
        take_other(object, *event, fields.back());
    }
}

// The other timed lines are the creation of primitives; lines that mark a beginning have no time.
void VerboseReader::take_other(std::string_view object, std::string_view event,
                               std::string_view time) {
    const std::string_view kind = event.substr(0, event.find(':'));
    const bool is_timed = kind == "exec" || kind == "compile" || kind.starts_with("create");
    if (!is_timed || event.ends_with(":start") || event.ends_with(":dispatch")) {
        return;
    }
    recording_.ledger.meet();
    const auto taken = parse_time(time, TimeUnit::millisecond);
    recording_.ledger.leave_out(LeftOutReason::unknown_kind, fmt::format("{} {}", object, kind),
                                taken && is_plausible(*taken) ? taken : std::nullopt);
}

std::optional<Nanoseconds> VerboseReader::time_in(std::string_view text) {
    const auto time = parse_time(text, TimeUnit::millisecond);
    if (!time || !is_plausible(*time)) {
        recording_.ledger.leave_out(LeftOutReason::implausible_time);
        return {};
    }
    return time;
}

// "cpu,100002,conv_post_ops,conv;relu,,in0_f32... out0_f32...,fpm:strict,kernel,dnnl_backend,0.25"
void VerboseReader::take_partition(const std::vector<std::string_view>& fields) {
    constexpr std::size_t engine_place = 0, name_place = 2, kernel_from_end = 3, least = 7;
    recording_.ledger.meet();
    if (fields.size() < least) {
        recording_.ledger.leave_out(LeftOutReason::broken_row, "graph exec");
        return;
    }
    if (const auto time = time_in(fields.back())) {
        TextPool& texts = recording_.texts;
        partitions_.push_back(
            {.name = texts.id_of(fields[name_place]),
             .implementation = texts.id_of(fields[fields.size() - kernel_from_end]),
             .device = device_of(fields[engine_place]),
             .start = now_,
             .time = *time});
        if (recording_.operators.empty()) {
            now_ += *time;
        }
    }
}

// The primitives that a partition runs have separate lines that repeat its time.
void VerboseReader::take_partitions() {
    const bool is_used = recording_.operators.empty();
    for (const RecordedOperator& one : partitions_) {
        if (is_used) {
            recording_.ledger.use(one.time);
            recording_.operators.push_back(one);
        } else {
            recording_.ledger.leave_out(LeftOutReason::own_lines, "graph exec", one.time);
        }
    }
}

void VerboseReader::take_info(const std::vector<std::string_view>& fields) {
    constexpr std::string_view old_template = "prim_template:", new_template = "template:";
    for (std::size_t i = 1; i < fields.size(); ++i) {
        const std::string_view field = fields[i];
        if (field.starts_with("oneDNN v") || field.starts_with("DNNL v")) {
            recording_.version = std::string(field.substr(field.find(" v") + 2));
            recording_.version.resize(
                std::min(recording_.version.find(' '), recording_.version.size()));
        } else if (field.starts_with("nthr:")) {
            recording_.threads = static_cast<int>(
                std::clamp<std::int64_t>(parse_integer(field.substr(5)).value_or(0), 0, 1 << 20));
        } else if ((field.starts_with(old_template) || field.starts_with(new_template)) &&
                   fields.front() != "graph") {
            std::vector<std::string> names(fields.begin() + static_cast<std::ptrdiff_t>(i),
                                           fields.end());
            names.front().erase(0, names.front().find(':') + 1);
            take_template(join(names, ","));
            return;
        }
    }
}

// The algorithm decides the kind of activation, pooling or binary sum.
std::string name_of_primitive(std::string_view primitive, std::string_view auxiliary) {
    std::string name(primitive.substr(0, primitive.find("_v2")));
    if (name == "eltwise" || name == "pooling" || name == "binary") {
        const auto alg = auxiliary.find("alg:");
        const std::string_view rest = alg == auxiliary.npos ? "" : auxiliary.substr(alg + 4);
        name = rest.empty() ? name : std::string(rest.substr(0, rest.find(' ')));
        name.resize(std::min(name.find("_use_dst_for_bwd"), name.size()));
    }
    return name;
}

void VerboseReader::take_primitive(const std::vector<std::string_view>& fields) {
    const std::string_view primitive = at(fields, VerboseColumn::primitive);
    const std::string_view problem = at(fields, VerboseColumn::problem);
    const std::string_view prop_kind = at(fields, VerboseColumn::prop_kind);
    recording_.ledger.meet();
    // (One more field than in the template is a decimal comma: "5,25" is not 5.)
    if (fields.size() != columns_count_ || primitive.empty()) {
        recording_.ledger.leave_out(LeftOutReason::broken_row, "primitive exec");
        return;
    }
    const auto time = time_in(at(fields, VerboseColumn::time));
    if (!time) {
        return;
    }
    recording_.ledger.use(time);
    if (const auto stamp =
            parse_time(at(fields, VerboseColumn::timestamp), TimeUnit::millisecond)) {
        now_ = *stamp;
    }
    const std::string_view auxiliary = at(fields, VerboseColumn::auxiliary);
    std::string shape = shape_of_problem(problem);
    if (shape.empty()) {
        shape = problem;
        std::ranges::replace(shape, ':', ' ');
    }
    TextPool& texts = recording_.texts;
    const bool is_reorder = primitive == "reorder";
    RecordedOperator one{
        .name = texts.id_of(name_of_primitive(primitive, auxiliary)),
        .shape = texts.id_of(shape),
        .implementation = texts.id_of(at(fields, VerboseColumn::implementation)),
        .layout = texts.id_of(layout_of(at(fields, VerboseColumn::memory_descriptors))),
        .kind = is_reorder ? StepKind::reorder : StepKind::compute,
        .device = device_of(at(fields, VerboseColumn::engine)),
        .start = now_,
        .time = *time};
    link(one, fmt::format("{} {} {} {}", one.device, primitive, problem, auxiliary), prop_kind);
    recording_.operators.push_back(one);
    now_ += *time;
}

void VerboseReader::link(RecordedOperator& one, std::string_view problem,
                         std::string_view prop_kind) {
    OpenForwards& open = forwards_[std::string(problem)];
    if (prop_kind == "forward_training") {
        if (open.taken[0] + open.taken[1] > 0) {
            open = {};
        }
        open.places.push_back(static_cast<std::uint32_t>(recording_.operators.size()));
        return;
    }
    if (!prop_kind.starts_with("backward")) {
        return;
    }
    one.pass = prop_kind == "backward_weights" ? Pass::backward_weights : Pass::backward_data;
    one.gives_both_gradients = prop_kind == "backward";
    std::size_t& taken = open.taken[one.pass == Pass::backward_weights ? 1 : 0];
    if (taken < open.places.size()) {
        one.forward = open.places[open.places.size() - 1 - taken] + 1;
        ++taken;
    }
}

}  // namespace

RecordedProfile read_onednn_verbose(ByteSource& source) {
    return VerboseReader(source).read();
}

}  // namespace strata
