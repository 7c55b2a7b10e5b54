# The Debian packages that each part of the work needs, and how they come to be installed.
# Sourced by ./dev. docs/dependencies.md says what each is for.

PACKAGES_build="g++ cmake ninja-build ccache mold python3
    libgrpc++-dev protobuf-compiler protobuf-compiler-grpc libprotobuf-dev libboost-dev libssl-dev
    nlohmann-json3-dev rapidjson-dev libyaml-cpp-dev libcli11-dev libspdlog-dev libfmt-dev
    libsqlite3-dev libcurl4-openssl-dev liblz4-dev libjemalloc-dev prometheus-cpp-dev libbpf-dev libhwloc-dev libpmix-dev liblua5.4-dev librapidcheck-dev libgtest-dev libbenchmark-dev"
PACKAGES_clang="clang-19 libclang-rt-19-dev lld-19"
PACKAGES_lint="clang-tidy-19 clang-format-19"
PACKAGES_oracle="slurmctld slurmd slurmdbd slurm-client munge mariadb-server"
PACKAGES_clients="python3 python3-venv sudo openmpi-bin libopenmpi-dev mpich libmpich-dev
    node-configurable-http-proxy r-cran-batchtools r-cran-future.batchtools clustershell
    default-jre-headless maven python3-torch zsh fish groff-base rsync"
PACKAGES_unpacked="prometheus user-mode-linux"

# missing_of PACKAGE...: those that are not installed. dpkg-query fails if it knows nothing of one,
# which on a bare machine is so for most: with ./dev's `set -e` that would say that nothing is missing.
missing_of() {
    local installed
    installed=$({ dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true; } |
        sed -n 's/^installed //p')
    comm -23 <(printf '%s\n' "$@" | sort -u) <(printf '%s\n' "$installed" | sort -u)
}

# need GROUP...: installs what is missing of these groups; does and says nothing where nothing is.
need() {
    local group packages=() missing=()
    for group in "$@"; do
        local -n names=PACKAGES_$group
        # shellcheck disable=SC2206  # The names are words.
        packages+=($names)
    done
    if ! command -v dpkg-query >/dev/null; then
        echo "dev: this is not Debian; I trust that you have: ${packages[*]}" >&2
        return
    fi
    mapfile -t missing < <(missing_of "${packages[@]}")
    [ ${#missing[@]} -eq 0 ] && return
    mkdir -p build
    # One at a time: the stages of `check` that run beside each other would find apt's database locked.
    (
        flock 9
        mapfile -t missing < <(missing_of "${packages[@]}")
        [ ${#missing[@]} -eq 0 ] || install_packages "${missing[@]}" 9>&-
    ) 9>build/packages.lock
}

# install_packages PACKAGE...: as root or through sudo; where there is neither it prints the line to run.
install_packages() {
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            echo "dev: packages are missing, and I am neither root nor is there sudo. Run as root:" >&2
            echo "    apt-get install -y --no-install-recommends $*" >&2
            exit 1
        fi
        as_root=(sudo)
    fi
    echo "dev: installing $*"
    "${as_root[@]}" apt-get update -q &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get install -q -y --no-install-recommends "$@" || {
        echo "dev: apt-get failed; these packages are still missing: $*" >&2
        exit 1
    }
}

# unpack PACKAGE PROGRAM: the program alone, in build/tools and on the PATH, for tests; nobody who
# tests asked for what else the package brings, a service perhaps. Without it they are skipped, and say so.
unpack() {
    local package=$1 program=$2 folder=$PWD/build/tools
    command -v "${program##*/}" >/dev/null && return
    command -v apt-get >/dev/null || return 0
    echo "dev: fetching ${program##*/}"
    mkdir -p "$folder/unpacked"
    (cd "$folder" && { apt-get download -q "$package" || { apt-get update -q && apt-get download -q "$package"; }; } &&
        dpkg-deb -x "$package"_*.deb unpacked && mv "unpacked/$program" .) >"$folder/$package.log" 2>&1 ||
        echo "dev: ${program##*/} could not be had: see build/tools/$package.log" >&2
    rm -rf "$folder/unpacked" "$folder/$package"_*.deb
}

# What ./dev test runs beside what it builds.
need_test_tools() {
    PATH=$PATH:$PWD/build/tools
    unpack prometheus usr/bin/promtool
    unpack user-mode-linux usr/bin/linux.uml
}
