package model

import "encoding/json"

// NumberOf is the upper end of a count as the JSON writes it; "" for the zero Count where omitZero.
func NumberOf(c Count) Number {
	switch {
	case c.IsUnbounded():
		return "unbounded"
	case c.IsUnknown():
		return "unknown"
	}
	return Number(Exactly(c.hi).String())
}

// NumberMin is the lower end where c is a range, or else "".
func NumberMin(c Count) Number {
	if c.Exact() || c.IsUnknown() && c.Min() <= 1 || c.IsUnbounded() {
		return ""
	}
	return Number(Exactly(c.lo).String())
}

// MarshalJSON writes digits as a number and words as a string.
func (n Number) MarshalJSON() ([]byte, error) {
	if n != "" && n[0] >= '0' && n[0] <= '9' {
		return []byte(n), nil
	}
	return json.Marshal(string(n))
}

// UnmarshalJSON reads both forms.
func (n *Number) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, (*string)(n))
	}
	*n = Number(b)
	return nil
}
