// Calls of the console's own API. A refusal is an answer; only what cannot be answered is thrown, as Trouble.

import { language } from "./words.js";

export class Trouble extends Error {
  constructor(status, code) {
    super(code);
    this.status = status; // 0 when nothing answered
    this.code = code;
  }
}

async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, { credentials: "same-origin", cache: "no-store", ...options });
  } catch {
    throw new Trouble(0, "unreachable");
  }
  if (answer.status === 401 || answer.status >= 500) {
    const body = await answer.json().catch(() => ({}));
    throw new Trouble(answer.status, body.code ?? "unavailable");
  }
  return answer;
}

async function get(path) {
  const answer = await ask(path);
  const body = await answer.json();
  if (!answer.ok) throw new Trouble(answer.status, body.code ?? "refused");
  return body;
}

async function post(path, body) {
  const answer = await ask(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return { ...(await answer.json()), status: answer.status };
}

const query = (values) => new URLSearchParams({ ...values, lang: language() }).toString();

export const fetchSessions = async () => (await get("/api/sessions")).sessions;
export const fetchState = (session) => get(`/api/state?${query({ session })}`);
export const fetchPlan = (session, plan) => get(`/api/plan?${query({ session, plan })}`);
export const artifactPath = (session, digest) => `/api/artifacts/${encodeURIComponent(digest)}?${query({ session })}`;
export const beginSession = async (place) => (await post("/api/sessions", { place })).session;
export const send = (command) => post("/api/commands", command);
export const dispatch = (session, task) => post("/api/dispatch", { session, task });

export async function fetchArtifact(session, digest) {
  const answer = await ask(artifactPath(session, digest));
  if (!answer.ok) throw new Trouble(answer.status, "unknown_artifact");
  return answer.text();
}

export const newRef = () => crypto.randomUUID?.() ?? fallbackRef();

// Browsers offer randomUUID only to secure pages; a console on another machine's plain address is none.
function fallbackRef() {
  const bytes = [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, "0")).join("");
  return [bytes.slice(0, 8), bytes.slice(8, 12), bytes.slice(12, 16), bytes.slice(16, 20), bytes.slice(20)].join("-");
}
