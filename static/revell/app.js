/* What a browser adds when it runs scripts. Every page works without: what needs this file is hidden until it is here. */
(() => {
  "use strict";
  const bytes = new TextEncoder();
  const figures = (number) => number.toLocaleString("en-US");

  const say = (text, bad = false) => {
    const toast = document.createElement("div");
    toast.className = bad ? "toast is-bad" : "toast";
    toast.setAttribute("role", bad ? "alert" : "status");
    toast.textContent = text;
    document.getElementById("toasts")?.append(toast);
    if (!bad) setTimeout(() => toast.remove(), 6000);
  };

  /* The payload as the page shows it: a blank line before each header, a line end after each whole row. */
  const payloadIn = (paper) =>
    [...paper.querySelectorAll("pre")]
      .map((pre) => {
        const before = pre.parentElement.classList.contains("head") ? "\n" : "";
        return before + pre.textContent + ("continues" in pre.dataset ? "" : "\n");
      })
      .join("");

  const copy = async (button) => {
    const source = document.querySelector(button.dataset.copy);
    const field = source.matches("input");
    const text = field ? source.value : source.matches("pre") ? source.textContent : payloadIn(source);
    try {
      await navigator.clipboard.writeText(text);
      say(field ? "Copied." : `${button.dataset.copied ?? "Payload"} copied, ${figures(bytes.encode(text).length)} B.`);
    } catch {
      if (field) source.select();
      say(`Not copied: the browser did not allow it. ${field ? "Copy what is marked" : "Download the text instead"}.`, true);
    }
  };

  /* Line ends count as one byte, as they are stored. Capsules are limited by characters, promises by bytes. */
  const count = (area) => {
    const text = area.value.replace(/\r\n?/g, "\n");
    const size = bytes.encode(text).length;
    const free = Number(area.dataset.free);
    const output = document.getElementById(area.dataset.count);
    if ("mostChars" in area.dataset) {
      const chars = [...text].length;
      output.querySelector("b").textContent = figures(chars);
      output.querySelector(".hint").textContent = `of ${figures(Number(area.dataset.mostChars))} characters, ${figures(size)} B`;
      output.classList.toggle("is-bad", chars > Number(area.dataset.mostChars));
      return;
    }
    output.querySelector("b").textContent = `${figures(size)} B`;
    output.classList.toggle("is-bad", size > free);
  };

  const sum = (group) => {
    const total = [...group.querySelectorAll("input[type=number]")].reduce((all, one) => all + Number(one.value), 0);
    const output = document.getElementById(group.dataset.sum);
    output.textContent = `now ${total} %`;
    output.classList.toggle("tone", total !== 100);
    output.classList.toggle("is-bad", total !== 100);
  };

  /* Shares always make 100 together: what somebody set last stays, then what was set before it; the rest gives way. */
  const recent = new WeakMap();
  const balance = (field) => {
    const group = field.closest("[data-sum]");
    const fields = [...group.querySelectorAll("input[type=number]")];
    const set = [field, ...(recent.get(group) ?? []).filter((one) => one !== field)].slice(0, fields.length - 1);
    recent.set(group, set);
    let left = 100;
    for (const one of set) {
      const value = Math.min(Math.max(Math.round(Number(one.value)) || 0, 0), left);
      if (one.value !== String(value)) one.value = value;
      left -= value;
    }
    const rest = fields.filter((one) => !set.includes(one));
    const before = rest.reduce((all, one) => all + Number(one.value), 0);
    rest.forEach((one, place) => {
      const share = place === rest.length - 1 ? left : Math.round(before ? (left * Number(one.value)) / before : left / 2);
      left -= share;
      one.value = share;
    });
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };

  /* Pages print UTC; the reader's own time is one hover away. */
  const local = (time) => {
    const moment = new Date(time.dateTime);
    if (time.dateTime.includes("T") && !Number.isNaN(moment.getTime())) time.title = `${moment.toLocaleString()} here`;
  };

  const prepare = (root) => {
    root.querySelectorAll("time[datetime]").forEach(local);
    root.querySelectorAll("[data-script]").forEach((one) => one.removeAttribute("hidden"));
    root.querySelectorAll("textarea[data-count]").forEach(count);
    root.querySelectorAll("[data-sum]").forEach(sum);
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy]");
    if (button) copy(button);
  });
  document.addEventListener("input", (event) => {
    const field = event.target;
    if (field.matches("textarea[data-count]")) count(field);
    const group = field.closest("[data-sum]");
    if (group) sum(group);
    const twin = field.dataset.twin && document.getElementById(field.dataset.twin);
    if (twin && twin.value !== field.value) {
      twin.value = field.value;
      /* A slider has no name of its own: the number field beside it is what is sent, so that is what must be heard. */
      if (!field.name) twin.dispatchEvent(new Event("input", { bubbles: true }));
    }
  });
  /* A second press while the first is on its way would only do it twice: a second key, a second memory. What htmx sends
     it keeps in order itself, a file to keep leaves the page as it is, and whoever stopped waiting may press again. */
  const AGAIN_AFTER_MS = 30_000;
  const sent = new Set();
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || form.method !== "post" || "keeps" in form.dataset) return;
    if (sent.has(form)) {
      event.preventDefault();
      return;
    }
    sent.add(form);
    setTimeout(() => sent.delete(form), AGAIN_AFTER_MS);
    /* Long work says what it is at. */
    const { busy } = form.dataset;
    const button = event.submitter;
    if (!busy || !button) return;
    button.textContent = busy;
    button.setAttribute("aria-busy", "true");
    setTimeout(() => { button.disabled = true; });
  });
  addEventListener("pageshow", () => sent.clear());
  document.addEventListener("change", (event) => {
    if (event.target.closest("[data-sum]")) balance(event.target);
  });
  document.addEventListener("htmx:load", (event) => prepare(event.target));
  document.addEventListener("htmx:beforeRequest", () => document.getElementById("problem")?.replaceChildren());
  document.addEventListener("htmx:sendError", () => say("The server did not answer. What you see may be old.", true));
  prepare(document);
})();
