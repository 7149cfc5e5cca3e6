// The graph of one flow, drawn where the server placed it. Every box can be reached with the keyboard.

import { $, h, redraw, svg } from "./dom.js";
import { t } from "./words.js";

const BOX = { width: 184, height: 52 };
const GAP = { x: 20, y: 38 };
const EDGE = 10;

let chosen = null;

export function showGraph(flows, onOpen) {
  const place = $("graph");
  const flow = flows.find((f) => f.id === chosen) ?? flows.find((f) => f.status === "active") ?? flows[0];
  const print = JSON.stringify([flows, flow?.id]);
  if (place.dataset.print === print) return;
  place.dataset.print = print;
  if (!flow) {
    redraw(place, [h("p", { class: "quiet empty" }, t("no_tasks"))]);
    return;
  }
  redraw(place, [picker(flows, flow, onOpen), h("div", { class: "canvas" }, draw(flow, onOpen))]);
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

function draw(flow, onOpen) {
  const rows = new Map();
  for (const node of flow.nodes) rows.set(node.layer, (rows.get(node.layer) ?? 0) + 1);
  const widest = Math.max(...rows.values());
  const width = widest * BOX.width + (widest - 1) * GAP.x + 2 * EDGE;
  const height = rows.size * BOX.height + (rows.size - 1) * GAP.y + 2 * EDGE;
  const at = new Map(flow.nodes.map((node) => [node.id, spot(node, rows.get(node.layer), width)]));
  return svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": flow.name },
    arrowHead(),
    ...flow.edges.map(([from, to]) => edge(at.get(from), at.get(to))),
    ...flow.nodes.map((node) => box(node, at.get(node.id), onOpen)),
  );
}

function spot(node, inRow, width) {
  const row = inRow * BOX.width + (inRow - 1) * GAP.x;
  return { x: (width - row) / 2 + node.order * (BOX.width + GAP.x), y: EDGE + node.layer * (BOX.height + GAP.y) };
}

function arrowHead() {
  const tip = svg("path", { d: "M0 0 L8 4 L0 8 z", class: "tip" });
  return svg("defs", {}, svg("marker", { id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, tip));
}

function edge(from, to) {
  const [x1, y1, x2, y2] = [from.x + BOX.width / 2, from.y + BOX.height, to.x + BOX.width / 2, to.y - 1];
  const bend = Math.max(16, (y2 - y1) / 2);
  return svg("path", { class: "edge", d: `M${x1} ${y1} C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`, "marker-end": "url(#tip)" });
}

function box(node, { x, y }, onOpen) {
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
    svg("rect", { width: BOX.width, height: BOX.height, rx: 8, class: "frame" }),
    svg("rect", { x: 0, y: 8, width: 4, height: BOX.height - 16, rx: 2, class: "stripe" }),
    svg("text", { x: 14, y: 21, class: node.code ? "name code" : "name" }, `${node.short}  ${cut(node.title, node.code ? 17 : 20)}`),
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
