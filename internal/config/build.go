package config

import (
	"strconv"

	"gopkg.in/yaml.v3"

	"github.com/retrylint/retrylint/model"
)

// builder reads a checked file; it need not doubt what it reads.
type builder struct{ path string }

func (b *builder) at(n *yaml.Node) model.Location {
	if n.Line == 0 {
		return model.Location{}
	}
	l := model.Location{Path: b.path, Line: n.Line, Col: n.Column, EndLine: n.Line}
	if n.Kind == yaml.ScalarNode {
		l.EndCol = n.Column + len(n.Value)
		if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
			l.EndCol += 2
		}
	}
	return l
}

func (b *builder) config(root *yaml.Node, c *Config) {
	c.SafetyFactor = ratioOf(get(root, "safetyFactor"))
	t := get(root, "thresholds")
	c.Warning, c.Error = intOf(get(t, "warning")), intOf(get(t, "error"))
	b.replay(get(root, "replay"), &c.Replay)
	for _, n := range get(root, "services").Content {
		s := Service{Name: get(n, "name").Value, Repository: get(n, "repository").Value, Path: get(n, "path").Value, At: b.at(get(n, "name")),
			ReplicasAt: b.at(get(n, "replicas"))}
		for _, a := range get(n, "aliases").Content {
			s.Aliases = append(s.Aliases, a.Value)
		}
		if i := intOf(get(n, "replicas")); i > 0 {
			s.Replicas = model.Exactly(i)
		}
		c.Services = append(c.Services, s)
	}
	for _, n := range get(root, "links").Content {
		c.Links = append(c.Links, Link{From: get(n, "from").Value, To: get(n, "to").Value, Method: get(n, "method").Value,
			Path: get(n, "path").Value, Key: get(n, "key").Value, Timeout: limitOf(get(n, "timeout")), At: b.at(get(n, "to"))})
	}
	for _, n := range get(root, "layers").Content {
		c.Layers = append(c.Layers, Layer{Name: get(n, "name").Value, Service: get(n, "service").Value, Attempts: countOf(get(n, "attempts")),
			Backoff: backoffOf(get(n, "backoff")), PerAttempt: limitOf(get(n, "perAttemptTimeout")), Deadline: limitOf(get(n, "deadline")),
			At: b.at(get(n, "attempts"))})
	}
	for _, n := range get(root, "senders").Content {
		c.Senders = append(c.Senders, Sender{To: get(n, "to").Value, Service: get(n, "service").Value, Name: get(n, "name").Value,
			Attempts: countOf(get(n, "attempts")), RedeliversFor: limitOf(get(n, "redeliversFor")), At: b.at(get(n, "redeliversFor"))})
	}
	for _, n := range get(root, "windows").Content {
		w := Window{Service: get(n, "service").Value, Kind: get(n, "kind").Value, Store: model.StoreKind(get(n, "store").Value), At: b.at(get(n, "ttl"))}
		w.TTL, _ = parseWindow(get(n, "ttl").Value)
		if w.Store == model.StoreUnknown {
			w.Store = model.StoreDurable
		}
		c.Windows = append(c.Windows, w)
	}
	pairs(get(root, "settings"), func(k, v *yaml.Node) {
		c.Settings = append(c.Settings, Setting{Name: k.Value, Value: v.Value, At: b.at(v)})
	})
	if n := get(root, "libraries"); n.Kind == yaml.SequenceNode && len(n.Content) > 0 {
		c.Libraries = n
	}
	pairs(get(root, "rules"), func(k, v *yaml.Node) {
		s, _ := model.ParseSeverity(v.Value)
		c.Rules = append(c.Rules, RuleSeverity{Rule: k.Value, Severity: s, At: b.at(k)})
	})
	for _, n := range get(root, "exclude").Content {
		c.Exclude = append(c.Exclude, Pattern{Glob: n.Value, At: b.at(n)})
	}
}

func (b *builder) replay(n *yaml.Node, r *Replay) {
	d := get(get(n, "deadLetter"), "delay")
	r.DeadLetter, r.DeadLetterAt = limitOf(d), b.at(d)
	op := get(n, "operatorRerun")
	d = get(op, "delay")
	r.OperatorRerun, r.OperatorRerunAt = limitOf(d), b.at(d)
	for _, w := range get(op, "appliesTo").Content {
		r.AppliesTo = append(r.AppliesTo, w.Value)
	}
	d = get(get(n, "restore"), "delay")
	r.Restore, r.RestoreAt = limitOf(d), b.at(d)
	for _, s := range get(get(n, "restore"), "databases").Content {
		r.RestoreDatabases = append(r.RestoreDatabases, s.Value)
	}
	switch get(n, "replaysAutomatic").Value {
	case "true":
		r.ReplaysAutomatic = Yes
	case "false":
		r.ReplaysAutomatic = No
	}
	for _, p := range get(n, "paths").Content {
		r.Paths = append(r.Paths, Path{Name: get(p, "name").Value, Service: get(p, "service").Value, Delay: limitOf(get(p, "delay")),
			AfterAutomatic: get(p, "clock").Value == "after-automatic", At: b.at(get(p, "delay"))})
	}
}

func pairs(n *yaml.Node, fn func(k, v *yaml.Node)) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		fn(n.Content[i], n.Content[i+1])
	}
}

func intOf(n *yaml.Node) int64 {
	i, _ := strconv.ParseInt(n.Value, 10, 64)
	return i
}

func ratioOf(n *yaml.Node) model.Ratio {
	if n.Value == "" {
		return model.Ratio{}
	}
	r, _ := model.ParseRatio(n.Value)
	return r
}

func limitOf(n *yaml.Node) model.Limit {
	if n.Value == "" {
		return model.Limit{}
	}
	d, err := ParseDuration(n.Value)
	if err != nil {
		return model.Limit{}
	}
	return model.For(d)
}

func countOf(n *yaml.Node) model.Count {
	if n.Value == "" {
		return model.Count{}
	}
	c, _ := ParseAttempts(n.Value)
	return c
}

// backoffOf reads the waits of a declared layer; nothing declared is unknown.
func backoffOf(n *yaml.Node) model.Backoff {
	if n.Kind == 0 {
		return model.Backoff{}
	}
	b := model.Backoff{Kind: model.BackoffConstant, Initial: limitOf(get(n, "initial")), Factor: ratioOf(get(n, "multiplier")), Max: limitOf(get(n, "max"))}
	if b.Factor.Known() {
		b.Kind = model.BackoffExponential
	}
	switch get(n, "kind").Value {
	case "none":
		return model.NoBackoff()
	case "exponential":
		b.Kind = model.BackoffExponential
	case "constant":
		b.Kind, b.Factor = model.BackoffConstant, model.Ratio{}
	}
	if b.Kind == model.BackoffExponential {
		if !b.Factor.Known() {
			b.Factor = model.NewRatio(2, 1)
		}
		if b.Max.IsUnknown() {
			b.Max = model.NoLimit()
		}
	}
	b.Jitter.Kind = model.JitterNone
	switch get(n, "jitter").Value {
	case "full":
		b.Jitter.Kind = model.JitterFull
	case "equal":
		b.Jitter.Kind = model.JitterEqual
	case "some":
		b.Jitter.Kind = model.JitterSome
	case "":
		b.Jitter.Kind = model.JitterUnknown
	}
	return b
}
