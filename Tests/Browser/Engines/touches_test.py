# SPDX-License-Identifier: Apache-2.0
"""Cards of a board of 5,000 that a finger puts elsewhere, in every engine: the page has some dozens of them."""

from board_test import column, counts, titles

card = f"[...{column}.querySelectorAll('.board-card')].find((card) => card.querySelector('input').value === arguments[1])"
grip = f"{card}.querySelector('[data-handle]')"
# The titles beside a card's, in the order of the page.
around = f"""(() => {{ const all = {titles}; const place = all.indexOf(arguments[1]);
    return place < 0 ? null : [all[place - 1] ?? null, all[place + 1] ?? null]; }})()"""


async def full_board(case, room: str):
    """Two people in front of 5,000 cards, all in the first column."""
    server = await case.serve()
    visitors = await case.visitors(*[f"{server.url}/board?room={room}"] * 2)
    await visitors[0].click("[data-on-click=fill]")
    for visitor in visitors:
        await visitor.until(["5000", "0", "0"], counts)
        await visitor.until(True, f"{titles}.length > 10", "todo")
    return visitors


async def box(visitor, script: str, *arguments) -> tuple[float, float, float, float]:
    """An element's middle, and its upper and lower edge, in the window."""
    return tuple(await visitor.run(f"""
        const {{ left, top, width, height }} = {script}.getBoundingClientRect();
        return [left + width / 2, top + height / 2, top, top + height];""", *arguments))


async def drag(visitor, title: str, to: tuple[float, float], where: str = "todo") -> None:
    """A finger takes a card by its handle, and lets it go elsewhere."""
    x, y, _, _ = await box(visitor, grip, where, title)
    way = [("move", x + (to[0] - x) * part / 4, y + (to[1] - y) * part / 4) for part in range(1, 5)]
    await visitor.pointer(("move", x, y), "down", *way, "up", kind="touch")


async def see(visitor, title: str) -> None:
    """Scrolls the first column to the middle, until a card there is in view."""
    await visitor.run(f"{column}.scrollTop = {column}.scrollHeight / 2", "todo")
    await visitor.until(True, f"!!{card}", "todo", title)
    await visitor.run(f"{card}.scrollIntoView({{ block: 'center', behavior: 'instant' }})", "todo", title)
    await visitor.run("document.querySelector('.board').scrollIntoView({ block: 'end', behavior: 'instant' })")
    # The page asks for the rows around it.
    await visitor.until(True, f"{around}?.every(Boolean)", "todo", title)


async def test_within_a_long_list(case):
    """In the middle of 5,000 cards a finger puts one before another, for everybody; neither page nor list scrolls by it."""
    first, second = await full_board(case, "within")
    for visitor in (first, second):
        await see(visitor, "Card 2500")
    places = "[scrollY, document.querySelector('.board-cards').scrollTop]"
    before = await first.run(f"return {places}")
    await first.run("""
        window.pointers = [];
        addEventListener("pointerdown", ({ pointerType }) => window.pointers.push(pointerType), true);""")

    x, _, top, _ = await box(first, card, "todo", "Card 2498")
    await drag(first, "Card 2500", (x, top + 2))

    for visitor in (first, second):
        await visitor.until(["Card 2497", "Card 2498"], around, "todo", "Card 2500")
        await visitor.until(["5000", "0", "0"], counts)
    await first.until(["touch"], "window.pointers")
    await first.until(0, "document.querySelectorAll('[data-moving]').length")
    after = await first.run(f"return {places}")
    assert all(abs(one - other) <= 2 for one, other in zip(before, after)), (before, after)
    # And down again, over the two that it passed.
    x, _, _, bottom = await box(first, card, "todo", "Card 2501")
    await drag(first, "Card 2500", (x, bottom - 2))
    for visitor in (first, second):
        await visitor.until(["Card 2501", "Card 2502"], around, "todo", "Card 2500")


async def test_between_parts(case):
    """A finger puts cards from the middle of one part into an empty one, between two there, and back; all parts count them."""
    first, second = await full_board(case, "parts")
    await see(first, "Card 2500")
    x, y, _, _ = await box(first, column, "doing")
    await drag(first, "Card 2500", (x, y))
    for visitor in (first, second):
        await visitor.until(["Card 2500"], titles, "doing")
        await visitor.until(["4999", "1", "0"], counts)
    await first.until(["Card 2499", "Card 2501"], f"[{titles}.find((title) => title === 'Card 2499'), "
                      f"{titles}[{titles}.indexOf('Card 2499') + 1]]", "todo")

    _, _, _, bottom = await box(first, card, "doing", "Card 2500")
    await drag(first, "Card 2501", (x, bottom - 2))
    for visitor in (first, second):
        await visitor.until(["Card 2500", "Card 2501"], titles, "doing")
    _, _, top, _ = await box(first, card, "doing", "Card 2501")
    await drag(first, "Card 2499", (x, top + 2))
    for visitor in (first, second):
        await visitor.until(["Card 2500", "Card 2499", "Card 2501"], titles, "doing")
        await visitor.until(["4997", "3", "0"], counts)
    await first.photograph("touches-board")

    # Back into the long part; it makes way for the card, so that the place is one beside the card at which the finger is.
    x, y, _, _ = await box(first, card, "todo", "Card 2503")
    await drag(first, "Card 2499", (x, y), where="doing")
    for visitor in (first, second):
        await visitor.until(["Card 2500", "Card 2501"], titles, "doing")
        await visitor.until(["4998", "2", "0"], counts)
    await first.until(0, "document.querySelectorAll('[data-moving]').length")
    beside = await first.run(f"return {around}", "todo", "Card 2499")
    assert set(beside) & {"Card 2503"} or beside == ["Card 2498", "Card 2502"], beside
    await see(second, "Card 2499")
    await second.until(beside, around, "todo", "Card 2499")


async def rest_at_edge(visitor, title: str, edge: float, condition: str, *arguments) -> None:
    """Takes a card to a height in its list, rests there until a condition holds, and lets it go in the middle."""
    x, y, _, _ = await box(visitor, grip, "todo", title)
    _, middle, _, _ = await box(visitor, column, "todo")
    await visitor.pointer(("move", x, y), "down", ("move", x, (y + edge) / 2), ("move", x, edge), kind="touch")
    # A list scrolls by frames, of which WebKit paints few without a graphics card.
    await visitor.until(True, condition, *arguments)
    await visitor.pointer(("move", x, middle), ("wait", 100), ("move", x, middle + 1), "up", kind="touch")
    await visitor.until(0, "document.querySelectorAll('[data-moving]').length")


async def test_far_down(case):
    """A finger that rests at an edge scrolls the list, and carries a card further than the page has rows; Escape puts it back."""
    first, second = await full_board(case, "far")
    await first.run("document.querySelector('.board').scrollIntoView({ block: 'end', behavior: 'instant' })")
    _, _, top, bottom = await box(first, column, "todo")

    # The page has 39 rows at first, and lets go of the upper ones some screens further down.
    await rest_at_edge(first, "Card 1", bottom - 10, f"!{titles}.includes(arguments[1])", "todo", "Card 30")
    await first.until(True, f"{around}?.every(Boolean)", "todo", "Card 1")
    beside = await first.run(f"return {around}", "todo", "Card 1")
    upper, lower = (int(name.removeprefix("Card ")) for name in beside)
    assert lower == upper + 1 and upper > 30, beside
    for visitor in (first, second):
        await visitor.until(["5000", "0", "0"], counts)
    await see(second, "Card 2500")
    await second.run(f"{column}.scrollTop = {column}.scrollHeight * {upper - 3} / 5000", "todo")
    await second.until(beside, around, "todo", "Card 1")

    # On the way up somebody thinks better of it, when the place of the card is no longer on the page. The rows above it go
    # later, one or several at a time.
    title = f"Card {lower + 1}"
    await first.run(f"""
        const all = arguments;
        const look = () => {{
          if (!((...arguments) => {titles}.includes(arguments[1]))(...all)) {{
            window.hasEscaped = true;
            document.body.dispatchEvent(new KeyboardEvent("keydown", {{ key: "Escape", bubbles: true }}));
          }} else requestAnimationFrame(look);
        }};
        look();""", "todo", f"Card {lower - 3}")
    await rest_at_edge(first, title, top + 10, "!!window.hasEscaped")
    await first.until(False, f"{titles}.includes(arguments[1])", "todo", title)
    await first.run(f"{column}.scrollTop = {column}.scrollHeight * {upper - 3} / 5000", "todo")
    await first.until([beside[1], f"Card {lower + 2}"], around, "todo", title)
    await first.until(beside, around, "todo", "Card 1")
