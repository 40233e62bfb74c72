// The arithmetic of package model in exact numbers: durations are BigInt nanoseconds, Infinity where there is no end, null
// where it is not known; counts are {lo, hi} with the same for hi. Tested against the worked examples of the Go code.
const calc = (() => {
  const MAX = 9223372036854775807n, SECOND = 1000000000n, TERMS = 65536n;
  const known = v => typeof v === "bigint";
  const sat = v => v > MAX ? Infinity : v < 0n ? 0n : v;
  const plus = (a, b) => a === Infinity || b === Infinity ? Infinity : a === null || b === null ? null : sat(a + b);
  const least = (a, b) => known(a) && known(b) ? (a < b ? a : b) : known(a) ? a : known(b) ? b : a === null || b === null ? null : a;
  const longer = (a, b) => a === Infinity || b === Infinity ? Infinity : a === null || b === null ? null : a > b ? a : b;
  const place = v => v === Infinity ? MAX : v === null ? -1n : v;
  const compare = (a, b) => place(a) < place(b) ? -1 : place(a) > place(b) ? 1 : 0;
  const up = (n, d) => n % d === 0n ? n / d : n / d + 1n;
  const scale = (l, r) => known(l) ? sat(up(l * r[0], r[1])) : l;
  const count = (lo, hi) => ({lo, hi});
  const times = (l, n) => n.hi === 0n ? 0n : l === Infinity || n.hi === Infinity ? Infinity : l === 0n ? l : !known(n.hi) || l === null ? null : sat(l * n.hi);
  const satCount = v => v > MAX ? MAX : v;
  const most = (a, b) => a > b ? a : b;
  const product = (c, d) => {
    if (c.hi === 0n || d.hi === 0n) return count(0n, 0n);
    const lo = satCount(most(c.lo, 1n) * most(d.lo, 1n));
    if (c.hi === null || d.hi === null) return count(lo, null);
    if (c.hi === Infinity || d.hi === Infinity) return count(lo, Infinity);
    return count(satCount(c.lo * d.lo), satCount(c.hi * d.hi));
  };
  const sum = (c, d) => {
    const lo = satCount(c.lo + d.lo);
    if (c.hi === Infinity || d.hi === Infinity) return count(most(lo, 1n), Infinity);
    if (c.hi === null || d.hi === null) return count(lo, null);
    return count(lo, satCount(c.hi + d.hi));
  };
  const atMost = (c, n) => known(c.hi) && c.hi <= n ? c : c.hi === Infinity ? count(n, n) : count(c.lo < n ? c.lo : n, n);

  // ratio reads a decimal such as 1.5 as a fraction; null where it is none.
  const ratio = s => {
    const m = /^([0-9]+)(?:\.([0-9]+))?$/.exec(String(s).trim());
    if (!m || m[0].length > 20) return null;
    const f = m[2] || "", d = 10n ** BigInt(f.length);
    return [BigInt(m[1]) * d + BigInt(f || 0), d];
  };
  const units = {ns: 1n, us: 1000n, "\u00b5s": 1000n, ms: 1000000n, s: SECOND, m: 60n * SECOND, h: 3600n * SECOND, d: 86400n * SECOND};
  // duration reads Go's form, and days; undefined where it is none.
  const duration = s => {
    s = String(s).trim();
    if (s === "unbounded" || s === "permanent") return Infinity;
    if (s === "unknown" || s === "") return null;
    if (s === "0") return 0n;
    let total = 0n, rest = s.replace(/\s+/g, "");
    while (rest) {
      const m = /^([0-9]+(?:\.[0-9]+)?)(ns|us|\u00b5s|ms|s|m|h|d)/.exec(rest);
      if (!m) return undefined;
      const r = ratio(m[1]);
      if (!r) return undefined;
      total += r[0] * units[m[2]] / r[1];
      rest = rest.slice(m[0].length);
    }
    return sat(total);
  };
  const trim = (n, d) => { // n/d as a decimal without zeros at its end
    const w = n / d, f = (n % d).toString().padStart(d.toString().length - 1, "0").replace(/0+$/, "");
    return f ? w + "." + f : String(w);
  };
  // format writes as Go does, without units that are zero.
  const format = v => {
    if (v === Infinity) return "unbounded";
    if (v === null) return "unknown";
    if (v === 0n) return "0s";
    if (v < 1000n) return v + "ns";
    if (v < 1000000n) return trim(v, 1000n) + "\u00b5s";
    if (v < SECOND) return trim(v, 1000000n) + "ms";
    const h = v / units.h, m = v / units.m % 60n, s = v % units.m;
    return (h ? h + "h" : "") + (m || h && s ? m + "m" : "") + (s ? trim(s, SECOND) + "s" : "");
  };
  // words adds days to what is longer than two of them.
  const words = v => {
    if (!known(v) || v < 2n * units.d) return format(v);
    if (v % units.d === 0n) return format(v) + ", " + v / units.d + " days";
    return format(v) + ", " + (Number(v) / Number(units.d)).toFixed(1) + " days";
  };

  const cap = (b, l) => known(b.max) ? least(l, b.max) : l;
  const exponential = (b, k, mult) => {
    if (!known(b.initial) || !mult) return known(b.max) ? b.max : null;
    if (b.initial === 0n) return 0n;
    if (mult[0] === mult[1]) return cap(b, b.initial);
    let n = b.initial, d = 1n;
    for (let i = 1n; i < k; i++) {
      n *= mult[0]; d *= mult[1];
      const now = sat(up(n, d));
      if (known(b.max) && compare(now, b.max) >= 0 && mult[0] > mult[1]) return b.max;
      if (now === Infinity || i > 256n) return cap(b, now);
    }
    return cap(b, sat(up(n, d)));
  };
  const nominal = (b, k) => {
    switch (b.kind) {
    case "none": return 0n;
    case "constant": return cap(b, b.initial);
    case "linear": return cap(b, plus(b.initial, times(b.step === undefined ? null : b.step, count(k - 1n, k - 1n))));
    case "exponential": return exponential(b, k, b.mult);
    case "list": return b.list.length ? cap(b, b.list[Math.min(Number(k), b.list.length) - 1]) : 0n;
    case "polynomial": return cap(b, plus(sat((k - 1n + BigInt(b.shift || 0)) ** BigInt(b.degree || 0) * SECOND), b.initial));
    case "doubling-linear": {
      const n = BigInt(b.doublings || 0), pow = m => 2n ** (m > 61n ? 62n : m);
      return k - 1n <= n ? cap(b, scale(b.initial, [pow(k - 1n), 1n])) : cap(b, times(scale(b.initial, [pow(n), 1n]), count(k - n, k - n)));
    }
    case "server-directed": return known(b.max) ? b.max : Infinity;
    }
    return null;
  };
  const high = (b, g, k) => {
    let out = g;
    switch (b.jitter) {
    case "proportional": case "upward": if (b.jitterFactor) out = scale(g, [b.jitterFactor[0] + b.jitterFactor[1], b.jitterFactor[1]]); break;
    case "additive": out = plus(g, b.jitterExtra || 0n); break;
    case "additive-scaled": out = plus(g, times(b.jitterExtra || 0n, count(k, k))); break;
    case "decorrelated": out = exponential(b, k + 1n, [3n, 1n]); break;
    }
    return b.capsSum && known(b.max) ? least(out, b.max) : out;
  };
  const low = (b, g) => {
    if (!known(g)) return 0n;
    switch (b.jitter) {
    case "none": case "upward": case "additive": case "additive-scaled": return g;
    case "equal": return g / 2n;
    case "proportional": {
      const f = b.jitterFactor;
      return f && f[1] > f[0] ? g * (f[1] - f[0]) / f[1] : 0n;
    }
    case "decorrelated": return known(b.initial) ? least(b.initial, g) : 0n;
    }
    return 0n;
  };
  const wait = (b, k) => k < 1n ? 0n : high(b, nominal(b, k), k);
  const flat = (b, k) => {
    if (b.jitter === "additive-scaled" && b.jitterExtra > 0n) return false;
    switch (b.kind) {
    case "constant": case "none": case "server-directed": return true;
    case "list": return k >= BigInt(b.list.length);
    case "exponential":
      if (k > 257n || b.mult && b.mult[0] === b.mult[1]) return true;
      if (b.mult && b.mult[0] < b.mult[1]) return false; // a cap cuts the first waits alone where they shrink; falls through
    case "linear": case "polynomial": case "doubling-linear": return known(b.max) && compare(nominal(b, k), b.max) >= 0;
    }
    return false;
  };
  // adds: the jitter is a wait by itself, also where there is no other.
  const adds = b => (b.jitter === "additive" || b.jitter === "additive-scaled") && b.jitterExtra > 0n;
  const waits = (b, n) => { // of n attempts: n-1 of them
    if (known(n.hi) && n.hi <= 1n || b.kind === "none" && !adds(b)) return 0n;
    if (n.hi === Infinity) return Infinity;
    if (!known(n.hi)) return null;
    let total = 0n, steady = null;
    for (let k = 1n; k <= n.hi - 1n; k++) {
      const g = wait(b, k);
      total = plus(total, g);
      if (!known(total)) return total;
      if (k > 1n && g === steady && flat(b, k)) return plus(total, times(g, count(n.hi - 1n - k, n.hi - 1n - k)));
      steady = g;
      if (k > TERMS) return Infinity;
    }
    return total;
  };
  const fits = (b, d) => { // the most attempts that can begin within d
    let total = 0n;
    for (let k = 1n; ; k++) {
      const g = low(b, nominal(b, k));
      if (g <= 0n) {
        if ((b.kind === "polynomial" || b.kind === "linear" || b.kind === "list" && k < BigInt(b.list.length)) && k < 64n) continue;
        return Infinity;
      }
      if (flat(b, k)) return k + (d - total) / g;
      if (total > d - g) return k;
      total += g;
      if (k > TERMS) return Infinity;
    }
  };

  // total is the attempts of a layer with its deadline taken into account.
  const total = p => {
    if (known(p.overall) && !(known(p.attempts.hi) && p.attempts.hi <= 1n) && p.budget !== "with-count" && p.budget !== "rate") {
      let n = fits(p.backoff, p.overall);
      if (known(n)) {
        if (p.budget === "after-attempt") n += 1n;
        if (p.attempts.hi === null) { const lo = most(p.attempts.lo, 1n); return count(lo < n ? lo : n, n); }
        return atMost(p.attempts, n);
      }
    }
    return p.attempts;
  };
  // path is the time from the start of a layer's first attempt to the end of its last; inner is that of one run inside.
  const path = (p, inner) => {
    let a = inner;
    if (known(p.perAttempt)) a = least(a, p.perAttempt);
    if (known(p.attempts.hi) && p.attempts.hi <= 1n) return a;
    const n = total(p);
    const w = waits(p.backoff, p.waitsAfterLast && known(n.hi) ? count(n.lo + 1n, n.hi + 1n) : n);
    const out = p.startToStart ? plus(w, a) : plus(times(a, n), w);
    if (!known(p.overall) || p.budget === "with-count" || p.budget === "rate") return out;
    let end = p.overall;
    if (p.budget === "before-wait") end = plus(end, a);
    if (p.budget === "after-attempt") {
      let gap = wait(p.backoff, most(n.lo, 1n));
      if (known(n.hi)) gap = wait(p.backoff, most(n.hi - 1n, 1n)); else if (known(p.backoff.max)) gap = p.backoff.max;
      end = plus(plus(end, gap), a);
    }
    return known(end) ? least(out, end) : out;
  };
  // run is layers, innermost first, around an attempt: attempts and delay, and both for each layer on the way.
  const run = (layers, attempt, caps) => {
    let n = count(1n, 1n), d = attempt;
    const each = [];
    layers.forEach((p, i) => {
      n = product(n, total(p));
      if (caps && known(caps[i])) d = least(d, caps[i]);
      d = path(p, d);
      each.push({attempts: n, delay: d});
    });
    return {attempts: n, delay: d, each};
  };
  const arrival = (p, automatic) => { let a = p.delay; for (let i = 0; i < p.after; i++) a = plus(a, automatic); return a; };
  const longest = (waits, worst, paths) => {
    const own = worst === null ? waits : worst;
    let best = {kind: "automatic", when: own};
    for (const p of paths) { const when = arrival(p, waits); if (compare(when, best.when) > 0) best = {kind: p.kind, when}; }
    return best;
  };
  const judgeOnce = (window, waits, worst, paths, factor) => {
    let best = longest(waits, worst, paths);
    const automatic = worst === null ? waits : worst, lower = worst === null;
    const j = {verdict: "unknown", path: best.kind, longest: best.when, required: scale(best.when, factor), shortfall: null};
    if (window === Infinity) return {...j, verdict: "covered", shortfall: 0n};
    if (window === null || window === undefined) return j;
    if (automatic === null) {
      const q = longest(0n, 0n, paths);
      if (!(q.when === Infinity || known(q.when) && window <= q.when && q.kind !== "automatic")) return j;
      best = q;
      Object.assign(j, {path: q.kind, longest: q.when, required: scale(q.when, factor)});
    }
    if (best.when === Infinity || j.required === Infinity) return {...j, verdict: "short", shortfall: Infinity};
    j.shortfall = sat(j.required - window);
    if (window <= best.when) j.verdict = "short";
    else if (window < j.required) j.verdict = "margin";
    else if (lower && best.kind === "automatic" && automatic !== 0n) j.shortfall = null;
    else { j.verdict = "covered"; j.shortfall = 0n; }
    return j;
  };
  // judge holds a window against the paths; worst is null where an attempt has no time limit.
  const judge = (window, waits, worst, paths, factor) => {
    const j = judgeOnce(window, waits, worst, paths, factor);
    if (j.verdict !== "covered" || worst === null) return j;
    const k = judgeOnce(window, worst, worst, paths, factor);
    return k.verdict === "covered" ? j : k;
  };
  return {known, count, ratio, duration, format, words, total, run, sum, longest, longer, judge, arrival, scale, trim};
})();
