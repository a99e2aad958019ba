// SPDX-License-Identifier: MIT
#include "import/chrome_trace.h"
#include "import/formats.h"
#include "import/nesting.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace strata {

namespace {

constexpr std::string_view module_prefix = "nn.Module: ";

enum class KinetoKind { operation, range, module, call, kernel, copy, fill, other };

struct KinetoCategory {
    std::string_view name;
    KinetoKind kind;
};

// Names with a capital are those of PyTorch before 1.12 (2022).
constexpr std::array kineto_categories = {
    KinetoCategory{"cpu_op", KinetoKind::operation},
    KinetoCategory{"Operator", KinetoKind::operation},
    KinetoCategory{"user_annotation", KinetoKind::range},
    KinetoCategory{"python_function", KinetoKind::module},
    KinetoCategory{"cuda_runtime", KinetoKind::call},
    KinetoCategory{"cuda_driver", KinetoKind::call},
    KinetoCategory{"hip_runtime", KinetoKind::call},
    KinetoCategory{"Runtime", KinetoKind::call},
    KinetoCategory{"kernel", KinetoKind::kernel},
    KinetoCategory{"Kernel", KinetoKind::kernel},
    KinetoCategory{"gpu_memcpy", KinetoKind::copy},
    KinetoCategory{"Memcpy", KinetoKind::copy},
    KinetoCategory{"gpu_memset", KinetoKind::fill},
    KinetoCategory{"Memset", KinetoKind::fill},
};

KinetoKind kind_of_category(std::string_view category) {
    const auto found = std::ranges::find(kineto_categories, category, &KinetoCategory::name);
    return found == kineto_categories.end() ? KinetoKind::other : found->kind;
}

// The number of a call or operator, of which Kineto has 32 bits; 0 for any other.
std::uint32_t call_number(std::int64_t number) {
    return number > 0 && number <= 0xffffffff ? static_cast<std::uint32_t>(number) : 0;
}

std::uint32_t extent_of(std::int64_t value) {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(value, 0, 0x7fffffff));
}

// "blocks.0.conv" of TorchScript's
// "TOP(Net)::forward.blocks(Sequential)::forward.0(Block)::forward.conv(Conv2d)::forward.
// SELF(Conv2d)::_conv_forward.", which names each module with its class and method; what has no
// class is a function.
std::string module_path(std::string_view hierarchy) {
    std::vector<std::string> path;
    while (!hierarchy.empty()) {
        const auto end = std::min(hierarchy.find("::"), hierarchy.size());
        const std::string_view module = hierarchy.substr(0, end);
        const auto bracket = module.find('(');
        const std::string_view name = module.substr(0, bracket);
        if (bracket != module.npos && name != "TOP" && name != "SELF") {
            path.emplace_back(name);
        }
        hierarchy.remove_prefix(std::min(end + 2, hierarchy.size()));
        const auto method = std::min(hierarchy.find('.'), hierarchy.size());
        hierarchy.remove_prefix(std::min(method + 1, hierarchy.size()));
    }
    return join(path, ".");
}

// TorchScript's "forward" around all operators of a module: it names no operator, as "aten::relu"
// does.
bool is_method(const ChromeEvent& event) {
    return !event.module.empty() && !event.name.empty() &&
           event.name.find("::") == std::string::npos;
}

class KinetoReader {
public:
    explicit KinetoReader(ByteSource& source) : source_(source) {}

    RecordedProfile read() {
        recording_.tool = "pytorch";
        const ChromeTraceEnd end =
            read_chrome_trace(source_, [this](const ChromeEvent& event) { take(event); });
        nesting_.finish();
        add_doubts(recording_, left_out_, end);
        return std::move(recording_);
    }

private:
    void take(const ChromeEvent& event) {
        const KinetoKind kind =
            event.phase == "X" ? kind_of_category(event.category) : KinetoKind::other;
        const bool is_function =
            kind == KinetoKind::module && !event.name.starts_with(module_prefix);
        if (kind == KinetoKind::other || is_function || is_method(event) ||
            !is_usable(event, left_out_)) {
            return;
        }
        switch (kind) {
            case KinetoKind::kernel:
                return take_span(event, SpanKind::kernel);
            case KinetoKind::copy:
                return take_span(event, SpanKind::copy);
            case KinetoKind::fill:
                return take_span(event, SpanKind::fill);
            case KinetoKind::call:
                return take_host(event, HostEventKind::call);
            case KinetoKind::operation:
                return take_operation(event);
            default:
                return take_host(event, HostEventKind::range);
        }
    }

    HostEvent host_event(const ChromeEvent& event, HostEventKind kind) {
        std::string_view name = event.name;
        if (name.starts_with(module_prefix)) {
            name.remove_prefix(module_prefix.size());
        }
        return {.start = *event.start,
                .duration = *event.duration,
                .correlation = call_number(event.correlation),
                .name = kind == HostEventKind::call ? 0 : recording_.texts.id_of(name),
                .track = nesting_.track_of(event.process, event.thread),
                .external_id = call_number(event.external_id),
                .kind = kind};
    }

    void take_host(const ChromeEvent& event, HostEventKind kind) {
        nesting_.add(host_event(event, kind));
    }

    // An operator that names its modules is put into a range with their names.
    void take_operation(const ChromeEvent& event) {
        HostEvent host = host_event(event, HostEventKind::operation);
        host.inputs = recording_.texts.id_of(trim(event.inputs));
        if (event.sequence >= 0 && event.sequence < 0x7fffffff) {
            host.sequence = static_cast<std::int32_t>(event.sequence);
        }
        if (const std::string path = module_path(event.module); !path.empty()) {
            HostEvent around = host;
            around.kind = HostEventKind::range;
            around.name = recording_.texts.id_of(path);
            nesting_.add(around);
        }
        nesting_.add(host);
    }

    void take_span(const ChromeEvent& event, SpanKind kind) {
        Span span = {.kind = kind,
                     .name = std::string(recording_.texts[recording_.texts.id_of(event.name)]),
                     .device = extent_of(event.device),
                     .stream = extent_of(event.stream),
                     .start = *event.start,
                     .end = *event.start + *event.duration};
        if (kind == SpanKind::kernel && event.block[0] > 0) {
            const auto extents = [](const std::array<std::int64_t, 3>& of) {
                return LaunchExtent{extent_of(of[0]), extent_of(of[1]), extent_of(of[2])};
            };
            span.launch = {.grid = extents(event.grid),
                           .block = extents(event.block),
                           .registers = extent_of(event.registers),
                           .static_shared = Bytes(extent_of(event.shared_memory))};
        }
        if (kind != SpanKind::kernel && event.bytes >= 0) {
            span.bytes = Bytes(static_cast<double>(event.bytes));
        }
        nesting_.add(std::move(span), call_number(event.correlation),
                     call_number(event.external_id));
    }

    ByteSource& source_;
    RecordedProfile recording_ = {};
    CallNesting nesting_{recording_};
    LeftOut left_out_ = {};
};

}  // namespace

RecordedProfile read_kineto(ByteSource& source) {
    return KinetoReader(source).read();
}

}  // namespace strata
