// Elements from values. All text goes in as text nodes: nothing a person, an agent or a repository wrote becomes markup.

import { language } from "./words.js";

export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  fill(element, props, children);
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

export function svg(tag, props = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  fill(element, props, children);
  return element;
}

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "data") Object.assign(element.dataset, value);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
}

// `code` between backticks as code, the rest as it is.
export function rich(text) {
  const parts = String(text).split(/(`[^`\n]+`)/);
  return parts.filter(Boolean).map((part) => (/^`[^`\n]+`$/.test(part) ? h("code", {}, part.slice(1, -1)) : part));
}

// Colours and cursor moves of terminals, and what a carriage return wrote over.
export function plain(text) {
  const bare = text.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(\u0007|\u001b\\)|\u001b[@-_]/g, "");
  return bare.replace(/\r\n/g, "\n").replace(/[^\n]*\r(?=[^\n])/g, "").replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "");
}

const UNITS = [[60, "second", 1], [3600, "minute", 60], [86400, "hour", 3600], [2592000, "day", 86400], [31536000, "month", 2592000]];

function relative(ts) {
  const seconds = Math.round((ts - Date.now()) / 1000);
  const format = new Intl.RelativeTimeFormat(language(), { numeric: "auto", style: "short" });
  if (Math.abs(seconds) < 45) return format.format(0, "second");
  const [, unit, size] = UNITS.find(([below]) => Math.abs(seconds) < below) ?? [0, "year", 31536000];
  return format.format(Math.round(seconds / size), unit);
}

const whole = (ts) => new Intl.DateTimeFormat(language(), { dateStyle: "full", timeStyle: "long" }).format(ts);

// "5 min. ago", with the whole date and the zone in its title.
export function ago(ts) {
  const at = new Date(ts);
  return h("time", { datetime: at.toISOString(), title: whole(at), data: { ts } }, relative(ts));
}

// "18:40", or with the day when it is another one.
export function clock(ts) {
  const at = new Date(ts);
  const day = at.toDateString() === new Date().toDateString() ? {} : { month: "short", day: "numeric" };
  const shown = new Intl.DateTimeFormat(language(), { hour: "2-digit", minute: "2-digit", ...day }).format(at);
  return h("time", { datetime: at.toISOString(), title: whole(at) }, shown);
}

export function keepTimes() {
  setInterval(() => {
    for (const element of document.querySelectorAll("time[data-ts]")) element.textContent = relative(Number(element.dataset.ts));
  }, 20_000);
}

export const $ = (id) => document.getElementById(id);

// Redraw a place without losing where the keyboard is: elements are found again by data-focus.
export function redraw(place, children) {
  const held = place.contains(document.activeElement) ? document.activeElement.dataset.focus : undefined;
  place.replaceChildren(...children);
  if (held) [...place.querySelectorAll("[data-focus]")].find((element) => element.dataset.focus === held)?.focus();
}

export function announce(text) {
  const log = $("announce");
  log.append(h("p", {}, text));
  while (log.children.length > 5) log.firstChild.remove();
}
