package extract

import (
	"path"
	"strings"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "redis",
	Title: "Redis configuration",
	Files: []string{"redis*.conf", "valkey*.conf"},
	Match: func(_ string, d *doc.Document) bool { return d.Syntax == doc.Lines },
	Read: func(d *doc.Document, out *Out) {
		limit := false
		var policy *doc.Node
		for _, l := range d.Root.Items() {
			w := strings.Fields(l.Str())
			if len(w) < 2 {
				continue
			}
			switch strings.ToLower(w[0]) {
			case "maxmemory":
				limit = strings.Trim(w[1], `"'`) != "0"
			case "maxmemory-policy":
				policy = l
			}
		}
		if policy != nil && limit {
			out.evictionPolicy(strings.Fields(policy.Str())[1], policy)
		}
	},
	Keys: []Key{
		{"maxmemory-policy", "what is thrown out when memory is full: allkeys-* any key, volatile-* keys that expire", "noeviction, Redis", "", ""},
		{"maxmemory", "limit of memory, without which nothing is thrown out", "0: none", "none", ""},
	},
	Doc: `A Redis that throws keys out when its memory is full forgets dedupe keys long before their time to live. Read are redis.conf, the arguments of a container
(--maxmemory-policy), aws_elasticache_parameter_group, google_redis_instance and azurerm_redis_cache; what a repository's only policy says holds for the dedupe keys that its code
keeps in Redis. Source: the documentation of Redis (key eviction).`,
	Example: `
-- redis.conf --
maxmemory 512mb
maxmemory-policy allkeys-lru # want setting "value:redis:maxmemory-policy=allkeys-lru"
-- pod.yaml --
apiVersion: v1
kind: Pod
metadata: {name: cache}
spec:
  containers:
    - name: redis
      image: redis:7
      args: ["--maxmemory", "1gb", "--maxmemory-policy", "volatile-ttl"] # want setting "value:redis:maxmemory-policy=volatile-ttl"
-- cache.tf --
resource "aws_elasticache_parameter_group" "keys" {
  family = "redis7"
  parameter {
    name  = "maxmemory-policy"
    value = "noeviction" # want setting "value:redis:maxmemory-policy=noeviction"
  }
}
`,
})

// evictionPolicy writes down what a Redis does when its memory is full.
func (o *Out) evictionPolicy(policy string, at *doc.Node) {
	policy = strings.ToLower(strings.Trim(policy, `"'`))
	if policy == "noeviction" || strings.HasPrefix(policy, "allkeys-") || strings.HasPrefix(policy, "volatile-") {
		o.Setting(model.Setting{Name: model.EvictionPolicy, Value: policy, At: o.Loc(at)})
	}
}

// redisArguments reads the arguments of a Redis server that a container starts.
func redisArguments(c *doc.Node, out *Out) {
	var words []string
	var nodes []*doc.Node
	for _, key := range []string{"command", "args"} {
		for _, n := range c.Get(key).Many() {
			for _, w := range strings.Fields(n.Str()) {
				words, nodes = append(words, strings.Trim(w, `"'`)), append(nodes, n)
			}
		}
	}
	limit := false
	for i, w := range words {
		if path.Base(w) == "--maxmemory" && i+1 < len(words) && words[i+1] != "0" {
			limit = true
		}
	}
	for i, w := range words {
		if w == "--maxmemory-policy" && i+1 < len(words) && limit {
			out.evictionPolicy(words[i+1], nodes[i+1])
		}
	}
}

// redisResource reads the policy of a Redis that Terraform makes.
func redisResource(typ string, r *doc.Node, out *Out) {
	switch typ {
	case "aws_elasticache_parameter_group":
		for _, p := range r.Get("parameter").Many() {
			if v := p.Get("value"); p.Get("name").Str() == "maxmemory-policy" && v.Kind() == doc.Scalar {
				out.evictionPolicy(v.Str(), v)
			}
		}
	case "google_redis_instance":
		if v := r.Get("redis_configs").Get("maxmemory-policy"); v.Kind() == doc.Scalar {
			out.evictionPolicy(v.Str(), v)
		}
	case "azurerm_redis_cache":
		if v := one(r, "redis_configuration").Get("maxmemory_policy"); v.Kind() == doc.Scalar {
			out.evictionPolicy(v.Str(), v)
		}
	}
}
