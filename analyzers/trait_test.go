package analyzers

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/model"
)

// stdImporter reads the standard library of the running toolchain, once for all tests.
var stdImporter = sync.OnceValue(func() types.Importer { return importer.Default() })

// extractFile extracts one file as a package of its own.
func extractFile(t *testing.T, path string) (*model.Facts, *ast.File, *token.FileSet) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	require.NoError(t, err)
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Instances: map[*ast.Ident]types.Instance{}, Implicits: map[ast.Node]types.Object{}, Scopes: map[ast.Node]*types.Scope{}}
	conf := types.Config{Importer: stdImporter(), Error: func(error) {}}
	name := "example.test/" + f.Name.Name
	pkg, _ := conf.Check(name, fset, []*ast.File{f}, info)
	base := filepath.Base(path)
	facts := Extract(Input{Fset: fset, Files: []*ast.File{f}, Pkg: pkg, Info: info, Path: name, Module: name, Dir: ".", File: func(string) string { return base }})
	return facts, f, fset
}

var traitComment = regexp.MustCompile(`//.*\btraits?: (.*)$`)

// TestTraits reads what the comments in testdata/traits say: on each line the traits that stand there.
func TestTraits(t *testing.T) {
	files, err := filepath.Glob("testdata/traits/*.go")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			facts, f, fset := extractFile(t, path)
			require.Empty(t, facts.Gaps)
			want := map[string]bool{}
			for _, g := range f.Comments {
				for _, c := range g.List {
					if m := traitComment.FindStringSubmatch(c.Text); m != nil {
						for _, w := range strings.Split(m[1], ",") {
							want[fmt.Sprintf("%d %s", fset.Position(c.Pos()).Line, strings.TrimSpace(w))] = true
						}
					}
				}
			}
			got := map[string]bool{}
			for _, l := range facts.Layers {
				for _, x := range l.Traits {
					switch x.Kind {
					case model.TraitSeesStatus, model.TraitImmediateOnce:
						continue
					}
					s := fmt.Sprintf("%d %s", x.At.Line, x.Kind)
					switch x.Kind {
					case model.TraitReadsRetryAfter, model.TraitRetries429, model.TraitDeadline, model.TraitPayloadFresh:
						s += "=" + x.Detail
					}
					got[s] = true
				}
			}
			require.Equal(t, keysOf(want), keysOf(got))
		})
	}
}

func keysOf(m map[string]bool) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// TestTraitsDebug prints what is seen in the files that an environment variable names.
func TestTraitsDebug(t *testing.T) {
	for _, path := range strings.Fields(os.Getenv("TRAIT_FILES")) {
		facts, _, _ := extractFile(t, path)
		for _, g := range facts.Gaps {
			fmt.Println(path, "GAP", g.Reason, g.Line)
		}
		for _, l := range facts.Layers {
			fmt.Println(path, l.At.Line, l.Kind, l.Label, l.Policy.Attempts, l.Policy.Backoff.Kind, "per", l.Policy.PerAttempt, "all", l.Policy.Overall)
			for _, x := range l.Traits {
				fmt.Println("    ", x.Kind, x.At.Line, x.Detail)
			}
		}
		for _, e := range facts.Edges {
			fmt.Println("   edge", e.At.Line, e.Kind, e.To, e.Under, e.Timeout, e.Deadline)
		}
	}
}
