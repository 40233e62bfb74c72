package analyzers

import (
	"regexp"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// sqlPackages are the import paths whose Exec and Query methods take SQL.
var sqlPackages = []string{"database/sql", "github.com/jackc/pgx", "github.com/jmoiron/sqlx", "github.com/uptrace/bun", "github.com/lib/pq"}

// store makes the edge of a database operation; false where the call is none.
func (u *unit) store(s *site, k callee) bool {
	p := k.pkg
	if p == "" {
		p = k.name
	}
	switch {
	case strings.HasPrefix(p, "gorm.io/gorm"), strings.HasPrefix(p, "github.com/jinzhu/gorm"):
		return u.gorm(s, k)
	}
	known := false
	for _, q := range sqlPackages {
		known = known || strings.HasPrefix(p, q)
	}
	if !known {
		return false
	}
	name := strings.TrimSuffix(k.sel, "Context")
	switch name {
	case "Exec", "Query", "QueryRow", "Queryx", "QueryRowx", "NamedExec", "NamedQuery", "MustExec", "Get", "Select":
	case "CopyFrom", "SendBatch":
		u.add(s, model.Edge{To: u.opName(s, k), Kind: model.EdgeStore, Effect: true, Label: "SQL " + k.sel})
		return true
	case "Commit":
		u.add(s, model.Edge{To: u.opName(s, k), Kind: model.EdgeStore, Label: "SQL commit"})
		return true
	case "Ping":
		u.add(s, model.Edge{To: u.opName(s, k), Kind: model.EdgeStore, Idempotent: true, Label: "SQL ping"})
		return true
	default:
		return false
	}
	e := model.Edge{To: u.opName(s, k), Kind: model.EdgeStore, Label: "SQL"}
	if q, ok := u.queryText(s); ok {
		describeSQL(q, &e)
	} else if strings.HasPrefix(name, "Query") || name == "Get" || name == "Select" {
		e.Label = "SQL query"
	}
	u.add(s, e)
	return true
}

// queryText is the beginning of the SQL text among the arguments.
func (u *unit) queryText(s *site) (string, bool) {
	for i, a := range s.call.Args {
		if i > 2 {
			break
		}
		t := u.typeOf(a)
		if t != nil && !isStringy(t) {
			continue
		}
		var b strings.Builder
		for _, p := range merged(u.parts(a, s.in, 0)) {
			if p.unknown || !p.ref.Name.IsZero() {
				b.WriteString("?")
				continue
			}
			b.WriteString(p.text)
		}
		if q := strings.TrimSpace(b.String()); sqlVerb.MatchString(q) {
			return q, true
		}
	}
	return "", false
}

var (
	sqlVerb        = regexp.MustCompile(`(?is)^\s*(--[^\n]*\n\s*)*(SELECT|INSERT|UPDATE|DELETE|WITH|REPLACE|MERGE|UPSERT)\b`)
	sqlIntoTable   = regexp.MustCompile(`(?is)\b(?:INSERT\s+(?:OR\s+\w+\s+|IGNORE\s+)?INTO|REPLACE\s+INTO|MERGE\s+INTO|INSERT\s+IGNORE)\s+([\w."` + "`" + `]+)`)
	sqlUpdateTable = regexp.MustCompile(`(?is)\bUPDATE\s+(?:ONLY\s+)?([\w."` + "`" + `]+)\s`)
	sqlDeleteTable = regexp.MustCompile(`(?is)\bDELETE\s+FROM\s+([\w."` + "`" + `]+)`)
	sqlFromTable   = regexp.MustCompile(`(?is)\bFROM\s+([\w."` + "`" + `]+)`)
	sqlStep        = regexp.MustCompile(`(?is)=\s*\w+(\.\w+)?\s*[-+*/|]`)
	sqlOnce        = regexp.MustCompile(`(?is)ON\s+CONFLICT|ON\s+DUPLICATE\s+KEY|INSERT\s+IGNORE|INSERT\s+OR\s+IGNORE|REPLACE\s+INTO|WHERE\s+NOT\s+EXISTS`)
)

// describeSQL says what a statement does: reads are idempotent by nature, so are deletes, inserts that give way to what is
// there, and updates that do not compute on the old value.
func describeSQL(q string, e *model.Edge) {
	table := func(m []string) {
		if len(m) > 1 {
			t := strings.ToLower(withoutQuotes.Replace(m[1]))
			e.To = model.N(model.SpaceTable, t)
			e.Label += " " + t
		}
	}
	switch {
	case sqlIntoTable.MatchString(q):
		e.Label, e.Effect = "SQL INSERT", true
		e.Idempotent = sqlOnce.MatchString(q) && !sqlStep.MatchString(q)
		table(sqlIntoTable.FindStringSubmatch(q))
	case sqlDeleteTable.MatchString(q):
		e.Label, e.Effect, e.Idempotent = "SQL DELETE", true, true
		table(sqlDeleteTable.FindStringSubmatch(q))
	case sqlUpdateTable.MatchString(q) && !strings.HasPrefix(strings.ToUpper(strings.TrimSpace(q)), "SELECT"):
		e.Label, e.Effect = "SQL UPDATE", true
		e.Idempotent = !sqlStep.MatchString(q)
		table(sqlUpdateTable.FindStringSubmatch(q))
	default:
		e.Label, e.Idempotent = "SQL SELECT", true
		table(sqlFromTable.FindStringSubmatch(q))
	}
}

// gorm knows the finishing methods of gorm.
func (u *unit) gorm(s *site, k callee) bool {
	e := model.Edge{To: u.opName(s, k), Kind: model.EdgeStore, Label: "gorm " + k.sel}
	switch k.sel {
	case "Create", "CreateInBatches":
		e.Effect = true
	case "Save", "Update", "Updates", "UpdateColumn", "UpdateColumns", "Delete", "FirstOrCreate":
		e.Effect, e.Idempotent = true, true
	case "Exec":
		e.Effect = true
		if q, ok := u.queryText(s); ok {
			describeSQL(q, &e)
		}
	case "Find", "First", "Last", "Take", "Scan", "Count", "Pluck", "Row", "Rows":
		e.Idempotent = true
	default:
		return false
	}
	u.add(s, e)
	return true
}
