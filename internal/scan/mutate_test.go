package scan

import (
	"context"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/retrylint/retrylint/analyzers"
	"github.com/retrylint/retrylint/extract"
	"github.com/retrylint/retrylint/extract/gosrc"
	"github.com/retrylint/retrylint/model"
	"github.com/retrylint/retrylint/rules"
)

// rounds is how often each seed is changed; RETRYLINT_MUTATIONS asks for more.
func rounds(t *testing.T) int {
	n := 3
	if s := os.Getenv("RETRYLINT_MUTATIONS"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// changed makes text that is a little wrong: lines or words left out, exchanged, doubled, replaced by others, cut off.
func changed(r *rand.Rand, text string) string {
	lines := strings.SplitAfter(text, "\n")
	words := []string{"0", "-1", "9223372036854775807", "nil", "\"\"", "for", "{", "}", "(", ")", "go", "defer", "return", "x", "func()", "...", "*", "[]int", "time.Second", "<-", "err", "break", "!", "goto L", "L:", "1e400", "int64(1)<<63"}
	for range 1 + r.IntN(3) {
		i, j := r.IntN(len(lines)), r.IntN(len(lines))
		switch r.IntN(6) {
		case 0:
			lines[i] = ""
		case 1:
			lines[i], lines[j] = lines[j], lines[i]
		case 2:
			lines[i] += lines[j]
		case 3, 4:
			f := strings.Fields(lines[i])
			if len(f) > 0 {
				k := r.IntN(len(f))
				f[k] = words[r.IntN(len(words))]
				lines[i] = strings.Join(f, " ") + "\n"
			}
		case 5:
			lines[i] = lines[i][:r.IntN(len(lines[i])+1)]
		}
	}
	return strings.Join(lines, "")
}

// TestMutatedExamples changes the examples of all rules at random and takes them through loader, formats, extractor, linker and
// rules.
func TestMutatedExamples(t *testing.T) {
	all := extract.All()
	r := rand.New(rand.NewPCG(7, uint64(rounds(t))))
	for _, rule := range rules.All() {
		for _, example := range []string{rule.Bad, rule.Good} {
			for range rounds(t) {
				facts := &model.Facts{Schema: model.SchemaVersion, Repo: model.Repository{Name: "r"}}
				var files []gosrc.File
				var text strings.Builder
				for _, f := range txtar.Parse([]byte(example)).Files {
					data := changed(r, string(f.Data))
					text.WriteString("-- " + f.Name + " --\n" + data)
					if strings.HasSuffix(f.Name, ".go") || strings.HasSuffix(f.Name, "go.mod") {
						files = append(files, gosrc.File{Path: f.Name, Data: []byte(data)})
					} else {
						readConfig("r", f.Name, []byte(data), newConfigFormats(all).want(f.Name), facts, &extract.Files{Tree: treeOfNothing}, treeOfNothing)
					}
				}
				facts.Merge(extractGo("r", gosrc.Load(context.Background(), files, gosrc.Options{Stubs: analyzers.Stubs()})))
				finish(facts)
				noPanics(t, facts, text.String())
				judged(t, facts)
				if t.Failed() {
					t.Fatalf("%s:\n%s", rule.ID, text.String())
				}
			}
		}
	}
}

// TestMutatedFacts changes values of facts at random: names that lead nowhere or back, extreme and missing numbers, lists of
// other lengths.
func TestMutatedFacts(t *testing.T) {
	r := rand.New(rand.NewPCG(9, uint64(rounds(t))))
	var seeds []*model.Facts
	for _, rule := range rules.All() {
		facts := &model.Facts{Schema: model.SchemaVersion, Repo: model.Repository{Name: "r"}}
		var files []gosrc.File
		for _, f := range txtar.Parse([]byte(rule.Bad)).Files {
			if strings.HasSuffix(f.Name, ".go") || strings.HasSuffix(f.Name, "go.mod") {
				files = append(files, gosrc.File{Path: f.Name, Data: f.Data})
			} else {
				readConfig("r", f.Name, f.Data, newConfigFormats(extract.All()).want(f.Name), facts, &extract.Files{Tree: treeOfNothing}, treeOfNothing)
			}
		}
		facts.Merge(extractGo("r", gosrc.Load(context.Background(), files, gosrc.Options{Stubs: analyzers.Stubs()})))
		facts.Repo.Name = rule.ID
		seeds = append(seeds, facts)
	}
	for range rounds(t) {
		for i, seed := range seeds {
			one, two := wrong(t, r, seed), wrong(t, r, seeds[(i+1+r.IntN(len(seeds)-1))%len(seeds)])
			if one != nil && two != nil {
				judged(t, one, two)
			}
			if t.Failed() {
				a, _ := json.Marshal(one)
				b, _ := json.Marshal(two)
				t.Fatalf("%s\n%s", a, b)
			}
		}
	}
}

// wrong is a copy of facts with some values changed, or nil where what came out are no facts.
func wrong(t *testing.T, r *rand.Rand, f *model.Facts) *model.Facts {
	data, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := json.Unmarshal(data, &tree); err != nil {
		t.Fatal(err)
	}
	var strs []string
	var collect func(any)
	collect = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				collect(v[k])
			}
		case []any:
			for _, x := range v {
				collect(x)
			}
		case string:
			strs = append(strs, v)
		}
	}
	collect(tree)
	numbers := []float64{0, -1, 1, 2, 1 << 62, -(1 << 62), 255, 3600e9}
	var change func(any) any
	change = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				if r.IntN(60) == 0 {
					delete(v, k)
					continue
				}
				v[k] = change(v[k])
			}
		case []any:
			for i := range v {
				v[i] = change(v[i])
			}
			if n := len(v); n > 0 && r.IntN(15) == 0 {
				return append(v, v[r.IntN(n)])
			}
		case string:
			if r.IntN(25) == 0 && len(strs) > 0 {
				return strs[r.IntN(len(strs))]
			}
		case float64:
			if r.IntN(25) == 0 {
				return numbers[r.IntN(len(numbers))]
			}
		case bool:
			if r.IntN(10) == 0 {
				return !v
			}
		}
		return v
	}
	if data, err = json.Marshal(change(tree)); err != nil {
		t.Fatal(err)
	}
	out := &model.Facts{}
	if json.Unmarshal(data, out) != nil {
		return nil
	}
	return out
}

// What the changes and the fuzz targets found.
func TestFoundByMutation(t *testing.T) {
	for name, text := range map[string]string{
		"a loop that counts in a field": "package a\nimport \"net/http\"\ntype T struct{ i int }\nfunc f(t *T, a []int, u string) {\n\tfor t.i = range 3 {\n\t\tif _, err := http.Post(u, u, nil); err == nil { return }\n\t}\n" +
			"\tfor a[0] = range map[int]int{} {\n\t\tif _, err := http.Post(u, u, nil); err == nil { return }\n\t}\n}\n",
		"a type in the place of a variable": "package a\nimport \"net/http\"\nfunc f(u string, m map[int]int) {\n\tfor func() m := range m {\n\t\tif _, err := http.Post(u, u, nil); err == nil { continue }\n\t}\n}\n",
	} {
		t.Run(name, func(t *testing.T) {
			facts := extractGo("r", gosrc.Load(context.Background(), []gosrc.File{{Path: "a.go", Data: []byte(text)}}, gosrc.Options{Stubs: analyzers.Stubs()}))
			noPanics(t, facts, text)
		})
	}
}
