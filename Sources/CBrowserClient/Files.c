// SPDX-License-Identifier: Apache-2.0
// The files of Sources/BrowserClient/ in the program. C takes them as they are; as an array of Swift, which SwiftPM's embedInCode makes of
// them, these 64 kB take 20 seconds to compile.
#include "BrowserClient.h"

static const unsigned char musubi[] = {
#embed "../BrowserClient/musubi.js"
};
static const unsigned char more[] = {
#embed "../BrowserClient/musubi-more.js"
};
static const unsigned char move[] = {
#embed "../BrowserClient/musubi-move.js"
};
static const unsigned char append[] = {
#embed "../BrowserClient/musubi-append.js"
};
static const unsigned char ids[] = {
#embed "../BrowserClient/musubi-ids.js"
};
static const unsigned char window[] = {
#embed "../BrowserClient/musubi-window.js"
};
static const unsigned char carets[] = {
#embed "../BrowserClient/musubi-carets.js"
};
static const unsigned char connection[] = {
#embed "../BrowserClient/musubi-connection.js"
};
static const unsigned char select[] = {
#embed "../BrowserClient/musubi-select.js"
};
static const unsigned char upload[] = {
#embed "../BrowserClient/musubi-upload.js"
};
static const unsigned char dev[] = {
#embed "../BrowserClient/musubi/dev.js"
};
static const unsigned char shapes[] = {
#embed "../BrowserClient/musubi/shapes.js"
};
static const unsigned char problem[] = {
#embed "../BrowserClient/musubi/problem.js"
};
static const unsigned char problem_page[] = {
#embed "../BrowserClient/musubi/problem-page.js"
};
static const unsigned char types[] = {
#embed "../BrowserClient/musubi/types.d.ts"
};
static const unsigned char base[] = {
#embed "../BrowserClient/musubi-base.css"
};

static const unsigned char parts[] = {
#embed "../BrowserClient/musubi-parts.css"
};
static const unsigned char charts[] = {
#embed "../BrowserClient/charts.html"
};

static const musubi_client_file files[] = {
    {"musubi.js", musubi, sizeof musubi},
    {"musubi-more.js", more, sizeof more},
    {"musubi-move.js", move, sizeof move},
    {"musubi-append.js", append, sizeof append},
    {"musubi-ids.js", ids, sizeof ids},
    {"musubi-window.js", window, sizeof window},
    {"musubi-carets.js", carets, sizeof carets},
    {"musubi-connection.js", connection, sizeof connection},
    {"musubi-select.js", select, sizeof select},
    {"musubi-upload.js", upload, sizeof upload},
    {"musubi/dev.js", dev, sizeof dev},
    {"musubi/shapes.js", shapes, sizeof shapes},
    {"musubi/problem.js", problem, sizeof problem},
    {"musubi/problem-page.js", problem_page, sizeof problem_page},
    {"musubi/types.d.ts", types, sizeof types},
    {"musubi/_charts.html", charts, sizeof charts},
    {"musubi-base.css", base, sizeof base},
    {"musubi-parts.css", parts, sizeof parts},
};

const musubi_client_file *musubi_client_file_at(size_t index) {
  return index < sizeof files / sizeof *files ? &files[index] : NULL;
}
