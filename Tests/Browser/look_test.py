# SPDX-License-Identifier: Apache-2.0
"""How the pages look and handle: keyboard, motion, dark and light, phone and desktop."""

import re

from playwright.async_api import expect

from harness import screenshots

desktop, phone = {"width": 1280, "height": 800}, {"width": 390, "height": 844}

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
    const ground = behind(element);
    if (!ground) continue;
    const [high, low] = [luminance(channels(style.color)), luminance(ground)].sort((a, b) => b - a);
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
        assert "unsafe" not in policy and "*" not in policy, f"{path} has the policy '{policy}'"
        assert answer.headers.get("x-content-type-options") == "nosniff", f"{path} may be sniffed"


async def photograph(case, scheme, size):
    """Photographs every page in one scheme and size, and measures what a picture cannot show."""
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
