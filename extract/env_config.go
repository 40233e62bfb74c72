package extract

import (
	"path"
	"strings"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

// Some programs read a variable of the environment for every key of their configuration file, and it beats the file:
// SPRING_KAFKA_PRODUCER_RETRIES, AIRFLOW__CORE__DEFAULT_TASK_RETRIES, CONNECT_PRODUCER_RETRIES. Two things follow. A layer that a
// file makes refers to the variables that may change it (overridable); and where there is no such file, the variables of a
// container make the layers (envConfig).

// springName is the variable for a key of a Spring file: "spring.kafka.producer.retries" -> SPRING_KAFKA_PRODUCER_RETRIES.
func springName(n *doc.Node) string {
	var parts []string
	for ; n != nil && n.Parent() != nil; n = n.Parent() {
		if n.Key() == "" {
			return "" // an item of a list
		}
		parts = append([]string{n.Key()}, parts...)
	}
	return strings.ToUpper(strings.NewReplacer("-", "", ".", "_", "[", "_", "]", "").Replace(strings.Join(parts, ".")))
}

// airflowName is the variable for a key of airflow.cfg.
func airflowName(n *doc.Node) string {
	if n.Parent() == nil || n.Parent().Key() == "" || n.Key() == "" {
		return ""
	}
	return "AIRFLOW__" + strings.ToUpper(n.Parent().Key()) + "__" + strings.ToUpper(n.Key())
}

// overridable has a format read a file whose keys are also variables of the environment.
func overridable(name func(*doc.Node) string, read func(*doc.Document, *Out)) func(*doc.Document, *Out) {
	return func(d *doc.Document, out *Out) {
		if out.variables {
			read(d, out)
			return
		}
		out.variable = name
		defer func() { out.variable = nil }()
		read(d, out)
	}
}

// mayOverride notes the variable that beats a value of a file.
func (o *Out) mayOverride(l *model.Layer, n *doc.Node, r model.Ref) {
	if o.variable == nil || n == nil {
		return
	}
	if name := o.variable(n); name != "" && strings.Count(name, "_") > 1 {
		r.Name, r.Over, r.At = model.N(model.SpaceEnv, name), true, o.Loc(n)
		l.Refs = append(l.Refs, r)
	}
}

// envVariable is one variable of a container: the node of its value, and the value where the node holds more.
type envVariable struct {
	name, text string
	node       *doc.Node
}

// kafkaPrefixes stand in front of a producer's properties. The last one is what many programs of one's own use.
var kafkaPrefixes = []string{"CONNECT_PRODUCER_", "KAFKA_REST_PRODUCER_", "KSQL_KSQL_STREAMS_PRODUCER_", "KAFKA_PRODUCER_"}

// envConfig reads the variables of a container that stand for keys of a configuration file.
func (o *Out) envConfig(vars []envVariable, self model.Name) {
	var spring, airflow []doc.Item
	kafka := map[string][]doc.Item{}
	for _, v := range vars {
		switch {
		case strings.HasPrefix(v.name, "SPRING_"), strings.HasPrefix(v.name, "RESILIENCE4J_"):
			spring = append(spring, doc.Item{Key: strings.ToLower(strings.ReplaceAll(v.name, "_", ".")), Text: v.text, Value: v.node})
		case strings.HasPrefix(v.name, "AIRFLOW__"):
			airflow = append(airflow, doc.Item{Key: strings.ToLower(strings.ReplaceAll(v.name[len("AIRFLOW__"):], "__", ".")), Text: v.text, Value: v.node})
		default:
			for _, p := range kafkaPrefixes {
				if rest, ok := strings.CutPrefix(v.name, p); ok {
					kafka[p] = append(kafka[p], doc.Item{Key: strings.ToLower(strings.ReplaceAll(rest, "_", ".")), Text: v.text, Value: v.node})
					break
				}
			}
		}
	}
	if len(spring)+len(airflow)+len(kafka) == 0 {
		return
	}
	o.variables = true
	defer func() { o.variables = false }()
	if len(spring) > 0 && !o.Files.hasBase("application.", "application-", "bootstrap.") {
		o.asFile("application.properties", doc.Gather(spring), "spring-", "resilience4j")
	}
	if len(airflow) > 0 && !o.Files.hasBase("airflow.cfg") {
		o.asFile("airflow.cfg", doc.Gather(airflow), "airflow")
	}
	for i, p := range kafkaPrefixes {
		if len(kafka[p]) == 0 {
			continue
		}
		root := doc.Gather(kafka[p]).Root
		if o.repeated(root) {
			continue
		}
		producer := model.N(model.SpaceConfig, self.Key+"#"+strings.ToLower(strings.TrimSuffix(p, "_")))
		if kafkaProducer(func(k string) *doc.Node { return property(root, k) }, root, producer, o) && i == len(kafkaPrefixes)-1 {
			o.Facts.Layers[len(o.Facts.Layers)-1].LowConfidence = true
		}
	}
}

// asFile has formats read variables as the file that they stand for.
func (o *Out) asFile(name string, d *doc.Document, formats ...string) {
	if o.repeated(d.Root) {
		return
	}
	for _, f := range rankedFormats() {
		for _, prefix := range formats {
			if strings.HasPrefix(f.Name, prefix) && f.takes(name) && f.Match(name, d) {
				f.Read(d, o)
			}
		}
	}
}

// repeated reports whether the same variables were read for another container: several take them by an anchor.
func (o *Out) repeated(root *doc.Node) bool {
	at := o.Loc(root)
	key := "variables:" + at.Path + ":" + root.Pos().String()
	o.id(key)
	return o.ids[key] > 1
}

// hasBase reports whether the repository has a configuration file whose name begins so.
func (f *Files) hasBase(prefixes ...string) bool {
	if f = f.whole(); f == nil {
		return false
	}
	f.basesOnce.Do(func() {
		f.bases = map[string]bool{}
		for _, p := range f.Paths {
			base := path.Base(p)
			for _, known := range []string{"application.", "application-", "bootstrap.", "airflow.cfg"} {
				if strings.HasPrefix(base, known) && !strings.Contains("/"+p, "/test") {
					f.bases[known] = true
				}
			}
		}
	})
	for _, p := range prefixes {
		if f.bases[p] {
			return true
		}
	}
	return false
}
