#!/bin/sh
# Compiles every kernel of the folders here for every architecture into one compressed
# fatbin, and records the hash of its sources. Needs nvcc of CUDA 12.8 or newer.
# With an argument, a folder, the results go there instead.
set -eu
cd "$(dirname "$0")"
out=${1:-.}
all=$(mktemp -d)
trap 'rm -rf "$all"' EXIT
LC_ALL=C
export LC_ALL
for f in */*.cu; do echo "#include \"$f\""; done >"$all/kernels.cu"
code=""
for arch in ${ARCHS:-80 86 89 90a 100 120}; do code="$code -gencode=arch=compute_$arch,code=sm_$arch"; done
${NVCC:-nvcc} -std=c++17 -O3 -I. $code ${PTX:--gencode=arch=compute_80,code=compute_80 -gencode=arch=compute_120,code=compute_120} \
  ${NVCCFLAGS:-} --compress-mode=size -t 0 --split-compile=0 -fatbin -o "$out/kernels.fatbin" "$all/kernels.cu"
cat */*.cu *.cuh */*.cuh | sha256sum | cut -d' ' -f1 >"$out/kernels.sha256"
