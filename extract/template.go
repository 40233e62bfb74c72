package extract

import (
	"regexp"

	"github.com/retrylint/retrylint/model"
)

var (
	helmValue = regexp.MustCompile(`\.Values\.([A-Za-z0-9_.]+)`)
	shellVar  = regexp.MustCompile(`\$\{?([A-Z][A-Z0-9_]*)`)
)

// templateName is the name of the setting that a template expression reads: a chart value, an environment variable of the
// tool that fills the file in. The zero Name where it is none of these.
func templateName(expr string) model.Name {
	if m := helmValue.FindStringSubmatch(expr); m != nil {
		return model.N(model.SpaceValue, "values:"+m[1])
	}
	if m := shellVar.FindStringSubmatch(expr); m != nil {
		return model.N(model.SpaceEnv, m[1])
	}
	return model.Name{}
}
