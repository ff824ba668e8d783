"use strict";
(() => {
  const all = (what, where = document) => Array.from(where.querySelectorAll(what));
  const make = (name, attributes = {}, text = "") => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text;
    return made;
  };
  document.documentElement.classList.add("js");

  // The chosen lineage is lit in every figure and table, and everything else in the figures fades.
  const chooser = document.querySelector(".chooser");
  const chips = all(".chips button");
  const message = document.querySelector(".message");
  const clear = document.querySelector(".clear");
  const OTHERS = "-1"; // small lineages that share one block of a picture
  const NOWHERE = "-2"; // objects that are not assigned to a cluster
  let chosen = null;

  const about = (lineage) => {
    const chip = chips.find((own) => own.dataset.lineage === lineage);
    if (chip) return chip.dataset.tip;
    return lineage === NOWHERE ? "Objects that are not assigned to a cluster" : "Small lineages that share one block";
  };
  const light = (where) => {
    const marked = all("[data-lineage]", where);
    const shows = (own, lineage) => own.dataset.lineage === lineage || own.dataset.toLineage === lineage;
    const found = marked.some((own) => shows(own, chosen));
    const lineage = found || chosen === null ? chosen : OTHERS;
    for (const own of marked) own.classList.toggle("lit", lineage !== null && shows(own, lineage));
  };
  const choose = (lineage) => {
    chosen = lineage;
    document.body.classList.toggle("choosing", lineage !== null);
    for (const picture of all("figure svg")) light(picture);
    for (const row of all("tbody tr[data-lineage]")) row.classList.toggle("lit", row.dataset.lineage === lineage);
    for (const chip of chips) {
      const on = chip.dataset.lineage === lineage;
      chip.setAttribute("aria-pressed", String(on));
      if (on) chip.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    clear.hidden = lineage === null;
    message.textContent = lineage === null ? "All lineages are shown." : `${about(lineage)}. Press Escape to show all again.`;
  };
  const toggle = (lineage) => choose(lineage === chosen ? null : lineage);

  chooser.hidden = false;
  clear.addEventListener("click", () => {
    choose(null);
    chips.find((own) => own.tabIndex === 0)?.focus();
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("a, input, select, summary, th")) return;
    const marked = event.target.closest("[data-lineage]");
    if (marked && String(getSelection()) === "") toggle(marked.dataset.lineage);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    hideTip();
    if (chosen !== null) choose(null);
  });

  // One tab stop for all chips; arrows go from one to the next.
  chips.forEach((own, i) => { own.tabIndex = i === 0 ? 0 : -1; });
  const goTo = (i) => {
    const next = chips[(i + chips.length) % chips.length];
    for (const own of chips) own.tabIndex = own === next ? 0 : -1;
    next.focus();
  };
  document.querySelector(".chips").addEventListener("keydown", (event) => {
    const i = chips.indexOf(document.activeElement);
    const to = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: chips.length - 1 }[event.key];
    if (i < 0 || to === undefined) return;
    event.preventDefault();
    goTo(to);
  });

  // Hover text: titles of the parts of pictures, and data-tip of anything else.
  const tip = document.getElementById("tip");
  for (const title of all("svg > title")) title.remove(); // pictures have a label; hover text for the whole picture would get in the way
  const wordsOf = (target) => {
    const own = target.closest("[data-tip], svg *");
    for (let part = own; part && part.nodeName !== "svg"; part = part.parentElement) {
      if (part.dataset.tip) return part.dataset.tip;
      const title = Array.from(part.children).find((child) => child.nodeName === "title");
      if (title) {
        part.dataset.tip = title.textContent;
        title.remove();
        return part.dataset.tip;
      }
    }
    return "";
  };
  const hideTip = () => { tip.hidden = true; };
  const showTip = (words, x, y) => {
    tip.textContent = words;
    tip.hidden = false;
    const { offsetWidth: wide, offsetHeight: high } = tip;
    const page = document.documentElement;
    tip.style.left = `${Math.max(4, Math.min(x + 12, page.clientWidth - wide - 4))}px`;
    tip.style.top = `${y + 16 + high > page.clientHeight ? Math.max(4, y - high - 10) : y + 16}px`;
  };
  document.addEventListener("pointermove", (event) => {
    const words = event.target.closest ? wordsOf(event.target) : "";
    if (words) showTip(words, event.clientX, event.clientY);
    else hideTip();
  });
  document.addEventListener("pointerleave", hideTip);
  document.addEventListener("scroll", hideTip, { passive: true, capture: true });
  document.addEventListener("focusin", (event) => {
    const own = event.target.closest("[data-tip]");
    if (!own || !event.target.matches(":focus-visible")) return;
    const box = event.target.getBoundingClientRect();
    event.target.setAttribute("aria-describedby", "tip");
    showTip(own.dataset.tip, box.left - 12, box.bottom - 10);
  });
  document.addEventListener("focusout", (event) => {
    event.target.removeAttribute("aria-describedby");
    hideTip();
  });

  // Tables: sorted by their headers, filtered by words.
  const number = (text) => (text === "" ? NaN : Number(text));
  const compare = (a, b) => {
    if (typeof a === "number" && typeof b === "number") {
      if (Number.isNaN(a) || Number.isNaN(b)) return null;
      return a - b;
    }
    return String(a).localeCompare(String(b), undefined, { numeric: true });
  };
  const sorted = (rows, keyOf, down) => {
    const keyed = rows.map((row, i) => [keyOf(row), i, row]);
    const missing = (key) => key === "" || (typeof key === "number" && Number.isNaN(key));
    keyed.sort((a, b) => {
      if (missing(a[0]) || missing(b[0])) return missing(a[0]) - missing(b[0]) || a[1] - b[1];
      return (down ? -1 : 1) * compare(a[0], b[0]) || a[1] - b[1];
    });
    return keyed.map((own) => own[2]);
  };
  const matches = (text, words) => words.every((word) => text.includes(word));
  const wordsIn = (input) => input.value.toLowerCase().split(/\s+/).filter(Boolean);

  const rowsInPage = (box) => {
    const body = box.querySelector("tbody");
    let rows = all("tr", body);
    const text = new Map(rows.map((row) => [row, all("td", row).map((own) => own.textContent).join(" ").toLowerCase()]));
    return {
      sort(column, down) {
        const keyOf = (row) => {
          const cell = row.cells[column];
          return cell.hasAttribute("data-v") ? number(cell.dataset.v) : cell.textContent.trim();
        };
        rows = sorted(rows, keyOf, down);
        body.append(...rows);
      },
      filter(words) {
        let n = 0;
        for (const row of rows) {
          row.hidden = !matches(text.get(row), words);
          if (!row.hidden) n += 1;
        }
        return words.length ? `${n} of ${rows.length} rows` : "";
      },
    };
  };
  const rowsInData = (box, data) => {
    const body = box.querySelector("tbody");
    const colours = 40;
    const probability = (p) => (p > 0 && p < 0.005 ? "<0.01" : p >= 0.995 && p < 1 ? ">0.99" : p.toFixed(2));
    let rows = data.rows;
    let kept = rows;
    const chip = (lineage) => {
      if (lineage < 0) return document.createTextNode(String(lineage) === NOWHERE ? "unassigned" : "others");
      return make("span", { class: `chip c${lineage % colours} g${lineage}` }, data.names[lineage] ?? String(lineage));
    };
    const cell = (kind, content, isolated) => {
      const made = make("td", { class: kind });
      made.append(isolated ? make("bdi", {}, content) : content);
      return made;
    };
    const rowOf = ([id, t, lineage, certainty, next, p]) => {
      const made = make("tr", { "data-lineage": lineage });
      made.append(cell("text", id, true), cell("time", data.times[t], true), cell("lineage", chip(lineage)),
        cell("number", probability(certainty)), cell("lineage", p > 0 ? chip(next) : ""), cell("number", p > 0 ? probability(p) : ""));
      made.classList.toggle("lit", String(lineage) === chosen);
      return made;
    };
    const draw = () => body.replaceChildren(...kept.slice(0, data.most).map(rowOf));
    return {
      sort(column, down) {
        rows = sorted(rows, (row) => (column >= 4 && !(row[5] > 0) ? NaN : row[column]), down);
        const still = new Set(kept);
        kept = rows.filter((row) => still.has(row));
        draw();
      },
      filter(words) {
        const textOf = (row) => `${row[0]} ${data.times[row[1]]} ${row[2]}`.toLowerCase();
        kept = words.length ? rows.filter((row) => matches(textOf(row), words)) : rows;
        draw();
        const shown = Math.min(kept.length, data.most);
        const which = words.length ? `${kept.length} of ${rows.length} objects match` : `${rows.length} objects`;
        const rest = data.all > rows.length ? ` of ${data.all}, the rest is in labels.csv` : "";
        return which + rest + (shown < kept.length ? `; the first ${shown} are shown` : "");
      },
    };
  };
  const objectData = document.getElementById("object-data");
  for (const box of all(".table")) {
    if (!box.querySelector("table")) continue;
    const fromData = box.dataset.table === "objects" && objectData;
    const rows = fromData ? rowsInData(box, JSON.parse(objectData.textContent)) : rowsInPage(box);
    const tools = box.querySelector(".tools");
    const count = box.querySelector(".count");
    const input = box.querySelector("input");
    const filter = () => { count.textContent = rows.filter(wordsIn(input)); };
    if (fromData || all("tbody tr", box).length > 5) tools.hidden = false;
    if (fromData) box.querySelector("[data-first]")?.remove();
    input.addEventListener("input", filter);
    if (fromData) filter();
    const heads = all("th", box);
    heads.forEach((head, column) => {
      const button = make("button", { type: "button" });
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const before = head.getAttribute("aria-sort");
        const firstDown = head.classList.contains("number") || head.classList.contains("bars");
        const down = before ? before === "ascending" : firstDown;
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        rows.sort(column, down);
      });
    });
  }

  // Figures with one picture per time: a list of times to go to, the same time in all of them.
  const strips = all(".strip").filter((strip) => strip.children.length > 1);
  const pickers = [];
  const goToTime = (epoch) => {
    for (const strip of strips) {
      const panel = strip.querySelector(`[data-epoch="${epoch}"].panel`);
      if (panel) strip.scrollLeft = panel.offsetLeft - strip.offsetLeft;
    }
    for (const picker of pickers) picker.value = epoch;
  };
  for (const strip of strips) {
    const tools = make("div", { class: "strip-tools" });
    const label = make("label", {}, "Go to ");
    const picker = make("select");
    for (const panel of strip.children) {
      picker.append(make("option", { value: panel.dataset.epoch }, panel.dataset.time));
    }
    label.append(picker);
    const step = (words, by) => {
      const button = make("button", { type: "button", "aria-label": words }, by < 0 ? "‹" : "›");
      button.addEventListener("click", () => {
        const options = picker.options;
        const next = Math.max(0, Math.min(options.length - 1, picker.selectedIndex + by));
        goToTime(options[next].value);
      });
      return button;
    };
    tools.append(step("Earlier", -1), label, step("Later", 1));
    picker.addEventListener("change", () => goToTime(picker.value));
    pickers.push(picker);
    strip.before(tools);
    new ResizeObserver(() => { tools.hidden = strip.scrollWidth <= strip.clientWidth + 1; }).observe(strip);
  }

  // What is wider than its place says so.
  for (const box of all(".scroll, .wide .picture")) {
    const hint = make("p", { class: "hint", "aria-hidden": "true" }, "Scroll sideways to see all \u2192");
    box.after(hint);
    const measure = () => { hint.hidden = box.scrollWidth <= box.clientWidth + 1; };
    const watch = new ResizeObserver(measure);
    for (const part of [box, ...box.children]) watch.observe(part);
  }

  // Open everything for printing.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = all("details:not([open])");
    for (const own of folded) own.open = true;
  });
  addEventListener("afterprint", () => { for (const own of folded) own.open = false; });
})();
