// The page: one chosen session, its state as the server has it, and what was sent and is not in it yet.

import { beginSession, fetchSessions, fetchState, newRef, send } from "./api.js";
import { reveal, showBoard } from "./board.js";
import { Composer } from "./composer.js";
import { $, keepTimes, rich } from "./dom.js";
import { showGraph } from "./graph.js";
import { follow, paced } from "./live.js";
import { Outgoing } from "./outgoing.js";
import { nameTasks, took } from "./output.js";
import { showHead, showSessions, showWorkers } from "./side.js";
import { showStart } from "./start.js";
import { Thread } from "./thread.js";
import { choose, label, t } from "./words.js";

const REFRESH_MS = 200; // at most five reads of the state a second
const SESSIONS_MS = 1_500;

const boot = JSON.parse(document.body.dataset.boot);
const page = { session: "", sessions: [], state: null, outgoing: null, thread: null, leave: () => {}, trouble: {} };

// -- what the server has ------------------------------------------------------------------------------------------

const refresh = paced(async () => {
  const { session } = page;
  if (!session) return;
  const asked = performance.now();
  try {
    const state = await fetchState(session);
    if (session !== page.session) return;
    page.state = state;
    page.outgoing.seen(session, state.conversation.items, asked);
    say("server", "");
    show();
  } catch (trouble) {
    stumble(trouble, session);
  }
}, REFRESH_MS);

const refreshSessions = paced(async () => {
  try {
    page.sessions = await fetchSessions();
    showSessions(page.sessions, page.session);
  } catch (trouble) {
    stumble(trouble, "");
  }
}, SESSIONS_MS);

function stumble(trouble, session) {
  if (trouble.status === 401) say("server", t("signed_out"));
  else if (trouble.status === 0) say("server", t("unreachable"));
  else if (trouble.status < 500) gone(session);
  else say("server", t("not_ready", { code: trouble.code ?? trouble.message }));
  if (trouble.status === 0 || trouble.status >= 500) setTimeout(refresh, 2_000);
}

function gone(session) {
  if (session !== page.session) return;
  page.leave();
  say("link", "");
  say("server", t("gone"));
}

function say(kind, text) {
  page.trouble[kind] = text;
  const shown = page.trouble.server || page.trouble.link || "";
  $("trouble").hidden = !shown;
  $("trouble").replaceChildren(...rich(shown));
}

// -- what is shown ------------------------------------------------------------------------------------------------

function show() {
  const { state } = page;
  const pending = page.outgoing.of(page.session);
  const conversation = state?.conversation ?? { items: [], earlier: 0 };
  if (state) nameTasks(state.board);
  showHead(state?.session ?? null, changeRepo);
  page.thread.show(conversation, pending);
  const empty = !conversation.items.length && !pending.length;
  showStart({ repo: page.asking ? null : state?.session.repo, empty, agents: boot.agents, repos: boot.repos }, onStart);
  showBoard(page.session, state?.board ?? []);
  redrawGraph();
  showWorkers(state?.workers ?? []);
}

function openTask(task) {
  look("board");
  reveal(task);
}

function changeRepo() {
  page.asking = true;
  show();
  $("path").focus();
}

// -- what a person does -------------------------------------------------------------------------------------------

async function ensureSession() {
  if (page.session) return page.session;
  page.place ??= newRef();
  const session = await beginSession(page.place);
  page.place = undefined;
  page.outgoing.adopt(session);
  location.hash = session;
  select(session);
  refreshSessions();
  return session;
}

function onSend(text) {
  page.outgoing.say(page.session, text, page.state?.conversation.items ?? []);
  $("scroll").scrollTop = $("scroll").scrollHeight;
}

function onSent(trouble, session) {
  if (trouble) stumble(trouble, session);
  else refresh();
}

const onStart = {
  example: (text) => page.composer.fill(text),
  path: async (path) => {
    try {
      const session = await ensureSession();
      const answer = await send({ kind: "repo", session, path });
      page.asking = false;
      $("start").dataset.print = "";
      if (!answer.ok) refuseStart(answer.text);
      refresh();
    } catch (trouble) {
      stumble(trouble, page.session);
    }
  },
};

function refuseStart(text) {
  const says = $("path-says");
  if (!says) return;
  says.className = "refusal";
  says.textContent = text;
}

// -- which session, which panel -----------------------------------------------------------------------------------

function select(session) {
  if (session === page.session && page.thread) return;
  page.leave();
  page.session = session;
  page.state = null;
  page.asking = false;
  say("server", "");
  say("link", "");
  const context = { session, person: boot.person, changed: refresh, resend: (item) => page.outgoing.deliver(item) };
  page.thread = new Thread(context);
  page.composer.moveTo(session);
  $("start").dataset.print = "";
  showSessions(page.sessions, session);
  show();
  page.leave = session ? follow(session, listener(session)) : () => {};
  refresh();
}

function listener(session) {
  return {
    change: refresh,
    sessions: refreshSessions,
    output: (data) => took(session, data),
    link: (up) => say("link", up ? "" : t("reconnecting")),
  };
}

function look(view) {
  for (const tab of document.querySelectorAll("[data-view]")) {
    const on = tab.dataset.view === view;
    tab.setAttribute("aria-selected", String(on));
    tab.tabIndex = on ? 0 : -1;
    $(tab.dataset.view).hidden = !on;
  }
  redrawGraph();
}

const redrawGraph = () => showGraph(page.state?.graph ?? [], openTask); // its boxes fit the room there is

function panel(name) {
  document.body.dataset.panel = name;
  for (const button of document.querySelectorAll(".panels button")) {
    button.setAttribute("aria-pressed", String(button.dataset.panel === name));
  }
  redrawGraph();
}

function wire() {
  document.querySelectorAll("[data-view]").forEach((tab) => tab.addEventListener("click", () => look(tab.dataset.view)));
  document.querySelector(".tabs").addEventListener("keydown", (event) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    const other = document.querySelector('[data-view][aria-selected="false"]');
    look(other.dataset.view);
    other.focus();
  });
  document.querySelectorAll(".panels button").forEach((button) => button.addEventListener("click", () => panel(button.dataset.panel)));
  $("sessions").addEventListener("click", (event) => event.target.closest("a") && panel("talk"));
  $("begin").addEventListener("click", () => {
    panel("talk");
    location.hash = "";
    select("");
    page.composer.box.focus();
  });
  $("newer").addEventListener("click", () => ($("scroll").scrollTop = $("scroll").scrollHeight));
  $("scroll").addEventListener("scroll", () => {
    const place = $("scroll");
    if (place.scrollHeight - place.scrollTop - place.clientHeight < 40) $("newer").hidden = true;
  });
  addEventListener("hashchange", () => select(location.hash.slice(1)));
  addEventListener("online", refresh);
  addEventListener("resize", paced(redrawGraph, 200));
}

async function begin() {
  choose(boot.language);
  label();
  $("begin").setAttribute("aria-label", t("begin_long"));
  $("person").textContent = boot.person;
  page.outgoing = new Outgoing(boot.person, { ensure: ensureSession, show, sent: onSent });
  page.composer = new Composer(onSend);
  wire();
  look("board");
  panel("talk");
  keepTimes();
  try {
    page.sessions = await fetchSessions();
  } catch (trouble) {
    stumble(trouble, "");
  }
  select(location.hash.slice(1) || page.sessions[0]?.id || "");
}

begin();
