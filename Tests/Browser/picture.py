# SPDX-License-Identifier: Apache-2.0
"""Makes the README's animated picture: the front page's two windows over a slow and a cut line, and a server that is killed.

Usage: picture.py FILE.webp (by deploy/picture)
"""

import asyncio
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

from playwright.async_api import async_playwright, expect

from processes import gallery_server

tick = 0.1  # seconds between two frames


class Film:
    """What a part of a page shows, from one tick to the next."""

    def __init__(self, page, clip: dict, folder: pathlib.Path):
        self.page, self.clip, self.folder = page, clip, folder
        self.frames: list[tuple[pathlib.Path, int]] = []  # a picture, and how many ticks it stands

    async def roll(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while (now := loop.time()) < end:
            await self.shoot()
            await asyncio.sleep(max(0, tick - (loop.time() - now)))

    async def shoot(self) -> None:
        file = self.folder / f"{len(self.frames):04}.png"
        await self.page.screenshot(path=file, clip=self.clip, animations="allow", caret="initial")
        if self.frames and self.frames[-1][0].read_bytes() == file.read_bytes():
            self.frames[-1] = (self.frames[-1][0], self.frames[-1][1] + 1)
        else:
            self.frames.append((file, 1))

    async def type(self, pane: int, text: str) -> None:
        area = self.page.frame_locator("iframe").nth(pane).locator("textarea")
        await area.evaluate("(area) => { area.focus(); area.setSelectionRange(area.value.length, area.value.length); }")
        for character in text:
            await self.page.keyboard.type(character)
            await self.shoot()

    def write(self, file: str) -> None:
        pictures = [argument for path, ticks in self.frames for argument in ("-d", str(int(1000 * tick * ticks)), str(path))]
        subprocess.run(["img2webp", "-loop", "0", "-lossy", "-q", "70", "-m", "6", *pictures, "-o", file], check=True)


async def play(page, film: Film, server) -> None:
    """The story: write in both windows, over a slow line, over none, and without a server."""
    same = page.locator("#same")
    await film.roll(0.8)
    await film.type(0, "Both write, ")
    await film.type(1, "at once. ")
    await page.locator("#delay").fill("700")
    await film.type(0, "A slow line ")
    await film.type(1, "delays, ")
    await expect(same).to_have_class("same is-yes")
    await film.roll(0.6)
    await page.locator("#delay").fill("0")
    await page.locator("#cut").click()
    await film.type(1, "a cut one keeps, ")
    await film.type(0, "nothing is lost. ")
    await film.roll(0.6)
    await page.locator("#cut").click()
    await expect(same).to_have_class("same is-yes")
    await film.roll(1.2)
    await page.locator("#kill").click()
    assert await server.ended() == -signal.SIGKILL
    await film.type(0, "Even now. ")
    again = await gallery_server(*server.command[6:], port=server.port).start()
    try:
        await film.roll(1)
        await expect(same).to_have_class("same is-yes", timeout=30_000)
        await film.roll(2.5)
    finally:
        await again.stop()


async def main(file: str) -> None:
    with tempfile.TemporaryDirectory(prefix="musubi-") as folder:
        options = ("--data", f"{folder}/data", "--demo", "--max-restart-wait", "0")
        server = await gallery_server(*options).start()
        try:
            async with async_playwright() as playwright:
                browser = await playwright.chromium.launch(executable_path=os.environ.get("MUSUBI_CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"])
                page = await browser.new_page(viewport={"width": 960, "height": 800}, color_scheme="light", locale="en")
                await page.goto(server.url + "/")
                await expect(page.locator("#same")).to_have_class("same is-yes")
                await expect(page.locator("#kill")).to_be_visible()
                film = Film(page, await page.locator(".stage").bounding_box(), pathlib.Path(folder))
                await play(page, film, server)
                film.write(file)
                await browser.close()
        finally:
            await server.stop()


asyncio.run(main(sys.argv[1]))
