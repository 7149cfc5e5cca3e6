#!/bin/sh
# Resolves every dependency for every platform and Python from 3.11 on, and keeps the result in requirements.lock.
# The rule: the file names versions only, no index, folder or machine, so it means the same everywhere.
set -eu
cd "$(dirname "$0")/.."
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'uv>=0.5'
{
  echo "# The versions Threadlead is tested with: pip reads this file as constraints, so each extra takes what it needs."
  echo "# Made by \`make lock\` from pyproject.toml; not to be edited."
  .venv/bin/uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 \
    --upgrade --quiet --no-header --no-emit-index-url --no-emit-find-links --annotation-style=line
} >requirements.lock.new
mv requirements.lock.new requirements.lock
