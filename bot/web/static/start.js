// What stands where nothing is yet: which repository, what one can say, and what cannot be done here.

import { $, h, rich } from "./dom.js";
import { t } from "./words.js";

// `on` has path(text) and example(text). `view` is {repo, empty, agents, repos}.
export function showStart(view, on) {
  const place = $("start");
  const missing = !view.repo || Boolean(view.repo.problem);
  const print = JSON.stringify([view.repo, view.empty, missing]);
  if (place.dataset.print === print) return;
  place.dataset.print = print;
  const kept = place.querySelector("input")?.value ?? "";
  const focused = place.contains(document.activeElement);
  const parts = [];
  if (missing) parts.push(repositoryForm(view, kept, on));
  if (view.empty) parts.push(examples(missing, on));
  if (view.empty && !view.agents.length) parts.push(h("p", { class: "only" }, ...rich(t("only_commands"))));
  place.className = parts.length ? (view.empty ? "start" : "start slim") : "";
  place.replaceChildren(...parts);
  if (focused) place.querySelector("input")?.focus();
}

function repositoryForm(view, kept, on) {
  const problem = view.repo && view.repo.problem !== "checking" ? view.repo.text : "";
  const checking = view.repo?.problem === "checking";
  const box = h("input", {
    type: "text",
    id: "path",
    value: kept || view.repo?.path || "",
    required: true,
    maxlength: 4096,
    list: "known-repos",
    placeholder: t("path_hint"),
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    "aria-describedby": "path-says",
    "aria-invalid": problem ? "true" : null,
  });
  const form = h(
    "form",
    { class: "repository" },
    h("h2", {}, t("start_title")),
    h("p", { class: "quiet" }, t("start_why")),
    h("label", { for: "path" }, t("path")),
    h("div", { class: "row" }, box, h("button", { type: "submit", class: "primary" }, t("use"))),
    h("datalist", { id: "known-repos" }, ...view.repos.map((repo) => h("option", { value: repo.path }, repo.name))),
    h("p", { id: "path-says", class: problem ? "refusal" : "quiet", role: "status" }, ...rich(problem || (checking ? t("checking", { path: view.repo.path }) : ""))),
    view.repos.length ? h("p", { class: "chips" }, t("known"), " ", ...view.repos.map((repo) => chip(repo.name, () => on.path(repo.path)))) : null,
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (box.value.trim()) on.path(box.value.trim());
  });
  return form;
}

const chip = (text, onclick) => h("button", { type: "button", class: "chip", onclick }, ...rich(text));

function examples(missing, on) {
  const texts = ["example1", "example2", "example3"].map((key) => t(key));
  return h(
    "section",
    { class: "examples" },
    h("h2", {}, t(missing ? "say_title" : "say_now")),
    h("ul", {}, ...texts.map((text) => h("li", {}, chip(text, () => on.example(text))))),
  );
}
