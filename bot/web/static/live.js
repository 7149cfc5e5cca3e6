// The stream of a session. While it stands nothing is polled; while it is down the state is read every 2 s.

const POLL_MS = 2_000;
const REOPEN_MS = 2_000;

// Runs `work` soon, at most once per `gap` ms and never twice at the same time; a call meanwhile means once more after.
export function paced(work, gap) {
  let running = false;
  let again = false;
  return async function soon() {
    if (running) {
      again = true;
      return;
    }
    running = true;
    do {
      again = false;
      const begun = performance.now();
      await work();
      const rest = gap - (performance.now() - begun);
      if (rest > 0) await new Promise((wake) => setTimeout(wake, rest));
    } while (again);
    running = false;
  };
}

// `on` has change(), sessions(), output(data) and link(up). Returns what ends it.
export function follow(session, on) {
  let source = null;
  let poll = 0;
  let reopen = 0;
  let ended = false;

  function up() {
    clearInterval(poll);
    poll = 0;
    on.link(true);
    on.change();
  }

  function down() {
    if (ended) return;
    on.link(false);
    poll ||= setInterval(() => {
      on.change();
      on.sessions();
    }, POLL_MS);
    if (source.readyState === EventSource.CLOSED) {
      clearTimeout(reopen);
      reopen = setTimeout(open, REOPEN_MS);
    }
  }

  function open() {
    source?.close();
    source = new EventSource(`/api/events?session=${encodeURIComponent(session)}`);
    source.addEventListener("ready", up);
    source.addEventListener("change", () => on.change());
    source.addEventListener("reload", () => on.change());
    source.addEventListener("sessions", () => on.sessions());
    source.addEventListener("output", (event) => on.output(JSON.parse(event.data)));
    source.addEventListener("error", down);
  }

  open();
  return () => {
    ended = true;
    clearInterval(poll);
    clearTimeout(reopen);
    source.close();
  };
}
