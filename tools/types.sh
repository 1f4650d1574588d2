#!/bin/sh
# types.sh MYPY : check the extension as the package that Blender makes of it.
#
# The relative imports between io_formats, scene, pipeline and operators only resolve inside a package, and the folder of a
# clone may be called anything: so the package is laid out with links under build/types.
set -eu
cd "$(dirname "$0")/.."
package=build/types/io_anim_curves
rm -rf build/types
mkdir -p "$package"
for part in __init__.py io_formats scene pipeline operators; do
  ln -s "$PWD/$part" "$package/$part"
done
MYPYPATH=build/types exec "$1" --config-file pyproject.toml --cache-dir build/mypy_cache -p io_anim_curves
