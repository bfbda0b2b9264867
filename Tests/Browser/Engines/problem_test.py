# SPDX-License-Identifier: Apache-2.0
"""What `musubi dev` has the open pages show, in each engine: what keeps newer sources from being served."""

import json

from webdriver import ESCAPE

build = {
    "kind": "build", "isRunning": True,
    "findings": [{"file": "Sources/Tea/TeaViewModel.swift", "line": 12, "message": "cannot find 'nobody' in scope"}],
}


def tell(folder, problem) -> None:
    """Writes it as `musubi dev` does: whole."""
    new = folder / "problem.new"
    new.write_text(json.dumps(problem))
    new.rename(folder / "problem.json")


async def shown(visitor) -> str:
    return await visitor.run("return document.getElementById('musubi-problem')?.innerText ?? ''")


async def test_a_problem(case):
    """It stands over the page as an alert, Escape hides it until there is another one, and it goes when all is right."""
    folder = case.folder()
    tell(folder, None)
    server = await case.serve("--dev", "--data", str(folder))
    (visitor,) = await case.visitors(server.url + "/number?room=problem")
    await visitor.counts("#musubi-problem", 0)

    tell(folder, build)
    await visitor.until("alert", "document.getElementById('musubi-problem')?.getAttribute('role')")
    text = await shown(visitor)
    for words in ("does not build", "program before", "Sources/Tea/TeaViewModel.swift:12", "cannot find 'nobody' in scope"):
        assert words in text, text
    # Nothing covers it, and all of it is in the window.
    assert await visitor.run("""
      const overlay = document.getElementById("musubi-problem");
      const { left, right, top, bottom, width } = overlay.getBoundingClientRect();
      const isOnTop = overlay.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
      return isOnTop && left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && width > innerWidth / 2;""")

    # Typing goes on below it.
    await visitor.write("#number", "42")
    await visitor.shows("[data-bind-text=label]", "042")
    await visitor.press(ESCAPE)
    await visitor.counts("#musubi-problem", 0)
    tell(folder, {**build, "findings": [{"message": "another one"}]})
    await visitor.until(True, "document.getElementById('musubi-problem')?.innerText.includes('another one') ?? false")
    await visitor.run("document.querySelector('#musubi-problem button').click()")
    await visitor.counts("#musubi-problem", 0)
    tell(folder, build)
    await visitor.counts("#musubi-problem", 1)
    tell(folder, None)
    await visitor.counts("#musubi-problem", 0)


async def test_over_a_dialog(case):
    """It can be read and reached by keyboard over an open dialog, in the page's language."""
    folder = case.folder()
    tell(folder, None)
    server = await case.serve("--dev", "--data", str(folder))
    (visitor,) = await case.visitors(server.url + "/number?room=dialog")
    await visitor.run("""
      document.documentElement.lang = "ja";
      document.body.append(Object.assign(document.createElement("dialog"), { textContent: "?" }));
      document.querySelector("dialog").show();""")
    tell(folder, build)
    await visitor.counts("#musubi-problem", 1)
    text = await shown(visitor)
    assert "ビルドできません" in text and "閉じる" in text, text
    await visitor.run("document.getElementById('musubi-problem').focus()")
    await visitor.until("musubi-problem", "document.activeElement.id")
    await visitor.press(ESCAPE)
    await visitor.counts("#musubi-problem", 0)
