package scan

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// rollingWidth is how many units of text, spaces left out, go into the hash of a line.
const rollingWidth = 100

// rollingHashes gives for the wanted lines of a file the value by which GitHub code scanning knows an alert again
// (primaryLocationLineHash), as its upload action computes it: the text in UTF-16 units without spaces and tabs, line ends
// made LF, then an end mark; for each line the 100 units from its beginning, sum of unit[i] * 37^(99-i) in 64 bits, and how
// many lines so far have had that value.
//
// Source: github/codeql-action, src/fingerprints.ts, as described in its documentation.
func rollingHashes(data []byte, want map[int]bool) map[int]string {
	const end = 65535
	units := make([]uint16, 0, len(data)+1+rollingWidth)
	starts := []int{0} // of each line, in kept units
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		data = data[size:]
		switch {
		case r == ' ' || r == '\t':
		case r == '\r' || r == '\n':
			if r == '\r' && len(data) > 0 && data[0] == '\n' {
				data = data[1:]
			}
			units = append(units, '\n')
			starts = append(starts, len(units))
		case r >= 0x10000:
			hi, lo := utf16.EncodeRune(r)
			units = append(units, uint16(hi), uint16(lo))
		default:
			units = append(units, uint16(r))
		}
	}
	units = append(units, end)
	units = append(units, make([]uint16, rollingWidth)...)

	// The hash rolls over the text once: the unit that leaves the window is taken out with its power.
	power := uint64(1)
	for range rollingWidth {
		power *= 37
	}
	out := make(map[int]string, len(want))
	seen := map[uint64]int{}
	var h uint64
	for i := range rollingWidth {
		h = h*37 + uint64(units[i])
	}
	line := 0
	for i := 0; i+rollingWidth <= len(units) && line < len(starts); i++ {
		for line < len(starts) && starts[line] == i {
			seen[h]++
			if want[line+1] {
				out[line+1] = strconv.FormatUint(h, 16) + ":" + strconv.Itoa(seen[h])
			}
			line++
		}
		if i+rollingWidth < len(units) {
			h = h*37 + uint64(units[i+rollingWidth]) - uint64(units[i])*power
		}
	}
	return out
}
