// The left column: sessions, newest first, with what waits for a person; and the machines that work.

import { $, ago, h, redraw, rich } from "./dom.js";
import { t } from "./words.js";

export function showSessions(sessions, current) {
  const rows = sessions.map((session) => h("li", {}, link(session, session.id === current)));
  redraw($("sessions"), rows.length ? rows : [h("li", { class: "quiet empty" }, t("no_sessions"))]);
}

function link(session, here) {
  const waiting = session.waiting.length;
  return h(
    "a",
    { href: `#${session.id}`, "aria-current": here ? "page" : null, data: { focus: session.id } },
    h("span", { class: "title", dir: "auto" }, session.title || t("untitled")),
    waiting ? h("span", { class: "badge", title: t("waits_for_you", { names: session.waiting.join(", ") }) }, waiting, h("span", { class: "unseen" }, ` ${t("waits_for_you", { names: session.waiting.join(", ") })}`)) : null,
    h("span", { class: "facts" }, ...facts(session)),
  );
}

function facts(session) {
  if (session.problem) return [t("unreadable", { code: session.problem })];
  const parts = [session.repo, session.running ? t("running", { n: session.running }) : ""].filter(Boolean);
  return [...parts.flatMap((part) => [part, " · "]), ago(session.updated_at)];
}

export function showWorkers(workers) {
  const rows = workers.map((worker) =>
    h(
      "li",
      { class: worker.alive ? "alive" : "lost" },
      h("span", { class: "dot", "aria-hidden": "true" }),
      h("span", { class: "title" }, worker.id),
      h("span", { class: "facts" }, worker.alive ? t("busy_of", worker) : t("worker_lost")),
    ),
  );
  redraw($("workers"), rows.length ? rows : [h("li", { class: "quiet" }, ...rich(t("no_workers")))]);
}

export function showHead(session, onChange) {
  const head = $("head");
  const print = JSON.stringify(session);
  if (head.dataset.print === print) return;
  head.dataset.print = print;
  const repo = session?.repo;
  const usable = repo && !repo.problem;
  redraw(
    head,
    [
      h("h1", { dir: "auto" }, session?.title || t("untitled")),
      usable
        ? h(
            "p",
            { class: "repo" },
            h("strong", { title: repo.path }, repo.name),
            ` ${repo.base_branch} @ ${repo.base_commit.slice(0, 8)} `,
            session.repo_fixed ? null : h("button", { type: "button", class: "small", onclick: onChange, data: { focus: "repo" } }, t("change_repo")),
          )
        : null,
    ].filter(Boolean),
  );
  const waiting = session?.waiting.length ? `(${session.waiting.length}) ` : "";
  document.title = `${waiting}${session?.title ? `${session.title} · ` : ""}Threadlead`;
}
