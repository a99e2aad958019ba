"use strict";
// The report's behaviour: tables that sort and filter, charts that follow the theme. All text enters
// the page through textContent or a canvas, never as markup.
(() => {
    const root = document.documentElement;
    const blocks = JSON.parse(document.getElementById("charts").textContent).blocks;
    const canvases = [...document.querySelectorAll("canvas[data-chart]")];
    const charts = [];
    const colour = (name) => getComputedStyle(root).getPropertyValue("--" + name).trim();

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

    function format(value, unit) {
        const scale = scaleFor(unit, Math.abs(value));
        const text = Number((value / scale.factor).toPrecision(3)).toString();
        return scale.unit ? text + " " + scale.unit : text;
    }

    // --- tables --------------------------------------------------------------------------------
    function sortKey(cell) {
        return "value" in cell.dataset ? Number(cell.dataset.value) : cell.textContent.toLowerCase();
    }

    // Numbers before texts, what is missing always last.
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

    function sortBy(table, column, header) {
        const descending = header.getAttribute("aria-sort") === "none"
            ? header.classList.contains("number")
            : header.getAttribute("aria-sort") === "ascending";
        table.querySelectorAll("th").forEach((th) => th.setAttribute("aria-sort", "none"));
        header.setAttribute("aria-sort", descending ? "descending" : "ascending");
        const body = table.tBodies[0];
        const rows = [...body.rows];
        rows.sort((a, b) => compare(a.cells[column], b.cells[column], descending ? -1 : 1));
        body.append(...rows);
    }

    function makeSortable(table) {
        table.querySelectorAll("thead th").forEach((header, column) => {
            const button = document.createElement("button");
            button.type = "button";
            button.textContent = header.textContent;
            button.addEventListener("click", () => sortBy(table, column, header));
            header.replaceChildren(button);
            header.setAttribute("aria-sort", "none");
        });
    }

    function makeFilterable(table) {
        const rows = [...table.tBodies[0].rows];
        if (rows.length < 8) {
            return;
        }
        const tools = document.createElement("div");
        const input = document.createElement("input");
        const count = document.createElement("span");
        tools.className = "tools";
        input.type = "search";
        input.placeholder = "filter: words, all must occur";
        input.setAttribute("aria-label", "filter rows");
        tools.append(input, count);
        table.closest(".scroll").before(tools);
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

    // --- charts --------------------------------------------------------------------------------
    const most_horizontal_bars = 40;

    // Names differ at their ends, so the middle goes.
    function shortened(name, limit) {
        const head = Math.floor((limit - 1) / 2);
        return name.length > limit ? name.slice(0, head) + "…" + name.slice(head + 1 - limit) : name;
    }

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

    function barsConfig(block) {
        const sums = block.labels.map(
            (_, i) => block.series.reduce((sum, one) => sum + (one.values[i] || 0), 0));
        const scale = scaleFor(block.unit, Math.max(0, ...sums) / 4);
        const horizontal = block.labels.length <= most_horizontal_bars;
        const names = axis("", {stacked: true, grid: {display: false}});
        names.ticks = {...names.ticks, autoSkip: !horizontal, maxRotation: 90,
                       callback: (_, i) => shortened(block.labels[i], horizontal ? 34 : 22)};
        const values = axis(scale.unit, {stacked: true, beginAtZero: true});
        return {
            type: "bar",
            data: {
                labels: block.labels,
                datasets: block.series.map((one, i) => ({
                    label: one.name,
                    data: one.values.map((value) => value === null ? null : value / scale.factor),
                    backgroundColor: colour("series-" + i % 6),
                    barPercentage: 0.96, categoryPercentage: horizontal ? 0.84 : 0.96,
                })),
            },
            options: {
                animation: false, maintainAspectRatio: false,
                indexAxis: horizontal ? "y" : "x",
                interaction: {mode: "index", axis: horizontal ? "y" : "x", intersect: false},
                scales: horizontal ? {x: {...values, position: "top"}, y: names}
                                   : {x: names, y: values},
                plugins: {
                    legend: legend(),
                    tooltip: {callbacks: {
                        title: (items) => items.length ? block.labels[items[0].dataIndex] : "",
                        label: (item) => item.dataset.label + ": " +
                            format(block.series[item.datasetIndex].values[item.dataIndex] || 0,
                                   block.unit),
                        footer: (items) => items.length
                            ? "sum: " + format(sums[items[0].dataIndex], block.unit) : "",
                    }},
                },
            },
        };
    }

    // Whole decades around the values, so that the log axes begin and end on a labelled line.
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

    // Writes each roof's name along its line; a legend would make the reader match dashes.
    const roofNames = {
        id: "roofNames",
        afterDatasetsDraw(chart) {
            const context = chart.ctx;
            chart.data.datasets.forEach((set, i) => {
                if (!set.roof || !chart.isDatasetVisible(i)) {
                    return;
                }
                const [a, b] = chart.getDatasetMeta(i).data;
                const angle = Math.atan2(b.y - a.y, b.x - a.x);
                context.save();
                context.fillStyle = colour("roof");
                context.font = "12px system-ui, sans-serif";
                if (set.flat) {
                    context.textAlign = "right";
                    context.translate(b.x - 4, b.y - 7);
                } else {
                    context.textAlign = "left";
                    const inside = Math.max(chart.chartArea.left, a.x) + 8;
                    const bottom = chart.chartArea.bottom - 8;
                    const x = a.y > bottom ? a.x + (a.y - bottom) / Math.tan(-angle) + 8 : inside;
                    context.translate(x, a.y + (x - a.x) * Math.tan(angle));
                    context.rotate(angle);
                    context.translate(0, -6);
                }
                context.fillText(set.label, 0, 0);
                context.restore();
            });
        },
    };

    function rooflineConfig(block) {
        const points = block.points.filter((p) => p.intensity_flop_per_b > 0 && p.rate_flop_per_s > 0);
        const groups = [...new Set(points.map((point) => point.group))];
        const shapes = ["circle", "triangle", "rect", "rectRot", "star", "cross"];
        const ridges = block.roofs.flatMap((roof) => block.roofs.map((other) =>
            roof.compute_flop_per_s && other.bandwidth_b_per_s
                ? roof.compute_flop_per_s / other.bandwidth_b_per_s : 0)).filter((x) => x > 0);
        const xs = [...points.map((point) => point.intensity_flop_per_b), ...ridges];
        const ys = [...points.map((point) => point.rate_flop_per_s),
                    ...block.roofs.map((roof) => roof.compute_flop_per_s).filter(Boolean)];
        const xRange = decades(xs.length ? xs : [1]);
        const yRange = decades(ys.length ? ys : [1]);
        const radius = (point) => 3 + 22 * Math.sqrt(Math.max(0, Math.min(1, point.share || 0)));
        const pointSets = groups.map((group, i) => {
            const members = points.filter((point) => point.group === group);
            return {
                label: group, members, pointStyle: shapes[i % 6], order: 1,
                data: members.map((p) => ({x: p.intensity_flop_per_b, y: p.rate_flop_per_s})),
                backgroundColor: colour("series-" + i % 6) + "b0",
                borderColor: colour("series-" + i % 6),
                pointRadius: members.map(radius), pointHoverRadius: members.map(radius),
            };
        });
        const roofSets = block.roofs.map((roof) => ({
            label: roof.name, roof: true, flat: Boolean(roof.compute_flop_per_s), order: 2,
            data: roofLine(roof, block, xRange), showLine: true, pointRadius: 0, pointHitRadius: 0,
            borderColor: colour("roof"), borderWidth: 1.5, borderDash: roof.compute_flop_per_s ? [] : [6, 4],
        }));
        const decadeOnly = (unit) => (value) =>
            Math.abs(Math.log10(value) % 1) < 1e-9 ? format(value, unit) : "";
        const logAxis = (title, [min, max], unit) => {
            const made = axis(title, {type: "logarithmic", min, max});
            made.ticks = {...made.ticks, callback: decadeOnly(unit), maxRotation: 0};
            return made;
        };
        return {
            type: "scatter",
            data: {datasets: [...pointSets, ...roofSets]},
            plugins: [roofNames],
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
                                    format(p.intensity_flop_per_b, "FLOP/B") + ", " +
                                    format(100 * p.share, "%") + " of the time";
                            },
                        },
                    },
                },
            },
        };
    }

    // Points over a number; the scales of both axes are those of their largest values.
    function xyConfig(block) {
        const all = block.series.flatMap((one) => one.points);
        const scaleOf = (axis, values) => scaleFor(axis.unit, Math.max(0, ...values) / 2);
        const xScale = scaleOf(block.x, all.map((point) => point.x || 0));
        const yScale = scaleOf(block.y, all.map((point) => point.y || 0));
        const made = (one, scale) => axis(
            scale.unit ? one.title + " [" + scale.unit + "]" : one.title,
            {type: one.scale, beginAtZero: true});
        const shapes = ["circle", "triangle", "rect", "rectRot"];
        return {
            type: "scatter",
            data: {datasets: block.series.map((one, i) => ({
                label: one.name, points: one.points, pointStyle: shapes[i % 4],
                data: one.points.map((p) => ({x: p.x / xScale.factor, y: p.y / yScale.factor})),
                showLine: one.mark !== "points", order: one.mark === "line" ? 2 : 1,
                borderColor: colour("series-" + i % 6), backgroundColor: colour("series-" + i % 6),
                borderWidth: 1.5, borderDash: one.mark === "line" ? [6, 4] : [],
                pointRadius: one.mark === "line" ? 0 : 5,
                pointHitRadius: one.mark === "line" ? 0 : 5,
            }))},
            options: {
                animation: false, maintainAspectRatio: false,
                scales: {x: made(block.x, xScale), y: made(block.y, yScale)},
                plugins: {
                    legend: legend(),
                    tooltip: {callbacks: {label: (item) => {
                        const p = item.dataset.points[item.dataIndex];
                        return p.name + ": " + format(p.y, block.y.unit) + " at " +
                            format(p.x, block.x.unit);
                    }}},
                },
            },
        };
    }

    const chartKinds = {stacked_bars: barsConfig, roofline: rooflineConfig, xy: xyConfig};

    function heightOf(block) {
        if (block.type !== "stacked_bars") {
            return block.type === "roofline" ? 520 : 400;
        }
        const bars = block.labels.length;
        return bars <= most_horizontal_bars ? 90 + 22 * Math.max(bars, 2) : 480;
    }

    function drawCharts() {
        charts.splice(0).forEach((chart) => chart.destroy());
        for (const canvas of canvases) {
            const block = blocks[Number(canvas.dataset.chart)];
            canvas.parentElement.style.height = heightOf(block) + "px";
            charts.push(new Chart(canvas, chartKinds[block.type](block)));
        }
    }

    // --- theme ---------------------------------------------------------------------------------
    const prefersDark = matchMedia("(prefers-color-scheme: dark)");

    function makeThemeButton() {
        const button = document.createElement("button");
        button.type = "button";
        button.className = "theme";
        const dark = () => (root.dataset.theme || (prefersDark.matches ? "dark" : "light")) === "dark";
        const label = () => { button.textContent = dark() ? "light theme" : "dark theme"; };
        button.addEventListener("click", () => {
            root.dataset.theme = dark() ? "light" : "dark";
            label();
            drawCharts();
        });
        prefersDark.addEventListener("change", () => { label(); drawCharts(); });
        label();
        document.querySelector("header").append(button);
    }

    // "ok" when every chart and every table stands as it should; else what does not.
    window.__selftest = () => {
        if (charts.length !== blocks.length || canvases.length !== blocks.length) {
            return charts.length + " charts drawn of " + blocks.length;
        }
        const empty = charts.find((chart) => chart.width === 0 || chart.height === 0);
        if (empty) {
            return "a chart has no area";
        }
        const plain = [...document.querySelectorAll("table.data")].find(
            (table) => table.querySelectorAll("thead th button").length !== table.tHead.rows[0].cells.length);
        return plain ? "a table cannot be sorted" : "ok";
    };

    document.querySelectorAll("table.data").forEach((table) => {
        makeSortable(table);
        makeFilterable(table);
    });
    makeThemeButton();
    drawCharts();
    root.dataset.selftest = window.__selftest();
})();
