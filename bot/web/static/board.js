// The board: tasks by state, what waits for a person first. Folds that were open stay open.

import { dispatch } from "./api.js";
import { $, ago, announce, h, redraw, rich } from "./dom.js";
import { t } from "./words.js";

const opened = new Set();

export function showBoard(session, columns) {
  const place = $("board");
  const print = JSON.stringify([session, columns]);
  if (place.dataset.print === print) return;
  place.dataset.print = print;
  const filled = columns.filter((column) => column.tasks.length);
  const top = place.scrollTop;
  redraw(place, filled.length ? filled.map((column) => section(session, column)) : [h("p", { class: "quiet empty" }, t("no_tasks"))]);
  place.scrollTop = top;
}

function section(session, column) {
  const id = `column-${column.status}`;
  return h(
    "section",
    { class: "column", data: { status: column.status }, "aria-labelledby": id },
    h("h3", { id }, h("span", { class: "dot", "aria-hidden": "true" }), column.label, h("span", { class: "count" }, column.tasks.length + column.more)),
    h("ul", {}, ...column.tasks.map((task) => item(session, task, column.label))),
    column.more ? h("p", { class: "quiet" }, t("more_tasks", { n: column.more })) : null,
  );
}

function item(session, task, column) {
  const facts = [task.label === column ? "" : task.label, task.worker && task.live ? task.worker : "", task.round > 1 ? t("round", { n: task.round }) : ""];
  const summary = h(
    "summary",
    { data: { focus: task.id } },
    h("span", { class: "short" }, task.short),
    task.code ? h("code", { class: "title" }, task.title) : h("span", { class: "title", dir: "auto" }, ...rich(task.title)),
    facts.some(Boolean) ? h("span", { class: "facts" }, facts.filter(Boolean).join(" · ")) : null,
    step(task),
    ...task.blocked_by.map((words) => h("span", { class: "why" }, ...rich(words))),
  );
  const element = h("details", { id: `task-${task.id}`, open: opened.has(task.id) }, summary, more(session, task));
  element.addEventListener("toggle", () => (element.open ? opened.add(task.id) : opened.delete(task.id)));
  return h("li", { class: "task", data: { status: task.status } }, element);
}

function step(task) {
  const { percent, step: at, steps, current } = task.progress;
  if (!task.live || (!current && percent === null)) return null;
  const words = at && steps ? `${at}/${steps} ${current}` : current;
  const value = percent ?? (at && steps ? Math.round((100 * (at - 1)) / steps) : null);
  const bar = value === null ? null : h("progress", { max: 100, value, "aria-label": task.short });
  return h("span", { class: "step" }, bar, words);
}

function more(session, task) {
  return h(
    "div",
    { class: "more" },
    task.content && task.content !== task.title ? (task.code ? h("pre", { tabindex: 0 }, task.content) : h("p", { dir: "auto" }, task.content)) : null,
    task.criteria.length ? h("p", { class: "quiet" }, `${t("criteria")}: ${task.criteria.join("; ")}`) : null,
    task.failure ? h("p", { class: "refusal" }, task.failure) : null,
    task.updated_at ? h("p", { class: "quiet" }, ago(task.updated_at)) : null,
    task.ready ? h("button", { type: "button", class: "small", onclick: () => again(session, task) }, t("try_now")) : null,
  );
}

async function again(session, task) {
  const answer = await dispatch(session, task.id);
  if (answer.dispatched) announce(t("asked_again"));
}

// From the graph: open the task on the board and put the keyboard there.
export function reveal(taskId) {
  const element = document.getElementById(`task-${taskId}`);
  if (!element) return;
  element.open = true;
  element.scrollIntoView({ block: "nearest" });
  element.querySelector("summary").focus();
}
