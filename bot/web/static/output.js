// What running commands print, as it comes, in a fold of the progress card. The whole of it is in the report afterwards.

import { h, plain } from "./dom.js";
import { t } from "./words.js";

const KEPT = 60_000; // characters a task; the end is what one looks at

const printed = new Map(); // session -> task -> text
const boxes = new Set();

export function took(session, { task, text }) {
  if (!printed.has(session)) printed.set(session, new Map());
  const tasks = printed.get(session);
  tasks.set(task, `${tasks.get(task) ?? ""}${text}`.slice(-KEPT));
  for (const box of boxes) if (box.session === session && box.shown) box.soon();
}

const names = new Map(); // task -> short name

export function nameTasks(board) {
  for (const column of board) for (const task of column.tasks) names.set(task.id, task.short);
}

export function outputBox(session) {
  const place = h("div", {});
  const element = h("details", { class: "output", hidden: true }, h("summary", {}, t("live_output")), place);
  const box = { session, shown: false, soon, element, show };
  let drawn = 0;
  let ran = null;

  // Open while something runs and folded when it has ended, unless a person chose otherwise in between.
  function show(on, running) {
    box.shown = on;
    if (running !== ran) element.open = running;
    ran = running;
    if (on) boxes.add(box);
    else boxes.delete(box);
    draw();
  }

  function soon() {
    drawn ||= requestAnimationFrame(draw);
  }

  function draw() {
    drawn = 0;
    const tasks = printed.get(session);
    element.hidden = !box.shown || !tasks;
    if (element.hidden) return;
    for (const [task, text] of tasks) {
      const pre = place.querySelector(`[data-task="${CSS.escape(task)}"]`) ?? begin(task);
      const low = pre.scrollHeight - pre.scrollTop - pre.clientHeight < 40;
      pre.textContent = plain(text);
      if (low) pre.scrollTop = pre.scrollHeight;
    }
  }

  function begin(task) {
    const name = t("output", { task: names.get(task) ?? "" });
    const pre = h("pre", { tabindex: 0, role: "region", "aria-label": name, data: { task } });
    place.append(h("h4", {}, name), pre);
    return pre;
  }

  return box;
}
