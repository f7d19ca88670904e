#!/bin/sh
# Makes dist/ of the commit that is checked out: the binaries, twice, in two places
# and with two build caches, to see that the same bytes come out; their bills of
# materials; the licence texts; and the sums of all of it. TARGETS limits what is
# made: OS/ARCH for the CPU, OS/ARCH/cuda for this machine's own with the GPU.
set -eu
cd "$(dirname "$0")/.."
here=$PWD
go=${GO:-go}
commit=$(git rev-parse HEAD)
version=${VERSION:-$(git describe --tags --always)}
targets=${TARGETS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 linux/amd64/cuda}
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
flags="-trimpath -buildvcs=true"

# build FOLDER: a fresh clone there, and its binaries in FOLDER/dist.
build() {
  git clone -q "$here" "$1"
  (cd "$1" && git checkout -q "$commit" && for t in $targets; do one "$t"; done)
}

one() {
  os=${1%%/*} rest=${1#*/}
  arch=${rest%%/*} name=confab-$version-$os-$arch
  echo "building $1 in $PWD"
  case $rest in
  */cuda) (eval "$(gpu/build.sh)" && GOOS=$os GOARCH=$arch $go build $flags -tags cuda -ldflags "-s -w -buildid= -X main.version=$version" -o "dist/$name-cuda" .) ;;
  *) CGO_ENABLED=0 GOOS=$os GOARCH=$arch $go build $flags -ldflags "-s -w -buildid= -X main.version=$version" -o "dist/$name" . ;;
  esac
}

build "$work/confab"
GOCACHE="$work/cache" build "$work/another/place"
rm -rf dist
mkdir dist
for f in "$work"/confab/dist/*; do
  cmp "$f" "$work/another/place/dist/${f##*/}" || { echo "the two builds of ${f##*/} differ" >&2; exit 1; }
  cp "$f" dist/
done
$go run ./release licences dist/confab-* >/dev/null
$go run ./release notices dist/confab-* >"$work/notices"
for f in dist/confab-*; do $go run ./release sbom "$f" >"$f.cdx.json"; done
cp "$work/notices" dist/THIRD_PARTY_NOTICES.txt
cp LICENSE dist/
(cd dist && sha256sum -- * >"$work/sums" && mv "$work/sums" SHA256SUMS && cat SHA256SUMS)
