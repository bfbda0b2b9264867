// SPDX-License-Identifier: Apache-2.0

/** The operations from one state to the next; rows by id, not with the fewest moves. */
export function diff(before, after, path = "") {
  if (Array.isArray(before) && Array.isArray(after) && [...before, ...after].every((row) => row?.id !== undefined)) {
    const operations = [];
    const rows = [...before];
    for (let index = rows.length - 1; index >= 0; index -= 1) {
      if (after.some(({ id }) => id === rows[index].id)) continue;
      rows.splice(index, 1);
      operations.push({ op: "remove", path: `${path}/${index}` });
    }
    after.forEach((row, index) => {
      const from = rows.findIndex(({ id }) => id === row.id);
      if (from < 0) operations.push({ op: "add", path: `${path}/${index}`, value: row });
      else if (from !== index) operations.push({ op: "move", from: `${path}/${from}`, path: `${path}/${index}` });
      const old = from < 0 ? row : rows.splice(from, 1)[0];
      rows.splice(index, 0, row);
      operations.push(...diff(old, row, `${path}/${index}`));
    });
    return operations;
  }
  if (![before, after].every((value) => value && typeof value === "object" && !Array.isArray(value))) {
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ op: "replace", path, value: after }];
  }
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) => {
    if (!(key in after)) return [{ op: "remove", path: `${path}/${key}` }];
    return key in before ? diff(before[key], after[key], `${path}/${key}`) : [{ op: "add", path: `${path}/${key}`, value: after[key] }];
  });
}

/** Screens in plain JavaScript: `state()` is shown, `take(input, stack)` is what an input does. Everybody shares `model`. */
export function createScreens() {
  const model = {
    contents: [
      { id: "2", title: "Two ends, one knot", text: "What is tied here stays in step.", author: "Aoi", time: "2026-11-20T18:12:00Z" },
      { id: "1", title: "はじめまして", text: "ここに書いたことは、すぐにみんなに届きます。", author: "健", time: "2026-11-20T09:40:00Z" },
    ],
    next: 3,
  };
  const articles = ["Knot", "Kimono", "Kyoto", "結び目", "着物"].map((title, index) => ({
    id: String(index),
    title,
    snippet: `A few words about ${title}, as an article would have them.`,
    link: `https://en.wikipedia.org/wiki/${encodeURIComponent(title)}`,
  }));
  const screens = {
    contents() {
      let [title, text, error] = ["", "", ""];
      return {
        state: () => ({ title, inputText: text, error, contents: model.contents }),
        take({ name, value, row }, stack) {
          if (name === "title") title = value;
          if (name === "inputText") text = value;
          if (name === "tapButton") {
            error = title === "fail" ? "The disk is full. Nothing was lost; try again." : "";
            if (error) return;
            model.contents = [{ id: String(model.next++), title: title || "…", text, author: "You", time: "2026-11-21T15:00:00Z" }, ...model.contents];
            [title, text] = ["", ""];
          }
          const entry = model.contents.find(({ id }) => id === row);
          if (name === "open") stack.push("content", `/contents/${row}`, row);
          if (name === "delete" && entry) stack.ask("askDelete", { id: row, title: entry.title });
          if (name === "confirmDelete") {
            model.contents = model.contents.filter(({ id }) => id !== row);
            stack.event("deleted", entry?.title);
          }
        },
      };
    },
    content: (id) => ({ state: () => model.contents.find((entry) => entry.id === id) ?? {}, take() {} }),
    segments() {
      let segment = 0;
      return {
        state: () => ({ segment, label: `${segment ? "second" : "first"} segment selected` }),
        take({ name, value }, stack) {
          if (name === "segment") segment = value;
          if (name === "next") stack.push("greeting", "/greeting", "Hello from the first page");
        },
      };
    },
    greeting: (text) => ({ state: () => ({ text: text ?? "Nobody handed a text over." }), take() {} }),
    search() {
      let word = "";
      return {
        state: () => ({ searching: false, error: word === "fail" ? "offline" : "", items: word ? articles.filter(({ title }) => title.includes(word)) : [] }),
        take: ({ value }) => (word = value),
      };
    },
  };
  return { model, screens };
}

/** A server of such screens, written from Wire.md: sessions with a stack of screens and dialogs, that resume. */
export function createScreenServer({ model, screens } = createScreens()) {
  let count = 0;
  const sessions = new Map();
  const publishAll = () => {
    for (const session of sessions.values()) for (const screen of session.stack) publish(session, screen);
  };
  const place = ({ number }) => (number ? { screen: number } : {});
  const publish = (session, screen) => {
    const state = JSON.parse(JSON.stringify(screen.model.state()));
    const patch = diff(screen.state, state);
    const events = screen.events.splice(0);
    if (!patch.length && !events.length) return;
    screen.state = state;
    screen.sequence += 1;
    session.connection?.deliver({ sequence: screen.sequence, ...(patch.length && { patch }), ...(events.length && { events }), ...place(screen) });
  };
  const snapshot = (session, screen) => {
    const { state, epoch, sequence } = screen;
    session.connection?.deliver({ snapshot: state, epoch, sequence, revisions: {}, ...place(screen) });
  };
  const tell = (session) => {
    const screens = session.stack.map(({ number, name, path, dialog }) => ({ screen: number, name, path, ...(dialog && { dialog }) }));
    session.connection?.deliver({ screens });
  };
  const open = (session, name, path, argument) => {
    const model = screens[name](argument);
    const screen = { number: session.next++, name, path, model, state: JSON.parse(JSON.stringify(model.state())), epoch: `e${(count += 1)}`, sequence: 0, events: [] };
    session.stack.push(screen);
    return screen;
  };
  const take = (session, frame) => {
    if (frame.input <= session.ack) return session.connection.deliver({ ack: session.ack });
    session.ack = frame.input;
    session.taken.push(frame);
    const screen = session.stack.find(({ number }) => number === (frame.screen ?? 0));
    if (frame.back) {
      session.stack = session.stack.filter(({ number }) => number < frame.back);
      tell(session);
    } else if (frame.dismiss !== undefined) {
      if (screen?.dialog?.name === frame.dismiss) {
        screen.dialog = undefined;
        tell(session);
      }
    } else {
      screen?.model.take(frame, {
        push(name, path, argument) {
          const opened = open(session, name, path, argument);
          tell(session);
          snapshot(session, opened);
        },
        pop() {
          session.stack.pop();
          tell(session);
        },
        ask(name, value) {
          screen.dialog = { name, value };
          tell(session);
        },
        event: (name, value) => screen.events.push({ name, value }),
      });
    }
    session.connection?.deliver({ ack: frame.input });
    publishAll();
  };
  return {
    model,
    sessions,
    publishAll,
    connect({ name, path, isResuming }, deliver, end) {
      const connection = { deliver, end };
      let session;
      const enter = () => {
        const id = `s${(count += 1)}`;
        session = { id, token: `t${count}`, ack: 0, next: 0, stack: [], taken: [], connection };
        sessions.set(id, session);
        deliver({ hello: { protocol: 1, session: id, token: session.token, schema: name, heartbeat: 20 } });
        const argument = name === "content" ? path?.split("/").pop() : undefined;
        if (argument && !model.contents.some((entry) => entry.id === argument)) {
          deliver({ error: { code: "not-found", message: `There is nothing at ${path}.` } });
          return end(4504, `There is nothing at ${path}.`);
        }
        snapshot(session, open(session, name, path ?? `/${name}`, argument));
      };
      if (!isResuming) enter();
      return {
        receive(frame) {
          if (frame.ping !== undefined) return deliver({ pong: frame.ping });
          if (!frame.resume) return session && take(session, frame);
          session = sessions.get(frame.resume.session);
          if (!session) {
            deliver({ error: { code: "session-unknown", message: "gone" } });
            return enter();
          }
          session.connection?.end(4502, "Opened elsewhere.");
          session.connection = connection;
          deliver({ resumed: { session: session.id, token: session.token, ack: session.ack, schema: name } });
          if (session.stack.length > 1 || session.stack[0].dialog) tell(session);
          for (const screen of session.stack) snapshot(session, screen);
        },
        close() {
          if (session?.connection === connection) session.connection = undefined;
        },
      };
    },
  };
}
