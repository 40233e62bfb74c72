package cli

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retrylint/retrylint/model"
	"github.com/retrylint/retrylint/report"
)

func (a *app) graphCmd() *cobra.Command {
	var from, format string
	var only []string
	cmd := &cobra.Command{
		Use:     "graph [PATH ...]",
		Short:   "draw the chains as a graph, for Graphviz or Mermaid",
		Long:    "graph writes the calls on the chains of a scan as a graph: a node for each thing on the way, an edge for each call with the\nattempts that its layers make.",
		Example: "  retrylint graph --from scan.json | dot -Tsvg > chains.svg\n  retrylint graph --from scan.json --format mermaid --chain c0123456789",
		RunE: func(cmd *cobra.Command, args []string) error {
			if from != "" && len(args) > 0 {
				return usagef("graph takes --from or paths, not both")
			}
			r, err := a.undecidedResult(cmd.Context(), from, args)
			if err != nil {
				return err
			}
			g, err := graphOf(r, only)
			if err != nil {
				return err
			}
			switch format {
			case "mermaid":
				return g.mermaid(a.stdout)
			case "json":
				return a.writeJSON(g)
			}
			return g.dot(a.stdout)
		},
	}
	format = "dot"
	cmd.Flags().StringVar(&from, "from", "", "JSON of a scan")
	cmd.Flags().StringSliceVar(&only, "chain", nil, "only these chains, by id")
	cmd.Flags().Var(&wordFlag{&format, []string{"dot", "mermaid", "json"}}, "format", "dot, mermaid or json")
	return cmd
}

// callGraph is what is drawn.
type callGraph struct {
	Nodes []graphNode `json:"nodes"`
	Edges []graphEdge `json:"edges"`
}

type graphNode struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // entry, effect, step
}

type graphEdge struct {
	From   string   `json:"from"`
	To     string   `json:"to"`
	Label  string   `json:"label,omitempty"`
	Layers []string `json:"layers,omitempty"` // "loop x3"
	Heavy  string   `json:"heavy,omitempty"`  // amber, red: product of the worst chain over it
}

// graphOf joins the ways of the chains.
func graphOf(r *model.Result, only []string) (*callGraph, error) {
	g := &callGraph{Nodes: []graphNode{}, Edges: []graphEdge{}}
	layers := make(map[string]model.LayerInfo, len(r.Layers))
	for _, l := range r.Layers {
		layers[l.ID] = l
	}
	nodes := make(map[string]int)
	edges := make(map[string]int)
	node := func(name, kind string) {
		i, ok := nodes[name]
		if !ok {
			nodes[name] = len(g.Nodes)
			g.Nodes = append(g.Nodes, graphNode{name, kind})
		} else if g.Nodes[i].Kind == "step" {
			g.Nodes[i].Kind = kind
		}
	}
	missing := slices.Clone(only)
	for _, c := range r.Chains {
		if len(only) > 0 && !slices.Contains(only, c.ID) {
			continue
		}
		missing = slices.DeleteFunc(missing, func(id string) bool { return id == c.ID })
		node(c.Entry.Name, "entry")
		for _, h := range c.Hops {
			node(h.From, "step")
			node(h.To, "step")
			e := graphEdge{From: h.From, To: h.To, Label: strings.TrimSpace(h.Method + " " + h.URLPath), Heavy: heavy(c.Attempts)}
			for _, id := range h.Layers {
				if l, ok := layers[id]; ok {
					e.Layers = append(e.Layers, fmt.Sprintf("%s x%s", cmp.Or(l.Label, l.Kind), l.Attempts))
				}
			}
			key := strings.Join(append([]string{e.From, e.To, e.Label}, e.Layers...), "\x00")
			if i, ok := edges[key]; ok {
				g.Edges[i].Heavy = heavier(g.Edges[i].Heavy, e.Heavy)
				continue
			}
			edges[key] = len(g.Edges)
			g.Edges = append(g.Edges, e)
		}
		node(c.Effect.Name, "effect")
	}
	if len(missing) > 0 {
		return nil, usagef("there is no chain %q in the scan", missing[0])
	}
	return g, nil
}

func heavy(n model.Number) string {
	var i int64
	switch _, err := fmt.Sscan(string(n), &i); {
	case n == "unbounded" || err == nil && i >= 64:
		return "red"
	case err == nil && i >= 16:
		return "amber"
	}
	return ""
}

func heavier(a, b string) string {
	if a == "red" || b == "" {
		return a
	}
	return b
}

func (e graphEdge) text() string {
	return strings.Join(append(slices.DeleteFunc([]string{e.Label}, func(s string) bool { return s == "" }), e.Layers...), "\n")
}

func (g *callGraph) dot(w io.Writer) error {
	b := bufio.NewWriter(w)
	quote := func(s string) string {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", "").Replace(s) + `"`
	}
	fmt.Fprint(b, "digraph retrylint {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\", fontsize=10];\n")
	for _, n := range g.Nodes {
		var attributes []string
		if short := report.ShortName(n.Name); short != n.Name {
			attributes = append(attributes, "label="+quote(short))
		}
		switch n.Kind {
		case "entry":
			attributes = append(attributes, "style=rounded")
		case "effect":
			attributes = append(attributes, "style=bold")
		}
		style := ""
		if len(attributes) > 0 {
			style = " [" + strings.Join(attributes, ", ") + "]"
		}
		fmt.Fprintf(b, "  %s%s;\n", quote(n.Name), style)
	}
	for _, e := range g.Edges {
		color := ""
		switch e.Heavy {
		case "amber":
			color = ", color=orange, penwidth=2"
		case "red":
			color = ", color=red, penwidth=3"
		}
		fmt.Fprintf(b, "  %s -> %s [label=%s%s];\n", quote(e.From), quote(e.To), quote(e.text()), color)
	}
	fmt.Fprint(b, "}\n")
	return b.Flush()
}

func (g *callGraph) mermaid(w io.Writer) error {
	b := bufio.NewWriter(w)
	text := func(s string) string {
		return `"` + strings.NewReplacer(`"`, "#quot;", "\n", "<br/>", "<", "#lt;", ">", "#gt;").Replace(s) + `"`
	}
	id := make(map[string]string, len(g.Nodes))
	fmt.Fprintln(b, "flowchart LR")
	for i, n := range g.Nodes {
		id[n.Name] = fmt.Sprintf("n%d", i)
		open, end := "[", "]"
		switch n.Kind {
		case "entry":
			open, end = "([", "])"
		case "effect":
			open, end = "[[", "]]"
		}
		fmt.Fprintf(b, "  n%d%s%s%s\n", i, open, text(report.ShortName(n.Name)), end)
	}
	for i, e := range g.Edges {
		if t := e.text(); t != "" {
			fmt.Fprintf(b, "  %s -->|%s| %s\n", id[e.From], text(t), id[e.To])
		} else {
			fmt.Fprintf(b, "  %s --> %s\n", id[e.From], id[e.To])
		}
		switch e.Heavy {
		case "amber":
			fmt.Fprintf(b, "  linkStyle %d stroke:orange,stroke-width:3px\n", i)
		case "red":
			fmt.Fprintf(b, "  linkStyle %d stroke:red,stroke-width:4px\n", i)
		}
	}
	return b.Flush()
}
