// Messages on their way: on the screen at once, sent again with the same name when the line was lost, gone when the server shows its own.

import { newRef, send } from "./api.js";
import { t } from "./words.js";

export class Outgoing {
  // `ensure()` resolves with the session, begun if need be; `show()` draws; `sent(error, session)` hears how it went.
  constructor(person, { ensure, show, sent }) {
    this.person = person;
    this.items = [];
    Object.assign(this, { ensure, show, sent });
  }

  of(session) {
    return this.items.filter((item) => item.session === session);
  }

  // What was written before there was a session belongs to the one that begins now.
  adopt(session) {
    for (const item of this.items) item.session ||= session;
  }

  say(session, text, shown) {
    const ref = newRef();
    const before = new Set(shown.map((item) => item.key));
    const { person } = this;
    return this.deliver({ type: "message", key: ref, ref, before, session, author: person, text, ts: Date.now(), state: "sending" });
  }

  async deliver(waiting) {
    const item = { ...waiting, state: "sending", why: "" };
    this.items = [...this.items.filter((other) => other.ref !== item.ref), item];
    this.show();
    try {
      item.session = await this.ensure();
      const answer = await send({ kind: "say", session: item.session, text: item.text, ref: item.ref });
      if (answer.ok) this.settle(item, { state: "received", sent: performance.now() });
      else this.settle(item, { type: "note", key: `note-${item.ref}`, why: answer.text || t("went_wrong", { code: answer.code }) });
      this.sent(null, item.session);
    } catch (trouble) {
      this.settle(item, { state: "failed", why: t("went_wrong", { code: trouble.code ?? trouble.message }) });
      this.sent(trouble, item.session);
    }
  }

  // Of a message that was refused the reason stays, for this page only, whether the server shows the message or not.
  settle(item, change) {
    const settled = { ...item, ...change };
    const waits = this.items.some((other) => other.ref === item.ref);
    if (waits) this.items = this.items.map((other) => (other.ref === item.ref ? settled : other));
    else if (settled.type === "note") this.items = [...this.items, settled];
    this.show();
  }

  // `items` are the server's, asked for at `asked`: what is among them needs no answer to its sending any more.
  seen(session, items, asked) {
    const taken = new Set();
    this.items = this.items.filter((item) => {
      if (item.session !== session || item.type === "note") return true;
      const shown = items.find((m) => m.type === "message" && m.text === item.text && !item.before.has(m.key) && !taken.has(m.key));
      if (shown) taken.add(shown.key);
      return !shown && !(item.sent && item.sent < asked);
    });
  }
}
