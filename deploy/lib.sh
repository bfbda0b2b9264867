# shellcheck shell=bash
# What deploy/run and deploy/test share: messages, and the installation of what is missing. Sourced from the
# repository's root; changes the machine only through install_missing.
# shellcheck disable=SC2034  # the lists of packages are read by the scripts that source this one

script=$(basename -- "$0")

say() { printf '%s: %s\n' "$script" "$*"; }

die() {
  printf '%s: %s\n' "$script" "$*" >&2
  exit 1
}

# The C libraries that the server is built with. The event loop plug-in is loaded at run time, so no linker would miss it.
# Foundation's networking, which is linked into the executables, needs libcurl. libqrencode is the gallery's alone.
build_packages=(libwebsockets-dev libwebsockets-evlib-ev libev-dev zlib1g-dev libsqlite3-dev libpq-dev libsodium-dev libqrencode-dev libc6-dev libcurl4-openssl-dev)

# How executables are built that serve: with the Swift libraries in them, they run on machines without the toolchain, and
# each event takes a few per cent less time, since calls of the runtime are direct.
release=(--configuration release --static-swift-stdlib)

# What the tests need besides; a page with Japanese text is photographed, hence the font. Firefox needs no driver, and
# WebKitGTK has no mode without a display. The proxies stand in front of a server; the last line makes and installs packages.
# Leaflet and Chart.js are widgets of the guides. Tests start PostgreSQL by themselves; the service that its package may start is not used.
test_packages=(chromium chromium-driver firefox-esr webkit2gtk-driver xvfb fonts-noto-cjk esbuild node-typescript shellcheck shfmt
  nginx-light caddy openssl prometheus postgresql-15
  libjs-leaflet libjs-chart.js
  dpkg-dev init-system-helpers systemd iproute2 curl)

# Says whether a Debian package is installed.
has_package() {
  local status
  status=$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null) && [[ $status == installed ]]
}

# Installs those of the given packages that are missing, as root or by sudo, and says which.
install_missing() {
  local missing=() package as_root=()
  command -v dpkg-query >/dev/null || die "this is no Debian; install by hand what provides: $*"
  for package in "$@"; do
    has_package "$package" || missing+=("$package")
  done
  ((${#missing[@]})) || return 0

  say "installing by apt-get: ${missing[*]}"
  if ((EUID != 0)); then
    command -v sudo >/dev/null || die "run this as root: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  as_root+=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0)
  "${as_root[@]}" update </dev/null || die 'apt-get update failed; is the network there?'
  "${as_root[@]}" install -y --no-install-recommends "${missing[@]}" </dev/null >/dev/null ||
    die "apt-get could not install ${missing[*]}; its message is above"
}

# Ends with a sentence unless the Swift toolchain is there and new enough.
require_swift() {
  local version major minor
  command -v swift >/dev/null || die 'Swift is missing; install the toolchain (6.3 or newer) that the README names'
  version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
  IFS=. read -r major minor <<<"${version:-0.0}"
  ((major > 6 || (major == 6 && minor >= 3))) || die "Swift ${version:-of unknown version} is too old; 6.3 is needed"
}

# Ends with a sentence unless Node.js is there and new enough for its own test runner; Debian 12 has 18.
require_node() {
  command -v node >/dev/null || install_missing nodejs
  local major
  major=$(node --version | sed 's/^v\([0-9]*\).*/\1/')
  ((major >= 18)) || die "node $major is too old; 18 is needed (Debian: apt-get install nodejs)"
}

# Prints a Python that can make virtual environments; a version manager's shim in the PATH often cannot.
find_python() {
  local python
  for python in python3 /usr/bin/python3; do
    "$python" -c 'import sys, venv, ensurepip; assert sys.version_info >= (3, 11)' 2>/dev/null || continue
    command -v "$python"
    return
  done
  return 1
}

# Makes .venv/ with exactly the Python packages that Tests/requirements.txt pins, unless it is there already.
prepare_venv() {
  local python stamp=.venv/requirements.txt
  cmp -s Tests/requirements.txt "$stamp" && return 0
  find_python >/dev/null || install_missing python3 python3-venv
  python=$(find_python) || die 'no Python from 3.11 on can make virtual environments; install python3-venv'
  say "installing into .venv/ from PyPI: $(grep -v '^#' Tests/requirements.txt | tr '\n' ' ')"
  "$python" -m venv --clear .venv
  .venv/bin/python -m pip install --quiet --disable-pip-version-check -r Tests/requirements.txt ||
    die 'pip could not install Tests/requirements.txt; its message is above'
  cp Tests/requirements.txt "$stamp"
}

# Runs a server, again after each crash; SIGTERM and SIGINT end it and this script. A server with a data folder waits by
# itself before it listens, from the third crash on for a second and more, and goes on; five crashes within a second each are
# those of a server that keeps nothing, and no accident.
supervise() {
  local child status began early=0 asked=''
  trap 'asked=1; kill -TERM "$child" 2>/dev/null || true' TERM INT
  while true; do
    began=$SECONDS
    "$@" &
    child=$!
    while true; do
      status=0
      wait "$child" || status=$?
      kill -0 "$child" 2>/dev/null || break
    done
    if [[ -n $asked ]] || ((status <= 128)); then exit "$status"; fi
    if ((SECONDS - began > 1)); then early=0; else early=$((early + 1)); fi
    ((early < 5)) || die "the server has crashed $early times at its start; the last signal was $((status - 128))"
    say "the server was ended by signal $((status - 128)) and starts again"
  done
}
