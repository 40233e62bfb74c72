package analyzers

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// temporalHandler notes the activity or workflow that a worker registers, under the name that callers use: its own, or the one
// that the options give it; of a struct all exported methods are activities.
func (u *unit) temporalHandler(s *site) {
	if len(s.call.Args) == 0 {
		return
	}
	us := &useSite{world: u.shared.world(), u: u, f: s.in, call: s.call}
	named := us.Field("Name", 1)
	if g, _ := u.handlerFunc(s.call.Args[0], s.in, 0); g != nil {
		name := lastName(g.name.Key)
		if named.IsStr && named.Str != "" {
			name = named.Str
		}
		u.addConsumer(s.call, g.name, model.N(model.SpaceQueue, "temporal:"+name))
		return
	}
	t := u.typeOf(s.call.Args[0])
	if t == nil {
		return
	}
	ms := types.NewMethodSet(t)
	for i := range ms.Len() {
		m, ok := ms.At(i).Obj().(*types.Func)
		if !ok || !m.Exported() {
			continue
		}
		if g := u.fnFor(m); g != nil {
			u.addConsumer(s.call, g.name, model.N(model.SpaceQueue, "temporal:"+named.Str+m.Name())) // the name is a prefix here
		}
	}
}

// taskMap notes tasks that are registered as a map from names to functions.
func (u *unit) taskMap(s *site, broker string) {
	if len(s.call.Args) == 0 {
		return
	}
	lit, _ := u.literalOf(s.call.Args[0], s.in, 0)
	if lit == nil {
		return
	}
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		name := u.keyText(kv.Key)
		g, _ := u.handlerFunc(kv.Value, s.in, 0)
		if name != "" && g != nil {
			u.addConsumer(kv, g.name, model.N(model.SpaceQueue, broker+":"+name))
		}
	}
}

// riverJob is the kind of job that a worker's method takes: Work(ctx, *river.Job[SortArgs]).
func (u *unit) riverJob(f *fn) model.Name {
	last := f.typ.Params.List[len(f.typ.Params.List)-1].Type
	if p, ok := ast.Unparen(last).(*ast.StarExpr); ok {
		last = p.X
	}
	if x, ok := ast.Unparen(last).(*ast.IndexExpr); ok {
		return u.riverKind(u.typeOf(x.Index))
	}
	return model.Name{}
}

// riverKind is what the Kind method of a job's arguments returns.
func (u *unit) riverKind(t types.Type) model.Name {
	if t == nil {
		return model.Name{}
	}
	o, _, _ := types.LookupFieldOrMethod(t, true, u.pkg, "Kind")
	m, ok := o.(*types.Func)
	if !ok {
		return model.Name{}
	}
	g := u.fnFor(m)
	if g == nil || g.body == nil {
		return model.Name{}
	}
	r := onlyReturn(g)
	if r == nil || len(r.Results) != 1 {
		return model.Name{}
	}
	if v := g.unit.value(r.Results[0], g); v.IsStr && v.Str != "" {
		return model.N(model.SpaceQueue, "river:"+v.Str)
	}
	return model.Name{}
}

// lambdaEvent reports whether a parameter is a batch of events that AWS Lambda hands to a function.
func lambdaEvent(typ string) bool {
	if !strings.HasPrefix(typ, "github.com/aws/aws-lambda-go/events.") {
		return false
	}
	return isWord(typ[strings.LastIndexByte(typ, '.')+1:], "SQSEvent", "SNSEvent", "KinesisEvent", "DynamoDBEvent", "S3Event", "EventBridgeEvent", "CloudWatchEvent")
}
