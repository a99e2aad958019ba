# SPDX-License-Identifier: MIT
"""Stored runs and comparisons in pandas, and in notebooks."""
import html
import pathlib

import pandas

from .program import Error, json_of, text_of

PASSES = ("forward", "backward_weights", "backward_data", "update")
_LAYER_COLUMNS = ("layer", "pass", "time_s", "share", "flop_per_s", "byte_per_s", "flop_per_byte", "ceiling_share",
                  "gain_s")


def _frame(records, columns=()):
    """Records of the program's JSON. What was not measured is null there and NaN here."""
    frame = pandas.DataFrame.from_records(records, columns=None if records else list(columns))
    for name in frame.columns:
        values = [value for value in frame[name] if value is not None]
        if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
            frame[name] = pandas.to_numeric(frame[name])
    return frame


def _one_run(printed):
    if not printed.get("runs"):
        raise Error("strata printed no run")
    return printed["runs"][0]


def stored_run(run, database=None):
    """The stored run of this id, tag or name ("last"), with its steps combined by layer and pass."""
    return Profile(_one_run(json_of("explain", run, "--by", "layer,pass", database=database)), database)


class Profile:
    """A stored run.

    run       everything that the program reports about it (docs/schema/run.json), as a dict
    id        its number in the database
    layers    a DataFrame with a row for each layer and pass, with the reorders and sums that it needs; the units are in
    the names of the columns
    steps     a DataFrame with a row for each timed step: its interval, kernel, status and reason
    whole     a Series: the whole iteration, without time stamps, and how the steps add up to it
    exporter  PyTorch's exporter that accepted the module; None: it was not a module
    comparison  with the backend `compare_with` of profile(); None: there was none
   
    """

    def __init__(self, run, database=None):
        self.run = run
        self.id = run["run"]
        self.database = database
        self.exporter = None
        self.comparison = None

    @property
    def layers(self):
        rows = [group for group in self.run["groups"] if group.get("layer") and group.get("pass")]
        shown = [{name: value for name, value in row.items() if name in _LAYER_COLUMNS} for row in rows]
        return _frame(shown, _LAYER_COLUMNS)

    @property
    def steps(self):
        return _frame(self.run["steps"])

    @property
    def whole(self):
        budget = self.run["budget"].items()
        values = {name: float("nan") if value is None else value for name, value in budget if not isinstance(value, str)}
        return pandas.Series(values, name=f"run {self.id}", dtype=float)

    @property
    def doubts(self):
        """The reasons to doubt the measurement, one sentence each."""
        return [doubt["sentence"] for doubt in self.run["doubts"]]

    def report(self, path=None):
        """One self-contained HTML page: written to `path`, which is returned, or returned as text."""
        text = text_of("report", self.id, "-o", "-" if path is None else path, database=self.database)
        return text if path is None else pathlib.Path(path)

    def explain(self):
        """The output of `strata explain`: the layers, what bounds them, and what to try."""
        return text_of("explain", self.id, database=self.database)

    def compare(self, other):
        """Compares this run, as the baseline, with another Profile or run of the same database."""
        is_elsewhere = isinstance(other, Profile) and other.database != self.database and other.database is not None
        name = getattr(other, "id", other)
        side = f"{pathlib.Path(other.database).resolve()}:{name}" if is_elsewhere else name
        return Comparison(json_of("compare", self.id, side, database=self.database))

    def origin(self):
        """The origin of the times, in one line."""
        run = self.run
        known = [run["provenance"].get("cpu.model"), f"{run['threads']} threads",
                 " ".join(filter(None, [run["backend"], run["provenance"].get("backend.version")])), run["created"],
                 f"run {self.id}"]
        return f"{run['origin']} on " + ", ".join(filter(None, known))

    def title(self):
        run = self.run
        network = pathlib.PurePath(run["network"]).name  # a file's folder says little, and may be gone
        return f"{network}, batch {run['batch']}, {run['mode']}, {run['dtype']}, {run['backend']}"

    def lead(self):
        """The whole iteration's time, and the largest gain that the program found."""
        time = self.run["budget"]["end_to_end_s"]
        lead = self.run["incomplete"] or ("not measured" if time is None else f"{_milliseconds(time)} ms an iteration")
        found = [finding["sentence"] for finding in self.run["findings"][:1]]
        return ". ".join([lead, *found])

    def __repr__(self):
        return f"{self.title()}: {self.lead()}\n{self.origin()}"

    def _repr_html_(self):
        layers = self.layers
        passes = [name for name in PASSES if name in set(layers["pass"])]
        times = {}
        shares = layers.groupby("layer", sort=False)["share"].sum(min_count=1) if len(layers) else {}
        for layer, name, time in zip(layers["layer"], layers["pass"], layers["time_s"]):
            times.setdefault(layer, {})[name] = time
        rows = [[layer, *(_milliseconds(of_layer.get(name)) for name in passes), _percent(shares[layer])]
                for layer, of_layer in times.items()]
        heading = ["layer", *(f"{name.replace('_', ' ')} [ms]" for name in passes), "share [%]"]
        exporter = f", exported by {self.exporter}" if self.exporter else ""
        notes = [self.origin() + exporter, *(f"doubt: {doubt}" for doubt in self.doubts)]
        shown = _html(self.title(), self.lead(), heading, rows, notes)
        return shown + (self.comparison._repr_html_() if self.comparison else "")


class Comparison:
    """Two sides, the second over the first.

    verdict   of the whole: "faster", "slower", "same" within the margin, or "unclear"
    ratio, low, high   of the whole, with its 95 % interval; NaN if the two cannot be compared
    layers    a DataFrame with a row, and a verdict, for each layer's pass that both sides have
    data      everything that the program reports (docs/schema/compare.json), as a dict
   
    """

    def __init__(self, data):
        self.data = data
        self.whole = data["whole"]
        self.verdict = self.whole["verdict"]
        self.ratio, self.low, self.high, self.margin = (
            float("nan") if self.whole[name] is None else self.whole[name]
            for name in ("ratio", "low", "high", "margin"))
        self.layers = _frame(data["layers"], ("layer", "pass", "verdict", "ratio", "low", "high", "a_s", "b_s"))
        self.unmatched = data["unmatched"]

    def title(self):
        settings = [f"{one['setting']} {one['before']} → {one['after']}" for one in self.data["differences"]]
        runs = [", ".join(map(str, self.data[side])) for side in "ab"]
        return f"run {runs[0]} → {runs[1]}" + (": " + ", ".join(settings) if settings else "")

    def lead(self):
        if self.data["reason"]:
            return self.data["reason"]
        return f"{self.verdict}: {self.ratio:.3g} times as long ({self.low:.3g} to {self.high:.3g})"

    def __repr__(self):
        return f"{self.title()}: {self.lead()}"

    def _repr_html_(self):
        rows = [[f"{row['layer']} {row['pass']}", _milliseconds(row["a_s"]), _milliseconds(row["b_s"]),
                 "–" if row["ratio"] is None else f"{row['ratio']:.3g}", row["verdict"]] for row in self.data["layers"]]
        notes = [f"only on one side: {_milliseconds(self.unmatched['a_s'])} and "
                 f"{_milliseconds(self.unmatched['b_s'])} ms"]
        return _html(self.title(), self.lead(), ["layer", "first [ms]", "second [ms]", "ratio", "verdict"], rows, notes)


class Database:
    """A file of stored runs; by default the user's own."""

    def __init__(self, path=None):
        self.path = path

    @property
    def runs(self):
        """A DataFrame with a row for each run, the newest first."""
        return _frame(json_of("list", "runs", database=self.path)["runs"])

    def load(self, run="last"):
        """The Profile of a run: its number, its tag, "last", "last~1"."""
        return stored_run(run, self.path)

    def query(self, sql):
        """A DataFrame with the result of a query (docs/data-model.md describes tables and views)."""
        return _frame(json_of("query", sql, database=self.path)["rows"])


def open(database=None):
    """The database of this name, or the user's own. Throws Error if there is none."""
    found = Database(database)
    json_of("list", "runs", database=database)
    return found


# ---- a notebook's cell

def _milliseconds(seconds):
    if seconds is None or pandas.isna(seconds):
        return "–"
    return f"{seconds * 1e3:.3g}" if seconds < 1 else f"{seconds * 1e3:.0f}"


def _percent(share):
    return "–" if share is None or pandas.isna(share) else f"{share * 100:.1f}"


# Names of layers come from files: every text is escaped.
def _html(title, lead, heading, rows, notes):
    def cells(kind, values):
        aligned = ["left"] + ["right"] * (len(values) - 1)
        return "".join(f'<{kind} style="text-align:{side}">{html.escape(str(value))}</{kind}>'
                       for side, value in zip(aligned, values))
    head = f"<thead><tr>{cells('th', heading)}</tr></thead>"
    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    small = "".join(f"<br>{html.escape(note)}" for note in notes)
    return (f"<div><b>{html.escape(title)}</b><br>{html.escape(lead)}"
            f'<div style="max-height:30em;overflow:auto"><table>{head}<tbody>{body}</tbody></table></div>'
            f"<small>{small[len('<br>'):]}</small></div>")
