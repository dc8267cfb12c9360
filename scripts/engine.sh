#!/usr/bin/env bash
# Makes the simulator of pages: crates/page as WebAssembly, compressed, in the Python package.
# Takes rustup's target for it if there is one, or that target's library from where rustup has it, or
# Debian's compiler; it unpacks them into target/ and does not install them. Where none is to be had
# it says so, and reports are static.
# What was made of the same sources before is kept in the user's cache.
set -euo pipefail
cd "$(dirname "$0")/.."
target=wasm32-unknown-unknown
asset=python/blockyard/pages/assets/engine.wasm.lzma
packages=scripts/engine-packages.sha256
tools=$PWD/target/engine-tools
cache=${XDG_CACHE_HOME:-$HOME/.cache}/blockyard/engine

# Sources that the module is made of; tests are not.
sources() {
    git ls-files -z -- Cargo.toml Cargo.lock catalog crates "$packages" "$0" scripts/packed.py scripts/wasm_library.py |
        grep -zvE '^crates/(python|tidy|bench|emulate|observe|sys|machine|fit)/|/tests(/|\.rs$)' | sort -z
}

key=$(sources | xargs -0 sha256sum 2>/dev/null | sha256sum | cut -c1-32)
kept=$cache/$key.wasm.lzma

static() {
    echo "engine: $*; reports will be static" >&2
    rm -f "$asset"
    exit 0
}

place() {
    mkdir -p "$(dirname "$asset")"
    cmp -s "$kept" "$asset" || cp "$kept" "$asset"
}

if [ -s "$kept" ]; then
    place
    exit
fi

# Debian's compiler: each file as the list has it, or as apt's signed list has a newer one.
unpacked() {
    [ -e "$tools/complete" ] && return
    command -v apt-get >/dev/null && command -v dpkg >/dev/null || return 1
    rm -rf "$tools" && mkdir -p "$tools/debs"
    while read -r sum name version; do
        (cd "$tools/debs" && apt-get download -qq "$name=$version" 2>/dev/null) &&
            echo "$sum  $(echo "$tools/debs/${name}_"*)" | sha256sum --quiet --check - && continue
        echo "engine: Debian has another $name than $version; its list vouches for that" >&2
        rm -f "$tools/debs/${name}_"*
        (cd "$tools/debs" && apt-get download -qq "$name" 2>/dev/null) || return 1
    done <"$packages"
    for deb in "$tools"/debs/*.deb; do dpkg -x "$deb" "$tools"; done
    rm -rf "$tools/debs"
    touch "$tools/complete"
}

build=(build --quiet --locked --package blockyard-page --profile page --target "$target" --target-dir target/engine)
if [ -d "$(rustc --print sysroot)/lib/rustlib/$target" ]; then
    cargo "${build[@]}"
elif sysroot=$(.venv/bin/python scripts/wasm_library.py "$target" "$tools"); then
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="--sysroot=$sysroot" cargo "${build[@]}"
elif unpacked; then
    linker=$(basename "$(echo "$tools"/usr/bin/wasm-ld-*)")
    # The compiler and the library's sources are of one version; cargo is that of this machine.
    LD_LIBRARY_PATH=$tools/usr/lib/x86_64-linux-gnu RUSTC=$tools/usr/bin/rustc RUSTC_BOOTSTRAP=1 \
        PATH=$tools/usr/bin:$PATH cargo "${build[@]}" -Zbuild-std=std,panic_abort \
        --config "target.$target.linker=\"$linker\""
else
    static "no compiler for $target; install one with: rustup target add $target"
fi
mkdir -p "$cache"
.venv/bin/python scripts/packed.py "target/engine/$target/page/blockyard_page.wasm" "$kept.$$"
mv "$kept.$$" "$kept"
place
