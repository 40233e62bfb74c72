package extract

import (
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "nomad",
	Title: "Nomad jobs (HCL and JSON)",
	Files: []string{"*.nomad", "*.nomad.hcl", "*.hcl", "*.json"},
	Match: func(_ string, d *doc.Document) bool {
		if d.Syntax == doc.HCL {
			j := oneOf(d.Root.Get("job"))
			return j.Label(0) != "" && (j.Get("group").Exists() || j.Get("task").Exists())
		}
		return d.Root.Path("Job.TaskGroups").Exists() || d.Root.Get("TaskGroups").Exists() && d.Root.Get("ID").Exists()
	},
	Read: readNomad,
	Keys: []Key{
		{"group.restart.attempts", "retries within interval", "service 2 in 30m, batch 3 in 24h, Nomad", "1 attempt", "refused"},
		{"group.restart.mode", "fail or delay; delay waits for the next interval: no end", "fail, Nomad", "", ""},
		{"group.restart.delay", "wait; nanoseconds in JSON", "15s, Nomad", "", ""},
		{"group.reschedule.attempts", "retries on another node; unlimited for services", "batch 1 in 24h, service without end, Nomad", "none", "refused"},
	},
	Doc: `A batch job's task that fails is restarted attempts times within interval, then the allocation fails and is rescheduled: the two multiply. For a service
both are crash loops, which are shown and are no factor. Source: catalogue, G8.`,
	Example: `
-- settle.nomad --
job "settle" {
  type = "batch"
  periodic { crons = ["0 2 * * *"] }
  group "run" {
    restart {
      attempts = 4 # want layer "attempts=5 initial=30s kind=restart"
      delay    = "30s"
    }
    reschedule {
      attempts = 2 # want layer "attempts=3 initial=5s kind=scheduler"
    }
    task "settle" {
      config { image = "registry.test/pay/settle:1" }
      env { MAX_RETRIES = "3" } # want setting "env:MAX_RETRIES=3"
    }
  }
}
-- job.json --
{"Job": {"ID": "bill", "Type": "batch", "TaskGroups": [
  {"Name": "run", // want layer "attempts=4 origin=default" layer "attempts=2 origin=default"
   "Tasks": []}]}}
`,
})

// either finds a key in HCL's spelling or in the API's.
func either(n *doc.Node, hcl, json string) *doc.Node { return exists(n.Get(hcl), n.Get(json)) }

func readNomad(d *doc.Document, out *Out) {
	j := oneOf(d.Root.Get("job"))
	bare := time.Duration(0)
	name := j.Label(0)
	if d.Syntax != doc.HCL {
		bare = time.Nanosecond
		j = d.Root.Get("Job").Or(d.Root)
		name = plain(exists(j.Get("ID"), j.Get("Name")))
	}
	typ := plain(either(j, "type", "Type"))
	batch := typ == "batch" || typ == "sysbatch"
	self := model.N(model.SpaceWorkload, "nomad/"+out.Repo+"/"+name)
	node := model.Node{Name: self, Kind: model.NodeWorkload, At: out.KeyLoc(j), Label: "Nomad job " + name}
	svc := model.Service{Name: name, Kind: "nomad", At: node.At, Names: []model.Name{self}, Replicas: model.Exactly(1)}
	if batch {
		node.Kind, node.Entry, svc.Kind, svc.Node = model.NodeBatch, true, "batch", self
		if p := oneOf(either(j, "periodic", "Periodic")); p.Exists() {
			node.Kind = model.NodeSchedule
		}
	}
	out.Node(node)
	for _, g := range either(j, "group", "TaskGroups").Many() {
		if n := either(g, "count", "Count"); n.Exists() {
			svc.ReplicasAt, svc.Replicas = out.Loc(n), model.Count{}
			if v, ok := n.Int(); ok && v >= 0 {
				svc.Replicas = model.Exactly(v)
			}
		}
		nomadRestart(g, self, batch, bare, out)
		for _, t := range either(g, "task", "Tasks").Many() {
			c := oneOf(either(t, "config", "Config"))
			if img := c.Get("image"); img.Kind() == doc.Scalar {
				addName(&svc, model.Image(img.Str()))
			}
			for _, e := range oneOf(either(t, "env", "Env")).Entries() {
				if e.Value.Kind() == doc.Scalar {
					out.Setting(model.Setting{Name: model.N(model.SpaceEnv, e.Key), Value: e.Value.Str(), At: out.Loc(e.Value), For: self})
				}
			}
			readCommands(c, self, "", out)
		}
	}
	out.Service(svc)
}

func nomadRestart(g *doc.Node, self model.Name, batch bool, bare time.Duration, out *Out) {
	r, s := oneOf(either(g, "restart", "RestartPolicy")), oneOf(either(g, "reschedule", "ReschedulePolicy"))
	if !batch && !r.Exists() && !s.Exists() {
		return // the crash loop of every service
	}
	var loop []model.Trait
	if !batch {
		loop = []model.Trait{{Kind: model.TraitOuterLoop, Detail: "crash loop"}}
	}
	l := model.Layer{Kind: model.KindRestart, In: self, Whole: true, Label: "Nomad restart", Traits: loop, Policy: model.Policy{On: model.OnExit, Budget: model.BudgetWindowedRate}}
	absent := model.Retries(2)
	if batch {
		absent = model.Retries(3)
	}
	in := g
	if r.Exists() {
		in = r
	}
	out.count(&l, either(r, "attempts", "Attempts"), in, counting{offset: 1, absent: absent, by: "Nomad: restart attempts are 2 in 30m for services, 3 in 24h for batch jobs", off: "restart { attempts = 0 }", negative: refused})
	if m := either(r, "mode", "Mode"); m.Str() == "delay" {
		l.Policy.Attempts = model.Unbounded()
		l.At = out.Loc(m)
	}
	delay := either(r, "delay", "Delay")
	l.Policy.Backoff = model.Backoff{Kind: model.BackoffConstant, Initial: limitOr(out.span(&l, delay, model.FieldInitial, bare), delay, model.For(15*time.Second)), Jitter: model.Jitter{Kind: model.JitterProportional, Factor: model.NewRatio(1, 4)}}
	out.Layer(l)
	if !batch && !s.Exists() {
		return
	}
	k := model.Layer{Kind: model.KindScheduler, In: self, Whole: true, Label: "Nomad reschedule", Traits: loop, Policy: model.Policy{On: model.OnExit, Budget: model.BudgetWindowedRate}}
	in = g
	if s.Exists() {
		in = s
	}
	absent = model.Unbounded()
	if batch {
		absent = model.Exactly(2)
	}
	out.count(&k, either(s, "attempts", "Attempts"), in, counting{offset: 1, absent: absent, by: "Nomad: a batch job is rescheduled once in 24h, a service without end", off: "reschedule { attempts = 0 unlimited = false }", negative: refused})
	if u, known := either(s, "unlimited", "Unlimited").Bool(); known && u {
		k.Policy.Attempts, k.At, k.Origin, k.DefaultBy = model.Unbounded(), out.Loc(either(s, "unlimited", "Unlimited")), model.OriginExplicit, ""
	}
	wait, most := either(s, "delay", "Delay"), either(s, "max_delay", "MaxDelay")
	first := model.For(30 * time.Second)
	if batch {
		first = model.For(5 * time.Second)
	}
	k.Policy.Backoff = model.Backoff{Kind: model.BackoffConstant, Initial: limitOr(out.span(&k, wait, model.FieldInitial, bare), wait, first), Jitter: model.Jitter{Kind: model.JitterNone}}
	if f := either(s, "delay_function", "DelayFunction").Str(); f == "exponential" || f == "fibonacci" || f == "" && !batch {
		k.Policy.Backoff.Kind, k.Policy.Backoff.Factor = model.BackoffExponential, model.NewRatio(2, 1)
		k.Policy.Backoff.Max = limitOr(out.span(&k, most, model.FieldMax, bare), most, model.For(time.Hour))
	}
	out.Layer(k)
}
