package extract

import (
	"strconv"
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

// shellLoop is one until, while or for of a shell script.
//
// Source: the shell command language of POSIX, bash's reference manual for {a..b} and ((...)); curl ends with 0 after an answer of any
// status unless --fail is given.
type shellLoop struct {
	kind   string // until, while, for
	up     *shellLoop
	line   int
	header bool // what comes is the condition, or the list
	not    bool // while ! COMMAND

	count   int64 // rounds of a for, or the bound of a counter
	bounded bool  // there is a bound, known or not
	listed  bool  // a for over words that are no numbers
	breaks  bool  // left early: a success ends it
	slept   bool
	sleep   time.Duration
	unclear bool // sleeps for what is not in the text
	pending bool // "for i in $(": the list is what the next command writes
}

// shellLoops follows the loops of a script, command by command.
type shellLoops struct {
	now  *shellLoop
	vars map[string]int64 // numbers that variables are given
}

// number reads a number, or a variable's; ok is false where it is a variable of which nothing is known.
func (s *shellLoops) number(w string) (n int64, is, ok bool) {
	w = strings.Trim(w, `"'[]();`)
	if v, err := strconv.ParseInt(w, 10, 64); err == nil {
		return v, true, true
	}
	name := strings.Trim(w, "${}")
	if i := strings.Index(name, ":-"); i >= 0 {
		if v, err := strconv.ParseInt(name[i+2:], 10, 64); err == nil {
			return v, true, true
		}
		name = name[:i]
	}
	if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") != "" {
		return 0, false, false
	}
	v, ok := s.vars[name]
	return v, true, ok
}

// command takes one command's words, and returns them without the keywords in front.
func (s *shellLoops) command(words []string, line int) []string {
	for len(words) > 0 {
		switch w := words[0]; w {
		case "until", "while", "for":
			s.now = &shellLoop{kind: w, up: s.now, line: line, header: true}
			words = words[1:]
			if w == "for" {
				s.forList(words)
				return nil
			}
			continue
		case "!":
			if s.now != nil && s.now.header {
				s.now.not = true
			}
			words = words[1:]
			continue
		case "do":
			if s.now != nil {
				s.now.header = false
			}
			words = words[1:]
			continue
		case "done":
			if s.now != nil {
				s.now = s.now.up
			}
			return nil
		case "then", "else", "if", "elif", "{", "time", "exec", "sudo":
			words = words[1:]
			continue
		}
		break
	}
	for _, w := range words {
		if name, value, ok := strings.Cut(w, "="); ok && !strings.HasPrefix(w, "-") {
			if n, _, known := s.number(value); known {
				if s.vars == nil {
					s.vars = map[string]int64{}
				}
				s.vars[name] = n
			}
		}
	}
	if s.now == nil || len(words) == 0 {
		return words
	}
	l := s.now
	switch words[0] {
	case "break", "exit", "return":
		if words[0] == "break" || len(words) == 1 || words[1] == "0" {
			l.breaks = true
		}
	case "sleep":
		l.slept = true
		if d, ok := shellSleep(words); ok {
			l.sleep = d
		} else {
			l.unclear = true
		}
	case "seq":
		if l.header && l.pending {
			l.count, l.listed, l.bounded = s.seqCount(words[1:]), false, true
		}
	default:
		s.compare(words)
	}
	return words
}

// forList reads the words behind "for".
func (s *shellLoops) forList(words []string) {
	l := s.now
	if len(words) < 2 || words[1] != "in" {
		return
	}
	list := words[2:]
	l.listed = true
	for _, w := range list {
		if w == "$" || w == "`seq" {
			l.pending = true
			return
		}
	}
	if len(list) == 1 {
		if a, b, ok := strings.Cut(strings.Trim(list[0], "{}"), ".."); ok {
			from, err1 := strconv.ParseInt(a, 10, 64)
			to, err2 := strconv.ParseInt(b, 10, 64)
			if err1 == nil && err2 == nil && to >= from {
				l.count, l.listed = to-from+1, false
			}
			return
		}
	}
	for _, w := range list {
		if _, err := strconv.Atoi(w); err != nil {
			return
		}
	}
	l.count, l.listed = int64(len(list)), false
}

// compare reads the bound of a counter: [ $n -lt 5 ], [ $n -ge "$MAX" ], i<5. Counters that are compared with -le or -gt mostly begin
// at 1.
func (s *shellLoops) compare(words []string) {
	l := s.now
	for i, w := range words {
		other := ""
		switch w {
		case "-lt", "-ge", "-eq", "-le", "-gt", "<", ">=", "<=", ">":
			if i == 0 || i+1 == len(words) {
				continue
			}
			other = words[i+1]
			if n, is, _ := s.number(words[i-1]); is && n > 0 && strings.Trim(words[i-1], "0123456789") == "" {
				continue // 0 -eq $?
			}
			if strings.Contains(words[i-1], "?") {
				continue // the status of a command
			}
		default:
			a, b, ok := strings.Cut(w, "<")
			if !ok || !l.header || a == "" || l.kind != "for" {
				continue
			}
			other = strings.TrimPrefix(b, "=")
		}
		if n, is, ok := s.number(other); ok && n > 0 {
			l.count, l.bounded = n, true
		} else if is && !ok {
			l.bounded = true
		}
	}
}

// seqCount is how many numbers "seq" writes; 0 where that is not known.
func (s *shellLoops) seqCount(words []string) int64 {
	var n []int64
	for _, w := range words {
		v, _, ok := s.number(w)
		if !ok {
			return 0
		}
		n = append(n, v)
	}
	switch len(n) {
	case 1:
		return max(n[0], 0)
	case 2:
		return max(n[1]-n[0]+1, 0)
	case 3:
		if n[1] > 0 {
			return max((n[2]-n[0])/n[1]+1, 0)
		}
	}
	return 0
}

func shellSleep(words []string) (time.Duration, bool) {
	if len(words) != 2 {
		return 0, false
	}
	return doc.ParseDuration(words[1], time.Second)
}

// repeats reports whether the loop runs a call of its body or condition again because it failed.
func (l *shellLoop) repeats(inCondition bool) bool {
	if inCondition {
		return l.kind == "until" || l.kind == "while" && l.not
	}
	return l.breaks && !l.listed
}

// layer is the loop as a layer over one of its calls.
func (l *shellLoop) layer(c call) model.Layer {
	p := model.Policy{Attempts: model.Unbounded(), On: model.OnConnect | model.OnReset | model.OnTimeout}
	switch {
	case l.count > 0:
		p.Attempts = model.Exactly(l.count)
	case l.kind == "for" || l.bounded:
		p.Attempts = model.Count{}
	}
	if c.fails || c.tool == "wget" || c.tool == "kubectl" {
		p.On |= model.On5xx | model.On4xx | model.On429
	}
	switch {
	case l.unclear:
	case l.slept:
		p.Backoff = model.Constant(l.sleep)
	default:
		p.Backoff = model.NoBackoff()
	}
	if c.perTry > 0 {
		p.PerAttempt = model.For(c.perTry)
	}
	out := model.Layer{Kind: model.KindLoop, Label: "shell loop", Policy: p}
	if c.method == "GET" || c.method == "HEAD" || c.tool == "kubectl" {
		// Until something is up, or says that it is done.
		out.Traits = append(out.Traits, model.Trait{Kind: model.TraitWaitsForState})
	}
	return out
}

var _ = add(Format{
	Name:  "shell-script",
	Title: "Shell scripts of images",
	Files: []string{"*.sh"},
	Match: func(_ string, d *doc.Document) bool {
		text := d.Root.Str()
		return d.Syntax == doc.Shell && (strings.Contains(text, "curl") || strings.Contains(text, "wget") || strings.Contains(text, "kubectl"))
	},
	Read: func(d *doc.Document, out *Out) {
		if !out.Files.ofImage(out.Path) {
			return
		}
		self := model.N(model.SpaceWorkload, "script/"+out.Repo+"/"+out.Path)
		node := false
		for _, c := range shellCalls(d.Root.Str()) {
			if c.loop == nil && c.retries <= 0 && !c.endless && !c.unknown || c.tool == "wget" && !c.tries && c.loop == nil {
				continue
			}
			if !node {
				node = true
				out.Node(model.Node{Name: self, Kind: model.NodeBatch, At: out.Loc(d.Root), Label: "script " + out.Path, Entry: true})
			}
			c.edge(self, "", d.Root, out)
		}
	},
	Keys: []Key{
		{"until COMMAND, while ! COMMAND", "no end", "", "", ""},
		{"for … in LIST with break, exit 0", "attempts", "", "", ""},
		{"[ $n -lt N ] of the loop", "attempts", "", "", ""},
		{"sleep", "wait, seconds", "none", "", ""},
		{"curl --retry, wget --tries", "see the tools", "", "", ""},
	},
	Doc: `Read are scripts that a Dockerfile names: until, while and for around curl, wget, HTTPie, grpcurl and kubectl, also in scripts that stand in YAML (workflows, pipelines,
containers). A loop repeats a call that is its condition, or one whose success leaves it (break, exit 0). A loop around a GET waits for a state and is no factor. Without --fail
curl takes an answer of any status for a success, so that only broken connections are repeated. Source: POSIX, the shell command language.`,
	Example: `
-- Dockerfile --
FROM alpine
COPY scripts/send.sh /send.sh
ENTRYPOINT ["/send.sh"]
-- scripts/send.sh --
#!/bin/sh
until curl -sf http://orders.test/healthz; do # want layer "count=unbounded initial=2s waits-for-state"
  sleep 2
done
for i in $(seq 1 5); do # want layer "attempts=5 initial=30s perAttempt=10s"
  curl --fail --max-time 10 \
    -X POST http://orders.test/batches && exit 0
  sleep 30
done
n=0
MAX=${MAX:-3}
while [ $n -lt "$MAX" ]; do # want layer "attempts=3 backoff=none"
  # curl http://nobody.test/
  if wget --tries=1 --post-data x http://bills.test/run; then # want edge "POST host:bills.test /run"
    break
  fi
  n=$((n+1))
done
for f in *.json; do
  curl -X POST http://stock.test/items -d @$f
done
-- other.sh --
until curl -X POST http://orders.test/x; do sleep 1; done
`,
})

// ofImage reports whether a Dockerfile of the repository names a script.
func (f *Files) ofImage(script string) bool {
	if f = f.whole(); f == nil {
		return false
	}
	f.scriptsOnce.Do(func() {
		f.scripts = map[string]bool{}
		for _, p := range f.Paths {
			base := p[strings.LastIndexByte(p, '/')+1:]
			if !strings.HasPrefix(base, "Dockerfile") && !strings.HasPrefix(base, "Containerfile") && !strings.HasSuffix(strings.ToLower(base), ".dockerfile") {
				continue
			}
			data, err := f.Read(p)
			if err != nil || len(data) > 1<<20 {
				continue
			}
			for _, w := range strings.FieldsFunc(string(data), func(r rune) bool { return strings.ContainsRune(" \t\r\n\"',[]=/", r) }) {
				if strings.HasSuffix(w, ".sh") {
					f.scripts[w] = true
				}
			}
		}
	})
	return f.scripts[script[strings.LastIndexByte(script, '/')+1:]]
}
