#!/bin/sh
# run.sh LANGUAGE tests|train|package SOURCE WORK LIBRARY PROGRAM PLUGINS: builds a binding without the net and runs its tests;
# or its training example, whose losses must be those that PROGRAM prints, to 1e-6; or packs what a registry wants and builds
# that. PLUGINS holds devices that fail. 77: it cannot be built here.
set -eu
language=$1 what=$2 source=$3 work=$4 library=$5 program=$6
mkdir -p "$work/$language"
TINYGRAD_LIB_DIR=$(dirname "$library")
TINYGRAD_TEST_PLUGINS=$7
export TINYGRAD_LIB_DIR TINYGRAD_TEST_PLUGINS
# ONNX models, where the build has them.
has_models() { [ -e "$TINYGRAD_LIB_DIR/libtinygrad_models.so" ]; }

skip() { printf 'skipped: %s\n' "$*"; exit 77; }
need() { "$@" >/dev/null 2>&1 || skip "$1 does not run here (scripts/setup installs it)"; }
case $library in *.a) skip "the bindings need the shared library (BUILD_SHARED_LIBS=ON)" ;; esac

rust() {
  need cargo --version
  need rustc --version
  export CARGO_TARGET_DIR="$work/rust"
  cd "$source/bindings/rust"
  case $what in
    tests)
      cargo test --offline
      cargo test --offline --test binding -- --ignored
      if has_models; then cargo test --offline --features models --test onnx; fi
      ;;
    train)
      cargo build --offline --release --example train
      "$work/rust/release/examples/train" >"$work/rust/losses.txt"
      ;;
    package) rust_package ;;
  esac
}

# What `cargo publish` would upload, both crates built from it alone; the second finds the first among the packed ones.
rust_package() {
  minor=$(cargo --version | sed 's/^cargo 1\.\([0-9]*\)\..*/\1/')
  [ "$minor" -ge 90 ] || skip "cargo 1.$minor packs no crates that depend on each other; 1.90 does"
  cargo package --offline --allow-dirty --workspace
  for crate in tinygrad_cpp tinygrad_cpp-sys; do
    cargo package --offline --allow-dirty --list -p "$crate" | grep -qx LICENSE
  done
}

go_binding() {
  need go version
  need cc --version
  export GOFLAGS=-mod=mod GOPROXY=off GOTOOLCHAIN=local CGO_ENABLED=1 GOCACHE="$work/go/cache"
  export CGO_LDFLAGS="-L$TINYGRAD_LIB_DIR -Wl,-rpath,$TINYGRAD_LIB_DIR"
  cd "$source/bindings/go"
  case $what in
    tests)
      tags=""
      if has_models; then tags=tinygrad_models; fi
      go vet -tags "$tags" ./... && go test -count=1 -tags "$tags" .
      ;;
    train)
      go build -o "$work/go/train" ./examples/train
      "$work/go/train" >"$work/go/losses.txt"
      ;;
  esac
}

# scripts/setup puts the compiler into build/zig; another of that version may be on the path.
zig_binding() {
  zig="$source/build/zig/ziglang/zig"
  [ -x "$zig" ] || zig=$(command -v zig) || skip "the compiler of Zig is not there (scripts/setup installs it from PyPI)"
  case $("$zig" version) in 0.13.*) ;; *) skip "$zig is not of version 0.13" ;; esac
  cd "$source/bindings/zig"
  set -- "-Dinclude=$source/include" "-Dlibrary=$TINYGRAD_LIB_DIR" --cache-dir "$work/zig/cache" --global-cache-dir "$work/zig/cache"
  case $what in
    tests)
      if has_models; then set -- "$@" -Dmodels=true; fi
      "$zig" build test --summary all "$@"
      ;;
    train) "$zig" build train "$@" >"$work/zig/losses.txt" ;;
  esac
}

compare() {
  "$program" >"$work/$language/expected.txt"
  paste "$work/$language/expected.txt" "$work/$language/losses.txt" | awk '
    { d = $1 - $2; if (d < 0) d = -d; if (d > worst) worst = d; if (NF != 2) uneven = 1; last = $2 }
    END {
      printf "%d losses, the last %s; they differ by at most %g\n", NR, last, worst
      exit !(NR == 50 && !uneven && worst <= 1e-6 && last < 0.5)
    }'
}

case $language in
  rust) rust ;;
  go) go_binding ;;
  zig) zig_binding ;;
esac
if [ "$what" = train ]; then compare; fi
