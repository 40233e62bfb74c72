package scan

import (
	"fmt"

	"gopkg.in/yaml.v3"

	"github.com/retrylint/retrylint/analyzers/libs"
	"github.com/retrylint/retrylint/internal/config"
)

// CheckConfig finds what the form of a configuration does not show: rules that do not exist, terms of libraries that cannot
// be read.
func CheckConfig(cfg *config.Config) []config.Problem {
	problems := cfg.CheckRules(ruleIDs())
	if cfg.Libraries == nil {
		return problems
	}
	for _, entry := range cfg.Libraries.Content {
		one := &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{entry}}
		data, err := yaml.Marshal(one)
		if err == nil {
			_, err = libs.ParseYAML(data)
		}
		if err != nil {
			problems = append(problems, config.Problem{Path: cfg.Path, Line: entry.Line, Col: entry.Column, Message: fmt.Sprintf("a library that cannot be read: %v", err)})
		}
	}
	return problems
}

// libraries is the built-in catalogue with what a configuration adds. What cannot be read was said when the configuration was
// checked.
func libraries(cfg *config.Config) *libs.Set {
	if cfg == nil || cfg.Libraries == nil {
		return libs.With(nil)
	}
	data, err := yaml.Marshal(cfg.Libraries)
	if err != nil {
		return libs.With(nil)
	}
	extra, err := libs.ParseYAML(data)
	if err != nil {
		return libs.With(nil)
	}
	return libs.With(extra)
}
