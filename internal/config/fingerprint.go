package config

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// LineHash is the hash of a line of source for fingerprints: of its text without leading and trailing space, so that it
// survives indentation. 16 hexadecimal digits.
func LineHash(text string) string {
	sum := sha256.Sum256([]byte(strings.TrimSpace(text)))
	return hex.EncodeToString(sum[:8])
}

// Fingerprint gives each finding its fingerprint: a hash of rule, repository, path, the line's hash, and an ordinal where
// several findings agree in all of these. It stays the same when lines are put in above. The findings must be in their
// final order. hash gives the hash of a line; "" where the line is not at hand, which makes the fingerprint depend on the
// message instead.
func Fingerprint(findings []*model.Finding, hash func(repo, path string, line int) string) {
	seen := make(map[string]int)
	for _, f := range findings {
		h := ""
		if hash != nil {
			h = hash(f.At.Repo, f.At.Path, f.At.Line)
		}
		if h == "" {
			h = "message " + f.Message
		}
		base := strings.Join([]string{f.Rule, f.At.Repo, f.At.Path, h}, "\x00")
		n := seen[base]
		seen[base]++
		sum := sha256.Sum256([]byte(base + "\x00" + strconv.Itoa(n)))
		f.Fingerprint = hex.EncodeToString(sum[:16])
	}
}
