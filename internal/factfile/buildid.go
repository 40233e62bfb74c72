package factfile

import (
	"strings"

	"github.com/retrylint/retrylint/internal/identity"
)

// ExtractorID names what makes facts: the release, or for a development build the identity of the executable, so that facts
// of another build are never taken for its own.
func ExtractorID(version string) string {
	if version != "" && version != "devel" && !strings.Contains(version, "dirty") {
		return version
	}
	return "devel-" + identity.ID()
}
