// Questions and long texts over the page. Real <dialog> elements: Esc closes, and the keyboard goes back where it was.

import { artifactPath, fetchArtifact, fetchPlan } from "./api.js";
import { h, plain, rich } from "./dom.js";
import { t } from "./words.js";

const LINES = 4_000; // more makes a browser slow; the rest is in the download

function open(title, body, { wide = false } = {}) {
  const opener = document.activeElement;
  const heading = h("h2", { id: "dialog-title" }, ...rich(title));
  const dialog = h("dialog", { "aria-labelledby": "dialog-title", class: wide ? "wide" : "" }, heading, body);
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (opener?.isConnected) opener.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

function actions(primary, { danger = false } = {}) {
  return h(
    "div",
    { class: "actions" },
    h("button", { type: "button", data: { close: "" } }, t("cancel")),
    h("button", { type: "submit", class: danger ? "danger" : "primary" }, primary),
  );
}

function closing(dialog) {
  dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close());
  return dialog;
}

// Resolves with the text, or null when it was left without sending.
export function askText(title, button) {
  return new Promise((answer) => {
    const box = h("textarea", { id: "dialog-text", rows: 4, required: button.required, maxlength: 2000, dir: "auto" });
    const name = button.required ? button.ask : `${button.ask}${/\(|（/.test(button.ask) ? "" : ` (${t("optional")})`}`;
    const form = h(
      "form",
      {},
      h("label", { for: "dialog-text" }, name),
      box,
      actions(button.label, { danger: button.style === "danger" }),
    );
    const dialog = closing(open(title, form));
    let text = null;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (button.required && !box.value.trim()) {
        box.value = "";
        box.reportValidity();
        return;
      }
      text = box.value.trim();
      dialog.close();
    });
    box.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    });
    dialog.addEventListener("close", () => answer(text));
    box.focus();
  });
}

// `save({revision, drop, contents})` resolves with "" or with why it was refused, which keeps the dialog open.
export async function editPlan(session, plan, save) {
  const found = await fetchPlan(session, plan);
  const rows = found.ops.map(planRow);
  const refusal = h("p", { class: "refusal", role: "alert", hidden: true });
  const list = h("ul", { class: "operations" }, ...rows.map((row) => row.element));
  const form = h("form", {}, h("p", { class: "quiet" }, t("edit_why")), list, refusal, actions(t("save")));
  const dialog = closing(open(t("edit_title", { plan: found.plan }), form, { wide: true }));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const submit = form.querySelector("[type=submit]");
    submit.disabled = true;
    const drop = rows.filter((row) => !row.kept()).map((row) => row.key);
    const contents = Object.fromEntries(rows.filter((row) => row.kept() && row.changed()).map((row) => [row.key, row.content()]));
    const why = await save({ revision: found.revision, drop, contents });
    submit.disabled = false;
    refusal.textContent = why;
    refusal.hidden = !why;
    if (!why) dialog.close();
  });
}

function planRow(op, index) {
  const tick = h("input", { type: "checkbox", id: `op-${index}`, checked: true });
  const words = h("label", { for: `op-${index}` }, h("span", { class: "mark" }, op.mark), " ", ...rich(op.words));
  const rows = Math.min(6, (op.content ?? "").split("\n").length);
  const box =
    op.content === null
      ? null
      : h("textarea", {
          rows,
          value: op.content,
          class: op.command ? "code" : "",
          maxlength: 16000,
          spellcheck: op.command ? "false" : "true",
          "aria-label": t("content_of", { words: op.words }),
        });
  tick.addEventListener("change", () => box && (box.disabled = !tick.checked));
  return {
    key: op.key,
    element: h("li", {}, h("div", { class: "keep" }, tick, words), box),
    kept: () => tick.checked,
    changed: () => box !== null && box.value.trim() !== "" && box.value !== op.content,
    content: () => box.value,
  };
}

export async function showArtifact(session, title, digest) {
  const text = plain(await fetchArtifact(session, digest)).trimEnd();
  const lines = text.split("\n");
  const shown = lines.slice(0, LINES);
  const diff = /^(diff --git |--- |Index: )/m.test(text.slice(0, 4000));
  const pre = h("pre", { tabindex: 0, role: "region", "aria-labelledby": "dialog-title" });
  if (!text.trim()) pre.append(t("nothing_here"));
  else if (diff) pre.append(...shown.map((line) => h("span", { class: lineClass(line) }, `${line}\n`)));
  else pre.append(shown.join("\n"));
  const rest = lines.length - shown.length;
  const foot = h(
    "div",
    { class: "actions" },
    rest > 0 ? h("p", { class: "quiet" }, t("more_lines", { n: rest })) : null,
    h("a", { href: `${artifactPath(session, digest)}&download=1`, download: "" }, t("download")),
    h("button", { type: "button", data: { close: "" } }, t("close")),
  );
  closing(open(title, h("div", { class: "paper" }, pre, foot), { wide: true })).querySelector("pre").focus();
}

function lineClass(line) {
  if (/^(diff |index |--- |\+\+\+ |new file|deleted file|rename |similarity )/.test(line)) return "file";
  if (line.startsWith("@@")) return "hunk";
  if (line.startsWith("+")) return "added";
  return line.startsWith("-") ? "removed" : "";
}
