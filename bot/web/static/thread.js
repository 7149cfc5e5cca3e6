// The conversation: messages and cards in the order of time, each kept as one element for as long as it is there.

import { cardItem } from "./card.js";
import { $, ago, announce, h, rich } from "./dom.js";
import { t } from "./words.js";

const NEAR = 80; // px from the end that count as reading the newest

export class Thread {
  constructor(context) {
    this.context = context; // session, person, changed(), resend(pending)
    this.parts = new Map();
    this.first = true;
    $("items").replaceChildren();
  }

  show(conversation, pending) {
    const scroll = $("scroll");
    const low = this.first || scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < NEAR;
    const fresh = [];
    const wanted = [...conversation.items, ...pending];
    const keys = new Set(wanted.map((item) => item.key));
    for (const [key, part] of this.parts) {
      if (keys.has(key)) continue;
      part.element.remove();
      this.parts.delete(key);
    }
    let before = null;
    for (const item of wanted) {
      if (!this.parts.has(item.key)) fresh.push(item);
      before = this.place(item, before);
    }
    $("earlier").hidden = !conversation.earlier;
    $("earlier").textContent = t("earlier", { n: conversation.earlier });
    if (low) scroll.scrollTop = scroll.scrollHeight;
    else if (fresh.length) $("newer").hidden = false;
    if (!this.first) fresh.filter((item) => item.type === "card").forEach(say);
    this.first &&= !wanted.length; // on a narrow page the head grows with its title: an empty thread says nothing
  }

  place(item, before) {
    let part = this.parts.get(item.key);
    if (part) part.update(item);
    else {
      part = MAKERS[item.type](item, this.context);
      this.parts.set(item.key, part);
    }
    const next = before ? before.nextSibling : $("items").firstChild;
    if (next !== part.element) $("items").insertBefore(part.element, next);
    return part.element;
  }
}

function say(item) {
  announce(t("said_new", { title: item.card.notify || item.card.title }));
}

const SIGNS = { sending: "…", received: "·", waiting: "…", working: "◔", done: "✓", failed: "!" };

function messageItem(item, context) {
  const sign = h("span", { class: "sign" });
  const foot = h("p", { class: "refusal", role: "alert", hidden: true });
  const element = h(
    "li",
    { class: "item", data: { key: item.key } },
    h(
      "article",
      { class: "message", "aria-label": item.author },
      h("span", { class: "face", "aria-hidden": "true" }, [...item.author][0] ?? "?"),
      h(
        "div",
        { class: "said" },
        h("p", { class: "by" }, h("strong", { dir: "auto" }, item.author), " ", h("span", { class: "when" }, ago(item.ts), " "), sign),
        h("p", { class: "words", dir: "auto" }, ...rich(item.text)),
        foot,
      ),
    ),
  );

  function update(next) {
    if (sign.dataset.state === next.state && !next.why) return;
    sign.dataset.state = next.state;
    sign.replaceChildren(
      h("span", { "aria-hidden": "true" }, SIGNS[next.state] ?? "·"),
      h("span", { class: next.state === "waiting" || next.state === "failed" ? "" : "unseen" }, ` ${t(next.state)}`),
    );
    sign.title = t(next.state);
    foot.hidden = !next.why;
    if (!next.why) return;
    const again = h("button", { type: "button", class: "small", onclick: () => context.resend(next) }, t("again"));
    foot.replaceChildren(next.why, " ", ...(next.state === "failed" ? [again] : []));
  }

  update(item);
  return { element, update };
}

// What could not be done, said to the person who asked and to nobody else.
function noteItem(item) {
  const words = [h("span", { class: "quiet", dir: "auto" }, item.text), h("br"), ...rich(item.why)];
  const element = h("li", { class: "item", data: { key: item.key } }, h("p", { class: "note refusal", role: "alert" }, ...words));
  return { element, update: () => {} };
}

const MAKERS = { card: cardItem, message: messageItem, note: noteItem };
