#!/bin/sh
# Installs runner into a development container. Its options come as variables, PACKAGE and COMPLETIONS; RUNNER_ROOT stands
# before the folders of the shells and is empty but for tests.
set -eu

package=${PACKAGE:-@runner/cli}
completions=${COMPLETIONS:-true}
root=${RUNNER_ROOT:-}

for program in node npm git; do
  if ! command -v "$program" >/dev/null; then
    echo "runner needs $program in the image; choose one that has it, or add it by a feature before this one" >&2
    exit 1
  fi
done

npm install -g "$package"
runner=$(npm prefix -g)/bin/runner
"$runner" --version

# A shell that is not there has no folder for completions, and gets none.
complete_in() {
  if [ -d "$root/$2" ]; then
    "$runner" completion "$1" >"$root/$2/$3"
  fi
}

if [ "$completions" = true ]; then
  complete_in bash usr/share/bash-completion/completions runner
  complete_in zsh usr/share/zsh/vendor-completions _runner
  complete_in fish usr/share/fish/vendor_completions.d runner.fish
fi
