"use strict";
// Texts reach the page through textContent only, so whatever they hold is shown and never read as markup.
(() => {
  const PAGE = 10; // attempts shown at once
  const NOTES = 6; // of an attempt, before the rest is folded away
  const LONGEST = 20000; // characters of a text, before the rest waits for a click
  const shared = JSON.parse(document.getElementById("shared").textContent);
  const FIELDS = ["id", "label", "text", "status", "before", "after", "queries", "character", "semantic", "changes",
                  "flags", "error", "saliency"];

  function put(parent, children) {
    // One at a time: a long text has more pieces than a call takes arguments.
    for (const child of children.flat(Infinity)) parent.append(child);
  }

  function element(tag, className, ...children) {
    // Children: texts, elements, and arrays of them.
    const made = document.createElement(tag);
    if (className) made.className = className;
    put(made, children);
    return made;
  }

  // Light and dark

  const root = document.documentElement;
  const theme = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  function showTheme() {
    theme.setAttribute("aria-pressed", String(isDark()));
    theme.textContent = isDark() ? "Light" : "Dark";
    theme.setAttribute("aria-label", isDark() ? "Dark colours are on; switch to light" : "Switch to dark colours");
  }
  theme.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; showTheme(); });
  system.addEventListener("change", showTheme);
  showTheme();

  // Tables

  function sort(table, header) {
    const button = header.querySelector("button");
    const numeric = button.dataset.kind === "number";
    const first = numeric ? "descending" : "ascending";
    const order = header.getAttribute("aria-sort") !== first ? first : numeric ? "ascending" : "descending";
    for (const other of table.querySelectorAll("thead th")) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", order);
    const column = header.cellIndex;
    const sign = order === "ascending" ? 1 : -1;
    const rows = [...table.tBodies[0].rows];
    const value = (row) => row.cells[column].dataset.value;
    rows.sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      if (x === "" || y === "") return (x === "") - (y === ""); // what is missing stands last either way
      return sign * (numeric ? Number(x) - Number(y) : x.localeCompare(y, "en"));
    });
    put(table.tBodies[0], rows);
  }
  for (const table of document.querySelectorAll("table.sortable")) {
    for (const header of table.querySelectorAll("thead th")) {
      header.querySelector("button").addEventListener("click", () => sort(table, header));
    }
  }

  // Texts

  const foreign = /[^\x00-\x7f‘’“”–—…]/;

  function isOdd(character, old) {
    // Unseen characters always; a look-alike where it has come instead of what it looks like.
    const known = shared.characters[character];
    if (!known) return false;
    if (known.kind === "unseen") return true;
    if (old === null || old.includes(character)) return false;
    return known.kind !== "lookalike" || !foreign.test(old) || [...known.like].some((letter) => old.includes(letter));
  }

  function shown(text, old, seen) {
    // The text as nodes, odd characters with their code points. old: what stood there before, null where nothing changed.
    const nodes = [];
    let plain = "";
    for (const character of text) {
      if (!isOdd(character, old)) { plain += character; continue; }
      if (plain) { nodes.push(plain); plain = ""; }
      const known = shared.characters[character];
      const sample = known.kind === "lookalike" ? character : known.kind === "combining" ? "\u25cc" + character : "";
      const mark = element("span", "odd", sample, element("code", "", known.code));
      mark.title = known.name;
      nodes.push(mark);
      if (old !== null) seen.set(character, (seen.get(character) || 0) + 1);
    }
    if (plain) nodes.push(plain);
    return nodes;
  }

  function replaced(before, after, inner, view, seen) {
    if (view === "characters" && inner) {
      const letters = [...before];
      const whole = element("span", "within");
      let place = 0;
      for (const step of inner) {
        if (typeof step === "number") { put(whole, shown(letters.slice(place, place + step).join(""), null, seen)); place += step; continue; }
        const gone = letters.slice(place, place + step[0]).join("");
        place += step[0];
        if (gone) whole.append(element("del", "", shown(gone, null, seen)));
        if (step[1]) whole.append(element("ins", "", shown(step[1], before, seen)));
      }
      return [whole];
    }
    const nodes = [];
    if (before && view !== "after") nodes.push(element("del", "", shown(before, null, seen)));
    if (after && view !== "before") nodes.push(element("ins", "", shown(after, before, seen)));
    return nodes;
  }

  function changed(original, changes, view, seen) {
    const letters = [...original];
    const nodes = [];
    let place = 0;
    for (const change of changes) {
      const length = typeof change === "number" ? change : change[0];
      const piece = letters.slice(place, place + length).join("");
      place += length;
      nodes.push(typeof change === "number" ? shown(piece, null, seen) : replaced(piece, change[1], change[2], view, seen));
    }
    return nodes;
  }

  function parted(nodes, most) {
    // Two lists: the nodes that hold the first `most` characters, and the rest. Only texts are cut in two.
    const [first, rest] = [[], []];
    let length = 0;
    for (const node of nodes.flat(Infinity)) {
      const room = most - length;
      const text = typeof node === "string" ? node : null;
      length += (text ?? node.textContent).length;
      if (room <= 0) rest.push(node);
      else if (text === null || text.length <= room) first.push(node);
      else {
        const end = /[\ud800-\udbff]/.test(text[room - 1]) ? room - 1 : room; // no half of a character
        first.push(text.slice(0, end));
        rest.push(text.slice(end));
      }
    }
    return [first, rest, length];
  }

  function block(nodes) {
    const [first, rest, length] = parted(nodes, LONGEST);
    const text = element("div", length > 1500 ? "text clipped" : "text", first);
    text.dir = "auto";
    if (length > 1500) text.tabIndex = 0;
    if (!rest.length) return [text];
    const button = element("button", "", "Show all of it");
    button.type = "button";
    const note = element("p", "quiet cut", `A long text: its first ${LONGEST.toLocaleString("en")} of `
                                           + `${length.toLocaleString("en")} characters are shown. `, button);
    button.addEventListener("click", () => { put(text, rest); note.remove(); text.focus(); });
    return [text, note];
  }

  function texts(attempt, view, seen) {
    const nodes = [];
    const segments = shared.texts[attempt.text];
    segments.forEach((original, index) => {
      const part = segments.length > 1 ? ["evidence", "claim"][index] : "";
      const add = (words, content) => {
        if (words) nodes.push(element("div", "part", words));
        nodes.push(block(content));
      };
      if (!attempt.changes) add(part, shown(original, null, seen));
      else if (view === "apart") {
        add((part + " before").trim(), changed(original, attempt.changes[index], "before", new Map()));
        add((part + " after").trim(), changed(original, attempt.changes[index], "after", seen));
      } else add(part, changed(original, attempt.changes[index], view, seen));
    });
    return nodes;
  }

  function heat(attempt) {
    const box = element("details", "heat", element("summary", "", "Saliency of the original"));
    shared.texts[attempt.text].forEach((original, index) => {
      const letters = [...original];
      const nodes = [];
      let place = 0;
      for (const [segment, start, end, value] of attempt.saliency) {
        if (segment !== index || start < place) continue;
        nodes.push(shown(letters.slice(place, start).join(""), null, new Map()));
        const mark = element("mark", "", shown(letters.slice(start, end).join(""), null, new Map()));
        mark.title = value.toFixed(2);
        mark.style.color = "inherit";
        mark.style.background = `rgba(${value < 0 ? "0,114,178" : "213,94,0"},${(Math.abs(value) * 0.6).toFixed(2)})`;
        nodes.push(mark);
        place = end;
      }
      nodes.push(shown(letters.slice(place).join(""), null, new Map()));
      put(box, block(nodes));
    });
    return box;
  }

  function probabilities(attempt, classes) {
    const grid = element("div", "probabilities");
    for (let index = 0; index < (attempt.before || attempt.after).length; index += 1) {
      const name = classes[index] || `class ${index}`;
      const track = element("div", "track");
      const numbers = [];
      for (const [when, values] of [["before", attempt.before], ["after", attempt.after]]) {
        if (!values) continue;
        const fill = element("div", `fill ${when}`);
        fill.style.width = `${100 * values[index]}%`;
        track.append(fill);
        numbers.push(values[index].toFixed(3));
      }
      grid.append(element("span", "", name), track, element("span", "", numbers.join(" → ")));
    }
    return grid;
  }

  function card(attempt, classes, view) {
    const status = shared.statuses[attempt.status];
    const head = element("header", "", element("strong", "", `Text ${attempt.id}`), element("span", `badge ${status}`, status),
                         element("span", "", `label: ${classes[attempt.label] || `class ${attempt.label}`}`),
                         element("span", "", `${attempt.queries.toLocaleString("en")} queries`));
    if (attempt.character !== null) head.append(element("span", "", `character ${attempt.character.toFixed(3)}`));
    if (attempt.semantic !== null) head.append(element("span", "", `semantic ${attempt.semantic.toFixed(3)}`));
    const seen = new Map();
    const made = element("article", "attempt", head, texts(attempt, view, seen));
    if (attempt.before || attempt.after) made.append(probabilities(attempt, classes));
    const notes = [];
    if (attempt.error !== null) notes.push(element("li", "serious", shown(attempt.error, null, seen)));
    for (const [kind, line] of attempt.flags) {
      const serious = shared.changed.includes(Object.keys(shared.kinds)[kind]);
      notes.push(element("li", serious ? "serious" : "", shown(line, null, seen)));
    }
    for (const [character, count] of seen) {
      const known = shared.characters[character];
      notes.push(element("li", "", `${known.code} ${known.name}${known.like ? `, looks like ${[...known.like].join(" or ")}` : ""}`
                                     + (count > 1 ? `, ${count} times` : "")));
    }
    if (notes.length) made.append(element("ul", "notes", notes.slice(0, NOTES)));
    if (notes.length > NOTES) {
      made.append(element("details", "more", element("summary", "", `${notes.length - NOTES} more notes`),
                          element("ul", "notes", notes.slice(NOTES))));
    }
    if (attempt.saliency) made.append(heat(attempt));
    return made;
  }

  function cardOrReason(attempt, classes, view) {
    // One attempt that cannot be drawn takes no other along.
    try {
      return card(attempt, classes, view);
    } catch (error) {
      return element("article", "attempt", element("strong", "", `Text ${attempt.id}`),
                     element("p", "serious", `This attempt cannot be shown here (${error}).`));
    }
  }

  // Runs: read and drawn when they are opened

  function start(section) {
    const data = JSON.parse(document.getElementById(`data-${section.dataset.run}`).textContent);
    const attempts = data.rows.map((row) => Object.fromEntries(FIELDS.map((name, index) => [name, row[index]])));
    const kinds = Object.keys(shared.kinds);
    const controls = Object.fromEntries([...section.querySelectorAll("[data-filter]")].map((c) => [c.dataset.filter, c]));
    const [list, where] = [section.querySelector(".list"), section.querySelector(".where")];
    const [previous, next] = section.querySelectorAll("[data-step]");
    let page = 0;

    const adversarial = (attempt) => (attempt.changes || []).flat().filter((change) => typeof change !== "number").map((c) => c[1]).join(" ");
    const haystack = attempts.map((a) => [a.id, ...shared.texts[a.text], adversarial(a)].join("\n").toLowerCase());

    function hasFlag(attempt, wanted) {
      if (!wanted) return true;
      if (wanted === "none") return attempt.changes !== null && !attempt.flags.length;
      return attempt.flags.some(([kind]) => (wanted === "changed" ? shared.changed.includes(kinds[kind]) : kind === Number(wanted)));
    }
    function chosen() {
      const words = controls.words.value.toLowerCase();
      const kept = attempts.filter((attempt, index) =>
        (!controls.status.value || shared.statuses[attempt.status] === controls.status.value)
        && hasFlag(attempt, controls.flag.value) && (!words || haystack[index].includes(words)));
      const order = controls.order.value;
      if (order === "queries") kept.sort((a, b) => b.queries - a.queries);
      else if (order) kept.sort((a, b) => (a[order] ?? 2) - (b[order] ?? 2));
      return kept;
    }
    function draw() {
      const kept = chosen();
      page = Math.max(0, Math.min(page, Math.ceil(kept.length / PAGE) - 1));
      const from = page * PAGE;
      const some = kept.slice(from, from + PAGE);
      list.replaceChildren(...some.map((attempt) => cardOrReason(attempt, data.classes, controls.view.value)));
      where.textContent = kept.length ? `${from + 1}–${from + some.length} of ${kept.length}` : "no attempt fits";
      previous.disabled = page === 0;
      next.disabled = from + PAGE >= kept.length;
    }
    for (const control of Object.values(controls)) control.addEventListener("input", () => { page = 0; draw(); });
    for (const button of [previous, next]) {
      button.addEventListener("click", () => { page += Number(button.dataset.step); draw(); });
    }
    draw();
  }

  const started = new WeakSet();
  const sections = document.querySelectorAll("details.run");
  for (const details of sections) {
    details.addEventListener("toggle", () => {
      if (!details.open || started.has(details)) return;
      started.add(details);
      start(details.querySelector(".attempts"));
    });
  }
  document.getElementById("open-all").addEventListener("click", () => { for (const details of sections) details.open = true; });
  document.getElementById("close-all").addEventListener("click", () => { for (const details of sections) details.open = false; });

  function follow() {
    const target = location.hash ? document.getElementById(location.hash.slice(1)) : null;
    if (!target || !target.matches("details.run")) return;
    target.open = true;
    target.querySelector("summary").focus({ preventScroll: true });
    target.scrollIntoView();
  }
  addEventListener("hashchange", follow);
  follow();
})();
