// The pictures of one chain, the same as svg.go draws.
const draw = (() => {
  const W = 760, H = 44, INSET = 10, LEFT = 150, PLOT = 570, ROWS = 60;
  const esc = s => String(s).replace(/[&<>"']/g, c => ({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&#34;", "'": "&#39;"})[c]);
  const shorten = (s, n) => { const r = Array.from(s); return r.length <= n ? s : r.slice(0, Math.max(n - 3, 1)).join("") + "..."; };
  const rect = (x, y, w, h, c) => `<rect x="${x}" y="${y}" width="${Math.max(w, 0)}" height="${Math.max(h, 0)}" rx="4" class="${c}"/>`;
  const line = (x1, y1, x2, y2, c) => `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" class="${c}"/>`;
  const text = (x, y, c, s, n) => `<text x="${x}" y="${y}" class="${c}">${esc(shorten(s, n))}</text>`;
  const done = (w, h, label, body) => `<div class="wide"><svg width="${w}" height="${h}" viewBox="0 0 ${w} ${h}" role="img" aria-label="${esc(label)}">${body}</svg></div>`;
  const div = (a, b) => Math.trunc(a / b);
  const windowLabel = (kept, verdict) => "window " + kept + ": " + ({short: "does not cover the longest path", margin: "covers it, without margin", covered: "covers the longest path"}[verdict] || "cannot be judged");
  const verdictClass = s => ["short", "margin", "covered"].includes(s) ? s : "open";
  const heat = n => n === Infinity || n >= 64n ? "red" : n !== null && n >= 16n ? "amber" : "green";

  const chain = (rows, entry, entryPlace, effect, attempts, heatClass, label) => {
    if (rows.length > ROWS) rows = [...rows.slice(0, ROWS / 2), {kind: "hop", words: rows.length - ROWS + 1 + " more steps", place: ""}, ...rows.slice(rows.length - ROWS / 2 + 1)];
    const inset = d => 12 * Math.min(d, INSET);
    let depth = 0, y = 4, texts = "";
    const boxes = [];
    const put = (c, words, place) => {
      const x = inset(depth) + 10;
      texts += text(x, y + 18, c, words, div(W - 2 * x, 7)) + text(x, y + 34, "p", place, div(W - 2 * x, 6));
      y += H;
    };
    put("b", entry, entryPlace);
    for (const r of rows) {
      if (r.kind === "layer" || r.kind === "quiet") {
        boxes.push([inset(depth), y, r.kind]);
        put(r.kind === "layer" ? "b" : "t", r.words, r.place);
        depth++;
      } else if (r.kind === "window") {
        texts += rect(inset(depth) + 4, y + 2, W - 2 * inset(depth) - 8, H - 6, "w-" + r.verdict);
        put("t", r.words, r.place);
      } else put("t", "> " + r.words, r.place);
    }
    texts += rect(inset(depth) + 4, y + 2, W - 2 * inset(depth) - 8, H - 6, "e-" + heatClass);
    put("b", effect + ": " + attempts, "for one intent");
    const body = boxes.map((b, i) => rect(b[0], b[1], W - 2 * b[0], y - b[1] + 6 * (boxes.length - i), b[2])).join("") + texts;
    return done(W, y + 6 * boxes.length + 4, "Chain from " + entry + " to " + effect + ": " + label, body);
  };

  const ticks = [["1s", 1], ["1m", 60], ["1h", 3600], ["1d", 86400], ["7d", 604800], ["30d", 2592000], ["1y", 31536000]];
  const seconds = v => Number(v) / 1e9;
  // timeline takes bars [[name, limit]], windows [[verdict, limit]] and the required window.
  const timeline = (bars, windows, required) => {
    let longest = 60, body = "", label = "Time line:";
    for (const v of [...bars.map(b => b[1]), ...windows.map(w => w[1]), required]) if (calc.known(v)) longest = Math.max(longest, seconds(v));
    const top = Math.log1p(longest * 1.3);
    const at = v => calc.known(v) ? LEFT + Math.round(PLOT * Math.log1p(seconds(v)) / top) : LEFT + PLOT;
    const bottom = 26 + 26 * bars.length;
    for (const [name, s] of ticks) if (s <= longest) {
      const x = LEFT + Math.round(PLOT * Math.log1p(s) / top);
      body += line(x, 20, x, bottom, "tick") + text(x + 2, 14, "p", name, 8);
    }
    bars.forEach(([name, v], i) => {
      const y = 26 + 26 * i, words = calc.words(v);
      body += text(4, y + 15, "t", name, 20);
      if (v !== null) body += rect(LEFT, y + 2, at(v) - LEFT, 18, "bar");
      body += text(LEFT + 6, y + 15, "t", words, 40);
      label += " " + name + " " + words + ";";
    });
    let y = bottom;
    const mark = (v, c, words) => {
      if (v !== null) body += line(at(v), 20, at(v), y + 8, c);
      body += text(4, y + 18, c, words, 100);
      label += " " + words + ";";
      y += 20;
    };
    for (const [verdict, v] of windows) mark(v, "m-" + verdict, v === Infinity ? "window permanent" : "window " + calc.words(v));
    mark(required, "m-required", "required window " + calc.words(required));
    return done(W, y + 10, label, body);
  };

  const ownCell = (layers, product) => {
    if (layers < 1 || layers > 4 || !calc.known(product) || product < 2n || product > 2000n) return 0;
    let best = null, own = 0;
    for (let a = 2; a <= 5; a++) {
      const n = BigInt(a) ** BigInt(layers), d = n > product ? n - product : product - n;
      if (best === null || d < best) { best = d; own = a; }
    }
    return own;
  };
  const amplification = (layers, product) => {
    const own = ownCell(layers, product);
    let s = `<table class="amp"><caption>Attempts for one intent: layers, each with so many attempts</caption><tr><th scope="col">layers</th>`;
    for (let a = 2; a <= 5; a++) s += `<th scope="col">${a} each</th>`;
    s += "</tr>";
    for (let l = 1; l <= 4; l++) {
      s += `<tr><th scope="row">${l}</th>`;
      for (let a = 2; a <= 5; a++) {
        const n = BigInt(a) ** BigInt(l);
        s += own && l === layers && a === own ? `<td class="h-${heat(n)} own">${n}<span class="sr"> (nearest to this chain)</span></td>` : `<td class="h-${heat(n)}">${n}</td>`;
      }
      s += "</tr>";
    }
    return s + "</table>";
  };
  return {chain, timeline, amplification, ownCell, heat, windowLabel, verdictClass, esc};
})();
