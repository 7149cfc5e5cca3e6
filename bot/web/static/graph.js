// The graph of one flow, drawn where the server placed it. Every box can be reached with the keyboard.

import { $, h, redraw, svg } from "./dom.js";
import { t } from "./words.js";

const BOX = { least: 120, most: 200, height: 52 };
const GAP = { x: 16, y: 38, width: 12 };
const EDGE = 8;
const SIGN = 7.4; // px a letter takes at the size used

let chosen = null;

export function showGraph(flows, onOpen) {
  const place = $("graph");
  const flow = flows.find((f) => f.id === chosen) ?? flows.find((f) => f.status === "active") ?? flows[0];
  const room = (place.clientWidth || 380) - 34;
  const print = JSON.stringify([flows, flow?.id, room]);
  if (place.dataset.print === print) return;
  place.dataset.print = print;
  if (!flow) {
    redraw(place, [h("p", { class: "quiet empty" }, t("no_tasks"))]);
    return;
  }
  redraw(place, [picker(flows, flow, onOpen), h("div", { class: "canvas" }, draw(flow, room, onOpen))]);
}

function picker(flows, flow, onOpen) {
  const select = h(
    "select",
    { id: "flow", data: { focus: "flow" } },
    ...flows.map((f) => h("option", { value: f.id, selected: f.id === flow.id }, `${f.name} · ${t(`flow_${f.status}`)}`)),
  );
  select.addEventListener("change", () => {
    chosen = select.value;
    showGraph(flows, onOpen);
  });
  return h("p", { class: "picker" }, h("label", { for: "flow" }, t("flow")), select, flow.more ? t("more_tasks", { n: flow.more }) : "");
}

function draw(flow, room, onOpen) {
  const box = Math.min(...flow.rows.map((row) => boxWidth(row, room)));
  const width = Math.max(...flow.rows.map((row) => rowWidth(row, box))) + 2 * EDGE;
  const height = flow.rows.length * (BOX.height + GAP.y) - GAP.y + 2 * EDGE;
  const spots = flow.rows.map((row, layer) => rowSpots(row, layer, box, width));
  const at = new Map(flow.rows.flatMap((row, layer) => row.map((id, order) => [id, spots[layer][order]])));
  return svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": flow.name },
    arrowHead(),
    ...flow.edges.map(([from, to, via]) => edge([at.get(from), ...via.map(([layer, order]) => spots[layer][order]), at.get(to)])),
    ...flow.nodes.map((node) => boxOf(node, at.get(node.id), onOpen)),
  );
}

const gapsOf = (row) => row.filter((id) => !id).length;

function boxWidth(row, room) {
  const boxes = row.length - gapsOf(row);
  const free = room - 2 * EDGE - gapsOf(row) * GAP.width - (row.length - 1) * GAP.x;
  return boxes ? Math.max(BOX.least, Math.min(BOX.most, Math.floor(free / boxes))) : BOX.most;
}

const rowWidth = (row, box) => (row.length - gapsOf(row)) * box + gapsOf(row) * GAP.width + (row.length - 1) * GAP.x;

function rowSpots(row, layer, box, width) {
  let x = (width - rowWidth(row, box)) / 2;
  return row.map((id) => {
    const spot = { x, y: EDGE + layer * (BOX.height + GAP.y), width: id ? box : GAP.width };
    x += spot.width + GAP.x;
    return spot;
  });
}

function arrowHead() {
  const tip = svg("path", { d: "M0 0 L8 4 L0 8 z", class: "tip" });
  return svg("defs", {}, svg("marker", { id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, tip));
}

// From the foot of the first, straight down through the gaps, to the head of the last.
function edge(spots) {
  const middle = (spot) => spot.x + spot.width / 2;
  let d = `M${middle(spots[0])} ${spots[0].y + BOX.height}`;
  spots.slice(1).forEach((to, index) => {
    const from = spots[index];
    const [x1, y1, x2, y2] = [middle(from), from.y + BOX.height, middle(to), to.y - 1];
    const bend = (y2 - y1) / 2;
    d += ` L${x1} ${y1} C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`;
  });
  return svg("path", { class: "edge", d, "marker-end": "url(#tip)" });
}

function boxOf(node, { x, y, width }, onOpen) {
  const after = node.after.length ? `, ${t("after", { names: node.after.join(", ") })}` : "";
  const open = () => onOpen(node.id);
  return svg(
    "g",
    {
      class: "node",
      tabindex: 0,
      role: "button",
      "aria-label": `${node.short} ${node.title}, ${node.label}${after}`,
      data: { status: node.status, focus: `node-${node.id}` },
      transform: `translate(${x} ${y})`,
      onclick: open,
      onkeydown: (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        open();
      },
    },
    svg("title", {}, `${node.short} ${node.title}`),
    svg("rect", { width, height: BOX.height, rx: 8, class: "frame" }),
    svg("rect", { x: 0, y: 8, width: 4, height: BOX.height - 16, rx: 2, class: "stripe" }),
    svg("text", { x: 14, y: 21, class: node.code ? "name code" : "name" }, `${node.short}  ${cut(node.title, Math.floor((width - 24) / SIGN) - node.short.length - 2)}`),
    svg("text", { x: 14, y: 39, class: "label" }, node.label),
  );
}

// Wide characters take two places.
function cut(text, places) {
  let used = 0;
  let shown = "";
  for (const sign of text.replace(/\s+/g, " ")) {
    used += /[\u1100-\u{1ffff}]/u.test(sign) ? 2 : 1;
    if (used > places) return `${shown}…`;
    shown += sign;
  }
  return shown;
}
