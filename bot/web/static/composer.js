// The message box: Enter sends, Shift+Enter is a new line, and half-typed words of an input method are left alone.

import { $ } from "./dom.js";
import { t } from "./words.js";

const drafts = new Map();

export class Composer {
  constructor(onSend) {
    this.box = $("box");
    this.box.placeholder = t("box_hint");
    this.session = "";
    $("composer").addEventListener("submit", (event) => {
      event.preventDefault();
      const text = this.box.value.trim();
      if (!text) return;
      this.write("");
      onSend(text);
    });
    this.box.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
      event.preventDefault();
      $("composer").requestSubmit();
    });
    this.box.addEventListener("input", () => this.fit());
    document.addEventListener("keydown", (event) => this.slash(event));
  }

  write(text) {
    this.box.value = text;
    this.fit();
  }

  fill(text) {
    this.write(text);
    this.box.focus();
  }

  // Each session keeps what was being written in it.
  moveTo(session) {
    drafts.set(this.session, this.box.value);
    this.session = session;
    this.write(drafts.get(session) ?? "");
  }

  fit() {
    this.box.style.height = "auto";
    this.box.style.height = `${Math.min(this.box.scrollHeight + 2, 200)}px`;
  }

  slash(event) {
    const typing = event.target.closest("input, textarea, select, dialog");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.box.focus();
  }
}
