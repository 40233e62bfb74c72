package chain

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/retrylint/retrylint/model"
)

// settle replaces values that live elsewhere by what is found under the same name: an environment variable in a manifest,
// a flag among a container's arguments, a key in a configuration file, a setting of the linter's own configuration. More
// than one value gives a range, or a layer for each environment where it is the environments that differ; none leaves what the
// code has (its own default), or unknown.
func (b *builder) settle() {
	byName := map[model.Name][]*owned[model.Setting]{}
	for _, s := range b.settings {
		byName[s.v.Name] = append(byName[s.v.Name], s)
	}
	more := map[string][]string{}
	for _, l := range slices.Clone(b.layers) {
		found := map[int][]*owned[model.Setting]{}
		for i, r := range l.v.Refs {
			if all := b.candidates(byName[r.Name], l.repo, l.v.At); len(all) > 0 {
				found[i] = all
			}
		}
		if len(found) == 0 {
			continue
		}
		if vs := b.variants(l, found); vs != nil {
			*l.v = *vs[0].v
			for _, v := range vs[1:] {
				b.layers = append(b.layers, v)
				b.org.Layers = append(b.org.Layers, v.v)
				b.org.ByLayer[v.v.ID] = v.v
				more[l.v.ID] = append(more[l.v.ID], v.v.ID)
			}
			continue
		}
		for i, r := range l.v.Refs {
			if len(found[i]) > 0 {
				b.fillLayer(l.v, r, found[i])
			}
		}
	}
	b.spread(more)
	b.evict(byName[model.EvictionPolicy])
	for _, w := range b.boundaries {
		for _, r := range w.v.Refs {
			if r.Field != model.FieldTTL {
				continue
			}
			found := b.candidates(byName[r.Name], w.repo, w.v.At)
			if r.Name.Space == model.SpaceTable {
				found = purges(found, w.repo)
			}
			for i, s := range found {
				if s.v.Unknown {
					w.v.TTL = model.Window{}
					break
				}
				if d, ok := duration(s.v.Value, r.Unit); ok {
					if i == 0 || d < ttlOr(w.v.TTL) {
						w.v.TTL = model.WindowFor(d) // the shortest of several is the one to worry about
					}
					w.v.SetBy = append(w.v.SetBy, s.v.At)
				}
			}
		}
	}
	for i := 0; i < len(b.handlers); i++ {
		h := b.handlers[i]
		for _, r := range h.v.Refs {
			if r.Field == model.FieldTarget {
				b.fillQueue(h, b.candidates(byName[r.Name], h.repo, h.v.At))
			}
		}
	}
	for i := 0; i < len(b.edges); i++ {
		e := b.edges[i]
		for _, r := range e.v.Refs {
			found := b.candidates(byName[r.Name], e.repo, e.v.At)
			switch r.Field {
			case model.FieldTarget:
				b.fillTarget(e, r, found)
			case model.FieldTimeout:
				for _, s := range found {
					if d, ok := duration(s.v.Value, r.Unit); ok {
						e.v.Timeout = model.For(d)
					}
				}
			}
		}
	}
}

// evict says of dedupe keys in Redis that they are thrown out when its memory is full, where that is what the policies in the
// repository's own files say, all of them. The policy of a Redis that lies elsewhere is not known.
func (b *builder) evict(policies []*owned[model.Setting]) {
	for _, w := range b.boundaries {
		if w.v.Kind != "redis" || w.v.Store != model.StoreDurable {
			continue
		}
		var found []model.Location
		all := true
		for _, p := range policies {
			if p.repo != w.repo {
				continue
			}
			_, expires := w.v.TTL.Duration()
			all = all && (strings.HasPrefix(p.v.Value, "allkeys-") || strings.HasPrefix(p.v.Value, "volatile-") && expires)
			found = append(found, p.v.At)
		}
		if all && len(found) > 0 {
			w.v.Store = model.StoreEvicting
			w.v.SetBy = append(w.v.SetBy, found...)
		}
	}
}

// purges are the settings of a table that mean the table which code of a repository uses: tables of one name in other
// repositories are mostly other tables.
func purges(found []*owned[model.Setting], repo string) []*owned[model.Setting] {
	return slices.DeleteFunc(slices.Clone(found), func(s *owned[model.Setting]) bool { return s.repo != repo })
}

func ttlOr(w model.Window) time.Duration {
	if d, ok := w.Duration(); ok {
		return d
	}
	return math.MaxInt64
}

// candidates are the settings of a name that can reach code at a place: those given to the service that the code belongs
// to, or those of the same repository, or else all that are given to something whose code is not known.
func (b *builder) candidates(all []*owned[model.Setting], repo string, at model.Location) []*owned[model.Setting] {
	if len(all) == 0 {
		return nil
	}
	var direct, loose []*owned[model.Setting]
	for _, s := range all {
		if s.v.For.IsZero() {
			if b.reaches(s.repo, repo) {
				loose = append(loose, s)
			}
			continue
		}
		us := distinct(b.byName[s.v.For])
		if len(us) == 0 {
			if s.repo == repo {
				loose = append(loose, s)
			}
			continue
		}
		for _, u := range us {
			switch {
			case u.holds(repo, at.Path):
				direct = append(direct, s)
			case len(u.code) == 0:
				loose = append(loose, s) // nobody knows what runs there
			}
		}
	}
	if len(direct) > 0 {
		return direct
	}
	// What only might reach the code counts where it lies with the code, or where the name is used by one repository alone.
	var near []*owned[model.Setting]
	for _, s := range loose {
		if b.reaches(s.repo, repo) {
			near = append(near, s)
		}
	}
	if len(near) > 0 {
		return near
	}
	return loose
}

// reaches reports whether what one repository's facts say for all of it holds in another.
func (b *builder) reaches(from, repo string) bool {
	return from == repo || from == "" || from == b.opt.Everywhere
}

// holds reports whether the unit's code includes a file of a repository.
func (u *unit) holds(repo, file string) bool {
	u = u.find()
	for _, c := range u.code {
		if c.repo != repo {
			continue
		}
		if c.dir == "" || c.dir == "." || strings.HasPrefix(file, c.dir+"/") {
			return true
		}
		// Library packages of the repository belong to each of its programs; other programs' folders do not.
		if !strings.HasPrefix(file, "cmd/") {
			return true
		}
	}
	return false
}

func (b *builder) fillLayer(l *model.Layer, r model.Ref, found []*owned[model.Setting]) {
	count, first := model.Count{}, true
	for _, s := range found {
		ok := false
		if s.v.Unknown {
			// Somewhere it is set, nobody knows to what.
			forget(l, r.Field)
			if r.Field == model.FieldAttempts {
				count, first = model.Count{}, false
			}
			if !slices.Contains(l.SetBy, s.v.At) {
				l.SetBy = append(l.SetBy, s.v.At)
			}
			continue
		}
		switch r.Field {
		case model.FieldAttempts:
			var c model.Count
			if c, ok = attempts(s.v.Value, r); ok {
				if first {
					count, first = c, false
				} else {
					count = count.Or(c)
				}
			}
		case model.FieldInitial, model.FieldMax, model.FieldPerAttempt, model.FieldOverall:
			var d time.Duration
			if d, ok = duration(s.v.Value, r.Unit); ok {
				fillDuration(&l.Policy, r.Field, d)
			}
		case model.FieldFactor:
			if f, err := model.ParseRatio(s.v.Value); err == nil {
				l.Policy.Backoff.Factor, ok = f, true
			}
		}
		if ok && !slices.Contains(l.SetBy, s.v.At) {
			l.SetBy = append(l.SetBy, s.v.At)
		}
	}
	if !first {
		l.Policy.Attempts = count
		l.Origin = model.OriginExplicit
	}
	slices.SortFunc(l.SetBy, model.Location.Compare)
}

// forget makes one field of a layer unknown.
func forget(l *model.Layer, f model.Field) {
	p := &l.Policy
	switch f {
	case model.FieldInitial:
		p.Backoff.Initial = model.Limit{}
	case model.FieldMax:
		p.Backoff.Max = model.Limit{}
	case model.FieldFactor:
		p.Backoff.Factor = model.Ratio{}
	case model.FieldPerAttempt:
		p.PerAttempt = model.Limit{}
	case model.FieldOverall:
		p.Overall = model.Limit{}
	}
}

func fillDuration(p *model.Policy, f model.Field, d time.Duration) {
	switch f {
	case model.FieldInitial:
		p.Backoff.Initial = model.For(d)
		if p.Backoff.Kind == model.BackoffUnknown {
			p.Backoff.Kind = model.BackoffConstant
		}
	case model.FieldMax:
		p.Backoff.Max = model.For(d)
	case model.FieldPerAttempt:
		p.PerAttempt = model.For(d)
	case model.FieldOverall:
		p.Overall = model.For(d)
	}
}

// attempts reads a setting's value as a count; a range "2..5" is accepted for values that differ between environments.
func attempts(value string, r model.Ref) (model.Count, bool) {
	v := strings.TrimSpace(value)
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil {
		return model.Count{}, false
	}
	if n <= 0 {
		switch r.ZeroIs {
		case "unbounded":
			return model.Unbounded(), true
		case "one":
			return model.Exactly(1), true
		case "default", "error":
			return model.Count{}, false
		}
		if n < 0 {
			return model.Count{}, false
		}
	}
	return model.Exactly(max(n+r.Offset, 0)), true
}

// duration reads a setting's value: Go's form, or a bare number in the unit of the ref.
func duration(value, unit string) (time.Duration, bool) {
	v := strings.TrimSpace(value)
	if d, err := time.ParseDuration(v); err == nil && d >= 0 {
		return d, true
	}
	n, err := strconv.ParseFloat(v, 64)
	if err != nil || n < 0 {
		return 0, false
	}
	u, ok := map[string]time.Duration{"ns": 1, "us": time.Microsecond, "ms": time.Millisecond, "s": time.Second,
		"m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}[unit]
	if !ok || n > float64(math.MaxInt64)/float64(u) {
		return 0, false
	}
	return time.Duration(n * float64(u)), true
}

// fillTarget gives an edge the host or queue that a setting names; several values make several edges, alternatives.
func (b *builder) fillTarget(e *owned[model.Edge], r model.Ref, found []*owned[model.Setting]) {
	seen := map[model.Name]bool{}
	for _, s := range found {
		v := strings.TrimSpace(s.v.Value)
		if v == "" || strings.ContainsAny(v, "{}$<>") {
			continue
		}
		to := model.Name{}
		path := e.v.Path
		if e.v.To.Space == model.SpaceGRPC {
			// Not the method, but where its connection leads.
			if host := model.Host(dialled(v), b.namespaceOf(s.v.For)); !host.IsZero() && len(seen) == 0 {
				seen[host] = true
				e.v.Host = host
			}
			continue
		}
		if e.v.Kind == model.EdgePublish || e.v.To.Space == model.SpaceQueue {
			broker, _, _ := strings.Cut(e.v.To.Key, ":")
			to = model.N(model.SpaceQueue, broker+":"+queueName(v))
		} else {
			full := r.Prefix + v + r.Suffix
			to = model.Host(full, b.namespaceOf(s.v.For))
			if p := urlPath(v); p != "" && path != "" && r.Suffix == "" {
				path = strings.TrimSuffix(p, "/") + path
			} else if p != "" && path == "" {
				path = p
			} else if p != "" && !strings.HasPrefix(path, p) {
				path = strings.TrimSuffix(p, "/") + "/" + strings.TrimPrefix(path, "/")
			}
		}
		if to.IsZero() || seen[to] {
			continue
		}
		seen[to] = true
		if len(seen) == 1 {
			e.v.To, e.v.Path = to, path
			continue
		}
		more := *e.v
		more.To, more.Path, more.Refs = to, path, nil
		b.edges = append(b.edges, &owned[model.Edge]{&more, e.repo})
	}
}

// dialled is the host and port of a gRPC target: "dns:///quotes:9000".
func dialled(target string) string {
	if _, after, ok := strings.Cut(target, "://"); ok {
		return after[strings.LastIndexByte(after, '/')+1:]
	}
	return strings.TrimPrefix(target, "dns:")
}

// fillQueue gives a consumer the queue that a setting names; several values make it a consumer of several.
func (b *builder) fillQueue(h *owned[model.Handler], found []*owned[model.Setting]) {
	broker, _, _ := strings.Cut(h.v.Queue.Key, ":")
	seen := map[model.Name]bool{}
	for _, s := range found {
		v := queueName(strings.TrimSpace(s.v.Value))
		if s.v.Unknown || v == "" || strings.ContainsAny(v, "{}$<>") {
			continue
		}
		q := model.N(model.SpaceQueue, broker+":"+v)
		if seen[q] {
			continue
		}
		seen[q] = true
		if len(seen) == 1 {
			h.v.Queue = q
			continue
		}
		more := *h.v
		more.Queue, more.Refs = q, nil
		b.handlers = append(b.handlers, &owned[model.Handler]{&more, h.repo})
	}
}

func (b *builder) namespaceOf(n model.Name) string {
	for _, u := range b.byName[n] {
		for _, s := range u.find().services {
			if s.v.Namespace != "" {
				return s.v.Namespace
			}
		}
	}
	return ""
}

// urlPath is the path of a URL; "" where there is none.
func urlPath(raw string) string {
	_, rest, ok := strings.Cut(raw, "://")
	if !ok {
		return ""
	}
	i := strings.IndexByte(rest, '/')
	if i < 0 {
		return ""
	}
	p, _, _ := strings.Cut(rest[i:], "?")
	if p == "/" {
		return ""
	}
	return p
}

// queueName is the last segment of an ARN, a queue URL or a resource name.
func queueName(v string) string {
	if i := strings.LastIndexAny(v, "/:"); i >= 0 {
		return v[i+1:]
	}
	return v
}
