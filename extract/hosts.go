package extract

import (
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "crontab",
	Title: "crontab",
	Files: []string{"crontab", "*.crontab", "crontab.*", "*.cron", "**/cron.d/*"},
	Match: func(_ string, d *doc.Document) bool { return d.Syntax == doc.Lines },
	Read: func(d *doc.Document, out *Out) {
		for i, n := range d.Root.Items() {
			schedule, cmd, ok := cronLine(n.Str())
			if !ok {
				if k, v, isEnv := strings.Cut(n.Str(), "="); isEnv && !strings.ContainsAny(strings.TrimSpace(k), " \t*") {
					out.Setting(model.Setting{Name: model.N(model.SpaceEnv, strings.TrimSpace(k)), Value: strings.Trim(strings.TrimSpace(v), "\"'"), At: out.Loc(n)})
				}
				continue
			}
			self := model.N(model.SpaceWorkload, "cron/"+out.Repo+"/"+out.Path+"#"+strconv.Itoa(i))
			out.Node(model.Node{Name: self, Kind: model.NodeSchedule, At: out.Loc(n), Label: "cron " + schedule, Entry: true})
			svc := model.Service{Name: self.Key, Kind: "schedule", At: out.Loc(n), Node: self, Schedule: schedule}
			if f := strings.Fields(cmd); len(f) > 0 {
				svc.Commands = append(svc.Commands, f[0])
				addName(&svc, model.Image(strings.ToLower(path.Base(f[0]))))
			}
			out.Service(svc)
			for _, call := range shellCalls(cmd) {
				call.edge(self, "", n, out)
			}
		}
	},
	Keys: []Key{{"schedule", "cron expression", "required", "", ""}, {"curl --retry", "retries", "0, curl", "1 attempt", ""},
		{"wget --tries", "attempts", "20, wget", "no end", ""}},
	Doc: `cron itself never retries; the schedule is the entry of a chain. What a line's command repeats by itself (curl --retry, wget) is a layer. The callees
are the URLs of the command. Source: catalogue, G2 and L3.`,
	Example: `
-- crontab --
MAILTO=ops
0 2 * * * curl --retry 3 --max-time 20 -X POST http://settle.pay.svc/close # want layer "attempts=4 perAttempt=20s" edge "POST host:settle.pay /close"
0 3 * * * wget -q -O - --post-data=1 http://settle.pay.svc/close # want layer "attempts=20 origin=default backoff=linear initial=1s max=10s on=reset,timeout"
0 4 * * * wget -q -O - -t 0 --waitretry=1 --retry-on-http-error=503 http://settle.pay.svc/close # want layer "attempts=unbounded max=1s on=reset,timeout,502-504"
0 5 * * * curl --retry $TIMES --retry-connrefused http://settle.pay.svc/close # want layer "attempts=unknown on=connect-failure,timeout,500,502-504,429"
30 0 6 * * * * curl --retry 1 http://settle.pay.svc/close # want layer "attempts=2"
0 6 * * * wget -q -t 1 http://settle.pay.svc/close
@daily /usr/local/bin/report
`,
})

// cronLine cuts a crontab line into schedule and command. The sixth field of a system crontab is a user.
func cronLine(s string) (schedule, command string, ok bool) {
	f := strings.Fields(s)
	if len(f) >= 2 && strings.HasPrefix(f[0], "@") {
		return f[0], strings.Join(f[1:], " "), true
	}
	if len(f) < 6 {
		return "", "", false
	}
	for _, w := range f[:5] {
		if strings.Trim(w, "0123456789*/,-ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz?#~") != "" || !strings.ContainsAny(w, "0123456789*") && len(w) > 3 {
			return "", "", false
		}
	}
	rest := f[5:]
	// Some crons have a field for seconds and one for years; no command looks like a field.
	for len(rest) > 1 && len(rest) > len(f)-7 && strings.Trim(rest[0], "0123456789*/,-?") == "" {
		rest = rest[1:]
	}
	schedule = strings.Join(f[:len(f)-len(rest)], " ")
	switch rest[0] {
	case "root", "nobody", "www-data", "postgres", "app", "deploy":
		rest = rest[1:]
	}
	return schedule, strings.Join(rest, " "), len(rest) > 0
}

var _ = add(Format{
	Name:  "supervisord",
	Title: "supervisord programs",
	Files: []string{"supervisord*.conf", "supervisor*.conf", "**/supervisor*/**/*.conf", "**/conf.d/*.conf", "*.ini", "supervisor*.ini"},
	Match: func(_ string, d *doc.Document) bool {
		for _, k := range d.Root.Keys() {
			if strings.HasPrefix(k, "program:") {
				return true
			}
		}
		return false
	},
	Read: func(d *doc.Document, out *Out) {
		for _, e := range d.Root.Entries() {
			name, ok := strings.CutPrefix(e.Key, "program:")
			if !ok {
				continue
			}
			p := e.Value
			self := model.N(model.SpaceWorkload, "program/"+out.Repo+"/"+name)
			node := model.Node{Name: self, Kind: model.NodeWorkload, At: out.KeyLoc(p), Label: "program " + name}
			if strings.EqualFold(p.Get("autorestart").Str(), "false") {
				node.Kind, node.Entry = model.NodeBatch, true
			}
			out.Node(node)
			svc := model.Service{Name: name, Kind: "program", At: out.KeyLoc(p), Names: []model.Name{self}}
			if cmd := p.Get("command"); cmd.Kind() == doc.Scalar {
				for _, call := range shellCalls(cmd.Str()) {
					call.edge(self, "", cmd, out)
				}
				if f := strings.Fields(cmd.Str()); len(f) > 0 {
					addName(&svc, model.Image(strings.ToLower(path.Base(f[0]))))
				}
			}
			for pair := range strings.SplitSeq(p.Get("environment").Str(), ",") {
				if k, v, ok := strings.Cut(pair, "="); ok {
					out.Setting(model.Setting{Name: model.N(model.SpaceEnv, strings.TrimSpace(k)), Value: strings.Trim(strings.TrimSpace(v), "\"'"), At: out.Loc(p.Get("environment")), For: self})
				}
			}
			out.Service(svc)
			tries := p.Get("startretries")
			l := model.Layer{Kind: model.KindRestart, In: self, Whole: true, Label: "supervisord startretries", Policy: model.Policy{On: model.OnExit,
				Backoff: model.Backoff{Kind: model.BackoffLinear, Initial: model.For(time.Second), Step: model.For(time.Second), Jitter: model.Jitter{Kind: model.JitterNone}}}}
			read := counting{offset: 1, negative: refused}
			switch once := strings.EqualFold(p.Get("autorestart").Str(), "false"); {
			case once && strings.TrimSpace(p.Get("startsecs").Str()) == "0":
				continue
			case once: // a task; autorestart is about programs that lived longer than startsecs
				read.absent, read.by, read.off = model.Retries(3), "supervisord: 3 retries of a start that ends before startsecs", "startsecs=0"
			case !tries.Exists():
				continue
			default:
				l.Traits = []model.Trait{{Kind: model.TraitOuterLoop, Detail: "starts that end before startsecs"}}
			}
			out.count(&l, tries, p, read)
			out.Layer(l)
		}
	},
	Keys: []Key{
		{"startretries", "retries of starts that end before startsecs", "3, supervisord", "1 attempt", "refused"},
		{"autorestart", "whether a program that ended is started again: without end, without a wait", "unexpected, supervisord", "", ""},
	},
	Doc: `startretries counts only starts that end before startsecs (1 second by default), with waits of 1, 2, 3 seconds; a program that lived longer is started again
without end. Both are crash loops: they are shown and are no factor. With autorestart=false a program is a task that runs once; startretries holds for it all the
same, 3 by default, unless startsecs is 0. Source: catalogue, G3, and runs of supervisord 4.2 (conformance/servers).`,
	Example: `
-- supervisord.conf --
[program:worker]
command=/usr/local/bin/worker
startretries=5 ; want layer "attempts=6 factorOf=false initial=1s"

[program:migrate] ; want layer "attempts=4 origin=default factorOf=true initial=1s"
command=/usr/local/bin/migrate
autorestart=false

[program:import]
command=/usr/local/bin/import
autorestart=false
startsecs=0
`,
})

var _ = add(Format{
	Name:  "compose",
	Title: "Docker Compose services",
	Files: []string{"*compose*.yml", "*compose*.yaml", "*stack*.yml", "*stack*.yaml"},
	Match: func(_ string, d *doc.Document) bool { return d.Root.Get("services").Kind() == doc.Map },
	Read:  readCompose,
	Keys: []Key{
		{"services.*.restart on-failure:N", "retries", "no, Compose", "", ""},
		{"services.*.deploy.restart_policy.max_attempts", "retries", "no end", "no end", "refused"},
		{"services.*.deploy.replicas", "how many run at once", "1, Compose", "", ""},
		{"services.*.environment, env_file", "settings of the service's code", "", "", ""},
	},
	Doc: `Names what runs: image, build folder, environment and how many of it. Restarts of a long-running service are a crash loop: only on-failure:N, which
reruns a task that ended, is shown, and it is no factor. Source: catalogue, G7.`,
	Example: `
-- compose.yaml --
services:
  ledger:
    image: example.test/pay/ledger:1
    deploy: {replicas: 3} # want service "ledger replicas=3 image:pay/ledger"
    environment:
      MAX_RETRIES: 4 # want setting "env:MAX_RETRIES=4"
  migrate:
    build: ./cmd/migrate
    restart: on-failure:5 # want layer "attempts=6 factorOf=false"
    environment: [DSN=postgres://db/x]
`,
})

func readCompose(d *doc.Document, out *Out) {
	for _, e := range d.Root.Get("services").Entries() {
		s := e.Value
		self := model.N(model.SpaceWorkload, "compose/"+out.Repo+"/"+e.Key)
		svc := model.Service{Name: e.Key, Kind: "compose", At: out.KeyLoc(s), Names: []model.Name{self}, Replicas: model.Exactly(1), ReplicasAt: out.KeyLoc(s)}
		if img := s.Get("image"); img.Kind() == doc.Scalar {
			addName(&svc, model.Image(img.Str()))
		}
		ctx, file := s.Get("build"), "Dockerfile"
		if ctx.Kind() == doc.Map {
			if f := ctx.Get("dockerfile"); f.Kind() == doc.Scalar {
				file = f.Str()
			}
			ctx = ctx.Get("context")
		}
		if ctx.Kind() == doc.Scalar {
			if base := path.Base(path.Clean(path.Join(path.Dir(out.Path), ctx.Str()))); base != "." && base != "/" && base != ".." {
				addName(&svc, model.Image(base))
			}
			if file = path.Join(path.Dir(out.Path), ctx.Str(), file); !strings.ContainsAny(file, "${}") {
				img := model.N(model.SpaceImage, "built:"+out.Repo+"/"+file)
				addName(&svc, img)
				out.Build(model.Build{Image: img, File: file, At: out.Loc(ctx)})
			}
		}
		if n := exists(s.Path("deploy.replicas"), s.Get("scale")); n.Exists() {
			svc.ReplicasAt, svc.Replicas = out.Loc(n), model.Count{}
			if v, ok := n.Int(); ok && v >= 0 {
				svc.Replicas = model.Exactly(v)
			}
		}
		var vars []envVariable
		for _, v := range s.Get("environment").Entries() {
			if v.Value.Kind() == doc.Scalar {
				vars = append(vars, envVariable{name: v.Key, node: v.Value})
				out.Setting(model.Setting{Name: model.N(model.SpaceEnv, v.Key), Value: v.Value.Str(), At: out.Loc(v.Value), For: self})
			}
		}
		for _, v := range s.Get("environment").Items() {
			if k, val, ok := strings.Cut(v.Str(), "="); ok && v.Kind() == doc.Scalar {
				vars = append(vars, envVariable{name: k, text: val, node: v})
				out.Setting(model.Setting{Name: model.N(model.SpaceEnv, k), Value: val, At: out.Loc(v), For: self})
			}
		}
		out.envConfig(vars, self)
		out.envFiles(s.Get("env_file"), self)
		cmds := []*doc.Node{s.Get("command")}
		for _, n := range cmds {
			for _, w := range n.Many() {
				flagSetting(w, self, out)
			}
		}
		readCommands(s, self, "", out)
		redisArguments(s, out)
		out.Service(svc)
		if n, ok := strings.CutPrefix(s.Get("restart").Str(), "on-failure:"); ok {
			l := model.Layer{Kind: model.KindRestart, At: out.Loc(s.Get("restart")), In: self, Label: "Compose restart", Policy: model.Policy{On: model.OnExit,
				Backoff: model.Exponential(100*time.Millisecond, model.NewRatio(2, 1), time.Minute)}, Traits: []model.Trait{{Kind: model.TraitOuterLoop, Detail: "restarts"}}}
			if v, isInt := wholeNumber(n); isInt {
				l.Policy.Attempts = model.Retries(v)
			} else if !strings.Contains(n, "$") {
				out.Gap(s.Get("restart"), "restart: %q is not a number of retries", n)
			}
			out.Layer(l)
		}
		if m := s.Path("deploy.restart_policy.max_attempts"); m.Exists() {
			l := model.Layer{Kind: model.KindRestart, In: self, Label: "Swarm restart_policy", Policy: model.Policy{On: model.OnExit}, Traits: []model.Trait{{Kind: model.TraitOuterLoop, Detail: "restarts"}}}
			out.count(&l, m, s, counting{offset: 1, zero: endless, negative: refused})
			if v, ok := m.Int(); ok && v == 0 {
				l.Traits = append(l.Traits, model.Trait{Kind: model.TraitIneffective, At: out.Loc(m), Detail: "max_attempts: 0 is ignored: the service is started again without end"})
			}
			if w, ok := s.Path("deploy.restart_policy.delay").Duration(0); ok {
				l.Policy.Backoff = model.Constant(w)
			}
			out.Layer(l)
		}
	}
}

// envFiles reads the environment files that a service names.
func (o *Out) envFiles(n *doc.Node, self model.Name) {
	if o.Tree == nil {
		return
	}
	for _, f := range n.Many() {
		name := f.Str()
		if p := f.Get("path"); p.Exists() {
			name = p.Str()
		}
		if name == "" || strings.ContainsAny(name, "${") {
			continue
		}
		p := path.Clean(path.Join(path.Dir(o.Path), name))
		t := o.Tree(p)
		if t == nil || len(t.Docs) == 0 {
			continue
		}
		for _, e := range t.Docs[0].Root.Entries() {
			if e.Value.Kind() == doc.Scalar {
				at := o.Loc(e.Value)
				at.Path = p
				o.Setting(model.Setting{Name: model.N(model.SpaceEnv, e.Key), Value: e.Value.Str(), At: at, For: self})
			}
		}
	}
}
