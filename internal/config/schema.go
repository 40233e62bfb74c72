package config

import (
	"bytes"
	"encoding/json"
)

// schemaNode is one node of the JSON schema; the order of the fields is the order in the file.
type schemaNode struct {
	Schema      string                 `json:"$schema,omitempty"`
	ID          string                 `json:"$id,omitempty"`
	Title       string                 `json:"title,omitempty"`
	Description string                 `json:"description,omitempty"`
	Type        any                    `json:"type,omitempty"`
	Const       any                    `json:"const,omitempty"`
	Enum        []string               `json:"enum,omitempty"`
	Pattern     string                 `json:"pattern,omitempty"`
	Minimum     int                    `json:"minimum,omitempty"`
	MinLength   int                    `json:"minLength,omitempty"`
	AnyOf       []*schemaNode          `json:"anyOf,omitempty"`
	Items       *schemaNode            `json:"items,omitempty"`
	Properties  map[string]*schemaNode `json:"properties,omitempty"`
	Required    []string               `json:"required,omitempty"`
	Additional  any                    `json:"additionalProperties,omitempty"`
}

// durationPattern is [ParseDuration] as a pattern for editors.
const durationPattern = `^([0-9]+(\.[0-9]+)?d)?([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))*$`

// Schema is the JSON schema of the file, for editors. rules are the names of the rules.
func Schema(rules []string) ([]byte, error) {
	s := fileShape()
	root := s.schema()
	root.Schema = "https://json-schema.org/draft/2020-12/schema"
	root.Title = FileName
	root.Properties["version"] = &schemaNode{Description: "of this format", Const: Version}
	if len(rules) > 0 {
		words := root.Properties["rules"]
		severity := words.Additional
		words.Properties, words.Additional = make(map[string]*schemaNode), false
		for _, r := range rules {
			words.Properties[r] = severity.(*schemaNode)
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(root)
	return b.Bytes(), err
}

func (s *shape) schema() *schemaNode {
	n := &schemaNode{Description: s.doc}
	switch s.kind {
	case kindString:
		n.Type, n.MinLength = "string", 1
	case kindText:
		n.Type = []string{"string", "number", "boolean"}
	case kindGlob:
		n.Type = "string"
	case kindBool:
		n.Type = "boolean"
	case kindInt:
		n.Type, n.Minimum = "integer", 1
	case kindRatio:
		n.Type, n.Minimum = "number", 1
	case kindDuration:
		n.Type, n.Pattern, n.MinLength = "string", durationPattern, 1
	case kindWindow:
		n.AnyOf = []*schemaNode{{Enum: []string{"permanent", "unknown"}}, {Type: "string", Pattern: durationPattern, MinLength: 1}}
	case kindAttempts:
		n.AnyOf = []*schemaNode{{Type: "integer", Minimum: 1}, {Enum: []string{"unbounded", "unknown"}}}
	case kindEnum:
		n.Enum = s.words
	case kindList:
		n.Type, n.Items = "array", s.elem.schema()
	case kindMap:
		n.Type, n.Additional = "object", s.elem.schema()
	case kindObject:
		n.Type, n.Additional, n.Properties = "object", false, make(map[string]*schemaNode)
		for _, f := range s.fields {
			n.Properties[f.name] = f.shape.schema()
			if f.required {
				n.Required = append(n.Required, f.name)
			}
		}
	}
	return n
}
