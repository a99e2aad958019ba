# SPDX-License-Identifier: MIT
"""Finds the program, and runs it."""
import json
import os
import pathlib
import shutil
import subprocess


class Error(Exception):
    """An error, in one sentence."""


def _is_program(path):
    return path.is_file() and os.access(path, os.X_OK)


def find():
    """The program `strata`: the one that STRATA_BINARY names, the one in PATH, or the latest that was built in the
    source tree of this package. Throws Error if there is none."""
    named = os.environ.get("STRATA_BINARY")
    if named:
        if not _is_program(pathlib.Path(named)):
            raise Error(f"STRATA_BINARY names '{named}', which is not a program: name the built strata")
        return pathlib.Path(named)
    in_path = shutil.which("strata")
    if in_path:
        return pathlib.Path(in_path)
    tree = pathlib.Path(__file__).resolve().parents[2]
    built = [path for path in tree.glob("build/*/bin/strata") if _is_program(path)]
    if built:
        return max(built, key=lambda path: path.stat().st_mtime)
    raise Error("the program strata was not found: build it (scripts/build release) or install it, and name it in "
                "STRATA_BINARY or put it into PATH")


def _sentence(done):
    """Why a command failed: its last message, without the program's name."""
    said = [line for line in done.stderr.splitlines() if line.strip()]
    sentence = said[-1] if said else f"strata ended with exit code {done.returncode} and said nothing"
    return sentence[len("strata: "):] if sentence.startswith("strata: ") else sentence


def text_of(*words, database=None):
    """The standard output of a command. Throws Error with its message if it fails; output that it prints despite
    its exit code (steps that could not run, unstable times) counts as a result."""
    command = [str(find()), *map(str, words)]
    if database is not None:
        command += ["--database", str(database)]
    environment = dict(os.environ, NO_COLOR="1")
    try:
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              encoding="utf-8", errors="replace", check=False)
    except OSError as error:
        raise Error(f"cannot start {command[0]}: {error.strerror}") from None
    if done.returncode != 0 and not done.stdout.strip():
        raise Error(_sentence(done))
    return done.stdout


def json_of(*words, database=None):
    """The same for a command that prints JSON (docs/schema), parsed."""
    text = text_of(*words, "--json", database=database)
    try:
        return json.loads(text)
    except ValueError:
        raise Error(f"{find()} printed no JSON for '{words[0]}': is it the strata that this package belongs "
                    "to?") from None


def flags_of(options):
    """Keyword arguments as the program's options: max_time=5 is --max-time 5, verify=True --verify."""
    words = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            words.append(flag)
        elif isinstance(value, (list, tuple)):
            words += [flag, ",".join(map(str, value))]
        elif value is not None and value is not False:
            words += [flag, str(value)]
    return words
