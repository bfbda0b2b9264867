# SPDX-License-Identifier: Apache-2.0
"""Pictures on their way to the studio, in every engine: cut lines, a killed server, cancelling, a reload, and many at once."""

import base64

from files_test import picture
from harness import eventually, lost_network

# Nearly the most that the studio takes: a part of 4 MiB, and one more.
large = 4_900_000
state = "document.querySelector('.musubi-files > li')?.dataset.upload ?? null"
shown = "[...document.querySelectorAll('.pictures img')].map((picture) => picture.alt)"
are_painted = "[...document.querySelectorAll('.pictures img')].every((picture) => picture.naturalWidth > 0)"

# Files as a person chooses, drops or pastes them; a PNG may have bytes behind its end. Notes what the page asks from now on.
prepare = """
  const [base64] = arguments;
  const head = Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
  const make = ([name, size]) =>
    new File([head, Uint8Array.from({ length: size - head.length }, (_, place) => place % 251)], name,
      { type: "image/png", lastModified: 1_790_000_000_000 });
  window.give = (how, ...files) => {
    const data = new DataTransfer();
    for (const file of files) data.items.add(make(file));
    const element = document.querySelector(how === "choose" ? "#file" : "main");
    const options = { bubbles: true, cancelable: true };
    if (how === "choose") {
      element.files = data.files;
      element.dispatchEvent(new Event("change", options));
    } else {
      const event = how === "drop" ? new DragEvent("drop", options) : new ClipboardEvent("paste", options);
      // Not every engine lets a script say what is dropped or pasted.
      Object.defineProperty(event, how === "drop" ? "dataTransfer" : "clipboardData", { value: data });
      element.dispatchEvent(event);
    }
  };
  window.asked = [];
  const { open, setRequestHeader } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.open = function (method, ...rest) {
    window.asked.push([method]);
    return open.call(this, method, ...rest);
  };
  XMLHttpRequest.prototype.setRequestHeader = function (name, value) {
    if (name === "Upload-Offset") window.asked.at(-1).push(Number(value));
    return setRequestHeader.call(this, name, value);
  };"""


def contents(size: int) -> bytes:
    """The bytes of a picture that a page makes."""
    head = picture()
    return head + bytes(place % 251 for place in range(size - len(head)))


def lengths(case, folder: str) -> list[int]:
    """How long the files in a folder of the server are."""
    return [file.stat().st_size for file in (case._data / folder).rglob("*") if file.is_file()]


async def is_ready(visitor) -> None:
    """Waits until the page takes files, and gives it some from now on."""
    # At a press the control says which files the server takes; an event of a script opens no window.
    press = "document.querySelector('#file').dispatchEvent(new Event('click'))"
    await visitor.until(True, f"{press} && document.querySelector('#file').accept !== ''")
    await visitor.run(prepare, base64.b64encode(picture()).decode())


async def give(visitor, how: str, *files: tuple[str, int]) -> None:
    await visitor.run("give(...arguments)", how, *files)


async def offsets(visitor) -> list[int]:
    """Where each part began that the page has sent."""
    return [of[0] for method, *of in await visitor.run("return asked") if method == "PATCH"]


async def studio(case):
    """Two people; the first one's line can be cut."""
    case.allow(lost_network)
    server = await case.serve()
    proxy = await case.proxy(server)
    ann, bob = await case.visitors(proxy.url + "/studio", server.url + "/studio")
    await is_ready(ann)
    return server, proxy, ann, bob


async def is_half_sent(case, proxy, ann, name: str = "tea.png") -> None:
    """Sends a large picture, of which the server has a good part when this returns, and gets no more."""
    proxy.hold("up", after=2_000_000)
    await give(ann, "choose", (name, large))
    await eventually(lambda: proxy.is_holding_up and max(lengths(case, "uploads"), default=0) > 1_000_000)
    await ann.until("sending", state)


async def has_arrived(case, ann, bob, *names: str) -> None:
    """Waits until both see the pictures, each once; what comes behind them is the last one of all."""
    for one in (ann, bob):
        await one.until(list(names), shown)
        await one.until(True, are_painted)
    await ann.until(None, state)
    await is_ready(ann)
    await give(ann, "choose", ("last.png", 2_000))
    for one in (ann, bob):
        await one.until(["last.png", *names], shown)
    assert sorted(lengths(case, "studio")) == sorted([2_000, *[large] * len(names)])
    stored = [file.read_bytes() for file in (case._data / "studio").iterdir()]
    assert stored.count(contents(large)) == len(names), "bytes are missing, or twice there"


async def test_a_cut_line(case):
    """A picture whose line is cut in its middle goes on from there when the line is back, and hangs once."""
    _, proxy, ann, bob = await studio(case)
    await is_half_sent(case, proxy, ann)

    proxy.is_refusing = True
    proxy.cut()
    await ann.until("offline", state)
    await ann.photograph("upload-offline")
    assert await bob.run(f"return {shown}") == []
    proxy.is_refusing = False
    proxy.release()

    await ann.until(["tea.png"], shown)
    starts = await offsets(ann)
    assert starts[0] == 0 and min(starts[1:]) > 1_000_000, starts
    assert [method for method, *_ in await ann.run("return asked")].count("POST") == 1
    await has_arrived(case, ann, bob, "tea.png")


async def test_a_killed_server(case):
    """A picture whose server is killed in its middle goes on from there with the next one, and hangs once."""
    server, proxy, ann, bob = await studio(case)
    await is_half_sent(case, proxy, ann)

    await server.kill()
    proxy.cut()
    await ann.until("offline", state)
    await case.serve(port=server.port)
    proxy.release()

    await ann.until(["tea.png"], shown)
    starts = await offsets(ann)
    assert starts[0] == 0 and min(starts[1:]) > 1_000_000, starts
    assert [method for method, *_ in await ann.run("return asked")].count("POST") == 1
    await bob.is_live()
    await has_arrived(case, ann, bob, "tea.png")


async def test_cancelling(case):
    """A picture that is cancelled on its way, with a line or without one, never hangs; nothing of it stays on the page."""
    server, proxy, ann, bob = await studio(case)
    cancel = ".musubi-files > li button[id$='-cancel']"
    await is_half_sent(case, proxy, ann)
    await ann.until(True, "document.querySelector('.musubi-files progress').value > 0")

    await ann.click(cancel)
    await ann.counts(".musubi-files", 0)
    proxy.release()
    # The server forgets its bytes.
    await eventually(lambda: max(lengths(case, "uploads"), default=0) < 1_000_000)

    await is_half_sent(case, proxy, ann, "rice.png")
    proxy.is_refusing = True
    proxy.cut()
    await ann.until("offline", state)
    await ann.click(cancel)
    await ann.counts(".musubi-files", 0)
    proxy.is_refusing = False
    proxy.release()
    await ann.is_live()

    await has_arrived(case, ann, bob)
    await ann.reload()
    await ann.is_live()
    await ann.until(["last.png"], shown)
    await is_ready(ann)
    await ann.counts(".musubi-files", 0)


async def test_a_reload(case):
    """After a reload the page shows how far a picture has come, and asks for it; the same file goes on, and another one does not."""
    _, proxy, ann, bob = await studio(case)
    await is_half_sent(case, proxy, ann)

    # The part under way may end with the page; this one begins no other.
    await ann.run("XMLHttpRequest.prototype.send = () => {}")
    proxy.release()
    await ann.reload()
    await ann.is_live()
    await ann.until("choose", state)
    await ann.until(True, "document.querySelector('.musubi-files progress').value > 0.2")
    await ann.photograph("upload-choose")
    await is_ready(ann)
    await give(ann, "choose", ("tea.png", 3_000))
    await bob.until(["tea.png"], shown)
    await ann.until("choose", state)
    await ann.run("asked.length = 0")
    await give(ann, "choose", ("tea.png", large))

    for one in (ann, bob):
        await one.until(["tea.png", "tea.png"], shown)
    assert min(await offsets(ann)) > 1_000_000
    assert "POST" not in [method for method, *_ in await ann.run("return asked")]
    assert sorted(lengths(case, "studio")) == [3_000, large]
    await ann.counts(".musubi-files", 0)


async def test_many_at_once(case):
    """Pictures that are chosen together, dropped and pasted while others are on their way all hang, each once, in their order."""
    _, proxy, ann, bob = await studio(case)
    proxy.hold("up")
    await give(ann, "choose", ("one.png", 1_000), ("two.png", 2_000), ("three.png", 3_000))
    await give(ann, "drop", ("four.png", 4_000), ("five.png", 5_000))
    await give(ann, "paste", ("six.png", 6_000))
    await ann.counts(".musubi-files > li", 6)
    await ann.until("sending waiting waiting waiting waiting waiting",
                    "[...document.querySelectorAll('.musubi-files > li')].map((file) => file.dataset.upload).join(' ')")
    # The one that waits and is cancelled does not come.
    await ann.run("document.querySelectorAll('.musubi-files > li')[2].querySelector(\"button[id$='-cancel']\").click()")

    proxy.release()

    for one in (ann, bob):
        await one.until(["six.png", "five.png", "four.png", "two.png", "one.png"], shown)
        await one.until(True, are_painted)
    await ann.counts(".musubi-files", 0)
    assert sorted(lengths(case, "studio")) == [1_000, 2_000, 4_000, 5_000, 6_000]
