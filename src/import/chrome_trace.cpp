// SPDX-License-Identifier: MIT
#include "import/chrome_trace.h"

#include "import/units.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <map>
#include <variant>

namespace strata {

namespace {

using TraceJson = nlohmann::json;

// Limits far above what profilers write (traces nest about 6 deep), so that a hostile file costs
// little memory.
constexpr int deepest = 256;
constexpr std::uint64_t longest_value = 64 << 20;  // bytes
constexpr std::size_t longest_shape = 1000;        // characters

// The destination of the value that follows a key.
using NumberField = std::int64_t ChromeEvent::*;
using TextField = std::string ChromeEvent::*;
using TimeField = std::optional<Nanoseconds> ChromeEvent::*;
using ExtentField = std::array<std::int64_t, 3> ChromeEvent::*;
struct OperandShapes {};  // lists of extents, or lists of such lists, become ChromeEvent::inputs
using ChromeField =
    std::variant<std::monostate, NumberField, TextField, TimeField, ExtentField, OperandShapes>;

struct ChromeKey {
    std::string_view key;
    ChromeField field;
};

constexpr std::array event_keys = {
    ChromeKey{"ph", &ChromeEvent::phase},    ChromeKey{"cat", &ChromeEvent::category},
    ChromeKey{"name", &ChromeEvent::name},   ChromeKey{"pid", &ChromeEvent::process},
    ChromeKey{"tid", &ChromeEvent::thread},  ChromeKey{"ts", &ChromeEvent::start},
    ChromeKey{"dur", &ChromeEvent::duration}};

// Keys of `args`. Several keys of one field come from different tools or versions.
constexpr std::array argument_keys = {ChromeKey{"External id", &ChromeEvent::external_id},
                                      ChromeKey{"external id", &ChromeEvent::external_id},
                                      ChromeKey{"correlation", &ChromeEvent::correlation},
                                      ChromeKey{"Sequence number", &ChromeEvent::sequence},
                                      ChromeKey{"device", &ChromeEvent::device},
                                      ChromeKey{"stream", &ChromeEvent::stream},
                                      ChromeKey{"bytes", &ChromeEvent::bytes},
                                      ChromeKey{"registers per thread", &ChromeEvent::registers},
                                      ChromeKey{"shared memory", &ChromeEvent::shared_memory},
                                      ChromeKey{"group_id", &ChromeEvent::group},
                                      ChromeKey{"grid", &ChromeEvent::grid},
                                      ChromeKey{"block", &ChromeEvent::block},
                                      ChromeKey{"Input Dims", OperandShapes{}},
                                      ChromeKey{"Input dims", OperandShapes{}},
                                      ChromeKey{"input_type_shape", OperandShapes{}},
                                      ChromeKey{"op_name", &ChromeEvent::operation},
                                      ChromeKey{"tf_op", &ChromeEvent::operation},
                                      ChromeKey{"long_name", &ChromeEvent::operation},
                                      ChromeKey{"provider", &ChromeEvent::provider},
                                      ChromeKey{"Module Hierarchy", &ChromeEvent::module},
                                      ChromeKey{"name", &ChromeEvent::meta_name}};

template <std::size_t Count>
ChromeField field_named(const std::array<ChromeKey, Count>& keys, std::string_view key) {
    for (const ChromeKey& one : keys) {
        if (one.key == key) {
            return one.field;
        }
    }
    return {};
}

// Events with separate begin and end records, by thread: the last one begun ends first.
class OpenEvents {
public:
    // False if more are open than any program can nest.
    bool begin(const ChromeEvent& event) {
        if (count_ == max_open) {
            return false;
        }
        ++count_;
        open_[{event.process, event.thread}].push_back(event);
        return true;
    }

    // The complete event; nothing if none began, or if one of another name did.
    std::optional<ChromeEvent> end(const ChromeEvent& event) {
        auto& open = open_[{event.process, event.thread}];
        if (open.empty() || (!event.name.empty() && event.name != open.back().name)) {
            return {};
        }
        ChromeEvent whole = std::move(open.back());
        open.pop_back();
        --count_;
        whole.phase = "X";
        whole.duration =
            whole.start && event.start ? std::optional(*event.start - *whole.start) : std::nullopt;
        return whole;
    }

    std::size_t count() const { return count_; }

private:
    static constexpr std::size_t max_open = 10'000;

    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<ChromeEvent>> open_ = {};
    std::size_t count_ = 0;
};

// Reads a trace token by token, for nlohmann's parser, which keeps one bit for each level and
// one token.
class ChromeReader final : public nlohmann::json_sax<TraceJson> {
public:
    ChromeReader(ByteSource& source, Ledger& ledger,
                 const std::function<void(const ChromeEvent&)>& tell)
        : source_(source), ledger_(ledger), tell_(tell) {}

    bool null() override { return took_value(); }
    bool boolean(bool) override { return took_value(); }
    bool number_integer(std::int64_t value) override { return took_integer(value); }
    bool number_unsigned(std::uint64_t value) override {
        constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        return took_integer(static_cast<std::int64_t>(std::min(value, most)));
    }
    bool number_float(double value, const std::string& text) override {
        if (const auto* time = std::get_if<TimeField>(&field_)) {
            event_.*(*time) = parse_time(text, TimeUnit::microsecond);
            return took_value();
        }
        constexpr double exact = 1e15;  // below it a double represents every integer
        return std::abs(value) < exact ? took_integer(static_cast<std::int64_t>(value))
                                       : took_value();
    }
    bool string(std::string& text) override;
    bool binary(TraceJson::binary_t&) override { return took_value(); }

    bool start_object(std::size_t) override { return enter(false); }
    bool end_object() override;
    bool start_array(std::size_t) override { return enter(true); }
    bool end_array() override;
    bool key(std::string& key) override;
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
        return false;
    }

    std::uint64_t events() const { return events_; }
    void leave_out_open() { ledger_.leave_out(LeftOutReason::unpaired, {}, {}, open_.count()); }
    void mark() { begun_ = source_.position(); }

    // Called every few thousand bytes: a token without an end would fill the memory.
    void require_short_value() const {
        if (source_.position() - begun_ > longest_value) {
            throw Error(fmt::format(
                "'{}' has a text or number of more than 64 MB at byte {}: it is not a trace",
                source_.name(), begun_));
        }
    }

private:
    bool is_in_event() const { return event_depth_ > 0 && depth_ >= event_depth_; }

    bool took_value() {
        mark();
        if (depth_ <= argument_depth()) {
            field_ = {};
        }
        return true;
    }
    int argument_depth() const { return event_depth_ + 1; }

    bool took_integer(std::int64_t value);
    void take_extent(std::int64_t value);
    void end_extents();
    bool enter(bool is_array);
    void leave();
    void take_event();
    void tell_whole(const ChromeEvent& event);
    void take_end();

    ByteSource& source_;
    Ledger& ledger_;
    const std::function<void(const ChromeEvent&)>& tell_;
    std::uint64_t events_ = 0;
    OpenEvents open_ = {};
    ChromeEvent event_ = {};
    ChromeField field_ = {};
    std::uint64_t begun_ = 0;  // where the current token may have begun
    int depth_ = 0;
    int events_depth_ = 0;  // of the array of events; 0: not in it
    int event_depth_ = 0;   // of the current event; 0: in none
    bool is_events_key_ = false;
    bool is_warning_key_ = false;
    bool is_arguments_ = false;  // within the event's `args`
    bool is_arguments_key_ = false;
    std::size_t extents_ = 0;  // of the operand, or of the launch, so far
};

bool ChromeReader::took_integer(std::int64_t value) {
    constexpr std::int64_t most = 4'000'000'000'000'000;  // microseconds, 126 years
    if (const auto* time = std::get_if<TimeField>(&field_)) {
        if (value > -most && value < most) {
            event_.*(*time) = Nanoseconds(value * 1000);
        }
    } else if (const auto* number = std::get_if<NumberField>(&field_)) {
        event_.*(*number) = value;
    } else {
        take_extent(value);
    }
    return took_value();
}

void ChromeReader::take_extent(std::int64_t value) {
    if (std::holds_alternative<OperandShapes>(field_) && event_.inputs.size() < longest_shape) {
        event_.inputs += (extents_++ > 0 ? "x" : "") + std::to_string(value);
    } else if (const auto* field = std::get_if<ExtentField>(&field_)) {
        auto& extent = event_.*(*field);
        if (extents_ < extent.size()) {
            extent[extents_++] = value;
        }
    }
}

void ChromeReader::end_extents() {
    if (std::holds_alternative<OperandShapes>(field_) && extents_ > 0) {
        event_.inputs += ' ';
    }
    extents_ = 0;
}

bool ChromeReader::string(std::string& text) {
    if (is_warning_key_ && depth_ <= 2) {
        ledger_.quote(text);
    } else if (const auto* place = std::get_if<TextField>(&field_)) {
        (event_.*(*place)).swap(text);
    } else if (const auto* number = std::get_if<NumberField>(&field_)) {
        event_.*(*number) =
            parse_integer(text).value_or(static_cast<std::int64_t>(hash_of(text) >> 1));
    } else if (const auto* time = std::get_if<TimeField>(&field_)) {
        event_.*(*time) = parse_time(text, TimeUnit::microsecond);
    }
    return took_value();
}

bool ChromeReader::enter(bool is_array) {
    mark();
    if (++depth_ > deepest) {
        throw Error(fmt::format("'{}' is nested deeper than {} at byte {}: it is not a trace",
                                source_.name(), deepest, source_.position()));
    }
    if (events_depth_ == 0 && is_array && (depth_ == 1 || (depth_ == 2 && is_events_key_))) {
        events_depth_ = depth_;
    } else if (events_depth_ > 0 && !is_array && depth_ == events_depth_ + 1) {
        event_ = {};
        event_depth_ = depth_;
        field_ = {};
    } else if (is_in_event() && depth_ == argument_depth()) {
        is_arguments_ = !is_array && is_arguments_key_;
    }
    extents_ = 0;
    return true;
}

void ChromeReader::leave() {
    mark();
    if (depth_ == events_depth_) {
        events_depth_ = 0;
        is_events_key_ = false;
    }
    --depth_;
}

void ChromeReader::take_event() {
    const std::string_view phase = event_.phase;
    if (phase == "X") {
        ledger_.meet();
        tell_whole(event_);
    } else if (phase == "B") {
        ledger_.meet();
        if (!open_.begin(event_)) {
            ledger_.leave_out(LeftOutReason::unpaired);
        }
    } else if (phase == "E") {
        take_end();
    } else if (phase == "b" || phase == "S") {
        ledger_.meet();
        ledger_.leave_out(LeftOutReason::unknown_kind, "asynchronous events");
    } else if (phase == "M") {
        tell_(event_);
    } else if (event_.duration) {
        ledger_.meet();
        ledger_.leave_out(LeftOutReason::unknown_kind,
                          phase.empty() ? "events without a phase"
                                        : fmt::format("events of phase '{}'", printable(phase, 20)),
                          is_plausible(*event_.duration) ? event_.duration : std::nullopt);
    }
}

// (The record was counted when it began.)
void ChromeReader::take_end() {
    if (const auto whole = open_.end(event_)) {
        tell_whole(*whole);
    } else {
        ledger_.meet();
        ledger_.leave_out(LeftOutReason::unpaired);
    }
}

void ChromeReader::tell_whole(const ChromeEvent& event) {
    if (event.name.empty()) {
        ledger_.leave_out(LeftOutReason::nameless);
    } else if (!event.start || !event.duration || !is_plausible(*event.duration)) {
        ledger_.leave_out(LeftOutReason::implausible_time);
    } else {
        tell_(event);
    }
}

bool ChromeReader::end_object() {
    if (event_depth_ > 0 && depth_ == event_depth_) {
        ++events_;
        take_event();
        event_depth_ = 0;
    } else if (event_depth_ > 0 && depth_ == argument_depth()) {
        is_arguments_ = false;
        field_ = {};
    }
    leave();
    return true;
}

bool ChromeReader::end_array() {
    end_extents();
    leave();
    if (event_depth_ > 0 && depth_ <= argument_depth()) {
        field_ = {};
    }
    return true;
}

bool ChromeReader::key(std::string& key) {
    mark();
    if (event_depth_ == 0) {
        is_events_key_ = depth_ == 1 && key == "traceEvents";
        is_warning_key_ = depth_ == 1 && (key == "WARNING" || key == "ERROR");  // of Kineto
    } else if (depth_ == event_depth_) {
        field_ = field_named(event_keys, key);
        is_arguments_key_ = key == "args";
    } else if (is_arguments_ && depth_ == argument_depth()) {
        field_ = field_named(argument_keys, key);
    }
    return true;
}

}  // namespace

void read_chrome_trace(ByteSource& source, RecordedProfile& profile,
                       const std::function<void(const ChromeEvent&)>& tell) {
    ChromeReader reader(source, profile.ledger, tell);
    using JsonInput = JsonBytes<ChromeReader>;
    const bool is_whole = TraceJson::sax_parse(JsonInput(source, reader), JsonInput(), &reader,
                                               nlohmann::json::input_format_t::json, false);
    if (!is_whole && !source.is_at_end()) {
        throw Error(
            fmt::format("'{}' is not JSON at byte {}; record it again, or truncate the file before "
                        "that byte to import what precedes it",
                        source.name(), source.position()));
    }
    reader.leave_out_open();
    if (!is_whole || source.is_cut()) {
        profile.doubts.push_back(
            fmt::format("the file ends in the middle of an event: the {} complete ones before it "
                        "were imported, and the last iteration may lack some",
                        reader.events()));
    }
}

}  // namespace strata
