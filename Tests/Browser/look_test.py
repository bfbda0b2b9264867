# SPDX-License-Identifier: Apache-2.0
"""How the pages look and handle: keyboard, motion, dark and light, phone and desktop."""

import re

from playwright.async_api import expect

from harness import everywhere, screenshots, shows_everything

desktop, phone = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
smallest = {"width": 320, "height": 568}

# Every visible text whose contrast with the colour behind it is below what WCAG 2.2 asks (AA). A canvas turns any
# notation of a colour into numbers; texts over pictures and gradients, and disabled ones, are not judged.
low_contrast = """() => {
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const channels = (color) => {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = color;
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data];
  };
  const luminance = ([r, g, b]) => [r, g, b]
    .map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.backgroundImage !== "none" && at !== document.body && at !== document.documentElement) return null;
      const color = channels(style.backgroundColor);
      if (color[3] === 255) return color;
    }
    return channels("canvas");
  };
  const found = [];
  for (const element of document.body.querySelectorAll("*")) {
    const own = [...element.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data.trim()).join("");
    const text = own || (element.matches("input") && element.value);
    const style = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    if (!text || box.width < 2 || style.visibility !== "visible" || element.matches(":disabled")) continue;
    // A layer of carets has the text of its field, to find their places.
    const ink = channels(style.color);
    if (ink[3] === 0 && element.closest("[aria-hidden=true]")) continue;
    const ground = behind(element);
    if (!ground) continue;
    const [high, low] = [luminance(ink), luminance(ground)].sort((a, b) => b - a);
    const ratio = (high + 0.05) / (low + 0.05);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    if (ratio < (isLarge ? 3 : 4.5)) found.push(`${ratio.toFixed(2)}: <${element.localName}> ${text.slice(0, 40)}`);
  }
  return found;
}"""


async def test_keyboard_only(case):
    """Everything can be reached and used by Tab, letters, Enter and Space, and the focus is seen."""
    server = await case.serve()
    page, observer = await case.number(server), await case.number(server)
    keyboard = page.page.keyboard

    async def tab_to(element):
        for _ in range(20):
            await keyboard.press("Tab")
            if await element.evaluate("element => element === document.activeElement"):
                break
        await expect(element).to_be_focused()
        ring = await element.evaluate("""element => {
          const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
          return (outlineStyle !== "none" && parseFloat(outlineWidth) > 0) || boxShadow !== "none";
        }""")
        assert ring, "the focused element shows no ring"

    await tab_to(page.field)
    await keyboard.press("Control+a")
    await keyboard.type("typed")
    await observer.shows("typed")
    await tab_to(page.button)
    await keyboard.press("Enter")
    await expect(observer.label).to_have_text(re.compile(r"^\d+$"))
    await page.retype("again")
    await observer.shows("again")
    await page.button.focus()
    await keyboard.press("Space")

    await expect(observer.label).to_have_text(re.compile(r"^\d+$"))


async def test_names_for_a_screen_reader(case):
    """The field and the button have names, the title says the screen, and a polite status line is there."""
    page = await case.number(await case.serve())

    tree = await page.page.locator("body").aria_snapshot()

    assert re.search(r'textbox "[^"]+"', tree), f"the field has no name:\n{tree}"
    assert re.search(r'button "[^"]+"', tree), f"the button has no name:\n{tree}"
    assert re.search(r'heading "[^"]+" \[level=1\]', tree), f"there is no first heading:\n{tree}"
    assert await page.page.title(), "the page has no title"
    assert await page.html.get_attribute("lang"), "the page does not say its language"
    await expect(page.status).to_have_count(1)
    live = await page.status.evaluate("e => [e.getAttribute('role'), e.getAttribute('aria-live')]")
    assert live in (["status", None], ["status", "polite"]), live


async def test_reduced_motion(case):
    """Who asks for less motion sees none: no transition and no animation takes visible time."""
    server = await case.serve()
    page = await case.number(server, reduced_motion="reduce")
    await page.button.click()

    for path in ("/number?room=test", "/"):
        await page.page.goto(server.url + path)
        moving = await page.page.evaluate("""() => {
          const longest = (list) => Math.max(...list.split(",").map((t) => parseFloat(t) * (/[^m]s$/.test(t) ? 1000 : 1)));
          return [...document.querySelectorAll("*")].flatMap((element) => [null, "::before", "::after"].map((part) => {
            const style = getComputedStyle(element, part);
            const moves = style.animationName !== "none" && longest(style.animationDuration) > 10;
            return moves || longest(style.transitionDuration) > 10 ? `${element.localName}${part ?? ""}` : "";
          })).filter(Boolean);
        }""")
        assert not moving, f"these move at {path}: {moving}"


async def test_the_gallery_leads_everywhere(case):
    """Every link of the gallery that stays on the server leads to a page, and one of them to the number screen."""
    server = await case.serve()
    index = await case.open(server.url + "/")

    links = await index.locator("a[href]").evaluate_all("links => links.map((a) => a.href)")
    own = sorted({link.split("#")[0] for link in links if link.startswith(server.url)})

    assert any("/number" in link for link in own), f"no link leads to the number screen: {links}"
    for link in own:
        answer = await index.request.get(link)
        assert answer.status == 200, f"{link} answers {answer.status}"


async def test_a_strict_policy(case):
    """Every page comes with a policy that allows its own scripts and styles only; then a silent console means something."""
    server = await case.serve()
    page = await case.open("about:blank")

    for path in ("/", "/number", "/number-alone", "/contents", "/contents/1", "/search", "/musubi.js", "/no-such-page"):
        answer = await page.request.get(server.url + path)
        policy = answer.headers.get("content-security-policy", "")
        assert re.search(r"default-src '(self|none)'", policy), f"{path} has the policy '{policy}'"
        assert policy.endswith("; trusted-types 'none'; require-trusted-types-for 'script'"), f"{path} has the policy '{policy}'"
        assert "unsafe" not in policy and "*" not in policy, f"{path} has the policy '{policy}'"
        assert answer.headers.get("x-content-type-options") == "nosniff", f"{path} may be sniffed"


async def photograph(case, scheme, size):
    """Photographs every page in one scheme and size, and measures things that a picture cannot show."""
    server = await case.serve()
    screenshots.mkdir(parents=True, exist_ok=True)
    page = await case.number(server, viewport=size, color_scheme=scheme, device_scale_factor=1)
    await page.retype("42")
    await page.shows("42")
    shown = ("contents", "segments", "search", "note", "greeting", "form")
    for name, path in (("number", None), ("gallery", "/"), *((name, f"/{name}") for name in shown)):
        if path:
            await page.page.goto(server.url + path)
            if name in shown:
                await page.is_live()
        await page.page.screenshot(path=screenshots / f"{name}-{size['width']}-{scheme}.png", full_page=True)
        width = await page.page.evaluate("document.documentElement.scrollWidth")
        assert width <= size["width"], f"{name} is {width} px wide in a window of {size['width']} px"
        poor = await page.page.evaluate(low_contrast)
        assert not poor, f"{name}, {scheme}: contrast is too low: {poor}"
        ground = await page.page.evaluate("getComputedStyle(document.documentElement).colorScheme")
        assert scheme in ground, f"{name} does not declare the colour scheme {scheme}, but {ground}"


async def test_light_on_a_desktop(case):
    """1280 px wide, light: photographed, readable."""
    await photograph(case, "light", desktop)


async def test_dark_on_a_desktop(case):
    """1280 px wide, dark: photographed, readable."""
    await photograph(case, "dark", desktop)


async def test_light_on_a_phone(case):
    """390 px wide, light: photographed, readable, nothing to scroll sideways."""
    await photograph(case, "light", phone)


async def test_dark_on_a_phone(case):
    """390 px wide, dark: photographed, readable, nothing to scroll sideways."""
    await photograph(case, "dark", phone)


async def test_targets_for_fingers(case):
    """On a phone the field and the button are at least 44 px high, and the field's text does not make it zoom."""
    page = await case.number(await case.serve(), viewport=phone, has_touch=True, is_mobile=True)

    for element in (page.field, page.button):
        box = await element.bounding_box()
        assert box["height"] >= 44, f"only {box['height']} px high"
    size = await page.field.evaluate("field => parseFloat(getComputedStyle(field).fontSize)")
    assert size >= 16, f"a field with a font of {size} px makes a phone zoom"


async def test_a_page_that_waits(case):
    """A page whose server is away says so, without a dialog, and is photographed."""
    case.allow(r"WebSocket connection to .* failed|net::ERR_")
    server = await case.serve()
    page = await case.number(server, viewport=phone)
    await server.kill()

    await page.is_away()
    await page.type_at_end("5")

    await expect(page.status).to_be_visible()
    await expect(page.status).to_have_text(re.compile(r"\w"))
    assert await page.page.locator("dialog[open], [role=alertdialog]").count() == 0
    screenshots.mkdir(parents=True, exist_ok=True)
    await page.page.screenshot(path=screenshots / "number-390-away.png", full_page=True)


# Every page at its narrowest: what sticks out of the window at its side.
sticks_out = """() => [...document.body.querySelectorAll("*")].filter((element) => {
  const { left, right, width } = element.getBoundingClientRect();
  return width > 1 && !element.closest(".unseen, svg") && (right > innerWidth + 0.5 || left < -0.5);
}).map((element) => `${element.localName}.${element.className} ${element.textContent.trim().slice(0, 20)}`)"""


async def test_the_narrowest_phones(case):
    """320 px wide, in both languages, connected or not: nothing sticks out, there is nothing to scroll sideways."""
    case.allow("status of 404")  # the page for addresses that lead nowhere
    server = await case.serve_contents(2)
    for locale in ("en", "ja"):
        page = await case.open("about:blank", locale=locale, viewport=smallest)
        for path in everywhere:
            await page.goto(server.url + path)
            await shows_everything(page)
            for link in ("live", "connecting", "resuming", "outdated"):
                await page.evaluate("link => { document.documentElement.dataset.link = link; }", link)
                assert not (out := await page.evaluate(sticks_out)), f"{path}, {locale}, {link}: {out}"
            assert await page.evaluate("document.documentElement.scrollWidth") <= smallest["width"], f"{path}, {locale}"
            await case.photograph(page, f"320-{locale}-{path.strip('/').replace('/', '-') or 'gallery'}".split("?")[0])


async def test_long_words(case):
    """A word of 300 letters, as anybody may post one, leaves each page as wide as the window and Delete where it was."""
    server = await case.serve_contents(0)
    word = "Donaudampfschifffahrt" * 14
    case.change_contents("INSERT INTO content (title, text, author, time) VALUES (?, ?, ?, 1)", (word[:200], word, word))

    for size in (phone, smallest):
        page = await case.live(server, "/contents", viewport=size)
        await page.locator("#text").fill(word)
        delete = page.locator(".row [data-on-click=delete]")
        await expect(page.locator(".row a")).to_have_text(word[:200])
        await case.photograph(page, f"long-word-{size['width']}")
        assert not (out := await page.evaluate(sticks_out)), f"{size}: {out}"
        hit = await delete.evaluate("""button => {
          button.scrollIntoView({ block: "center" });
          const { left, top, width, height } = button.getBoundingClientRect();
          return document.elementFromPoint(left + width / 2, top + height / 2).closest("button") === button;
        }""")
        assert hit, f"{size}: something covers Delete"
        await delete.click()
        await expect(page.locator("dialog[open]")).to_be_visible()
        assert not (out := await page.evaluate(sticks_out)), f"the dialog, {size}: {out}"

        # A page of its own: this one's history still goes back when a dialog has closed.
        page = await case.live(server, "/contents/1", viewport=size)
        await expect(page.locator("article h1")).to_have_text(word[:200])
        assert not (out := await page.evaluate(sticks_out)), f"an entry, {size}: {out}"
        page = await case.live(server, "/number?room=long", viewport=size)
        await page.locator("#number").fill(word)
        await expect(page.locator(".display")).to_have_text(word)
        assert not (out := await page.evaluate(sticks_out)), f"the number, {size}: {out}"


async def test_a_thousand_rows(case):
    """A list of 1,000 rows makes one format for its times, and lays out the rows that are near the window only."""
    server = await case.serve_contents(1000)
    page = await case.open("about:blank", viewport=phone)
    # Either costs more than making a row: a format for each time, a layout of each row.
    await page.add_init_script("""
      window.formats = 0;
      Intl.DateTimeFormat = new Proxy(Intl.DateTimeFormat, { construct: (...all) => ((formats += 1), Reflect.construct(...all)) });
      for (const name of ["toLocaleString", "toLocaleDateString", "toLocaleTimeString"]) {
        const own = Date.prototype[name];
        Date.prototype[name] = function (...all) { formats += 1; return own.apply(this, all); };
      }""")
    await page.goto(server.url + "/contents")
    await expect(page.locator(".row")).to_have_count(1000)
    await expect(page.locator("[data-cloak]")).to_have_count(0)

    assert await page.evaluate("formats") <= 2
    laid_out = await page.locator(".row a").evaluate_all(
        "links => links.filter((link) => link.checkVisibility({ contentVisibilityAuto: true })).length")
    assert 0 < laid_out < 100, f"{laid_out} rows are laid out"
    last = page.locator(".row").last
    await last.scroll_into_view_if_needed()
    await expect(last.locator("a")).to_be_in_viewport()
    await expect(last.locator("time")).to_have_text(re.compile(r"\d"))


# The words of a page: texts, the title, and the descriptions of pictures.
readings = """() => {
  const isSeen = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest("code");
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [document.title];
  while (texts.nextNode()) if (isSeen(texts.currentNode.parentElement)) found.push(texts.currentNode.data.trim());
  for (const element of document.querySelectorAll("[aria-label], [placeholder], [alt]")) {
    if (isSeen(element)) found.push(...["aria-label", "placeholder", "alt"].map((name) => element.getAttribute(name) ?? ""));
  }
  return found;
}"""


names = r"Musubi|English|Swift|ViewModel|JavaScript|SQLite|Wikipedia"


def english(texts: list[str]) -> list[str]:
    """Those of a Japanese page's texts that are English."""
    return [text for text in texts if re.search(r"[A-Za-z]{2}", re.sub(names, "", text)) and not re.search(r"[ぁ-ん一-龥]", text)]


async def test_japanese(case):
    """Who speaks Japanese finds no sentence and no word of English on any page, and all of it by the switch, too."""
    case.allow("status of 404")  # the page for addresses that lead nowhere
    server = await case.serve_contents(1)
    case.change_contents("UPDATE content SET title = ?, text = ?, author = '花子' WHERE id = 1", ("題名", "本文"))

    for locale in ("ja", "en"):
        page = await case.open(server.url + "/", locale=locale)
        if locale == "en":
            await page.locator("[data-speak=ja]").click()
        for path in everywhere:
            await page.goto(server.url + path)
            await shows_everything(page)
            await expect(page.locator("html")).to_have_attribute("lang", "ja")
            found = english(await page.evaluate(readings))
            assert found in ([], ["0 ms"]), f"{path}: {found}"
    await page.goto(server.url + "/segments")
    await page.locator("input[type=radio]").nth(1).check(force=True)
    await expect(page.locator("[data-bind-text=labelJa]")).to_have_text("二番目を選択しています")
    assert not (found := english(await page.evaluate(readings))), found
    await page.locator("[data-on-click=next]").click()
    await expect(page.locator("[data-bind-text=textJa]")).to_have_text("二番目のセグメントから来ました。")
    assert not (found := english(await page.evaluate(readings))), found


async def test_forced_colours(case):
    """In a visitor's own colours, a chosen or pressed control looks unlike the others, and main buttons have a border."""
    server = await case.serve_contents(1)
    page = await case.live(server, "/segments", forced_colors="active")

    async def look(element):
        return await element.evaluate("""element => {
          const { backgroundColor, color, borderTopColor, borderTopWidth, borderTopStyle } = getComputedStyle(element);
          return { ground: backgroundColor, ink: color, border: `${borderTopWidth} ${borderTopStyle}`, line: borderTopColor };
        }""")

    chosen, other = await look(page.locator("input:checked + span")), await look(page.locator("input:not(:checked) + span"))
    assert chosen["ground"] != other["ground"] and chosen["ink"] != other["ink"], (chosen, other)
    pressed, not_pressed = await look(page.locator("[aria-pressed=true]")), await look(page.locator("[aria-pressed=false]"))
    assert pressed["ground"] == chosen["ground"] != not_pressed["ground"], (pressed, not_pressed)
    for path in ("/segments", "/number", "/contents", "/form"):
        await page.goto(server.url + path)
        await shows_everything(page)
        await case.photograph(page, f"forced-colours-{path.strip('/')}")
        for button in await page.locator(".button").all():
            style = await look(button)
            assert style["border"] == "1px solid" and style["line"] != style["ground"], f"{path}: {style}"


async def test_the_status_line_covers_no_control(case):
    """On small phones the line that tells what waits leaves the slider of a slow network free, and whatever gets the focus."""
    server = await case.serve()
    covered = """element => {
      const [own, line] = [element, document.querySelector("[role=status]")].map((each) => each.getBoundingClientRect());
      return line.height > 0 && own.bottom > line.top && own.top < line.bottom && own.right > line.left && own.left < line.right;
    }"""
    for size in (smallest, {"width": 360, "height": 640}, phone):
        page = await case.live(server, "/note?latency=1&room=small", viewport=size)
        slider = page.locator("#delay")
        await slider.fill("3000")
        await page.locator("#text").focus()
        await page.evaluate("scrollTo(0, 0)")
        await page.keyboard.type("slow")
        await expect(page.locator("[role=status]")).to_have_text(re.compile(r"\w"))
        await page.evaluate("scrollTo(0, 0)")
        await case.photograph(page, f"note-latency-{size['width']}")
        assert not await slider.evaluate(covered), f"{size}: the slider is covered"
        assert await page.evaluate("""() => getComputedStyle(document.querySelector("[role=status]")).pointerEvents""") == "none"
    page = await case.live(server, "/form", viewport=smallest)
    await page.evaluate("""() => { document.querySelector("[role=status]").textContent = "Something that waits for the server."; }""")
    focused = page.locator(":focus")
    await page.keyboard.press("Tab")
    while await focused.count():
        await page.keyboard.press("Tab")
        assert not await focused.count() or not await focused.evaluate(covered), await focused.evaluate("element => element.outerHTML")
