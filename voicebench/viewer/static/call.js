// The timeline of a call. The lanes are SVG that the server has drawn in percent of the call's length; this script
// gives them the width and the scroll position of the waveform, and turns clicks, keys and addresses into playing.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("timeline-data").textContent);
  const find = (id) => document.getElementById(id);
  const lanes = find("lanes");
  const wave = find("wave");
  const audio = find("audio");
  const length = data.length_s;
  const boxes = [...lanes.querySelectorAll(".box")].map((element) => ({
    element,
    id: element.dataset.id,
    start: Number(element.dataset.start),
    end: Number(element.dataset.end),
    lane: element.closest("svg.lane"),
  }));
  const inTime = boxes.filter((box) => !box.element.classList.contains("quiet"));
  const byLength = boxes.filter((box) => !box.element.classList.contains("instant"));
  byLength.sort((a, b) => a.end - a.start - (b.end - b.start));
  inTime.sort((a, b) => a.start - b.start || a.end - b.end);
  const turns = [...document.querySelectorAll("#turns > .turn")];
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const SHORTEST_S = 1; // a tool call of 50 ms is heard with what is around it
  const STEP_PX = 3; // less movement than this is a click
  const STEPS_S = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300]; // between two ticks of the axis
  const TICK_PX = 60;
  const LABEL_PX = 24; // a narrower box has no words in it
  const CLOSEST_PX = 400; // a second
  let chosen = null;

  if (audio) audio.controls = false;
  find("player").hidden = false;
  find("playhead").hidden = false;
  find("minimap").hidden = !data.peaks;

  // ---- the waveform, which is the axis of everything below it
  const nonce = document.querySelector("link[nonce]")?.nonce;
  const flat = [[0, 0], [0, 0]];
  const regions = WaveSurfer.Regions.create();
  const loudest = data.peaks ? [...data.peaks.caller, ...data.peaks.agent].reduce((a, b) => Math.max(a, b), 1) : 1;
  const height = data.peaks ? 48 : 1;
  const options = { cspNonce: nonce, barWidth: 2, barGap: 1, normalize: false, cursorWidth: 0, interact: false };
  const closest = Math.max(CLOSEST_PX, wave.clientWidth / (length || 1));
  const plugins = [regions, WaveSurfer.Zoom.create({ scale: 1, deltaThreshold: 0, maxZoom: closest })];
  if (data.peaks) {
    const small = { container: find("minimap"), height: 32, overlayColor: colour("--overlay"), dragToSeek: false };
    const colours = { waveColor: colour("--soft"), progressColor: colour("--soft") };
    plugins.push(WaveSurfer.Minimap.create({ ...options, ...small, ...colours, interact: true }));
  }
  const surfer = WaveSurfer.create({
    ...options,
    container: wave,
    media: audio ?? undefined,
    peaks: data.peaks ? [data.peaks.caller, data.peaks.agent].map((levels) => levels.map((level) => level / loudest)) : flat,
    duration: length || 1,
    hideScrollbar: true,
    autoScroll: true,
    splitChannels: ["--caller", "--agent"].map((name) => ({ waveColor: colour(name), progressColor: colour(name), height })),
    height,
    plugins,
  });
  const scroller = surfer.getWrapper().parentElement; // scrolls by itself, so the keyboard must reach it
  scroller.tabIndex = 0;
  scroller.setAttribute("role", "group");
  scroller.setAttribute("aria-label", data.peaks ? "Waveforms of caller and agent" : "Time axis");

  // ---- time and place
  let pixels = 1; // a second
  let left = 0; // how far it is scrolled, and how wide what is in sight, in pixels: asking the browser lays out the page
  let view = 1;
  let zooming = false;
  let silent = 0; // where the playhead is in a call without sound
  const now = () => (audio ? surfer.getCurrentTime() : silent);
  const clamp = (time) => Math.min(Math.max(time, 0), length);
  const stamp = (time) => `${Math.floor(time / 60)}:${(time % 60).toFixed(1).padStart(4, "0")}`;

  function place() {
    if (zooming) return;
    left = surfer.getScroll();
    view = wave.clientWidth;
    const width = surfer.getWrapper().scrollWidth || view;
    pixels = width / (length || 1);
    lanes.style.setProperty("--width", `${width}px`);
    lanes.style.setProperty("--left", `${-left}px`);
    drawAxis();
    thin();
    placeHead();
  }

  let narrow = 0; // how many boxes are too narrow for words
  function thin() {
    const before = narrow;
    narrow = byLength.findIndex((box) => (box.end - box.start) * pixels >= LABEL_PX);
    if (narrow < 0) narrow = byLength.length;
    const changed = byLength.slice(Math.min(before, narrow), Math.max(before, narrow));
    for (const box of changed) box.element.classList.toggle("tight", narrow > before);
  }

  // Only the ticks in sight are there; wavesurfer's own timeline lays out those of the whole call, one by one.
  function drawAxis() {
    const step = STEPS_S.find((seconds) => seconds * pixels >= TICK_PX) ?? STEPS_S.at(-1);
    const ticks = [];
    for (let tick = Math.floor(left / pixels / step); tick * step * pixels <= left + view; tick += 1) {
      const x = tick * step * pixels - left;
      const [line, text] = ["line", "text"].map((name) => document.createElementNS("http://www.w3.org/2000/svg", name));
      for (const [name, value] of Object.entries({ x1: x, x2: x, y1: 0, y2: 6 })) line.setAttribute(name, value);
      text.setAttribute("x", x + 3);
      text.setAttribute("y", 14);
      text.textContent = step < 1 ? stamp(tick * step) : stamp(tick * step).replace(/\.\d$/, "");
      ticks.push(line, text);
    }
    find("axis").replaceChildren(...ticks);
  }

  function placeHead() {
    const x = now() * pixels - left;
    const head = find("playhead");
    head.style.setProperty("--head", `${x}px`);
    head.classList.toggle("away", x < 0 || x > view);
    find("now").textContent = stamp(now());
  }

  // The plugin adds what a wheel turned to the pixels a second, and keeps the place under the pointer.
  function zoom(factor, clientX = wave.getBoundingClientRect().left + view / 2) {
    zooming = true;
    scroller.dispatchEvent(new WheelEvent("wheel", { deltaY: pixels * (1 - factor), clientX }));
    zooming = false;
    place();
  }

  let wanted = null; // wheels turn faster than a waveform is drawn: one zoom a frame
  function zoomSoon(factor, clientX) {
    if (!wanted) requestAnimationFrame(() => { zoom(wanted.factor, wanted.clientX); wanted = null; });
    wanted = { factor: factor * (wanted?.factor ?? 1), clientX };
  }

  function show(time) {
    const x = time * pixels;
    if (x < left || x > left + view - 40) surfer.setScroll(x - view / 4);
    place();
  }

  function seek(time, { reveal = true } = {}) {
    silent = clamp(time);
    if (audio) surfer.setTime(silent);
    if (reveal) show(silent);
    tell();
  }

  function play(start, end) {
    if (!audio) return;
    surfer.play(start, end);
  }

  // ---- the transcript follows the playhead
  let told = null;
  function tell() {
    placeHead();
    const time = now() + 0.05;
    const current = turns.findLast((turn) => Number(turn.dataset.start) <= time) ?? null;
    if (current === told) return;
    told?.removeAttribute("aria-current");
    told = current;
    if (!current) return;
    current.setAttribute("aria-current", "true");
    const list = current.parentElement;
    list.scrollTop = current.offsetTop - list.offsetTop - list.clientHeight / 3;
  }

  // ---- choosing a span
  function choose(box, { playing = false, focus = false, address = true } = {}) {
    chosen?.element.classList.remove("chosen");
    if (chosen) chosen.element.tabIndex = -1;
    chosen = box;
    box.element.classList.add("chosen");
    box.element.tabIndex = 0;
    if (focus) box.element.focus({ preventScroll: true });
    regions.clearRegions();
    regions.addRegion({ start: box.start, end: Math.max(box.end, box.start + 0.02), drag: false, resize: false, color: colour("--overlay") });
    inspect(box);
    seek(box.start);
    if (address) history.replaceState(null, "", `#span=${box.id}`);
    if (playing) play(box.start, Math.max(box.end, Math.min(box.start + SHORTEST_S, length)));
  }

  function inspect(box) {
    const { title, detail } = data.details[box.id];
    const list = document.createElement("dl");
    for (const [name, value] of Object.entries(detail)) {
      if (value === null || value === "") continue;
      const term = document.createElement("dt");
      const text = document.createElement("dd");
      term.textContent = name.replace(/^gen_ai\./, "").replace(/[._]/g, " ");
      text.textContent = typeof value === "string" ? value : JSON.stringify(value, null, 2);
      list.append(term, text);
    }
    const heading = document.createElement("strong");
    heading.textContent = title;
    find("inspector").replaceChildren(heading, list);
    find("inspector").hidden = false;
  }

  function step(by) {
    const begun = inTime.findLastIndex((box) => box.start <= now());
    const at = inTime.includes(chosen) ? inTime.indexOf(chosen) : begun + (by > 0 ? 0 : 1);
    const next = inTime[Math.min(Math.max(at + by, 0), inTime.length - 1)];
    if (next) choose(next, { focus: true });
  }

  function change(by) {
    const filled = [...lanes.querySelectorAll("svg.lane")].filter((lane) => lane.querySelector(".box"));
    const from = chosen ? filled.indexOf(chosen.lane) : -1;
    const lane = filled[Math.min(Math.max(from + by, 0), filled.length - 1)];
    const time = chosen?.start ?? now();
    const near = boxes.filter((box) => box.lane === lane);
    near.sort((a, b) => Math.abs(a.start - time) - Math.abs(b.start - time));
    if (near.length) choose(near[0], { focus: true });
  }

  // ---- pointer: click plays, drag scrubs, wheel pans, wheel with a modifier zooms
  const timeAt = (event) => clamp((event.clientX - wave.getBoundingClientRect().left + left) / pixels);
  let drag = null;
  lanes.addEventListener("pointerdown", (event) => {
    if (event.button === 0 && event.clientX >= wave.getBoundingClientRect().left) drag = { x: event.clientX, moved: false };
  });
  addEventListener("pointermove", (event) => {
    if (!event.isPrimary) drag = null; // two fingers zoom
    if (!drag) return;
    drag.moved ||= Math.abs(event.clientX - drag.x) > STEP_PX;
    if (drag.moved) seek(timeAt(event), { reveal: false });
  });
  addEventListener("pointercancel", () => { drag = null; });
  lanes.addEventListener("dragstart", (event) => event.preventDefault());
  lanes.addEventListener("click", (event) => {
    const moved = drag?.moved;
    const begun = drag !== null;
    drag = null;
    const element = event.target.closest(".box");
    if (element) event.preventDefault();
    if (moved) return;
    if (element) choose(boxes.find((box) => box.element === element), { playing: true });
    else if (begun) seek(timeAt(event), { reveal: false });
  });
  addEventListener("pointerup", (event) => {
    if (drag && !event.target.closest?.("#lanes")) drag = null;
  });
  scroller.addEventListener("touchmove", place, { passive: true });
  lanes.addEventListener("wheel", (event) => {
    event.stopPropagation();
    if (event.ctrlKey || event.metaKey || event.altKey) {
      event.preventDefault();
      zoomSoon(Math.exp(-event.deltaY / 250), event.clientX);
      return;
    }
    const by = Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : event.deltaY;
    const before = left;
    surfer.setScroll(before + by * (event.deltaMode === 1 ? 16 : 1));
    place();
    if (left !== before) event.preventDefault(); // at either end the page scrolls on
  }, { passive: false, capture: true });

  // ---- keys
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
    const inside = lanes.contains(event.target);
    const free = inside || event.target === document.body || event.target.id === "main";
    const actions = { " ": toggle, ArrowRight: () => step(1), ArrowLeft: () => step(-1) };
    if (inside) Object.assign(actions, { ArrowUp: () => change(-1), ArrowDown: () => change(1), "+": () => zoom(1.5), "-": () => zoom(1 / 1.5) });
    if (!free || !actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  });

  function toggle() {
    if (audio) surfer.playPause();
  }

  // ---- buttons
  find("play").addEventListener("click", toggle);
  find("speed")?.addEventListener("change", (event) => surfer.setPlaybackRate(Number(event.target.value)));
  find("zoom-in").addEventListener("click", () => zoom(1.5));
  find("zoom-out").addEventListener("click", () => zoom(1 / 1.5));
  find("zoom-fit").addEventListener("click", () => surfer.zoom(view / (length || 1)));
  find("here").addEventListener("click", () => { location.hash = `t=${now().toFixed(1)}`; });
  for (const link of document.querySelectorAll('a[href^="#t="]')) {
    link.addEventListener("click", () => {
      find("timeline").scrollIntoView({ block: "nearest" });
      const start = Number(link.getAttribute("href").slice(3));
      seek(start);
      play(start);
    });
  }

  // ---- addresses
  function follow() {
    const [kind, value] = decodeURIComponent(location.hash.slice(1)).split("=");
    if (kind === "t" && Number.isFinite(Number(value))) seek(Number(value));
    const box = kind === "span" && boxes.find((one) => one.id === value);
    if (box) choose(box, { address: false });
    if ((kind === "t" || box) && location.hash) find("timeline").scrollIntoView({ block: "nearest" });
    const row = kind.startsWith("tool-") && document.getElementById(kind);
    if (row) row.open = true;
  }
  addEventListener("hashchange", follow);

  function said(playing) {
    const button = find("play");
    button.textContent = playing ? "❚❚ Pause" : "▶ Play";
    button.setAttribute("aria-pressed", String(playing));
  }
  surfer.on("play", () => said(true));
  surfer.on("pause", () => said(false));
  surfer.on("finish", () => said(false));
  surfer.on("timeupdate", tell);
  surfer.on("scroll", place);
  surfer.on("zoom", place);
  surfer.on("redraw", place);
  let begun = false;
  surfer.on("ready", () => {
    place();
    if (begun) return;
    begun = true;
    if (inTime.length) inTime[0].element.tabIndex = 0;
    const fit = wave.clientWidth / (length || 1);
    if (fit < 12) surfer.zoom(12); // a long call starts readable; the minimap shows the whole
    follow();
    document.documentElement.dataset.ready = "true";
  });
})();
