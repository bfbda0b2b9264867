# SPDX-License-Identifier: Apache-2.0
"""A file of an older program is copied at the start, whatever ends the process meanwhile; nobody else may read it."""

import asyncio
import json
import pathlib
import sqlite3
import unittest

from case import ProcessCase
from servers import Server


def make_older(path, others):
    """Writes the tables of the version before from those of this one, and `others` records beside them."""
    new = sqlite3.connect(path)
    records = new.execute("SELECT id, version, key, data FROM record").fetchall()
    steps = new.execute("SELECT record, version, data FROM step ORDER BY id").fetchall()
    journal = new.execute("SELECT id, data FROM journal ORDER BY id").fetchall()
    lines = [(number, *line.split("\t")) for number, data in journal for line in data.split("\n") if line]
    new.close()
    path.unlink()
    old = sqlite3.connect(path)
    old.executescript("""
        PRAGMA journal_mode = WAL;
        CREATE TABLE musubi_migration (name TEXT PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID;
        INSERT INTO musubi_migration VALUES ('sessions'), ('steps'), ('strikes');
        CREATE TABLE room (key TEXT PRIMARY KEY NOT NULL, record TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE session (id TEXT PRIMARY KEY NOT NULL, record TEXT NOT NULL, taken INTEGER) STRICT, WITHOUT ROWID;
        CREATE TABLE room_step (key TEXT NOT NULL, number INTEGER NOT NULL, record TEXT NOT NULL,
          PRIMARY KEY (key, number)) STRICT, WITHOUT ROWID;
        CREATE TABLE strike (id INTEGER PRIMARY KEY NOT NULL, record TEXT NOT NULL) STRICT;
        CREATE TABLE aside_room (id INTEGER PRIMARY KEY NOT NULL, record TEXT NOT NULL) STRICT;
    """)
    taken = {}
    for record, version, key, data in records:
        mine = [json.loads(f"[{some}]") for owner, number, some in steps if (owner, number) == (record, version)]
        mine += [[json.loads(step)] for number, room, step in lines if room == key and number > version]
        mine = [step for some in mine for step in some]
        if key.startswith("["):
            whole = json.loads(data)
            for part in [whole, *mine]:
                for session, number in part.pop("taken", []):
                    taken[session] = max(number, taken.get(session, 0))
            old.execute("INSERT INTO room VALUES (?, ?)", (key, json.dumps(whole)))
            for number, step in enumerate(mine, 1):
                old.execute("INSERT INTO room_step VALUES (?, ?, ?)", (key, number, json.dumps(step)))
        else:
            old.execute("INSERT INTO session VALUES (?, ?, NULL)", (key, data))
    for session, number in taken.items():
        old.execute("UPDATE session SET taken = ? WHERE id = ?", (number, session))
    for number in range(others):
        key = json.dumps(["counter", f"other {number}", "room"], separators=(",", ":"))
        old.execute("INSERT INTO room VALUES (?, ?)", (key, json.dumps({"text": "x" * 1000})))
    old.commit()
    old.close()


class OlderStore(ProcessCase):
    async def test_a_kill_while_it_is_copied(self):
        server = await self.server(listener=Server.listening())
        page = await self.page(server, "counter", "old")
        for _ in range(3):
            page.input("tap")
        await page.until(lambda: not page.unconfirmed)
        await server.kill()
        path = pathlib.Path(server.data) / "sessions.sqlite"
        make_older(path, 20_000)
        path.chmod(0o644)
        path.parent.chmod(0o755)

        copy = path.with_name("sessions.sqlite.copy")
        for wait in (0, 0.05, 0.2):
            starting = asyncio.ensure_future(server.start())
            while not (copy.exists() or starting.done()):
                await asyncio.sleep(0.001)
            await asyncio.sleep(wait)
            await server.kill()
            with self.assertRaises(AssertionError):
                await starting
            self.assertTrue(copy.exists(), "it was killed on the way")
        await server.start()
        page.input("tap")
        await page.until(lambda: not page.unconfirmed and page.state["label"] == "4")

        self.assertEqual(page.starts, 1, self.explain(server))
        self.assertFalse(copy.exists())
        everything = list(path.parent.iterdir())
        folders = {file.name: file.stat().st_mode & 0o777 for file in everything if file.is_dir()}
        self.assertEqual(set(folders.values()), {0o700}, folders)
        modes = {file.name: file.stat().st_mode & 0o777 for file in everything if not file.is_dir()}
        self.assertEqual(path.parent.stat().st_mode & 0o777, 0o700)
        self.assertEqual(set(modes.values()), {0o600}, modes)
        self.assertLessEqual({"sessions.sqlite", "sessions.sqlite-wal", "sessions.sqlite-shm", "running"}, modes.keys())
        await server.kill()
        found = sqlite3.connect(path)
        self.addCleanup(found.close)
        self.assertEqual(found.execute("SELECT count(*) FROM record WHERE key LIKE '[%'").fetchone(), (20_001,))


if __name__ == "__main__":
    unittest.main()
