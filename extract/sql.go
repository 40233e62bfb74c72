package extract

import (
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "sql",
	Title: "SQL files that purge rows",
	Files: []string{"*.sql"},
	Match: func(_ string, d *doc.Document) bool { return d.Syntax == doc.SQL && d.Root.Len() > 0 },
	Read: func(d *doc.Document, out *Out) {
		for _, n := range d.Root.Items() {
			readPurge(n, out)
		}
	},
	Keys: []Key{
		{"DELETE FROM t WHERE at < now() - interval '...'", "age at which a key is forgotten", "for ever: a unique index keeps what nobody deletes", "", ""},
	},
	Doc: `A table that tells repeats by a unique key remembers for ever, unless something deletes its old rows: then their age is the window. Read are DELETE statements
that compare with the clock, in files that are run again and again, in functions, and in what a scheduler of the database is given. A DELETE that a migration runs once
purges nothing afterwards and is left out, as is the way back of a migration. A row that carries its own expiry makes the window unknown. Source: catalogue of dedupe
windows, D20.`,
	Example: `
-- purge.sql --
-- hourly
DELETE FROM public.processed_events WHERE created_at < now() - interval '2 days'; # want setting "table:processed_events=48h0m0s"
DELETE FROM sessions WHERE user_id = 7;
-- mysql.sql --
CREATE EVENT forget ON SCHEDULE EVERY 1 DAY DO
  DELETE FROM inbox WHERE seen_at < DATE_SUB(NOW(), INTERVAL 36 HOUR); # want setting "table:inbox=36h0m0s"
-- migrations/0002_once.up.sql --
DELETE FROM processed_events WHERE created_at < now() - interval '1 day';
`,
})

var (
	sqlDeleteFrom = regexp.MustCompile("(?is)^delete\\s+from\\s+(?:only\\s+)?[\"`\\[]?(?:[\\w$]+[\"`\\]]?\\.[\"`\\[]?)?([\\w$]+)")
	sqlInterval   = regexp.MustCompile(`(?is)interval\s+'?\s*(\d+)\s*'?\s*(second|minute|hour|day|week|month|year)s?`)
	sqlNowMinus   = regexp.MustCompile(`(?is)'now'\s*,\s*'-\s*(\d+)\s*(second|minute|hour|day|month|year)s?'`)
	sqlDateAdd    = regexp.MustCompile(`(?is)dateadd\s*\(\s*(second|minute|hour|day|week|month|year)\s*,\s*-\s*(\d+)`)
	sqlClock      = regexp.MustCompile(`(?is)(now\s*\(|current_timestamp|current_date|getdate\s*\(|sysdate|'now'|clock_timestamp|utc_timestamp)`)
	sqlStanding   = regexp.MustCompile(`(?i)(function|procedure|event|schedule|trigger|job)`)
	migrationName = regexp.MustCompile(`(?i)^(v?\d+[_.]|\d{3,}|v\d)`)
)

// readPurge writes down how old the rows of a table can become.
func readPurge(n *doc.Node, out *Out) {
	text, head := n.Str(), ""
	at := n
	if n.Kind() == doc.Map {
		text, head, at = n.Get("text").Str(), n.Get("in").Str(), n.Get("text")
	}
	m := sqlDeleteFrom.FindStringSubmatch(text)
	if m == nil || !sqlClock.MatchString(text) || !strings.Contains(text, "<") {
		return
	}
	if runsOnce(out.Path) && !sqlStanding.MatchString(head) {
		return
	}
	s := model.Setting{Name: model.N(model.SpaceTable, strings.ToLower(m[1])), At: out.Loc(at)}
	switch d, ok := sqlAge(text); {
	case ok:
		s.Value = d.String()
	default:
		s.Unknown = true
	}
	out.Setting(s)
}

// runsOnce reports whether a file is a step of a schema's migration.
func runsOnce(file string) bool {
	for _, dir := range strings.Split(strings.ToLower(path.Dir(file)), "/") {
		if strings.HasPrefix(dir, "migrat") || dir == "changelog" || dir == "changelogs" {
			return true
		}
	}
	return migrationName.MatchString(path.Base(file))
}

// sqlAge is the age that a condition lets rows reach.
func sqlAge(text string) (time.Duration, bool) {
	number, unit := "", ""
	if m := sqlInterval.FindStringSubmatch(text); m != nil {
		number, unit = m[1], m[2]
	} else if m := sqlNowMinus.FindStringSubmatch(text); m != nil {
		number, unit = m[1], m[2]
	} else if m := sqlDateAdd.FindStringSubmatch(text); m != nil {
		number, unit = m[2], m[1]
	}
	k, err := strconv.Atoi(number)
	if err != nil || k <= 0 || k > 100_000 {
		return 0, false
	}
	const day = 24 * time.Hour
	each := map[string]time.Duration{"second": time.Second, "minute": time.Minute, "hour": time.Hour, "day": day, "week": 7 * day, "month": 30 * day, "year": 365 * day}
	return time.Duration(k) * each[strings.ToLower(unit)], true
}
