// SPDX-License-Identifier: Apache-2.0
import { applyEdit, difference } from "../../../Sources/BrowserClient/musubi/text/edit.js";
import { transform } from "../../../Sources/BrowserClient/musubi/text/transform.js";

/**
 * A small server of the number screen in memory, written from Wire.md: one room, sessions that resume, text that is
 * merged. `text` is what the field shows first, `rewrite` what its ViewModel makes of a typed text; `keep` bounds the log
 * of turns.
 */
export function createServer({
  rewrite = (text) => text, keep = 50, random = Math.random, hello = {}, text: initial = "0",
} = {}) {
  let count = 0;
  const fresh = () => `${(count += 1)}x${Math.floor(random() * 1e9).toString(36)}`;
  let epoch = fresh();
  const state = { label: initial, number: initial };
  const text = { value: initial, revision: 0 };
  let sequence = 0;
  let log = [];
  /** Where the page stood whose text the room has. */
  let origin;
  const sessions = new Map();
  /** Every input that took effect, in order: `session:input`. */
  const taken = [];

  const snapshot = () => ({
    snapshot: { ...state, "number.field": text.value },
    epoch,
    sequence,
    revisions: { number: text.revision },
  });

  /** Applies a step and remembers it for everybody else. */
  const step = (edit, author) => {
    text.value = applyEdit(text.value, edit);
    text.revision += 1;
    for (const session of sessions.values()) {
      if (session !== author) session.unseen.push({ revision: text.revision, edit });
    }
    return edit;
  };

  const set = (value) => {
    const patch = [];
    for (const name of ["label", "number"]) {
      if (state[name] === value) continue;
      state[name] = value;
      patch.push({ op: "replace", path: `/${name}`, value });
    }
    const rest = difference(text.value, value);
    return { patch, steps: rest.length ? [step(rest)] : [] };
  };

  const publish = (patch, steps, events) => {
    sequence += 1;
    const turn = { sequence };
    if (patch.length) turn.patch = patch;
    if (steps.length) turn.edits = { number: { revision: text.revision, steps } };
    if (events) turn.events = events;
    log = [...log, turn].slice(-keep);
    for (const { connection } of sessions.values()) connection?.deliver(turn);
  };

  const take = (session, frame) => {
    const { connection } = session;
    if (frame.input <= session.ack) return connection.deliver({ ack: session.ack });
    session.ack = frame.input;
    taken.push(`${session.id}:${frame.input}`);
    if (frame.name === "roll") {
      const { patch, steps } = set(String(1 + Math.floor(random() * 100)));
      connection.deliver({ ack: frame.input });
      return publish(patch, steps);
    }
    if (frame.name === "number" && frame.edits) {
      session.unseen = session.unseen.filter(({ revision }) => revision > frame.revision);
      let edit = frame.edits;
      for (const other of session.unseen) [edit, other.edit] = transform(edit, other.edit);
      const steps = [step(edit, session)];
      session.own.push([frame.input, text.revision]);
      connection.deliver({ ack: frame.input, revision: text.revision });
      const made = text.value ? set(rewrite(text.value)) : { patch: [], steps: [] };
      return publish(made.patch, [...steps, ...made.steps]);
    }
    connection.deliver({ error: { code: "unknown-input", message: `No input "${frame.name}".`, input: frame.input } });
    connection.deliver({ ack: frame.input });
  };

  /** The text of a page that returns after a restart; taken while nobody has touched the new one. */
  const handOver = (session, { name, value, position }) => {
    if (!position) return void (name === "number" && (session.told = (session.told ?? "") + value));
    const isTaken = session.told !== undefined && text.revision === 0;
    const isKnown = [epoch, origin?.[0]].includes(position[0]) && (origin?.[1] ?? Infinity) >= position[1];
    const isGivenUp = !isTaken && !isKnown && session.told !== undefined;
    if (isTaken) {
      origin = position;
      const { patch, steps } = set(session.told);
      if (steps.length) publish(patch, steps);
    }
    session.unseen = [];
    session.connection.deliver({ handedOver: isGivenUp ? ["number"] : [] });
    session.connection.deliver(snapshot());
  };

  const identityOf = ({ id, token, visitor }) => ({ protocol: 1, session: id, token, schema: "1", heartbeat: 20, visitor });

  const enter = (connection) => {
    const session = { id: fresh(), token: fresh(), ack: 0, own: [], unseen: [], visitor: connection.visitor, connection };
    sessions.set(session.id, session);
    connection.deliver({ hello: { ...identityOf(session), ...hello } });
    connection.deliver(snapshot());
    return session;
  };

  const resume = (connection, { session: id, token, position }) => {
    const session = sessions.get(id);
    if (!session || ![session.token, session.oldToken].includes(token)) {
      connection.deliver({ error: { code: "session-unknown", message: "gone" } });
      return enter(connection);
    }
    if (session.visitor !== connection.visitor) {
      connection.deliver({ error: { code: "visitor-changed", message: "another" } });
      return enter(connection);
    }
    session.connection?.end(4502, "The screen was opened elsewhere.");
    session.connection = connection;
    // The old token is good until the page has shown that it knows the new one.
    session.oldToken = token;
    session.token = fresh();
    const missed = log.filter((turn) => turn.sequence > position[1]);
    const isComplete = position[0] === epoch && missed.length === sequence - position[1];
    const own = session.own;
    const turns = isComplete ? missed.length : undefined;
    connection.deliver({ resumed: { session: id, token: session.token, ack: session.ack, turns, own, visitor: session.visitor } });
    for (const turn of isComplete ? missed : [snapshot()]) connection.deliver(turn);
    return session;
  };

  return {
    /** Who the next handshake's cookies name. */
    visitor: undefined,
    text,
    state,
    taken,
    sessions,
    /** Forgets all sessions, as a server without a store does when it starts again. */
    forget: () => sessions.clear(),
    /** Starts again without a store: sessions, the text and the stream's past are gone. */
    restart() {
      sessions.clear();
      epoch = fresh();
      log = [];
      sequence = 0;
      origin = undefined;
      Object.assign(state, { label: initial, number: initial });
      Object.assign(text, { value: initial, revision: 0 });
    },
    publish,
    connect(isResuming, deliver, end) {
      const connection = { deliver, end, visitor: this.visitor };
      let session = isResuming ? undefined : enter(connection);
      return {
        receive(frame) {
          if (frame.resume) return void (session = resume(connection, frame.resume));
          if (session) session.oldToken = undefined;
          if (frame.ping !== undefined) deliver({ pong: frame.ping });
          else if (frame.handOver && session?.connection === connection) handOver(session, frame.handOver);
          else if (session?.connection === connection) take(session, frame);
        },
        close() {
          if (session?.connection === connection) session.connection = undefined;
        },
      };
    },
  };
}
