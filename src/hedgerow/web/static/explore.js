// The lattice: draws every combination of levels, follows sliders and keys, asks the app for the rest.
"use strict";

(() => {
  const root = document.getElementById("explore");
  if (!root) return;
  const columns = JSON.parse(root.dataset.columns);
  const complete = root.dataset.complete === "yes";
  const box = document.getElementById("lattice"), canvas = document.getElementById("picture");
  const tip = document.getElementById("tip"), said = document.getElementById("said");
  const FEW = 150; // nodes that are drawn as a lattice with its edges
  const PARTLY = ["--quasi", "--sensitive", "--identifier", "--link", "--warn"];

  let node = root.dataset.node.split(",").map(Number);
  let column = 0; // the one that the arrow keys move
  let seen = null, places = null, spots = [], asked = 0, shownNode = "";

  // ---- Nodes and their places -------------------------------------------------------------

  const widths = columns.map((one) => one.high - one.low + 1);
  const total = widths.reduce((a, b) => a * b, 1);

  function levelsAt(place) {
    if (!complete) return seen.nodes[place];
    const levels = new Array(columns.length);
    for (let j = columns.length - 1; j >= 0; j--) {
      levels[j] = columns[j].low + (place % widths[j]);
      place = Math.floor(place / widths[j]);
    }
    return levels;
  }

  function placeOf(levels) {
    if (!complete) {
      if (!places) places = new Map(seen.nodes.map((one, i) => [one.join(), i]));
      return places.get(levels.join()) ?? null;
    }
    return levels.reduce((place, level, j) => place * widths[j] + level - columns[j].low, 0);
  }

  const count = () => (complete ? total : seen.nodes.length);
  const height = (levels) => levels.reduce((sum, level, j) => sum + level - columns[j].low, 0);
  const bounded = (level, j) => Math.min(Math.max(level, columns[j].low), columns[j].high);
  const number = (value) => value.toLocaleString("en-GB", { maximumSignificantDigits: 4 });
  const people = (value) => value.toLocaleString("en-GB");

  const short = (cost) => (seen.from_one ? 1 - cost : cost).toLocaleString("en-GB", { maximumSignificantDigits: 2, notation: "compact" });
  const costly = (cost) => number(seen.from_one ? 1 - cost : cost);

  function words(place, levels) {
    const told = levels.map((level, j) => `${columns[j].name} ${level} (${columns[j].labels[level]})`);
    const state = seen.states[seen.state[place]];
    const cost = seen.cost[place] === null ? "" : `; ${seen.metric} ${costly(seen.cost[place])}`;
    const best = seen.best.includes(place) ? ` ${seen.standing}` : "";
    return `${told.join(", ")}: ${state.words}; ${people(seen.left_out[place])} of ${people(seen.people)} people left out${cost}.${best}`;
  }

  // ---- The picture -------------------------------------------------------------------------

  function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }

  function palette() {
    let next = 0;
    return seen.states.map((state) => {
      if (state.mark === "circle") return colour("--good");
      if (state.mark === "cross" || state.mark === "ring") return colour("--quiet");
      return colour(PARTLY[next++ % PARTLY.length]);
    });
  }

  function mark(pen, whole, x, y, r) {
    const open = whole.startsWith("open-"), kind = open ? whole.slice(5) : whole;
    pen.beginPath();
    if (kind === "circle" || kind === "ring") pen.arc(x, y, r, 0, 2 * Math.PI);
    else if (kind === "square") pen.rect(x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8);
    else if (kind === "triangle") { pen.moveTo(x, y - r * 1.15); pen.lineTo(x + r * 1.05, y + r * 0.8); pen.lineTo(x - r * 1.05, y + r * 0.8); pen.closePath(); }
    else if (kind === "diamond") { pen.moveTo(x, y - r * 1.25); pen.lineTo(x + r * 1.1, y); pen.lineTo(x, y + r * 1.25); pen.lineTo(x - r * 1.1, y); pen.closePath(); }
    else if (kind === "star") { for (let i = 0; i < 10; i++) { const far = i % 2 ? r * 0.5 : r * 1.25, a = (Math.PI * i) / 5 - Math.PI / 2; pen[i ? "lineTo" : "moveTo"](x + far * Math.cos(a), y + far * Math.sin(a)); } pen.closePath(); }
    else {
      const turn = kind === "plus" ? 0 : Math.PI / 4;
      for (const a of [turn, turn + Math.PI / 2]) { pen.moveTo(x - r * Math.cos(a), y - r * Math.sin(a)); pen.lineTo(x + r * Math.cos(a), y + r * Math.sin(a)); }
    }
    if (open || kind === "cross" || kind === "plus" || kind === "ring") pen.stroke(); else pen.fill();
  }

  // Not random: the same node is always at the same place.
  const scattered = (place) => (((place + 1) * 2654435761) % 4294967296) / 4294967296 - 0.5;

  function layout(width, tall) {
    const few = count() <= FEW, found = [];
    const left = 46, right = 14, top = 16, bottom = 34;
    const most = widths.reduce((sum, one) => sum + one - 1, 0) || 1;
    const costs = seen.cost.filter((cost) => cost !== null);
    const low = costs.length ? costs.reduce((a, b) => Math.min(a, b)) : 0;
    const high = costs.length ? costs.reduce((a, b) => Math.max(a, b), low + 1e-9) : 1;
    const rows = new Map();
    for (let place = 0; place < count(); place++) {
      const up = height(levelsAt(place));
      if (!rows.has(up)) rows.set(up, []);
      rows.get(up).push(place);
    }
    for (let place = 0; place < count(); place++) {
      const up = height(levelsAt(place));
      const good = seen.cost[place] === null ? 0.5 : 1 - (seen.cost[place] - low) / (high - low);
      let x, y;
      if (few) {
        const row = rows.get(up), gap = (width - left - right) / row.length;
        x = left + gap * (row.indexOf(place) + 0.5);
        y = tall - bottom - ((tall - top - bottom) * up) / most;
      } else {
        x = left + ((width - left - right) * (up + 0.5 + 0.75 * scattered(place))) / (most + 1);
        y = seen.cost[place] === null ? tall / 2 : top + (tall - top - bottom) * good;
      }
      found.push({ x, y, r: few ? 5 + 7 * good : count() < 1500 ? 2.2 + 4 * good : 1.4 + 2.6 * good });
    }
    return { found, few, low, high, left, bottom, top, most };
  }

  function draw() {
    if (!seen) return;
    const width = box.clientWidth, tall = Math.max(260, Math.min(430, width * 0.55));
    const sharp = window.devicePixelRatio || 1;
    canvas.width = width * sharp;
    canvas.height = tall * sharp;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${tall}px`;
    const pen = canvas.getContext("2d");
    pen.scale(sharp, sharp);
    const plan = layout(width, tall);
    spots = plan.found;
    const ink = colour("--ink"), quiet = colour("--quiet"), line = colour("--line");
    const colours = palette();
    pen.font = "12px system-ui, sans-serif";
    pen.lineWidth = 1;
    axes(pen, plan, width, tall, quiet, line);
    if (plan.few) edges(pen, line);
    // Marks that keep claims lie over those that do not.
    const order = [...spots.keys()].sort((a, b) => seen.state[b] - seen.state[a]);
    for (const place of order) {
      const spot = spots[place], state = seen.state[place];
      pen.fillStyle = pen.strokeStyle = colours[state];
      pen.globalAlpha = plan.few ? 1 : 0.75;
      pen.lineWidth = plan.few ? 2 : 1;
      mark(pen, seen.states[state].mark, spot.x, spot.y, spot.r);
    }
    pen.globalAlpha = 1;
    if (plan.few && count() <= 48) labels(pen, ink);
    if (!plan.few) neighbours(pen, ink);
    for (const place of seen.best.slice(0, 20)) ring(pen, spots[place], colour("--good"), 3.5, [3, 2]);
    const here = placeOf(node);
    if (here !== null) ring(pen, spots[here], ink, 5, []);
  }

  function axes(pen, plan, width, tall, quiet, line) {
    pen.strokeStyle = line;
    pen.fillStyle = quiet;
    pen.beginPath();
    pen.moveTo(plan.left, plan.top - 6);
    pen.lineTo(plan.left, tall - plan.bottom + 10);
    if (!plan.few) pen.lineTo(width - 8, tall - plan.bottom + 10);
    pen.stroke();
    pen.textAlign = "right";
    if (plan.few) {
      pen.save();
      pen.translate(16, tall / 2);
      pen.rotate(-Math.PI / 2);
      pen.textAlign = "center";
      pen.fillText("coarser →", 0, 0);
      pen.restore();
    } else {
      for (let i = 0; i <= 4; i++) {
        const cost = plan.low + ((plan.high - plan.low) * i) / 4;
        pen.fillText(short(cost), plan.left - 6, plan.top + (tall - plan.top - plan.bottom) * (1 - i / 4) + 4);
      }
      pen.textAlign = "left";
      pen.fillText(seen.metric, 4, 11);
      pen.textAlign = "center";
      pen.fillText("levels added up: as it is on the left, everything * on the right", (width + plan.left) / 2, tall - 6);
    }
  }

  function edges(pen, line) {
    pen.strokeStyle = line;
    pen.beginPath();
    for (let place = 0; place < count(); place++) {
      const levels = levelsAt(place);
      for (let j = 0; j < columns.length; j++) {
        if (levels[j] === columns[j].high) continue;
        const above = placeOf(levels.map((level, i) => level + (i === j)));
        if (above === null) continue;
        pen.moveTo(spots[place].x, spots[place].y);
        pen.lineTo(spots[above].x, spots[above].y);
      }
    }
    pen.stroke();
  }

  function labels(pen, ink) {
    pen.fillStyle = ink;
    pen.textAlign = "center";
    pen.font = "11px system-ui, sans-serif";
    spots.forEach((spot, place) => pen.fillText(levelsAt(place).join(" "), spot.x, spot.y + spot.r + 12));
  }

  function neighbours(pen, ink) {
    const here = placeOf(node);
    if (here === null) return;
    pen.strokeStyle = pen.fillStyle = ink;
    pen.font = "11px system-ui, sans-serif";
    pen.textAlign = "center";
    for (let j = 0; j < columns.length; j++) {
      for (const step of [-1, 1]) {
        const there = bounded(node[j] + step, j) === node[j] ? null : placeOf(node.map((level, i) => level + step * (i === j)));
        if (there === null) continue;
        pen.globalAlpha = j === column ? 0.9 : 0.35;
        pen.lineWidth = j === column ? 2 : 1;
        pen.beginPath();
        pen.moveTo(spots[here].x, spots[here].y);
        pen.lineTo(spots[there].x, spots[there].y);
        pen.stroke();
        ring(pen, spots[there], ink, 2, []);
      }
    }
    pen.globalAlpha = 1;
  }

  function ring(pen, spot, ink, more, dash) {
    pen.save();
    pen.setLineDash(dash);
    pen.strokeStyle = ink;
    pen.lineWidth = 2;
    pen.beginPath();
    pen.arc(spot.x, spot.y, spot.r + more, 0, 2 * Math.PI);
    pen.stroke();
    pen.restore();
  }

  function legend() {
    const list = document.getElementById("legend"), colours = palette();
    list.textContent = "";
    seen.states.forEach((state, i) => {
      const item = document.createElement("li");
      item.append(sample(state.mark, colours[i]), ` ${state.words} `);
      const many = document.createElement("span");
      many.className = "quiet";
      many.textContent = people(state.nodes);
      item.append(many);
      list.append(item);
    });
  }

  function nearest(event) {
    const area = canvas.getBoundingClientRect();
    const x = event.clientX - area.left, y = event.clientY - area.top;
    let best = null, least = 14 * 14;
    spots.forEach((spot, place) => {
      const far = (spot.x - x) ** 2 + (spot.y - y) ** 2 - spot.r ** 2;
      if (far < least) { least = far; best = place; }
    });
    return best;
  }

  canvas.addEventListener("pointermove", (event) => {
    const place = seen && nearest(event);
    tip.hidden = place === null || place === undefined || !seen;
    canvas.classList.toggle("over", !tip.hidden);
    if (tip.hidden) return;
    tip.textContent = words(place, levelsAt(place));
    const area = box.getBoundingClientRect(), left = event.clientX - area.left;
    tip.style.top = `${event.clientY - area.top + 16}px`;
    tip.style.left = `${Math.max(0, Math.min(left + 12, area.width - 300))}px`;
  });
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  canvas.addEventListener("click", (event) => {
    const place = seen && nearest(event);
    if (place !== null && place !== undefined) go(levelsAt(place));
  });

  // ---- Keys --------------------------------------------------------------------------------

  box.addEventListener("keydown", (event) => {
    if (!seen || event.ctrlKey || event.altKey || event.metaKey) return;
    const step = { ArrowUp: 1, ArrowDown: -1 }[event.key], turn = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) {
      const level = bounded(node[column] + step, column);
      if (level === node[column]) say(`${columns[column].name} has no ${step > 0 ? "coarser" : "finer"} level.`);
      else go(node.map((one, j) => (j === column ? level : one)));
    } else if (turn) {
      column = (column + turn + columns.length) % columns.length;
      say(`${columns[column].name}, level ${node[column]} of ${columns[column].high}: ${columns[column].labels[node[column]]}.`);
      draw();
    } else if (event.key === "Home") {
      if (seen.best.length) go(levelsAt(seen.best[0]));
    } else if (event.key === "Enter" || event.key === " ") {
      load(true);
    } else return;
    event.preventDefault();
  });

  function say(text) { said.textContent = text; }

  // ---- Moving ------------------------------------------------------------------------------

  function go(levels) {
    node = levels.slice();
    columns.forEach((one, j) => { document.getElementById(`level-${j}`).value = node[j]; });
    showLevels();
    if (placeOf(node) === null) { ask(); return; }
    say(words(placeOf(node), node));
    draw();
    showSteps();
    soon();
  }

  function showLevels() {
    columns.forEach((one, j) => {
      const input = document.getElementById(`level-${j}`);
      const text = `${node[j]} of ${one.high}: ${one.labels[node[j]]}`;
      input.parentElement.querySelector("output").textContent = text;
      input.setAttribute("aria-valuetext", text);
    });
  }

  // The neighbours of the node, each with its mark: one step finer or coarser in each column.
  function showSteps() {
    const colours = palette();
    columns.forEach((one, j) => {
      const area = document.querySelector(`[data-steps="${j}"]`), kept = area.contains(document.activeElement) && document.activeElement.dataset.step;
      area.textContent = "";
      for (const step of [-1, 1]) {
        const button = document.createElement("button"), name = step < 0 ? "finer" : "coarser";
        button.type = "button";
        button.className = "plain step";
        button.dataset.step = String(step);
        const there = node.map((level, i) => level + step * (i === j));
        const inside = bounded(there[j], j) === there[j], place = inside ? placeOf(there) : null;
        button.disabled = !inside;
        button.dataset.off = "";
        if (place !== null) {
          const state = seen.states[seen.state[place]];
          const cost = seen.cost[place] === null ? "" : costly(seen.cost[place]);
          button.append(sample(state.mark, colours[seen.state[place]]), ` ${name} ${cost}`);
          button.setAttribute("aria-label", `${one.name} ${name}: ${one.labels[there[j]]}; ${state.words}; ${seen.metric} ${cost}`);
          button.title = `${one.labels[there[j]]}: ${state.words}`;
        } else {
          button.append(name);
          button.setAttribute("aria-label", `${one.name} ${name}`);
        }
        button.addEventListener("click", () => { column = j; go(there); });
        area.append(button);
        if (kept === button.dataset.step) button.focus();
      }
    });
  }

  function sample(kind, ink) {
    const found = document.createElement("canvas"), sharp = window.devicePixelRatio || 1;
    found.width = found.height = 18 * sharp;
    found.className = "sample";
    found.setAttribute("aria-hidden", "true");
    const pen = found.getContext("2d");
    pen.scale(sharp, sharp);
    pen.fillStyle = pen.strokeStyle = ink;
    pen.lineWidth = 2;
    mark(pen, kind, 9, 9, 6);
    return found;
  }

  document.getElementById("levels").addEventListener("input", (event) => {
    if (!event.target.dataset.column || !seen) return;
    column = Number(event.target.dataset.column);
    go(node.map((level, j) => (j === column ? Number(event.target.value) : level)));
  });
  document.getElementById("levels").addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("to-best").addEventListener("click", () => {
    if (seen && seen.best.length) go(levelsAt(seen.best[0]));
    else say("No combination keeps all claims.");
  });

  // ---- Levers ------------------------------------------------------------------------------

  const STEPS = 200;
  const levers = [...document.querySelectorAll(".lever")].map((element) => ({
    name: element.dataset.lever,
    low: Number(element.dataset.low),
    high: Number(element.dataset.high),
    plan: Number(element.dataset.plan),
    whole: "whole" in element.dataset,
    wide: "wide" in element.dataset,
    range: element.querySelector("input[type=range]"),
    number: element.querySelector("input[type=number]"),
  }));

  function valueAt(lever, step) {
    const part = step / STEPS;
    const value = lever.wide ? lever.low * (lever.high / lever.low) ** part : lever.low + (lever.high - lever.low) * part;
    return lever.whole ? Math.round(value) : Number(value.toPrecision(3));
  }

  function stepOf(lever, value) {
    const part = lever.wide ? Math.log(Math.max(value, lever.low) / lever.low) / Math.log(lever.high / lever.low) : (value - lever.low) / (lever.high - lever.low || 1);
    return Math.max(0, Math.min(STEPS, Math.round(part * STEPS)));
  }

  for (const lever of levers) {
    lever.range.value = stepOf(lever, Number(lever.number.value));
    lever.range.setAttribute("aria-valuetext", lever.number.value);
    lever.range.addEventListener("input", () => {
      lever.number.value = valueAt(lever, Number(lever.range.value));
      lever.range.setAttribute("aria-valuetext", lever.number.value);
      ask();
    });
    lever.number.addEventListener("input", () => {
      if (lever.number.value === "" || !lever.number.checkValidity()) return;
      lever.range.value = stepOf(lever, Number(lever.number.value));
      lever.range.setAttribute("aria-valuetext", lever.number.value);
      ask();
    });
  }
  document.getElementById("levers").addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("reset").addEventListener("click", () => {
    for (const lever of levers) {
      lever.number.value = lever.plan;
      lever.range.value = stepOf(lever, lever.plan);
    }
    ask();
  });

  function query(more) {
    const found = new URLSearchParams();
    found.set("node", node.join());
    for (const lever of levers) {
      const value = Number(lever.number.value);
      if (value === lever.plan || lever.number.value === "" || !lever.number.checkValidity()) continue;
      if (lever.name === "suppress") found.set("suppress", String(value / 100));
      else found.append("set", `${lever.name}=${value}`);
    }
    for (const [key, value] of Object.entries(more || {})) found.set(key, value);
    return found.toString();
  }

  // ---- Asking the app ----------------------------------------------------------------------

  let waiting = false, again = false;

  async function ask() {
    if (waiting) { again = true; return; }
    waiting = true;
    asked += 1;
    const begun = performance.now();
    clearTimeout(patiently);
    try {
      const answer = await fetch(`/explore/survey.json?${query()}`, { headers: { "HX-Request": "true" } });
      if (!answer.ok) { await complain(answer); return; }
      take(await answer.json());
      root.dataset.answered = String(Math.round(performance.now() - begun));
      history.replaceState(null, "", `/explore?${query()}`);
      soon();
    } finally {
      waiting = false;
      if (again) { again = false; ask(); }
      else if (seen && !seen.decided) patiently = setTimeout(rest, 600);
    }
  }

  // What is still open is decided meanwhile, and forgotten if something moved.
  let patiently = 0;
  async function rest() {
    const mine = asked;
    const answer = await fetch(`/explore/survey.json?${query({ patient: "true" })}`, { headers: { "HX-Request": "true" } });
    if (answer.ok && mine === asked) take(await answer.json());
  }

  function take(found) {
    seen = found;
    places = null;
    document.getElementById("summary").textContent = seen.summary;
    document.getElementById("standing").textContent = seen.standing;
    legend();
    draw();
    showLevels();
    showSteps();
    const here = placeOf(node);
    if (here !== null) say(words(here, node));
  }

  async function complain(answer) {
    const text = document.createElement("div");
    text.innerHTML = await answer.text(); // the app's own sentence, escaped there
    say(text.textContent.trim());
  }

  let later = 0;
  function soon() {
    clearTimeout(later);
    later = setTimeout(() => load(false), 180);
  }

  async function part(id, address) {
    const answer = await fetch(address, { headers: { "HX-Request": "true" } });
    const element = document.getElementById(id);
    element.innerHTML = await answer.text();
    element.dispatchEvent(new CustomEvent("htmx:afterSettle", { bubbles: true }));
  }

  async function load(loud) {
    const now = query();
    history.replaceState(null, "", `/explore?${now}`);
    if (now !== shownNode || loud) {
      shownNode = now;
      await part("node", `/explore/node?${now}`);
      if (now !== query()) return;
      frontier();
      if (document.getElementById("nodes-table").open) table();
    }
    if (loud) {
      const target = document.getElementById("node");
      target.tabIndex = -1;
      target.focus();
      target.scrollIntoView({ block: "start" });
    }
  }

  function frontier() {
    const lever = document.getElementById("frontier-lever").value;
    if (lever) part("frontier", `/explore/frontier?${query({ lever })}`);
  }
  function table() { part("nodes", `/explore/nodes?${query()}`); }

  document.getElementById("frontier-lever").addEventListener("change", frontier);
  document.getElementById("nodes-table").addEventListener("toggle", (event) => { if (event.target.open) table(); });
  addEventListener("resize", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { if (seen) { legend(); draw(); showSteps(); } });
  showLevels();
  ask();
})();
