# SPDX-License-Identifier: Apache-2.0
"""What deploy/cluster starts, in a temporary folder: PostgreSQL with a standby, three servers that share it, nginx in front,
and a page that shows which server has what. All of it ends with this program. Arguments: nginx's port, the servers' program,
and what `serve` of each gets besides."""

import contextlib
import html
import http.client
import http.server
import json
import pathlib
import queue
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

root = pathlib.Path(__file__).resolve().parents[1]

# Round robin without stickiness. A server that refuses a connection is left out for a second, and the request goes to another
# one. The rest is as in deploy/nginx.conf.
nginx_configuration = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
events {{ worker_connections 8192; }}
http {{
  access_log off;
  client_body_temp_path {folder}/nginx-body;
  proxy_temp_path {folder}/nginx-proxy;
  fastcgi_temp_path {folder}/nginx-fastcgi;
  uwsgi_temp_path {folder}/nginx-uwsgi;
  scgi_temp_path {folder}/nginx-scgi;
  map $http_upgrade $connection_upgrade {{
    default upgrade;
    '' '';
  }}
  upstream musubi {{
{servers}
    keepalive 16;
  }}
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass http://musubi;
      proxy_http_version 1.1;
      proxy_connect_timeout 1s;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
      client_max_body_size 0;
      proxy_request_buffering off;
      proxy_buffering off;
      proxy_read_timeout 75s;
      proxy_send_timeout 75s;
    }}
  }}
}}
"""


class Failure(Exception):
    """Why it cannot go on, as one sentence."""


def free_port(wanted=0):
    with socket.socket() as free:
        free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            free.bind(("127.0.0.1", wanted))
        except OSError as error:
            raise Failure(f"port {wanted} cannot be used: {error.strerror}") from error
        return free.getsockname()[1]


def started(command, log):
    """A process that does not hear Ctrl-C, and is ended by the kernel if this one is: start it from the main thread."""
    return subprocess.Popen(
        ["setpriv", "--pdeathsig", "TERM", *map(str, command)], cwd=root, stdin=subprocess.DEVNULL, stdout=log,
        stderr=subprocess.STDOUT, start_new_session=True)


def until(condition, process, log, seconds=120):
    """Waits for a condition; throws with the end of the log if a process ends before, or nothing comes of it."""
    deadline = time.monotonic() + seconds
    while not condition():
        if process.poll() is not None or time.monotonic() > deadline:
            said = " / ".join(log.read_text(errors="replace").splitlines()[-3:]) if log.exists() else "nothing"
            raise Failure(f"{pathlib.Path(process.args[3]).name} does not start; it said: {said}")
        time.sleep(0.05)


class Database:
    """PostgreSQL and its synchronous standby, by the script that the tests use; it ends with its standard input."""

    def __init__(self):
        self.process = subprocess.Popen(
            [root / "Tests/Postgres/serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            start_new_session=True)
        kind, *words = self.process.stdout.readline().split() or ["ended"]
        if kind != "ready":
            raise Failure(" ".join(["PostgreSQL does not start:", kind, *words]))
        self.url = f"postgres://postgres@/postgres?host={words[0]}"
        self.process.stdin.write("standby\n")
        self.process.stdin.flush()
        if self.process.stdout.readline() != "done standby\n":
            raise Failure("PostgreSQL does not get its standby.")

    def rooms(self):
        """The shared rooms that are stored, at most 200, as screen and name, and the address of the server that each is on."""
        rows = subprocess.run(
            ["psql", self.url, "--no-psqlrc", "--tuples-only", "--no-align", "--command",
             "SELECT json_build_array(r.key, n.address) FROM musubi.record r JOIN musubi.fence f ON f.slot = r.slot"
             " JOIN musubi.node n ON n.id = f.node WHERE r.key LIKE '[%,\"room\"]' ORDER BY r.key LIMIT 200"],
            capture_output=True, text=True, timeout=5, check=True).stdout.splitlines()
        return [(json.loads(key)[:2], address) for key, address in map(json.loads, rows)]

    def end(self):
        self.process.stdin.close()
        self.process.wait(30)


class Server:
    """One of the three; its ports and its folder stay when it is killed and started again."""

    def __init__(self, number, program, database, folder, options):
        self.number, self.port, self.address = number, free_port(), f"127.0.0.1:{free_port()}"
        self.log = folder / f"server-{number}.log"
        self.command = [
            program, "serve", "--port", self.port, "--data", folder / f"server-{number}", "--public", root / "Public",
            "--upload-folder", folder / "uploads",  # one that all of them reach
            "--trust-proxy", "127.0.0.1/32", "--cluster", database.url, "--node-listen", self.address,
            # Who tries it out does not wait for a minute until a server has its share again.
            "--balance-after", "1", "--max-restart-wait", "0", *options]
        self.process, self.was_killed = None, False

    def start(self):
        if self.is_running:
            return
        with self.log.open("ab") as log:
            self.process = started(self.command, log)
        self.was_killed = False

    def kill(self):
        """As kill -9."""
        if self.is_running:
            self.was_killed = True
            self.process.kill()
            self.process.wait()

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    @property
    def is_ready(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=1)
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


class Cluster:
    """All of it; `do` takes orders from other threads, as a word and a server."""

    def __init__(self, port, program, folder, options):
        self.program, self.folder, self.options = program, folder, options
        self.port, self.page_port = port, port + 1 if port else 0
        self.database = self.nginx = None
        self.servers, self.orders = [], queue.Queue()

    def start(self):
        self.port, self.page_port = free_port(self.port), free_port(self.page_port)
        self.database = Database()
        self.servers = [Server(number, self.program, self.database, self.folder, self.options) for number in (1, 2, 3)]
        for server in self.servers:
            server.start()
            until(lambda server=server: server.is_ready, server.process, server.log)
        file, log = self.folder / "nginx.conf", self.folder / "nginx.log"
        servers = "\n".join(f"    server 127.0.0.1:{server.port} max_fails=1 fail_timeout=1s;" for server in self.servers)
        file.write_text(nginx_configuration.format(folder=self.folder, port=self.port, servers=servers))
        with log.open("ab") as output:
            self.nginx = started(["/usr/sbin/nginx", "-c", file, "-e", log], output)
        until(self.is_answering, self.nginx, log)

    def is_answering(self):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
            return True
        return False

    def serve(self):
        """Takes orders until a signal ends it."""
        while True:
            word, server = self.orders.get()
            if word == "kill":
                server.kill()
            else:
                server.start()

    def end(self):
        for server in self.servers:
            server.kill()  # all that they have goes with the folder
        if self.nginx:
            self.nginx.terminate()
            self.nginx.wait(30)
        if self.database:
            self.database.end()

    def members(self):
        """What `cluster status` tells: the slots and the state of each server, by address."""
        output = subprocess.run(
            [self.program, "cluster", "status", "--cluster", self.database.url], cwd=root, capture_output=True, text=True, timeout=5,
            check=True).stdout
        found = {}
        for line in output.splitlines():
            words = line.split("  ")
            if len(words) > 4:
                found[words[1]] = (int(words[2].split()[0]), words[4])
        return found


words = {
    "en": {
        "title": "Three servers, one gallery",
        "intro": "Each room is on one server, and each server serves every page. Open the gallery, type, and kill the server that has"
                 " your room: the page goes on.",
        "open": "Open the number screen", "again": "Refresh by itself", "still": "Stop refreshing",
        "server": "Server", "state": "State", "slots": "Slots", "rooms": "Rooms", "kill": "Kill", "start": "Start again",
        "ready": "serves", "starting": "starts", "killed": "killed", "ended": "has ended", "silent": "is silent",
        "none": "No room is stored yet.",
        "where": "Where the rooms are", "nobody": "nobody",
        "shared": "Contents and boards of the gallery are in the database, and files that are sent in one folder: all servers have the same.",
        "away": "The database does not answer.",
    },
    "ja": {
        "title": "三つのサーバー、一つのギャラリー",
        "intro": "部屋はどれか一つのサーバーにあり、どのサーバーもすべてのページを扱います。ギャラリーを開いて入力し、その部屋のある"
                 "サーバーを強制終了してみてください。ページはそのまま続きます。",
        "open": "数字の画面を開く", "again": "自動で更新", "still": "更新を止める",
        "server": "サーバー", "state": "状態", "slots": "スロット", "rooms": "部屋", "kill": "強制終了", "start": "もう一度起動",
        "ready": "稼働中", "starting": "起動中", "killed": "強制終了済み", "ended": "終了", "silent": "応答なし",
        "none": "保存された部屋はまだありません。",
        "where": "部屋のある場所", "nobody": "なし",
        "shared": "ギャラリーのコンテンツとボードはデータベースに、送られたファイルは1つのフォルダにあり、どのサーバーでも同じです。",
        "away": "データベースが応答しません。",
    },
}

style = """
:root { color-scheme: light dark; --paper: #f7f5f1; --surface: #fff; --ink: #211f1c; --soft: #57524a; --line: #ddd8cf;
  --accent: #a3302a; --accent-ink: #fff; --calm: #2f6b52; --alert: #8a4b00 }
@media (prefers-color-scheme: dark) { :root { --paper: #171614; --surface: #211f1c; --ink: #f2eee7; --soft: #b8b1a5; --line: #37332e;
  --accent: #f0938a; --accent-ink: #2a0f0c; --calm: #7fcaa8; --alert: #f0b76a } }
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1.0625rem/1.6 system-ui, sans-serif }
main { max-width: 46rem; margin: 0 auto; padding: 1.5rem 1rem 3rem }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; text-wrap: balance; word-break: auto-phrase } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem }
p { margin: .5rem 0 } .note { color: var(--soft); font-size: .95rem; margin-top: 1rem } a { color: var(--accent) }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: .75rem 0 1.25rem }
ul { list-style: none; margin: 0; padding: 0; display: grid; gap: .75rem }
li { background: var(--surface); border: 1px solid var(--line); border-radius: 14px; padding: .9rem 1.1rem }
.servers { grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)) }
.servers h3 { margin: 0; font-size: 1.05rem } .servers h3 span { color: var(--soft); font-weight: 400; font-size: .9rem }
dl { display: grid; grid-template-columns: auto 1fr; gap: 0 1rem; margin: .5rem 0 .9rem } dt { color: var(--soft) } dd { margin: 0;
  text-align: right; font-variant-numeric: tabular-nums }
.ready { color: var(--calm) } .starting, .silent { color: var(--alert) } .killed, .ended { color: var(--accent) }
button { width: 100%; min-height: 2.75rem; font: inherit; border-radius: 10px; border: 1px solid var(--accent); cursor: pointer;
  background: none; color: var(--accent) }
button.kill { background: var(--accent); color: var(--accent-ink) }
button:focus-visible, a:focus-visible { outline: 3px solid var(--ink); outline-offset: 2px }
.rooms { gap: 0 } .rooms li { display: flex; justify-content: space-between; gap: 1rem; border-radius: 0; border-width: 0 0 1px;
  background: none; padding: .35rem 0; overflow-wrap: anywhere } .rooms span + span { color: var(--soft); white-space: nowrap }
"""


def language(accepted):
    """Japanese if the browser likes it better than English."""
    weights = {"en": 0.0, "ja": 0.0}
    for part in accepted.split(","):
        name, _, parameter = part.partition(";")
        with contextlib.suppress(ValueError):
            weight = float(parameter.strip().removeprefix("q=") or 1)
            key = name.strip().lower().partition("-")[0]
            weights[key] = max(weights.get(key, 0), weight)
    return "ja" if weights["ja"] > weights["en"] else "en"


def shown(cluster, tongue, is_still):
    """The page."""
    say, text = words[tongue], html.escape
    try:
        members, rooms, trouble = cluster.members(), cluster.database.rooms(), ""
    except (subprocess.SubprocessError, OSError, ValueError):
        members, rooms, trouble = {}, [], f"<p>{say['away']}</p>"
    cards = []
    for server in cluster.servers:
        slots, condition = members.get(server.address, (0, ""))
        if not server.is_running:
            state = "killed" if server.was_killed else "ended"
        elif condition.startswith("silent"):
            state = "silent"
        else:
            state = "ready" if server.is_ready else "starting"
        count = sum(address == server.address for _, address in rooms)
        word = "kill" if server.is_running else "start"
        cards.append(
            f'<li><h3>{say["server"]} {server.number} <span>127.0.0.1:{server.port}</span></h3>'
            f'<dl><dt>{say["state"]}</dt><dd class="{state}">{say[state]}</dd><dt>{say["slots"]}</dt><dd>{slots:,}</dd>'
            f'<dt>{say["rooms"]}</dt><dd>{count}</dd></dl>'
            f'<form method="post" action="/{word}?server={server.number}{"&amp;still" if is_still else ""}">'
            f'<button class="{word}" aria-label="{say[word]}: {say["server"]} {server.number}">{say[word]}</button></form></li>')
    by_address = {server.address: f'{say["server"]} {server.number}' for server in cluster.servers}
    rows = [f"<li><span>{text(' · '.join(map(str, key)))}</span><span>{text(by_address.get(address, say['nobody']))}</span></li>"
            for key, address in rooms]
    refresh = "" if is_still else '<meta http-equiv="refresh" content="2">'
    other = f'<a href="/">{say["again"]}</a>' if is_still else f'<a href="/?still">{say["still"]}</a>'
    return (
        f'<!doctype html><html lang="{tongue}"><head><meta charset="utf-8">{refresh}'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{say["title"]}</title><style>{style}</style></head>'
        f'<body><main><h1>{say["title"]}</h1><p>{say["intro"]}</p>'
        f'<nav><a href="http://localhost:{cluster.port}/number?room=lobby" target="_blank">{say["open"]}</a>{other}</nav>{trouble}'
        f'<ul class="servers">{"".join(cards)}</ul><h2>{say["where"]}</h2>'
        + (f'<ul class="rooms">{"".join(rows)}</ul>' if rows else f'<p class="note">{say["none"]}</p>')
        + f'<p class="note">{say["shared"]}</p></main></body></html>')


class Page(http.server.BaseHTTPRequestHandler):
    """Shows the servers, and takes orders from its own buttons alone."""

    cluster = None

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if not self.is_addressed():
            return
        if path != "/":
            return self.send_error(404)
        body = shown(self.cluster, language(self.headers.get("Accept-Language", "")), query == "still").encode()
        self.send_response(200)
        for name, value in {
                "Content-Type": "text/html; charset=utf-8", "Content-Length": len(body), "Cache-Control": "no-store",
                "Vary": "Accept-Language", "Referrer-Policy": "same-origin", "X-Content-Type-Options": "nosniff",
                "Content-Security-Policy":
                "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        if not self.is_addressed():
            return
        if self.headers.get("Origin") != f"http://{self.headers['Host']}":
            return self.send_error(403, "Only the page's own buttons may do this")
        for server in self.cluster.servers:
            for word in ("kill", "start"):
                place = f"/{word}?server={server.number}"
                if self.path in (place, f"{place}&still"):
                    self.cluster.orders.put((word, server))
                    self.send_response(303)
                    self.send_header("Location", "/?still" if self.path.endswith("still") else "/")
                    self.send_header("Content-Length", "0")
                    return self.end_headers()
        return self.send_error(404)

    def is_addressed(self):
        """Whether it is asked by a name of this machine; another one would be somebody's trick to read it."""
        if self.headers.get("Host") in (f"{name}:{self.cluster.page_port}" for name in ("localhost", "127.0.0.1")):
            return True
        self.send_error(421)
        return False

    def log_message(self, *_):
        pass


def main():
    port, program, *options = sys.argv[1:]

    def end(*_):
        raise SystemExit(0)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    with tempfile.TemporaryDirectory(prefix="musubi-cluster-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)  # nginx's workers and PostgreSQL are other users
        cluster = Cluster(int(port), str(pathlib.Path(program).resolve()), folder, options)
        try:
            print("cluster: starting PostgreSQL, three servers and nginx", flush=True)
            cluster.start()
            Page.cluster = cluster
            page = http.server.ThreadingHTTPServer(("127.0.0.1", cluster.page_port), Page)
            threading.Thread(target=page.serve_forever, daemon=True).start()
            print(
                f"\n  gallery  http://localhost:{cluster.port}/\n  number   http://localhost:{cluster.port}/number?room=lobby\n"
                f"  servers  http://localhost:{cluster.page_port}/  which one has what, and a button that kills it\n", flush=True)
            cluster.serve()
        except Failure as failure:
            print(f"cluster: {failure}", file=sys.stderr)
            raise SystemExit(1) from None
        finally:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)  # once is enough
            cluster.end()


main()
