package analyzers

import (
	"go/types"
	"time"

	"github.com/retrylint/retrylint/analyzers/libs"
	"github.com/retrylint/retrylint/model"
)

// helperFacts writes down the exported functions that run what they are handed under retries, for packages and repositories
// that are read apart from this one.
func (u *unit) helperFacts() {
	for _, f := range u.fns {
		if !f.exported() || u.generated[f.file] || f.body == nil || !takesOperation(f) {
			continue
		}
		h := u.helperOf(f)
		if h == nil || h.param < 0 || h.region.layer == nil {
			continue
		}
		l := *h.region.layer
		l.Label = "retry helper " + f.short()
		out := model.Helper{Func: f.name, Arg: h.param, Layer: l}
		out.Params = u.helperParams(f, h)
		u.facts.Helpers = append(u.facts.Helpers, out)
	}
}

// takesOperation reports whether a function has a parameter that can be run.
func takesOperation(f *fn) bool {
	for o := range f.params {
		switch o.Type().Underlying().(type) {
		case *types.Signature, *types.Interface:
			return true
		}
	}
	return false
}

// helperParams finds the parameters that decide the numbers of a helper's layer: each gets a number of its own for a trial, and
// where that number, or one more or less, comes out, it came from there.
func (u *unit) helperParams(f *fn, h *helper) []model.HelperParam {
	values := map[types.Object]libs.Value{}
	trial := map[int]int64{}
	for o, i := range f.params {
		b, ok := o.Type().Underlying().(*types.Basic)
		if !ok || b.Info()&types.IsInteger == 0 || i > 6 {
			continue
		}
		n := int64(11 + 4*i)
		if isDuration(o.Type()) {
			n *= int64(time.Second)
			values[o] = durationValue(time.Duration(n))
		} else {
			values[o] = intValue(n)
		}
		trial[i] = n
	}
	if len(trial) == 0 {
		return nil
	}
	u.shared.bindings = append(u.shared.bindings, values)
	defer func() { u.shared.bindings = u.shared.bindings[:len(u.shared.bindings)-1] }()
	l := *h.region.layer
	u.helperNumbers(&l, f, h)
	var out []model.HelperParam
	add := func(field model.Field, got int64, slack int64) {
		for i := range 7 {
			if n, ok := trial[i]; ok && got-n >= -slack && got-n <= slack {
				out = append(out, model.HelperParam{Field: field, Arg: i, Offset: got - n})
				return
			}
		}
	}
	if n, ok := l.Policy.Attempts.Max(); ok && n == l.Policy.Attempts.Min() {
		add(model.FieldAttempts, n, 1)
	}
	for _, d := range []struct {
		field model.Field
		limit model.Limit
	}{{model.FieldInitial, l.Policy.Backoff.Initial}, {model.FieldMax, l.Policy.Backoff.Max}, {model.FieldPerAttempt, l.Policy.PerAttempt}, {model.FieldOverall, l.Policy.Overall}} {
		if v, ok := d.limit.Duration(); ok && v > 0 {
			add(d.field, int64(v), 0)
		}
	}
	return out
}

// handed says what a call of a function outside the repository is handed beside its i-th argument.
func (u *unit) handed(s *site, k callee, i int) model.Handed {
	if s.to != nil || k.name == "" || k.pkg == "" || !u.sameOwner(k.pkg) {
		return model.Handed{}
	}
	out := model.Handed{Func: model.N(model.SpaceFunc, k.name), Arg: i, At: u.at(s.call)}
	for j, a := range s.call.Args {
		if j == i || j > 6 {
			continue
		}
		if v := u.value(a, s.in); v.IsInt && v.Lo == v.Hi || v.IsInt && v.Lo == 0 && v.Hi == 0 {
			out.Given = append(out.Given, model.Given{Arg: j, Value: v.Int})
		}
	}
	return out
}
