#!/bin/sh
# Makes lib/libcuda.a, the stand-in that a build with the tag cuda links, and prints
# the environment for it: eval "$(gpu/build.sh)" && go build -tags cuda
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cc=${CC:-gcc}
out="$here/lib/libcuda.a"
if [ ! -e "$out" ] || [ "$here/lib/libcuda.c" -nt "$out" ] || [ "$here/lib/symbols.h" -nt "$out" ] || [ "$here/include/cuda.h" -nt "$out" ]; then
  $cc -O2 -fPIC -Wall -I"$here/include" -c "$here/lib/libcuda.c" -o "$here/lib/libcuda.o"
  rm -f "$out"
  ar rcs "$out" "$here/lib/libcuda.o"
  rm -f "$here/lib/libcuda.o"
fi
echo "export CGO_ENABLED=1 CGO_CFLAGS='-O2 -g -I$here/include' CGO_LDFLAGS='-O2 -g -L$here/lib'"
