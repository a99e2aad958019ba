// SPDX-License-Identifier: MIT
#include "trace/trace.h"

#include "base/error.h"

namespace strata {

bool is_timed(const Span& span) {
    // (`end - start` cannot overflow: both are positive here.)
    return span.start > Nanoseconds::zero() && span.end >= span.start &&
           span.end - span.start < std::chrono::hours(1);
}

Nanoseconds duration_of(const Span& span) {
    check(is_timed(span), "only a span with plausible stamps has a duration");
    return span.end - span.start;
}

}  // namespace strata
