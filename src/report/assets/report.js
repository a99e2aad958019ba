"use strict";
// The report's behaviour: tables that sort, filter and open, commands to copy, charts that follow the
// theme. All text enters the page through textContent or a canvas, never as markup.
(() => {
    const root = document.documentElement;
    const blocks = JSON.parse(document.getElementById("charts").textContent).blocks;
    const canvases = [...document.querySelectorAll("canvas[data-chart]")];
    const charts = new Map();  // by canvas; those within closed parts are not drawn
    const colour = (name) => getComputedStyle(root).getPropertyValue("--" + name).trim();
    const narrow = () => root.clientWidth <= 640;

    function makeButton(text, act) {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = text;
        button.addEventListener("click", act);
        return button;
    }

    // --- numbers -------------------------------------------------------------------------------
    const prefixes = [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""],
                      [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];
    const scaledUnits = ["s", "FLOP", "B", "FLOP/s", "B/s"];

    function scaleFor(unit, magnitude) {
        if (!scaledUnits.includes(unit) || !(magnitude > 0)) {
            return {factor: 1, unit};
        }
        const allowed = prefixes.filter(([factor]) => unit === "s" ? factor <= 1 : factor >= 1);
        const [factor, sign] = allowed.find(([factor]) => magnitude >= factor) || allowed.at(-1);
        return {factor, unit: sign + unit};
    }

    const digits = (value) => Number(value.toPrecision(3)).toString();
    // Keeps all digits: a batch of 16384 is not one of 16400.
    const whole = (value) => Number.isInteger(value) && Math.abs(value) < 1e6 ? String(value) : digits(value);

    function format(value, unit) {
        const scale = scaleFor(unit, Math.abs(value));
        const text = digits(value / scale.factor);
        return scale.unit ? text + " " + scale.unit : text;
    }

    // --- tables --------------------------------------------------------------------------------
    function sortKey(cell) {
        return "value" in cell.dataset ? Number(cell.dataset.value) : cell.textContent.toLowerCase();
    }

    // Numbers before texts; missing values always last.
    function compare(a, b, direction) {
        const absent = a.classList.contains("missing") - b.classList.contains("missing");
        if (absent) {
            return absent;
        }
        const [x, y] = [sortKey(a), sortKey(b)];
        if (typeof x !== typeof y) {
            return typeof x === "number" ? -1 : 1;
        }
        return direction * (typeof x === "number" ? x - y : x.localeCompare(y));
    }

    // The child rows of each row: a row's parent is the nearest one above with a lower level.
    function childrenOf(rows) {
        const children = new Map([[null, []]]);
        const open = [];
        for (const row of rows) {
            const level = Number(row.dataset.level || 0);
            while (open.length && open.at(-1).level >= level) {
                open.pop();
            }
            children.set(row, []);
            children.get(open.length ? open.at(-1).row : null).push(row);
            open.push({level, row});
        }
        return children;
    }

    // Sorts down, up, and back to the original order; a tree's rows stay with their parents.
    function makeSortable(table) {
        const body = table.tBodies[0];
        const rows = [...body.rows];
        const children = childrenOf(rows);
        const headers = [...table.tHead.rows[0].cells];
        const sortBy = (column) => {
            const header = headers[column];
            const numeric = header.classList.contains("number");
            const turns = numeric ? ["descending", "ascending", "none"]
                                  : ["ascending", "descending", "none"];
            const turn = turns[(turns.indexOf(header.getAttribute("aria-sort")) + 1) % 3];
            headers.forEach((one) => one.setAttribute("aria-sort", "none"));
            header.setAttribute("aria-sort", turn);
            const direction = turn === "descending" ? -1 : 1;
            const place = (parent) => {
                const siblings = [...children.get(parent)];
                if (turn !== "none") {
                    siblings.sort((a, b) => compare(a.cells[column], b.cells[column], direction));
                }
                return siblings.flatMap((row) => [row, ...place(row)]);
            };
            body.append(...place(null));
        };
        headers.forEach((header, column) => {
            if (!header.textContent) {
                return;
            }
            header.replaceChildren(makeButton(header.textContent, () => sortBy(column)));
            header.setAttribute("aria-sort", "none");
        });
    }

    function toolsOf(table) {
        const scroll = table.closest(".scroll");
        if (!scroll.previousElementSibling?.classList.contains("tools")) {
            const tools = document.createElement("div");
            tools.className = "tools";
            scroll.before(tools);
        }
        return scroll.previousElementSibling;
    }

    function makeFilterable(table) {
        const rows = [...table.tBodies[0].rows];
        if (rows.length < 8 || table.classList.contains("tree")) {
            return;
        }
        const input = document.createElement("input");
        const count = document.createElement("span");
        input.type = "search";
        input.placeholder = "filter: words, all must occur";
        input.setAttribute("aria-label", "filter rows");
        count.setAttribute("role", "status");
        toolsOf(table).append(input, count);
        const apply = () => {
            const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
            let shown = 0;
            for (const row of rows) {
                const text = row.textContent.toLowerCase();
                row.hidden = !words.every((word) => text.includes(word));
                shown += row.hidden ? 0 : 1;
            }
            count.textContent = shown === rows.length ? rows.length + " rows"
                                                      : shown + " of " + rows.length + " rows";
        };
        input.addEventListener("input", apply);
        apply();
    }

    // Rows with children open and close; at first only the outermost are visible.
    function makeTree(table) {
        const children = childrenOf([...table.tBodies[0].rows]);
        const toggles = new Map();
        const isOpen = (row) => toggles.get(row)?.getAttribute("aria-expanded") === "true";
        const show = (parent, visible) => {
            for (const row of children.get(parent)) {
                row.hidden = !visible;
                show(row, visible && isOpen(row));
            }
        };
        const set = (row, open) => {
            toggles.get(row).setAttribute("aria-expanded", open);
            toggles.get(row).textContent = open ? "▾" : "▸";
        };
        for (const [row, below] of children) {
            if (row && below.length) {
                const toggle = makeButton("", () => { set(row, !isOpen(row)); show(null, true); });
                toggle.setAttribute("aria-label", "what is in " + row.cells[0].textContent);
                row.cells[0].prepend(toggle);
                toggles.set(row, toggle);
                set(row, false);
            }
        }
        const setAll = (open) => {
            [...toggles.keys()].forEach((row) => set(row, open));
            show(null, true);
        };
        toolsOf(table).append(makeButton("open all", () => setAll(true)),
                              makeButton("close all", () => setAll(false)));
        if (children.get(null).length === 1) {
            children.get(null).filter((row) => toggles.has(row)).forEach((row) => set(row, true));
        }
        show(null, true);
    }

    // Scrolling areas must be reachable by keyboard.
    function makeReachable(scroll) {
        const update = () => {
            const scrolls = scroll.scrollWidth > scroll.clientWidth || scroll.scrollHeight > scroll.clientHeight;
            scrolls ? scroll.setAttribute("tabindex", "0") : scroll.removeAttribute("tabindex");
        };
        scroll.setAttribute("role", "region");
        scroll.setAttribute("aria-label",
                            scroll.closest(".panel")?.querySelector("h3, summary")?.textContent || "table");
        new ResizeObserver(update).observe(scroll);
    }

    // --- commands ------------------------------------------------------------------------------
    async function copy(code, button) {
        try {
            await navigator.clipboard.writeText(code.textContent);
        } catch {  // not granted: the selection can still be copied by hand
            getSelection().selectAllChildren(code);
            document.execCommand("copy");
        }
        button.textContent = "copied";
        setTimeout(() => { button.textContent = "copy"; }, 2000);
    }

    function makeCopyable(command) {
        const code = command.querySelector("code");
        const button = makeButton("copy", () => copy(code, button));
        button.setAttribute("aria-label", "copy: " + code.textContent);
        command.append(button);
    }

    // --- charts --------------------------------------------------------------------------------
    const shapes = ["circle", "triangle", "rect", "rectRot", "star", "cross"];
    const font = "12px system-ui, sans-serif";

    function axis(title, extra) {
        return {
            title: {display: Boolean(title), text: title, color: colour("muted")},
            grid: {color: colour("line")},
            ticks: {color: colour("muted")},
            ...extra,
        };
    }

    function legend(filter) {
        return {position: "top", align: "start",
                labels: {color: colour("text"), usePointStyle: true, boxHeight: 8, filter}};
    }

    function decades(values) {
        return [10 ** Math.floor(Math.log10(Math.min(...values)) - 0.02),
                10 ** Math.ceil(Math.log10(Math.max(...values)) + 0.02)];
    }

    function roofLine(roof, block, [left, right]) {
        const peak = Math.max(...block.roofs.map((one) => one.compute_flop_per_s || 0));
        const fastest = Math.max(...block.roofs.map((one) => one.bandwidth_b_per_s || 0));
        if (roof.compute_flop_per_s) {
            const y = roof.compute_flop_per_s;
            const from = fastest > 0 ? Math.max(left, y / fastest) : left;
            return [{x: Math.min(from, right), y}, {x: right, y}];
        }
        const slope = roof.bandwidth_b_per_s;
        const to = peak > 0 ? Math.min(right, peak / slope) : right;
        return [{x: left, y: slope * left}, {x: Math.max(to, left), y: slope * Math.max(to, left)}];
    }

    // A text on the chart occupies a row of discs, which detect overlaps at any angle.
    function discsOf(label, context) {
        context.font = font;
        const width = context.measureText(label.text).width;
        const count = Math.max(2, Math.ceil(width / 9));
        return Array.from({length: count}, (_, i) => {
            const along = width * i / (count - 1);
            return {x: label.x + along * Math.cos(label.angle) + 4 * Math.sin(label.angle),
                    y: label.y + along * Math.sin(label.angle) - 4 * Math.cos(label.angle), r: 8};
        });
    }

    const touch = (a, b) => Math.hypot(a.x - b.x, a.y - b.y) < a.r + b.r;

    function isNear([a, b], disc) {
        const [x, y] = [b.x - a.x, b.y - a.y];
        const along = ((disc.x - a.x) * x + (disc.y - a.y) * y) / (x * x + y * y || 1);
        const nearest = Math.max(0, Math.min(1, along));
        return Math.hypot(a.x + nearest * x - disc.x, a.y + nearest * y - disc.y) < disc.r - 3;
    }

    // The place for a text that covers the fewest points and lines, and no other text; undefined if
    // there is none.
    function bestPlace(places, chart, placed, discs, lines) {
        const {left, right, top, bottom} = chart.chartArea;
        let best = null;
        for (const place of places) {
            const own = discsOf(place, chart.ctx);
            const inside = own.every((disc) => disc.x >= left + 6 && disc.x <= right - 6 &&
                                               disc.y >= top + 6 && disc.y <= bottom - 6);
            const clear = placed.every((other) => !other.discs.some((a) => own.some((b) => touch(a, b))));
            const covered = discs.filter((a) => own.some((b) => touch(a, b))).length +
                lines.filter((line) => own.some((disc) => isNear(line, disc))).length;
            if (inside && clear && (!best || covered < best.covered)) {
                best = {...place, discs: own, covered};
            }
        }
        return best;
    }

    // Along its line, above it or, for the lowest, below, starting at its beginning, so that
    // neighbours do not meet.
    function placesAlong(a, b, text, chart, sides) {
        const angle = Math.atan2(b.y - a.y, b.x - a.x);
        const length = Math.hypot(b.x - a.x, b.y - a.y);
        chart.ctx.font = font;
        const free = length - chart.ctx.measureText(text).width;
        return sides.flatMap((above) => Array.from({length: 30}, (_, i) => {
            const along = (angle === 0 ? 1 - i / 29 : i / 29) * free;
            return {text, angle, x: a.x + along * Math.cos(angle) + above * Math.sin(angle),
                    y: a.y + along * Math.sin(angle) - above * Math.cos(angle)};
        }));
    }

    function placesAround(disc, text, chart) {
        chart.ctx.font = font;
        const width = chart.ctx.measureText(text).width;
        return [4, 14, 30, 46].flatMap((gap) => [0, -45, 45, 180, -135, 135, -90, 90].map((degrees) => {
            const [x, y] = [Math.cos(degrees * Math.PI / 180), Math.sin(degrees * Math.PI / 180)];
            const end = (distance) => [disc.x + (disc.r + distance) * x, disc.y + (disc.r + distance) * y];
            const [toX, toY] = end(gap);
            return {text, angle: 0, x: toX + (x - 1) * width / 2, y: toY + 4 + 4 * y,
                    leader: gap > 14 ? [end(0), end(gap - 4)] : null};
        }));
    }

    function write(label, context) {
        context.save();
        if (label.leader) {
            context.strokeStyle = colour("roof");
            context.lineWidth = 1;
            context.beginPath();
            context.moveTo(...label.leader[0]);
            context.lineTo(...label.leader[1]);
            context.stroke();
        }
        context.translate(label.x, label.y);
        context.rotate(label.angle);
        context.font = font;
        context.textAlign = "left";
        context.textBaseline = "alphabetic";
        context.lineJoin = "round";
        context.lineWidth = 4;
        context.strokeStyle = colour("panel");
        context.strokeText(label.text, 0, 0);
        context.fillStyle = label.colour;
        context.fillText(label.text, 0, 0);
        context.restore();
    }

    // Writes each roof's name along its line and the names of the heaviest points beside them,
    // without overlaps: names without a place appear under the pointer and in the figures.
    const names = {
        id: "names",
        afterDatasetsDraw(chart) {
            const placed = [];
            const elements = (set, i) => chart.isDatasetVisible(i) ? chart.getDatasetMeta(i).data : [];
            const points = chart.data.datasets.flatMap((set, i) => set.members
                ? elements(set, i).map((at, k) => ({x: at.x, y: at.y, r: at.options.radius, of: set.members[k]}))
                : []);
            const lines = chart.data.datasets.flatMap((set, i) => set.roof ? [elements(set, i)] : [])
                .filter((ends) => ends.length === 2);
            const put = (places, ink) => {
                const place = bestPlace(places, chart, placed, points, lines);
                if (place) {
                    placed.push({...place, colour: ink});
                }
            };
            chart.data.datasets.forEach((set, i) => {
                const [a, b] = elements(set, i);
                const {left, bottom} = chart.chartArea;
                if (set.roof && a) {
                    const rise = (b.y - a.y) / (b.x - a.x || 1);
                    const from = a.y > bottom && rise ? a.x + (bottom - a.y) / rise : Math.max(a.x, left);
                    put(placesAlong({x: from, y: a.y + (from - a.x) * rise}, b, set.label, chart,
                                    set.lowest ? [-14] : [5]), colour("roof"));
                }
            });
            points.sort((a, b) => b.of.share - a.of.share);
            const heaviest = new Map();  // one by layer
            points.forEach((point) => heaviest.has(point.of.name) || heaviest.set(point.of.name, point));
            for (const [name, point] of [...heaviest].slice(0, narrow() ? 4 : 10)) {
                put(placesAround(point, name, chart), colour("text"));
            }
            placed.forEach((label) => write(label, chart.ctx));
            chart.names = placed;
        },
    };

    function rooflineConfig(block) {
        const points = block.points.filter((p) => p.intensity_flop_per_b > 0 && p.rate_flop_per_s > 0);
        const groups = [...new Set(points.map((point) => point.group))];
        const ridges = block.roofs.flatMap((roof) => block.roofs.map((other) =>
            roof.compute_flop_per_s && other.bandwidth_b_per_s
                ? roof.compute_flop_per_s / other.bandwidth_b_per_s : 0)).filter((x) => x > 0);
        const xs = [...points.map((point) => point.intensity_flop_per_b), ...ridges];
        const ys = [...points.map((point) => point.rate_flop_per_s),
                    ...block.roofs.map((roof) => roof.compute_flop_per_s).filter(Boolean)];
        const xRange = decades(xs.length ? xs : [1]);
        const yRange = decades(ys.length ? ys : [1]);
        const largest = narrow() ? 14 : 22;
        const radius = (point) => 3 + largest * Math.sqrt(Math.max(0, Math.min(1, point.share || 0)));
        const pointSets = groups.map((group, i) => {
            const members = points.filter((point) => point.group === group);
            return {
                label: group, members, pointStyle: shapes[i % 6], order: 1,
                data: members.map((p) => ({x: p.intensity_flop_per_b, y: p.rate_flop_per_s})),
                backgroundColor: colour("series-" + i % 6) + "90",
                borderColor: colour("series-" + i % 6),
                pointRadius: members.map(radius), pointHoverRadius: members.map(radius),
            };
        });
        const slowest = Math.min(...block.roofs.map((one) => one.bandwidth_b_per_s || Infinity));
        const roofSets = block.roofs.map((roof) => ({
            lowest: block.roofs.length > 2 && roof.bandwidth_b_per_s === slowest,
            label: narrow() ? roof.name
                            : roof.name + ", " + (roof.compute_flop_per_s
                                                      ? format(roof.compute_flop_per_s, "FLOP/s")
                                                      : format(roof.bandwidth_b_per_s, "B/s")),
            roof: true, order: 2,
            data: roofLine(roof, block, xRange), showLine: true, pointRadius: 0, pointHitRadius: 0,
            borderColor: colour("roof"), borderWidth: 1.5, borderDash: roof.compute_flop_per_s ? [] : [6, 4],
        }));
        const isDecade = (value) => Math.abs(Math.log10(value) % 1) < 1e-9;
        const logAxis = (title, [min, max], unit) => {
            const made = axis(title, {type: "logarithmic", min, max});
            made.grid = {color: (at) => at.tick && isDecade(at.tick.value) ? colour("line") : "transparent"};
            made.ticks = {...made.ticks, maxRotation: 0,
                          callback: (value) => isDecade(value) ? format(value, unit) : ""};
            return made;
        };
        return {
            type: "scatter",
            data: {datasets: [...pointSets, ...roofSets]},
            plugins: [names],
            options: {
                animation: false, maintainAspectRatio: false,
                scales: {x: logAxis("arithmetic intensity [FLOP/B]", xRange, ""),
                         y: logAxis("attained rate", yRange, "FLOP/s")},
                plugins: {
                    legend: legend((item, data) => !data.datasets[item.datasetIndex].roof),
                    tooltip: {
                        filter: (item) => !item.dataset.roof,
                        callbacks: {
                            label: (item) => {
                                const p = item.dataset.members[item.dataIndex];
                                return p.name + ", " + p.group + ": " +
                                    format(p.rate_flop_per_s, "FLOP/s") + " at " +
                                    format(p.intensity_flop_per_b, "FLOP/B") +
                                    (p.share === null ? "" : ", " + format(100 * p.share, "%") + " of the time");
                            },
                        },
                    },
                },
            },
        };
    }

    // Draws the interval of each point of a series that has one.
    const intervals = {
        id: "intervals",
        afterDatasetsDraw(chart) {
            const context = chart.ctx;
            chart.data.datasets.forEach((set, i) => {
                if (!chart.isDatasetVisible(i) || set.line) {
                    return;
                }
                context.save();
                context.strokeStyle = set.borderColor;
                context.lineWidth = 1.5;
                context.beginPath();
                chart.getDatasetMeta(i).data.forEach((at, k) => {
                    const [low, high] = set.data[k].interval.map((one) => chart.scales.y.getPixelForValue(one));
                    context.moveTo(at.x, low);
                    context.lineTo(at.x, high);
                    for (const end of [low, high]) {
                        context.moveTo(at.x - 5, end);
                        context.lineTo(at.x + 5, end);
                    }
                });
                context.stroke();
                context.restore();
            });
        },
    };

    // Points over a number; the largest values determine the scales of both axes. An axis with its
    // own ticks is labelled there, with a little room at its ends.
    function xyConfig(block) {
        const all = block.series.flatMap((one) => one.points);
        const scaleOf = (axis, values) => scaleFor(axis.unit, Math.max(0, ...values) / 2);
        const xScale = scaleOf(block.x, all.map((point) => point.x || 0));
        const yScale = scaleOf(block.y, all.map((point) => point.high ?? (point.y || 0)));
        const made = (one, scale) => {
            const result = axis(scale.unit ? one.title + " [" + scale.unit + "]" : one.title,
                                {type: one.scale, beginAtZero: true});
            const ticks = one.ticks.map((tick) => tick / scale.factor);
            if (ticks.length) {
                const logarithmic = one.scale === "logarithmic";
                result.min = logarithmic ? ticks[0] / 1.25 : 0;
                result.max = logarithmic ? ticks.at(-1) * 1.25 : ticks.at(-1) * 1.04;
                result.afterBuildTicks = (scale) => { scale.ticks = ticks.map((value) => ({value})); };
                result.ticks = {...result.ticks, autoSkip: true, maxRotation: 0, callback: whole};
            }
            return result;
        };
        const point = (p) => ({
            x: p.x / xScale.factor, y: p.y / yScale.factor,
            interval: [(p.low ?? p.y) / yScale.factor, (p.high ?? p.y) / yScale.factor],
        });
        const y = made(block.y, yScale);
        y.suggestedMax = Math.max(0, ...all.map((p) => point(p).interval[1]));
        return {
            type: "scatter",
            data: {datasets: block.series.map((one, i) => ({
                label: one.name, points: one.points, pointStyle: shapes[i % 4], line: one.mark === "line",
                data: one.points.map(point),
                showLine: one.mark !== "points", order: one.mark === "line" ? 2 : 1,
                borderColor: colour("series-" + i % 6), backgroundColor: colour("series-" + i % 6),
                borderWidth: 1.5, borderDash: one.mark === "line" ? [6, 4] : [],
                pointRadius: one.mark === "line" ? 0 : 4,
                pointHitRadius: one.mark === "line" ? 0 : 6,
            }))},
            plugins: [intervals],
            options: {
                animation: false, maintainAspectRatio: false,
                scales: {x: made(block.x, xScale), y},
                plugins: {
                    legend: legend(() => block.series.length > 1),
                    tooltip: {callbacks: {label: (item) => {
                        const p = item.dataset.points[item.dataIndex];
                        const interval = p.low !== null && p.high !== null
                            ? " (" + format(p.low, block.y.unit) + " to " + format(p.high, block.y.unit) + ")"
                            : "";
                        return p.name + ": " + format(p.y, block.y.unit) + interval + " at " +
                            format(p.x, block.x.unit);
                    }}},
                },
            },
        };
    }

    const chartKinds = {roofline: rooflineConfig, xy: xyConfig};
    const isSeen = (canvas) => !canvas.closest("details:not([open])");

    function drawCharts() {
        for (const canvas of canvases) {
            charts.get(canvas)?.destroy();
            charts.delete(canvas);
            if (isSeen(canvas)) {
                const block = blocks[Number(canvas.dataset.chart)];
                canvas.parentElement.style.height = (block.type === "roofline" && !narrow() ? 540 : 380) + "px";
                charts.set(canvas, new Chart(canvas, chartKinds[block.type](block)));
            }
        }
    }

    // --- parts, theme, print -------------------------------------------------------------------
    // A link into a closed part opens it.
    function openTarget() {
        const target = document.getElementById(location.hash.slice(1));
        for (let part = target; part; part = part.parentElement) {
            if (part.tagName === "DETAILS") {
                part.open = true;
            }
        }
        target?.scrollIntoView();
    }

    const prefersDark = matchMedia("(prefers-color-scheme: dark)");
    const isDark = () => (root.dataset.theme || (prefersDark.matches ? "dark" : "light")) === "dark";

    function makeThemeButton() {
        const label = () => { button.textContent = isDark() ? "light theme" : "dark theme"; };
        const button = makeButton("", () => {
            root.dataset.theme = isDark() ? "light" : "dark";
            label();
            drawCharts();
        });
        button.className = "theme";
        prefersDark.addEventListener("change", () => { label(); drawCharts(); });
        label();
        document.querySelector("header").append(button);
    }

    // Printing uses the light theme; folded elements stay folded, except for the parts.
    function makePrintable() {
        let theme;
        addEventListener("beforeprint", () => {
            theme = root.dataset.theme;
            root.dataset.theme = "light";
            document.querySelectorAll(".part").forEach((part) => { part.open = true; });
            drawCharts();
        });
        addEventListener("afterprint", () => {
            theme ? root.dataset.theme = theme : delete root.dataset.theme;
            drawCharts();
        });
    }

    // --- self-test -----------------------------------------------------------------------------
    const complaints = [
        () => canvases.length !== blocks.length || charts.size !== canvases.filter(isSeen).length
            ? charts.size + " charts drawn of " + blocks.length : "",
        () => [...charts.values()].some((chart) => chart.width === 0 || chart.height === 0)
            ? "a chart has no area" : "",
        () => [...charts.values()].some((chart) => (chart.names || []).some((a, i, all) =>
            all.slice(0, i).some((b) => a.discs.some((x) => b.discs.some((y) => touch(x, y))))))
            ? "a chart's names overlap" : "",
        () => [...document.querySelectorAll("table.data")].some((table) =>
            table.querySelector("thead th:not(:empty, :has(button))"))
            ? "a table cannot be sorted" : "",
        () => [...document.querySelectorAll("table.tree")].some((table) => !table.querySelector("[aria-expanded]"))
            ? "a tree cannot be opened" : "",
        () => [...document.querySelectorAll(".command")].some((one) => !one.querySelector("button"))
            ? "a command cannot be copied" : "",
        () => root.scrollWidth > root.clientWidth ? "the page is wider than its window" : "",
    ];

    // "ok" if everything is complete; otherwise what is not.
    window.__selftest = () => complaints.map((one) => one()).find(Boolean) || "ok";

    document.querySelectorAll("table.data").forEach((table) => {
        makeSortable(table);
        makeFilterable(table);
    });
    document.querySelectorAll("table.tree").forEach(makeTree);
    document.querySelectorAll(".scroll").forEach(makeReachable);
    document.querySelectorAll(".command").forEach(makeCopyable);
    document.querySelectorAll("details.part").forEach((part) => part.addEventListener("toggle", drawCharts));
    addEventListener("hashchange", openTarget);
    makeThemeButton();
    makePrintable();
    openTarget();
    drawCharts();
    root.dataset.selftest = window.__selftest();
})();
