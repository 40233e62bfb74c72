package analyzers

import (
	"go/token"
	"go/types"
	"regexp"
	"strings"

	"github.com/retrylint/retrylint/analyzers/libs"
	"github.com/retrylint/retrylint/model"
)

// Repo is what the packages of one repository know of each other. Packages are extracted in import order, one after the
// other, with the same Repo; Join then finishes what only the whole repository can say.
type Repo struct {
	// Libraries is what is known of libraries; nil means the built-in catalogue.
	Libraries *libs.Set
	// Own reports whether facts of the package in a folder are wanted; nil wants all. Others are there because those import
	// them.
	Own func(dir string) bool

	units      map[*types.Package]*unit
	order      []*unit
	importers  map[*types.Package][]*unit    // see writersOf
	bindings   []map[types.Object]libs.Value // parameters of the calls that are being followed
	busy       map[types.Object]bool         // variables that are being followed
	config     map[string]libs.Value
	flags      map[string]libs.Value        // see cliFlags
	exprs      []map[types.Object]boundExpr // the same for strings
	matched    map[matchKey]bool            // answers of matches
	walk       declIndex                    // lists of the last declaration that was looked into, to be filled again
	indexed    []*declIndex                 // declarations that were looked into for the package that is being extracted
	clients    map[string]string            // layers of clients, by what makes them
	made       map[string][]*site           // see madeAnywhere
	helpers    map[*fn]*helper
	reached    map[*types.Package]map[*types.Package]bool // packages that a program is made of
	keep       map[model.Name]bool                        // what loops repeat, whatever it does
	ifaces     map[*types.Func]bool
	claimed    map[*fn]bool // handlers of claims whose topic is known
	ifaceCalls []ifaceCall
	byMethod   map[string][]*site          // calls of interface methods
	before     map[types.Object]token.Pos  // from where a variable is looked at, while what it wraps is followed
	follow     int                         // depth of siteValue
	values     map[types.Object]libs.Value // of variables and fields, once they are known
	depth      int                         // of the value that is being followed
	fuel       int                         // steps left for it
	origins    map[originKey]knownOrigin   // what the step that is running found out
}

// NewRepo starts a repository.
func NewRepo() *Repo {
	return &Repo{units: map[*types.Package]*unit{}, busy: map[types.Object]bool{}, values: map[types.Object]libs.Value{},
		clients: map[string]string{}, helpers: map[*fn]*helper{}, ifaces: map[*types.Func]bool{}, claimed: map[*fn]bool{}, keep: map[model.Name]bool{}, before: map[types.Object]token.Pos{}}
}

// matches tests a name. The same names come again and again.
func (r *Repo) matches(re *regexp.Regexp, name string) bool {
	if r.matched == nil {
		r.matched = map[matchKey]bool{}
	}
	k := matchKey{re, name}
	m, ok := r.matched[k]
	if !ok {
		m = re.MatchString(name)
		r.matched[k] = m
	}
	return m
}

type matchKey struct {
	re   *regexp.Regexp
	name string
}

// fnOf finds the function of any package of the repository.
func (r *Repo) fnOf(f *types.Func) *fn {
	if f == nil || f.Pkg() == nil {
		return nil
	}
	if u := r.units[f.Pkg()]; u != nil {
		return u.byObj[f.Origin()]
	}
	return nil
}

func (r *Repo) bound(o types.Object) (libs.Value, bool) {
	for i := len(r.bindings) - 1; i >= 0; i-- {
		if v, ok := r.bindings[i][o]; ok {
			return v, true
		}
	}
	return libs.Value{}, false
}

func (r *Repo) exprOf(o types.Object) (boundExpr, bool) {
	for i := len(r.exprs) - 1; i >= 0; i-- {
		if v, ok := r.exprs[i][o]; ok && v.expr != nil {
			// What the argument names is looked up outside of this call.
			return v, true
		}
	}
	return boundExpr{}, false
}

// restOf is what a call hands over for a variadic parameter.
func (r *Repo) restOf(o types.Object) (boundExpr, bool) {
	for i := len(r.exprs) - 1; i >= 0; i-- {
		if v, ok := r.exprs[i][o]; ok && v.expr == nil {
			return v, true
		}
	}
	return boundExpr{}, false
}

// aside begins work that is not part of the question at hand: it has steps of its own and knows nothing of the calls that are
// being followed. What it returns goes back to the question.
func (r *Repo) aside() (back func()) {
	depth, fuel, bindings := r.depth, r.fuel, r.bindings
	r.depth, r.bindings = 0, nil
	return func() { r.depth, r.fuel, r.bindings = depth, fuel, bindings }
}

// configDefaults are the values that viper.SetDefault and the like give, by lower-case key.
func (r *Repo) configDefaults() map[string]libs.Value {
	if r.config != nil {
		return r.config
	}
	r.config = map[string]libs.Value{}
	defer r.aside()()
	for _, u := range r.order {
		for _, f := range u.fns {
			for _, c := range f.calls {
				if len(c.expr.Args) != 2 {
					continue
				}
				k := u.callee(c.expr)
				if k.sel == "SetDefault" && strings.HasPrefix(k.pkg, "github.com/spf13/viper") {
					if key := u.value(c.expr.Args[0], f); key.IsStr {
						r.config[strings.ToLower(key.Str)] = u.value(c.expr.Args[1], f)
					}
				}
			}
		}
	}
	return r.config
}
