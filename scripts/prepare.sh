#!/bin/sh
# Makes .venv and installs into it: `prepare.sh usable` what running Threadlead needs, `prepare.sh workable` also what
# working on it needs. The rule: what the machine lacks is said in one sentence, with the remedy, before anything is made.
set -eu
cd "$(dirname "$0")/.."
venv=.venv

fail() {
  printf 'threadlead: %s\n' "$1" >&2
  exit 1
}

new_enough() {
  "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

# Sets $python to the one asked for with PYTHON=, or to the first on PATH that is new enough.
find_python() {
  if [ -n "${PYTHON:-}" ]; then
    new_enough "$PYTHON" || fail "PYTHON=$PYTHON is no Python 3.11 or later."
    python=$PYTHON
    return
  fi
  for python in python3 python3.13 python3.12 python3.11 python3.14 python; do
    new_enough "$python" && return
  done
  found=$(python3 --version 2>/dev/null || echo "no python3")
  fail "Python 3.11 or later is needed, and this machine has $found on PATH. Install one, or say where it is: make PYTHON=/path/to/python3.12 ..."
}

make_venv() {
  find_python
  "$python" -c 'import ensurepip, venv' >/dev/null 2>&1 ||
    fail "$("$python" --version) cannot make virtual environments: its venv or ensurepip module is missing. On Debian and Ubuntu: apt install python3-venv"
  echo "Making $venv with $("$python" --version)."
  "$python" -m venv --clear "$venv"
}

command -v git >/dev/null 2>&1 || fail "git is not on PATH. Install it (apt install git, or brew install git)."

# Made again: a half-made environment (Ctrl-C during the first run), one whose Python is gone, and one of a checkout that
# was moved, whose scripts still name the old place.
moved() {
  [ -f "$venv/.place" ] && [ "$(cat "$venv/.place")" != "$(pwd -P)" ]
}
if moved || ! new_enough "$venv/bin/python" || ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
  make_venv
fi

case $1 in
  usable) extras=embedded ;;
  workable) extras=embedded,dev ;;
  *) fail "usage: prepare.sh usable|workable" ;;
esac
echo "Installing Threadlead and what it needs into $venv: half a minute, and again only when versions change."
rm -f "$venv/.usable" "$venv/.workable"
"$venv/bin/python" -m pip install -qq --no-input --disable-pip-version-check \
  --constraint requirements.lock --editable ".[$extras]" ||
  fail "the installation failed; the lines above say why. Without a network, point pip at a mirror or a folder of wheels."
pwd -P >"$venv/.place"
touch "$venv/.usable"
[ "$1" = usable ] || touch "$venv/.workable"
