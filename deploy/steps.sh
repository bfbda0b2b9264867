# shellcheck shell=bash
# The steps of deploy/test, cheapest first; each is a function that a developer can read as a list of commands.
# Sourced by deploy/test, which runs each in a subshell with `set -e` and its output in a log.
# shellcheck disable=SC2034,SC2154  # the table is read by deploy/test, and `release` comes from lib.sh

logs=$PWD/.musubi/test
gallery=.build/release/gallery

# name, what must have passed before it, and what it does; `long` marks those that only --long runs. Of these, `beside` marks
# what waits for nothing and is never late: it begins in its place, runs on what the others leave idle, and ends the run.
steps=(
  'format      -        Swift sources are formatted and documented'
  'shell       -        shell scripts are clean'
  'bundle      -        the committed client bundle is fresh'
  'types       -        the client type-checks'
  'client      -        the client, driven by Node.js'
  'docs        -        links, shown code and the reference of attributes are those of the sources'
  'build       -        everything builds, imports in order, no warnings'
  'docc        build    the documentation of all modules compiles, and every symbol that it names exists'
  'schedules   beside   sessions that are cut and killed everywhere; people who type over a bad network, and servers and databases that fail, 500,000 times'
  'swift       build    Swift tests'
  'guides      build    the tutorial and the examples of the guides, by script and in Chromium'
  'new         build    a package of musubi new, by its own README: one style, or all four with --long'
  'release     -        the gallery builds as a release, and with it what breaks on purpose and what measures'
  'scripts     release  scenarios of Tests/Scripts'
  'foreign     release  a client that is not ours'
  'processes   release  servers that are replaced, killed, flooded and cut off'
  'browser     release  Chromium; every other test, or all with --long'
  'engines     release  the same pages in Chromium, Firefox and WebKit, what every driver can do'
  'bench       release  counts hold their thresholds, ratios to bare servers in C hold half of theirs'
  'sanitize    long     Swift tests with threads under the thread sanitizer'
  'fuzz        long     broken requests, plain and by TLS, to a server under the address sanitizer'
  'tutorial    long     the README and the tutorial as a newcomer follows them in a clone of what is committed, and mistakes'
)

step_format() {
  swift format lint --strict --recursive Sources Tests Package.swift
}

step_shell() {
  local files
  mapfile -t files < <(grep --files-with-matches --recursive '^#!/.*sh$\|^# shellcheck shell=' deploy .ci Tests/Postgres)
  shellcheck --external-sources "${files[@]}"
  shfmt -i 2 -d "${files[@]}"
}

step_bundle() {
  deploy/bundle --check
}

step_types() {
  # Pages' own scripts, by the types that the program serves.
  tsc --noEmit --allowJs --checkJs --strict --target es2022 --module es2022 --moduleResolution node \
    --lib es2022,dom,dom.iterable Tests/Client/types/*.js
  tsc --noEmit --allowJs --checkJs --strict --target es2022 --module es2022 --moduleResolution node \
    --lib es2022,dom,dom.iterable Sources/BrowserClient/musubi/types.d.ts Tests/Guides/Examples/Public/*.{js,d.ts}
  if [[ -f tsconfig.json ]]; then
    tsc --noEmit --project tsconfig.json
  else
    tsc --noEmit --allowJs --checkJs --strict --target es2022 --module es2022 --moduleResolution node \
      --lib es2022,dom,dom.iterable Sources/BrowserClient/musubi/*.js
  fi
}

step_client() {
  node --test Tests/Client/*.test.mjs
}

step_docs() {
  node --test Tests/Documentation/*.test.mjs
}

step_build() {
  swift build --build-tests --explicit-target-dependency-import-check error
}

step_docc() {
  deploy/docs
}

# The reactive core counts what lives in its process, and the simulator keeps all threads of its process busy: each has
# one of its own. So have those whose server asks the program: many other tests wait on the few threads of tasks. Tests that
# work for minutes keep these threads from all that wait, whose time runs meanwhile.
asking='LiveRouteTests|RouteConnectionTests|VisitorIdentifierTests'
# Its client blocks a thread of tasks: beside another suite that does so, the program would have none.
blocking='ArrivingBodyTests'
# It measures what the process holds.
sockets='SocketMemoryTests'
working='CrowdTests|ExactlyOnceTests|NodeTests|NodeTrialTests|OwnershipTests|RestingRecordTests|RestingRowTests'
working+='|SharedModelTests|SlotTests'

step_swift() {
  swift test --explicit-target-dependency-import-check error --skip MusubiRxTests --skip SimulationTests \
    --skip "$asking|$blocking|$sockets|$working"
  # The whole of the first is for `schedules`, whose build is fast.
  MUSUBI_LONG='' swift test --skip-build --filter "$working"
  swift test --skip-build --filter "$asking"
  swift test --skip-build --filter "$blocking"
  swift test --skip-build --filter "$sockets"
  swift test --skip-build --filter SimulationTests
  MUSUBI_LEAK_CHECK=1 swift test --skip-build --filter MusubiRxTests
}

# First sessions that are cut and killed wherever they can be. Then how many, from which seed, and who (those of slots are two for each,
# `cluster` a database that fails as well); each has one thread. The simulations among the Swift tests run a sample.
# Time is virtual here, so that all of it runs beside the other steps, built in a folder of its own. Overlapping accesses are looked
# for by the Swift tests; without that a crowd takes three fifths of the time, a cluster four.
step_schedules() {
  local -a optimized=(--configuration release -Xswiftc -enable-testing -Xswiftc -enforce-exclusivity=unchecked)
  optimized+=(--scratch-path .build/optimized)
  swift test "${optimized[@]}" --filter "$working"
  swift build "${optimized[@]}" --product musubi-simulate
  xargs --max-procs=2 --max-lines=1 .build/optimized/release/musubi-simulate <<'END'
20000 100000 mixed
80000 0 swift
20000 900000 slow
20000 0 rows
10000 100000 mixed-rows
10000 0 long-rows
20000 0 models
10000 0 nodes
50000 0 crowds
50000 50000 crowds
50000 0 cluster
50000 50000 cluster
10000 0 forgetful-cluster
2000 0 slots
25000 0 restless-slots
25000 25000 restless-slots
END
}

step_guides() {
  # Each server checks at its start that every page names one of its own screens.
  .build/debug/Tea check --public Tests/Guides/Tutorial/Public
  .build/debug/GuideExamples check --public Tests/Guides/Examples/Public
  # Without a folder for its data it has no studio.
  .build/debug/gallery check --data .build/check
  .build/debug/Tea script --deadline 60s Tests/Guides/Tutorial/Tests -- --public Tests/Guides/Tutorial/Public
  local records
  records=$(mktemp -d)
  .build/debug/GuideExamples script --deadline 60s Tests/Guides/Examples/Scripts -- \
    --public Tests/Guides/Examples/Public --record "$records"
  # What a screen gets by a shared model, from other people and by timers is in its record.
  for record in "$records"/{chat,chores,letter,model-chat,model-dinner,plan,sign-up,trip}-*.record; do
    .build/debug/GuideExamples replay "$record"
  done
  rm -r "$records"
  .venv/bin/python Tests/Browser/run.py --from Tests/Guides/Browser
}

# Musubi is built once for all styles, dev and build, which share a folder. Which style is tried depends on the templates alone.
step_new() {
  local -a styles=(inputs outlets states observable)
  if [[ -n ${MUSUBI_LONG:-} ]]; then
    styles+=(repository speed)
  else
    styles=("${styles[$(cat Sources/MusubiCommand/*/*.swift | cksum | cut -d ' ' -f 1) % 4]}")
  fi
  .venv/bin/python -m unittest discover --verbose -s Tests/New -k test_dev -k test_build -k test_bench "${styles[@]/#/-ktest_}"
}

step_release() {
  swift build "${release[@]}" --product gallery
  swift build "${release[@]}" --product musubi-breakable
  swift build "${release[@]}" --product musubi-test-screens
  swift build "${release[@]}" --product musubi-test-accounts
  swift build "${release[@]}" --product Tea
  swift build "${release[@]}" --product musubi
  swift build "${release[@]}" --product musubi-bench
}

# A step of a script ends when its condition holds; the deadline is for a machine that has other work, too.
step_scripts() {
  "$gallery" script --jobs 2 --deadline 60s --junit "$logs/scripts.xml" Tests/Scripts/*.musubi
  .build/release/musubi-test-screens script --jobs 2 --deadline 60s Tests/Screens/Scripts -- \
    --public Tests/Screens/Public
}

step_foreign() {
  MUSUBI_SCREENS=$PWD/.build/release/musubi-test-screens MUSUBI_GALLERY=$PWD/$gallery \
    .venv/bin/python -m unittest discover --verbose -s Tests/Foreign -p '*test*.py'
  for test in test_rfc6455 test_wire test_text_edit; do
    MUSUBI_TLS=1 MUSUBI_GALLERY=$PWD/$gallery .venv/bin/python -m unittest discover -s Tests/Foreign -p "$test.py"
  done
}

step_processes() {
  clang -shared -fPIC -O1 -Wall -Wextra -Werror -o .build/release/power-loss.so Tests/Processes/power_loss.c
  MUSUBI_BREAKABLE=$PWD/.build/release/musubi-breakable .venv/bin/python Tests/Processes/run.py
}

step_browser() {
  MUSUBI_GALLERY=$PWD/$gallery .venv/bin/python Tests/Browser/run.py
}

# Each test in one of the three engines, which changes with each commit; a long run takes all to each.
step_engines() {
  MUSUBI_GALLERY=$PWD/$gallery .venv/bin/python Tests/Browser/run_engines.py
}

# Counts are compared as they are, ratios of CPU time loosely and with three tries: other programs may be at work.
step_bench() {
  .build/release/musubi-bench --quick --check Tests/Thresholds/bench.json
}

# Simulations have one thread, and would take an hour.
step_sanitize() {
  export TSAN_OPTIONS="suppressions=$PWD/Tests/Thresholds/thread-sanitizer.txt exitcode=66"
  # What works on one thread has nothing to show here.
  local suites
  swift test --sanitize thread --scratch-path .build/sanitize \
    --skip "SimulationTests|$working|$asking|$blocking|$sockets"
  for suites in "$asking" "$blocking" "$sockets"; do
    swift test --skip-build --sanitize thread --scratch-path .build/sanitize --filter "$suites"
  done
}

step_fuzz() {
  swift build --sanitize address --scratch-path .build/asan --product gallery
  ASAN_OPTIONS=detect_leaks=0:detect_odr_violation=0 MUSUBI_GALLERY=$PWD/.build/asan/debug/gallery \
    .venv/bin/python Tests/Foreign/fuzz_http.py --requests 20000
}

step_tutorial() {
  .venv/bin/python -m unittest discover --verbose -s Tests/New -k test_newcomer
}
