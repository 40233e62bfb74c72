// The page: filters, lists that are drawn as they are opened, and what if.
const page = (() => {
  const D = JSON.parse(document.getElementById("data").textContent), S = D.strings;
  const PAGE = 100, SEVERITY = ["error", "warning", "note"], STATE = ["", "suppressed", "known to the baseline", "gone"];
  const el = (tag, props, ...kids) => {
    const e = document.createElement(tag);
    for (const k in props || {}) if (k in e) e[k] = props[k]; else e.setAttribute(k, props[k]);
    e.append(...kids.filter(k => k !== null && k !== undefined && k !== ""));
    return e;
  };
  const picture = html => { const d = el("div"); d.innerHTML = html; return d; }; // only what draw made, which escapes
  const repoName = i => S[D.repos[i][0]];
  const where = ([repo, path, line]) => {
    const p = S[path], r = repoName(repo);
    if (!p) return r;
    const file = D.one || !r ? p : r + "/" + p;
    return line > 0 ? file + ":" + line : file;
  };
  const encode = p => p.split("/").map(encodeURIComponent).join("/");
  const link = place => {
    const root = S[D.repos[place[0]][1]], p = S[place[1]];
    if (!root.startsWith("https://") || !p) return el("span", {className: "place"}, where(place));
    const mark = root.includes("bitbucket.org") ? "lines-" : "L";
    return el("a", {className: "place", href: root + encode(p) + (place[2] > 0 ? "#" + mark + place[2] : ""), rel: "noreferrer noopener"}, where(place));
  };

  // What the arrays hold, by name; the same order as in htmldata.go.
  const finding = a => ({severity: a[0], rule: a[1], message: S[a[2]], at: [a[3], a[4], a[5]], column: a[6], chain: a[7], help: S[a[8]], snippet: S[a[9]], state: a[10], reason: S[a[11]], related: a[12]});
  const chain = a => ({id: S[a[0]], entry: S[a[1]], entryAt: a[2], effect: S[a[3]], effectAt: a[4], attempts: S[a[5]], least: S[a[6]], automatic: S[a[7]], worst: S[a[8]],
    paths: a[9].map(p => ({kind: S[p[0]], delay: S[p[1]], origin: S[p[2]], after: p[3]})), longestKind: S[a[10]], longest: S[a[11]], factor: a[12], required: S[a[13]],
    windows: a[14].map(w => ({...windowOf(w[0]), verdict: S[w[1]]})), rows: a[15]});
  const windowOf = i => { const w = D.windows[i]; return {kind: S[w[0]], kept: S[w[2]] || S[w[1]], at: [w[3], w[4], w[5]]}; };
  const layerOf = i => { const l = D.layers[i]; return {index: i, name: S[l[0]], at: [l[1], l[2], l[3]], policy: D.policies[l[4]], set: l[5]}; };

  // The arithmetic of a chain, from the words of the data.
  const dur = s => { const v = s ? calc.duration(s) : null; return v === undefined ? null : v; };
  const counted = (n, least) => n === "unbounded" ? calc.count(1n, Infinity) : /^[0-9]+$/.test(n) ? calc.count(BigInt(/^[0-9]+$/.test(least) ? least : n), BigInt(n)) : calc.count(/^[0-9]+$/.test(least) ? BigInt(least) : 0n, null);
  const policy = p => ({attempts: counted(p.n, p.min || ""), backoff: {kind: p.b.kind, initial: dur(p.b.initial), mult: p.b.multiplier ? calc.ratio(p.b.multiplier) : null, max: dur(p.b.max),
    step: dur(p.b.step), list: (p.b.list || []).map(dur), degree: p.b.degree, shift: p.b.shift, doublings: p.b.doublings, jitter: p.b.jitter,
    jitterFactor: p.b.jitterFactor ? calc.ratio(p.b.jitterFactor) : null, jitterExtra: dur(p.b.jitterExtra) || 0n, capsSum: p.b.capsSum},
    perAttempt: dur(p.p), overall: dur(p.o), budget: p.u || "", startToStart: p.g === "start-to-start", waitsAfterLast: !!p.a});
  const least = (a, b) => calc.known(a) && calc.known(b) ? (a < b ? a : b) : calc.known(a) ? a : b;
  // model gives the layers of a chain, innermost first, with the time limits between them.
  const model = (c, changed) => {
    const layers = [], caps = [], names = [];
    let attempt = null, pending = null;
    for (let i = c.rows.length - 1; i >= 0; i--) {
      const r = c.rows[i];
      if (r[0] === 1) {
        const limit = dur(S[r[6]]);
        if (calc.known(limit)) { pending = least(pending, limit); if (!layers.length) attempt = least(attempt, limit); }
        continue;
      }
      const l = layerOf(r[1]), p = (changed && changed.get(i)) || l.policy, q = policy(p);
      if (!p.f && !(calc.known(q.attempts.hi) && q.attempts.hi <= 1n)) continue;
      if (!layers.length && calc.known(q.perAttempt)) attempt = least(attempt, q.perAttempt);
      layers.push(q); caps.push(pending); names.push(l.name);
      pending = null;
    }
    return {layers, caps, names, attempt};
  };
  const evaluate = (c, changed) => {
    const m = model(c, changed), waits = calc.run(m.layers, 0n, m.caps), worst = calc.run(m.layers, m.attempt, m.caps);
    return {attempts: waits.attempts, waits: waits.delay, worst: worst.delay, each: waits.each, names: m.names};
  };
  const hi = n => n.hi === null ? "unknown" : n.hi === Infinity ? "unbounded" : String(n.hi);
  const attemptsWords = n => n === "1" ? "1 attempt" : n === "unknown" || n === "" ? "an unknown number of attempts" : n + " attempts";
  const waitWords = b => {
    const first = b.initial && b.initial !== "unknown" ? b.initial : "", top = b.max && b.max !== "unbounded" && b.max !== "unknown" ? " up to " + b.max : "";
    switch (b.kind) {
    case "none": return "no wait between";
    case "constant": return first ? first + " apart" : "a fixed wait";
    case "exponential": return first && b.multiplier ? "waits from " + first + " x" + b.multiplier + top : "growing waits" + top;
    case "list": return "waits " + (b.list || []).join(", ");
    case "linear": case "polynomial": case "doubling-linear": return first ? "growing waits from " + first + top : "growing waits" + top;
    case "server-directed": return "waits as the server says" + top;
    }
    return "";
  };
  const rowsOf = (c, changed, verdicts) => {
    const out = [];
    c.rows.forEach((r, i) => {
      if (r[0] === 0) {
        const l = layerOf(r[1]), p = (changed && changed.get(i)) || l.policy, w = p === l.policy ? p.w || "" : waitWords(p.b);
        out.push(p.f ? {kind: "layer", words: "x " + p.n + "  " + l.name + (w ? ", " + w : ""), place: where(l.at)} : {kind: "quiet", words: l.name + ", not counted", place: where(l.at)});
      } else if (r[5] === 1) out.push({kind: "hop", words: S[r[1]], place: where([r[2], r[3], r[4]])});
    });
    for (const w of c.windows) out.push({kind: "window", words: draw.windowLabel(w.kept, w.verdict), place: where(w.at), verdict: draw.verdictClass(w.verdict)});
    return out;
  };
  const arithmetic = (c, changed, attempts) => {
    const parts = [];
    c.rows.forEach((r, i) => { if (r[0] === 0) { const p = (changed && changed.get(i)) || layerOf(r[1]).policy; if (p.f) parts.push(p.n); } });
    return parts.length < 2 ? attemptsWords(attempts) : parts.join(" x ") + " = " + attemptsWords(attempts);
  };
  const factors = (c, changed) => c.rows.filter((r, i) => r[0] === 0 && ((p) => p.f && p.n !== "1")((changed && changed.get(i)) || layerOf(r[1]).policy)).length;
  const weight = n => n === "unbounded" ? Infinity : /^[0-9]+$/.test(n) ? BigInt(n) : null;
  const chainPicture = (c, changed, attempts) => draw.chain(rowsOf(c, changed), c.entry, where(c.entryAt), c.effect, attemptsWords(attempts), draw.heat(weight(attempts)), arithmetic(c, changed, attempts));
  const kept = s => s === "permanent" ? Infinity : dur(s);
  const timelinePicture = c => draw.timeline(c.paths.map(p => [p.kind, dur(p.delay)]), c.windows.map(w => [draw.verdictClass(w.verdict), kept(w.kept)]), dur(c.required));

  // steps is the way in words: what the picture shows, with links.
  const steps = c => {
    const ol = el("ol");
    ol.append(el("li", {}, "entry: " + c.entry + " ", link(c.entryAt)));
    for (const r of c.rows) {
      if (r[0] === 1) { ol.append(el("li", {}, S[r[1]] + " ", link([r[2], r[3], r[4]]))); continue; }
      const l = layerOf(r[1]), li = el("li", {}, el("b", {}, l.policy.f ? "x " + l.policy.n : "not counted"), " " + l.name + (l.policy.w ? ", " + l.policy.w : "") + " ", link(l.at));
      for (const s of l.set) li.append(", set at ", link(s));
      ol.append(li);
    }
    ol.append(el("li", {}, c.effect + ": " + attemptsWords(c.attempts) + " ", S[c.effectAt[1]] ? link(c.effectAt) : ""));
    for (const w of c.windows) ol.append(el("li", {}, draw.windowLabel(w.kept, w.verdict) + " ", link(w.at)));
    return el("details", {}, el("summary", {}, "The way in words, with links"), ol);
  };

  let number = 0;
  const field = (label, value, props) => {
    const input = el("input", {className: "small", defaultValue: value, autocomplete: "off", spellcheck: false, ...props});
    return [el("label", {}, label, input), input];
  };
  // whatIf is the calculator for a chain; it begins with what is configured.
  const whatIf = (c, pictures) => {
    const id = ++number, form = el("form", {className: "whatif", "aria-label": "What if: the chain with other settings"}), out = el("div", {"aria-live": "polite", role: "status"});
    const layers = [];
    c.rows.forEach((r, i) => {
      if (r[0] !== 0) return;
      const l = layerOf(r[1]);
      if (!l.policy.f) return;
      const b = l.policy.b, [la, attempts] = field("attempts", l.policy.n), fields = [la], x = {i, l, attempts};
      if (["constant", "exponential", "none", "unknown", "linear"].includes(b.kind)) {
        const [li, initial] = field(b.kind === "constant" || b.kind === "none" ? "wait" : "first wait", b.initial || (b.kind === "none" ? "0s" : ""));
        const [lm, mult] = field("multiplier", b.multiplier || (b.kind === "exponential" ? "2" : "1"));
        const [lx, max] = field("longest wait", b.max || "");
        fields.push(li, ...(b.kind === "linear" ? [] : [lm]), lx); Object.assign(x, {initial, mult, max});
      }
      const [lp, limit] = field("limit of an attempt", l.policy.p || "");
      fields.push(lp); x.limit = limit;
      layers.push(x);
      form.append(el("fieldset", {}, el("legend", {}, l.name + ", " + where(l.at)), ...fields));
    });
    const base = evaluate(c), own = p => {
      let d = dur(p.delay);
      for (let i = 0; i < p.after && calc.known(d) && calc.known(base.waits); i++) d -= base.waits;
      return calc.known(d) && d < 0n ? 0n : d;
    };
    const paths = c.paths.filter(p => p.kind !== "automatic").map(p => { const [l, input] = field(p.kind + (p.after ? ", after the automatic path" : ""), calc.format(own(p))); return {p, l, input}; });
    for (const kind of ["dead-letter", "operator-rerun", "restore"]) if (!paths.some(x => x.p.kind === kind)) {
      const p = {kind, after: kind === "dead-letter" ? 1 : 0}, [l, input] = field(kind + (p.after ? ", after the automatic path" : ""), "", {placeholder: "none"});
      paths.push({p, l, input});
    }
    const chosen = c.windows.find(w => w.verdict === "short") || c.windows.find(w => w.verdict === "margin") || c.windows[0];
    const [lw, win] = field("window", chosen ? chosen.kept : "", {placeholder: "none"}), [lf, factor] = field("safety factor", String(c.factor));
    form.append(el("fieldset", {}, el("legend", {}, "Paths by which a duplicate can come (nothing: not assumed)"), ...paths.map(x => x.l)), el("fieldset", {}, el("legend", {}, "Dedupe"), lw, lf));
    const reset = el("button", {type: "reset"}, "As configured");
    form.append(reset);
    const valid = (input, ok, hint) => { input.setCustomValidity(ok ? "" : hint); return ok; };
    const run = first => {
      const changed = new Map();
      let good = true;
      const check = (input, test, hint) => { if (!valid(input, input.value.trim() === "" || test(input.value.trim()), hint)) good = false; };
      const isDuration = s => calc.duration(s) !== undefined, isRatio = s => calc.ratio(s) !== null;
      for (const x of layers) {
        check(x.attempts, s => /^([0-9]{1,9}|unbounded|unknown)$/.test(s), "a number, unbounded or unknown");
        if (x.initial) { check(x.initial, isDuration, "a duration such as 1m30s"); check(x.mult, isRatio, "a number such as 2 or 1.5"); check(x.max, isDuration, "a duration such as 30s"); }
        check(x.limit, isDuration, "a duration such as 5s");
      }
      for (const x of paths) check(x.input, isDuration, "a duration such as 72h");
      check(win, isDuration, "a duration such as 24h, or permanent"); check(factor, s => isRatio(s) && calc.ratio(s)[0] > 0n, "a number such as 2");
      if (!good) { out.textContent = "A field has a value that cannot be read; it is marked."; return; }
      for (const x of layers) {
        const p = x.l.policy, q = {...p, b: {...p.b}, n: x.attempts.value.trim() || "unknown", p: x.limit.value.trim()};
        if (q.n !== p.n) q.min = "";
        if (x.initial && (x.initial.value.trim() !== (p.b.initial || (p.b.kind === "none" ? "0s" : "")) || x.mult.value.trim() !== (p.b.multiplier || (p.b.kind === "exponential" ? "2" : "1")) || x.max.value.trim() !== (p.b.max || ""))) {
          const m = x.mult.value.trim() || "1";
          q.b = {...p.b, initial: x.initial.value.trim(), max: x.max.value.trim(), multiplier: m};
          if (p.b.kind !== "linear") q.b.kind = q.b.initial === "0s" || q.b.initial === "0" ? "none" : calc.ratio(m)[0] === calc.ratio(m)[1] ? "constant" : "exponential";
        }
        if (q.n !== p.n || q.p !== (p.p || "") || JSON.stringify(q.b) !== JSON.stringify(p.b)) changed.set(x.i, q);
      }
      const e = changed.size ? evaluate(c, changed) : base;
      const ps = paths.filter(x => x.input.value.trim() !== "").map(x => ({kind: x.p.kind, delay: calc.duration(x.input.value), after: x.p.after}));
      const f = calc.ratio(factor.value) || [2n, 1n], w = win.value.trim() === "" ? null : calc.duration(win.value);
      const j = calc.judge(w, e.waits, e.worst, ps, f), n = hi(e.attempts);
      const bars = [["automatic", e.worst === null ? e.waits : e.worst], ...ps.map(p => [p.kind, calc.arrival(p, e.waits)])];
      if (!first || changed.size) {
        pictures.replaceChildren(picture(chainPicture(c, changed, n)), picture(draw.timeline(bars, w === null ? [] : [[draw.verdictClass(j.verdict), w]], j.required)), picture(draw.amplification(factors(c, changed), weight(n))));
      }
      const verdict = w === null ? "There is no window: nothing is recognised as a duplicate." : {covered: "The window covers every path with the safety factor.", margin: "The window covers the longest path, but without the safety factor.",
        short: "The window does not cover the longest path.", unknown: "Cannot be judged: something on the way is not known."}[j.verdict];
      const rows = e.each.map((x, i) => el("tr", {}, el("td", {}, e.names[i]), el("td", {}, hi(x.attempts)), el("td", {}, calc.words(x.delay)))).reverse();
      out.replaceChildren(el("p", {className: "verdict v-" + (w === null ? "unknown" : j.verdict)},
        el("b", {}, attemptsWords(n)), "; automatic path " + calc.words(e.waits) + (e.worst !== null && e.worst !== e.waits ? " (" + calc.words(e.worst) + " with slow attempts)" : "") + "; longest path: " + j.path + " " + calc.words(j.longest) + "; required window " + calc.words(j.required) + ". " + verdict +
        (j.shortfall !== null && j.shortfall !== 0n && w !== null ? " Missing: " + calc.words(j.shortfall) + "." : "")),
        el("table", {}, el("tr", {}, el("th", {scope: "col"}, "Layer and everything inside"), el("th", {scope: "col"}, "Attempts"), el("th", {scope: "col"}, "From first to last (waits)")), ...rows));
      if (!changed.size && c.automatic !== "unknown" && calc.format(base.waits) !== c.automatic) out.append(el("p", {className: "dim"}, "The scan says " + c.automatic + " for the automatic path: it knows something that is not in this page."));
    };
    form.addEventListener("input", () => run(false));
    form.addEventListener("reset", () => setTimeout(() => run(false)));
    form.addEventListener("submit", e => e.preventDefault());
    form.id = "whatif-" + id;
    run(true);
    return el("details", {className: "item calculator"}, el("summary", {}, "What if: change attempts, waits, paths, window"), out, form);
  };

  const chainBody = c => {
    const pictures = el("div", {className: "pictures"}, picture(chainPicture(c, null, c.attempts)), picture(timelinePicture(c)), picture(draw.amplification(factors(c), weight(c.attempts))));
    const t = el("table", {}, el("tr", {}, ...["Path", "Last duplicate after", "Because"].map(s => el("th", {scope: "col"}, s))));
    for (const p of c.paths) t.append(el("tr", {}, el("td", {}, p.kind), el("td", {}, calc.words(dur(p.delay))), el("td", {}, p.origin)));
    return [pictures, steps(c), el("details", {}, el("summary", {}, "The paths as a table"), t), whatIf(c, pictures)];
  };
  // lazy is a details element whose body is made when it is opened.
  const lazy = (summary, body, props) => {
    const d = el("details", {className: "item", ...props}, summary);
    d.addEventListener("toggle", () => { if (d.open && d.childElementCount === 1) d.append(...body()); });
    return d;
  };
  const chainItem = a => {
    const c = chain(a), h = draw.heat(weight(c.attempts));
    return lazy(el("summary", {}, el("span", {className: "badge h-" + h}, "x " + c.attempts), " " + c.entry + " to " + c.effect + " ", c.windows.some(w => w.verdict === "short") ? el("span", {className: "badge s0"}, "window short") : "", el("span", {className: "place"}, where(c.entryAt))), () => chainBody(c));
  };
  const findingItem = a => {
    const f = finding(a), rule = S[D.rules[f.rule][0]];
    return lazy(el("summary", {}, el("span", {className: "badge s" + f.severity}, SEVERITY[f.severity]), " " + f.message + " ", el("span", {className: "dim"}, "[" + rule + "]" + (STATE[f.state] ? " " + STATE[f.state] + (f.reason ? ": " + f.reason : "") : "")), el("span", {className: "place"}, where(f.at))), () => {
      const out = [el("p", {}, link(f.at))];
      if (f.snippet) out.push(el("pre", {}, f.snippet));
      if (f.help) out.push(el("p", {}, el("b", {}, "What to do: "), f.help));
      if (f.related.length) out.push(el("ul", {}, ...f.related.map(r => el("li", {}, S[r[0]] + " ", link([r[1], r[2], r[3]])))));
      out.push(el("p", {className: "dim"}, S[D.rules[f.rule][1]], " ", el("a", {href: D.project + "/blob/main/docs/rules/" + encodeURIComponent(rule) + ".md", rel: "noreferrer noopener"}, rule)));
      if (f.chain >= 0) { const item = chainItem(D.chains[f.chain]); if (f.severity < 2) item.open = true; out.push(item); }
      return out;
    });
  };

  // Lists: what matches, a hundred at a time.
  const list = (name, all, make, words) => {
    const box = document.getElementById(name), status = document.getElementById(name + "-status"), button = el("button", {type: "button"}, "Show more");
    let matching = all, shown = 0;
    const more = () => {
      const part = matching.slice(shown, shown + PAGE);
      box.append(...part.map(i => make(i)));
      shown += part.length;
      button.hidden = shown >= matching.length;
      status.textContent = matching.length + " of " + all.length + " " + words + (shown < matching.length ? ", " + shown + " shown" : "");
    };
    button.addEventListener("click", () => { const n = shown; more(); const next = box.children[n]; if (next) next.firstElementChild.focus(); });
    box.after(button);
    return {set(m) { matching = m; shown = 0; box.replaceChildren(); more(); }};
  };
  const byIndex = n => Array.from({length: n}, (_, i) => i);
  const findings = list("findings-list", byIndex(D.findings.length), i => findingItem(D.findings[i]), "findings");
  const chains = list("chains-list", byIndex(D.chains.length), i => chainItem(D.chains[i]), "chains");

  const form = document.getElementById("filters"), inputs = form.elements;
  const lower = S.map(s => s.toLowerCase());
  // A word matches a string once; which strings hold it is asked once for each word.
  const holders = words => words.map(w => { const m = new Uint8Array(S.length); for (let i = 0; i < m.length; i++) if (lower[i].includes(w)) m[i] = 1; return m; });
  const repoAt = new Map(D.repos.map((r, i) => [S[r[0]], i]));
  const apply = () => {
    const words = inputs.q.value.toLowerCase().split(/\s+/).filter(Boolean), hold = holders(words), repo = inputs.repo.value.trim(), rule = inputs.rule.value;
    const severities = [inputs.error.checked, inputs.warning.checked, inputs.note.checked], closed = inputs.closed.checked;
    const exact = repoAt.has(repo) ? repoAt.get(repo) : -1, part = repo.toLowerCase();
    const repoOK = D.repos.map((r, i) => !repo || (exact >= 0 ? i === exact : lower[r[0]].includes(part)));
    const touches = (c, test) => test(c[2]) || test(c[4]) || c[15].some(r => r[0] === 1 ? test([r[2], r[3]]) : test([D.layers[r[1]][1], D.layers[r[1]][2]]));
    const fs = [], named = new Set();
    D.findings.forEach((f, i) => {
      if (!severities[f[0]] || !closed && f[10] || rule !== "" && f[1] !== +rule || !repoOK[f[3]]) return;
      if (!hold.every(m => m[f[2]] || m[f[4]] || m[D.repos[f[3]][0]] || m[D.rules[f[1]][0]])) return;
      fs.push(i);
      if (f[7] >= 0) named.add(f[7]);
    });
    const narrowed = rule !== "" || severities.includes(false);
    const cs = [];
    D.chains.forEach((c, i) => {
      if (narrowed && !named.has(i)) return;
      if (repo && !touches(c, p => repoOK[p[0]])) return;
      if (!hold.every(m => m[c[0]] || m[c[1]] || m[c[3]] || touches(c, p => m[p[1]] || m[D.repos[p[0]][0]]))) return;
      cs.push(i);
    });
    findings.set(fs); chains.set(cs);
  };
  let timer = 0;
  form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(apply, 60); });
  form.addEventListener("submit", e => { e.preventDefault(); apply(); });
  form.addEventListener("reset", () => setTimeout(apply));
  const names = document.getElementById("repos");
  names.append(...D.repos.slice(0, 2000).map(r => el("option", {value: S[r[0]]})));
  const used = new Set(D.findings.map(f => f[1]));
  D.rules.forEach((r, i) => { if (used.has(i)) inputs.rule.append(el("option", {value: String(i)}, S[r[0]])); });
  document.addEventListener("keydown", e => {
    if (e.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) { e.preventDefault(); inputs.q.focus(); }
  });
  const fromAddress = () => {
    const id = decodeURIComponent((/^#chain=(.+)$/.exec(location.hash) || [])[1] || "");
    const i = id ? D.chains.findIndex(c => S[c[0]] === id) : -1;
    if (i < 0) return;
    chains.set([i]);
    document.querySelector("#chains-list details").open = true;
    document.getElementById("chains").scrollIntoView();
  };
  document.getElementById("app").hidden = false;
  document.documentElement.classList.add("script");
  apply();
  fromAddress();
  window.addEventListener("hashchange", fromAddress);
  return {D, chain, evaluate, waitWords, chainPicture, timelinePicture, policy, apply, factors, weight};
})();
