// One card: what it says, its buttons, and what came of pressing them. Made anew when it changes; its output stays.

import { send } from "./api.js";
import { askText, editPlan, showArtifact } from "./dialogs.js";
import { ago, clock, h, redraw, rich } from "./dom.js";
import { outputBox } from "./output.js";
import { t } from "./words.js";

const WAIT_MS = 2_500; // the card usually changes long before; after this its buttons may be pressed again

export function cardItem(item, context) {
  const body = h("div", { class: "card-body" });
  const refusal = h("p", { class: "refusal", role: "alert", hidden: true });
  const output = outputBox(context.session);
  const article = h("article", { class: "card", tabindex: -1 }, body, output.element, refusal);
  const element = h("li", { class: "item", data: { key: item.key } }, article);
  const part = { element, update, revision: 0, shown: "" };

  function update(next) {
    const print = JSON.stringify([next.revision, next.card]);
    if (print === part.shown) return;
    part.shown = print;
    part.revision = next.revision;
    const { card } = next;
    article.dataset.tone = card.tone;
    article.dataset.kind = card.kind;
    article.setAttribute("aria-label", card.title);
    article.removeAttribute("aria-busy");
    if (part.pressed !== next.revision) refusal.hidden = true;
    const focused = body.contains(document.activeElement);
    redraw(body, cardBody(next, press));
    if (focused && !body.contains(document.activeElement)) article.focus({ preventScroll: true });
    output.show(card.kind === "progress", card.buttons.some((button) => button.action === "stop"));
  }

  async function press(button, card) {
    refusal.hidden = true;
    try {
      const why = await act(button, card, context, busy);
      refuse(why);
    } catch (trouble) {
      refuse(t("went_wrong", { code: trouble.code ?? trouble.message }));
    }
  }

  function refuse(why) {
    refusal.textContent = why ?? "";
    refusal.hidden = !why;
    if (why) {
      part.pressed = part.revision;
      busy(false);
    }
  }

  function busy(on) {
    article.toggleAttribute("aria-busy", on);
    for (const button of body.querySelectorAll(".buttons button")) button.disabled = on;
    if (on) setTimeout(() => article.hasAttribute("aria-busy") && busy(false), WAIT_MS);
  }

  update(item);
  return part;
}

function cardBody(item, press) {
  const { card } = item;
  return [
    h(
      "header",
      {},
      h("h3", { dir: "auto" }, ...rich(card.title)),
      h("span", { class: "when" }, ago(item.ts), item.revision > 1 ? ` · ${t("edited")}` : ""),
    ),
    card.lines.length ? h("ul", { class: "lines" }, ...card.lines.map(cardLine)) : null,
    card.progress === null || card.progress === undefined ? null : meter(card),
    card.buttons.length ? h("div", { class: "buttons" }, ...card.buttons.map((b, i) => cardButton(b, i, card, press))) : null,
  ].filter(Boolean);
}

function meter(card) {
  return h("div", { class: "meter" }, h("progress", { max: 100, value: card.progress, "aria-label": card.title }), `${card.progress} %`);
}

function cardLine(line) {
  const time = line.ts ? [" ", clock(line.ts)] : [];
  if (line.style === "code") return h("li", { class: "code" }, h("pre", { tabindex: 0 }, line.text), line.mark || null, ...time);
  const mark = line.mark ? h("span", { class: line.mark.length > 2 ? "mark word" : "mark" }, line.mark) : null;
  return h("li", { class: line.style || "text" }, mark, h("span", { class: "words", dir: "auto" }, ...rich(line.text), ...time));
}

function cardButton(button, index, card, press) {
  return h(
    "button",
    {
      type: "button",
      class: button.style,
      data: { action: button.action, focus: `${button.action}-${index}` },
      onclick: () => press(button, card),
    },
    button.label,
  );
}

// Resolves with the words of a refusal, or nothing.
async function act(button, card, context, busy) {
  const { session } = context;
  if (button.action === "show_diff" || button.action === "show_output") {
    await showArtifact(session, `${button.label} · ${card.title}`, button.subject);
    return null;
  }
  if (button.action === "edit") {
    await editPlan(session, button.subject, (edit) => tap(session, button, edit, context));
    return null;
  }
  const text = button.ask ? await askText(card.title, button) : "";
  if (text === null) return null;
  busy(true);
  return tap(session, button, { text }, context);
}

async function tap(session, button, more, context) {
  const { action, subject, revision, digest } = button;
  const answer = await send({ kind: "tap", session, action, subject, revision, digest, ...more });
  context.changed();
  return answer.ok ? "" : answer.text || t("went_wrong", { code: answer.code });
}
