package doc

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// units are the duration units of the formats read here, by their names in lower case. Months and years are counted as
// nginx and Prometheus count them: 30 and 365 days.
var units = map[string]time.Duration{}

func addUnit(d time.Duration, names ...string) struct{} {
	for _, n := range names {
		units[n] = d
	}
	return struct{}{}
}

const day = 24 * time.Hour

var _ = []struct{}{
	addUnit(time.Nanosecond, "ns", "nsec", "nsecs", "nano", "nanos", "nanosecond", "nanoseconds"),
	addUnit(time.Microsecond, "us", "µs", "μs", "usec", "usecs", "micro", "micros", "microsecond", "microseconds"),
	addUnit(time.Millisecond, "ms", "msec", "msecs", "milli", "millis", "millisecond", "milliseconds"),
	addUnit(time.Second, "s", "sec", "secs", "second", "seconds"),
	addUnit(time.Minute, "m", "min", "mins", "minute", "minutes"),
	addUnit(time.Hour, "h", "hr", "hrs", "hour", "hours"),
	addUnit(day, "d", "day", "days"),
	addUnit(7*day, "w", "week", "weeks"),
	addUnit(30*day, "mo", "mon", "month", "months"),
	addUnit(365*day, "y", "yr", "year", "years"),
}

// ParseDuration reads a duration as the configuration formats write them:
//
//	Go               1h30m, 1.5s, 300ms
//	ISO 8601         PT1H30M, P1DT2H, PT0.5S, P2W
//	words            5 min, 1d, 2 weeks, 1min 30s, 1m 30s, 1 hour, 30 minutes
//	clock            00:00:05, 1.12:00:00 (days before the point), 00:00:00.250
//	bare number      30, 1.5: times bare; refused when bare is 0
//
// A single M is a month, as in nginx and systemd, and m a minute; other units do not depend on case. False for anything
// else, such as infinity, and for what a time.Duration cannot hold.
func ParseDuration(s string, bare time.Duration) (time.Duration, bool) {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > 100 {
		return 0, false
	}
	neg := false
	if s[0] == '-' || s[0] == '+' {
		neg = s[0] == '-'
		s = s[1:]
	}
	d, ok := parseAbs(s, bare)
	if neg {
		d = -d
	}
	return d, ok
}

func parseAbs(s string, bare time.Duration) (time.Duration, bool) {
	switch {
	case s == "":
		return 0, false
	case s[0] == 'P' || s[0] == 'p':
		return parseISO(s[1:])
	case strings.Contains(s, ":"):
		return parseClock(s)
	case strings.Trim(s, "0123456789.") == "":
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || f != 0 && bare == 0 {
			return 0, false
		}
		return scale(f, bare)
	}
	var sum time.Duration
	for s != "" {
		num := digits(s)
		if num == "" {
			return 0, false
		}
		s = strings.TrimLeft(s[len(num):], " \t")
		end := strings.IndexAny(s, "0123456789. \t,")
		if end < 0 {
			end = len(s)
		}
		unit, ok := unitOf(s[:end])
		if !ok {
			return 0, false
		}
		if sum, ok = addPart(sum, num, unit); !ok {
			return 0, false
		}
		s = strings.TrimLeft(s[end:], " \t,")
	}
	return sum, true
}

func unitOf(s string) (time.Duration, bool) {
	if s == "M" {
		return 30 * day, true
	}
	d, ok := units[strings.ToLower(s)]
	return d, ok
}

// digits is the unsigned decimal number that s begins with.
func digits(s string) string {
	i := 0
	for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == '.') {
		i++
	}
	return s[:i]
}

func parseISO(s string) (time.Duration, bool) {
	var sum time.Duration
	clock, any := false, false
	for s != "" {
		if s[0] == 'T' || s[0] == 't' {
			if clock {
				return 0, false
			}
			clock, s = true, s[1:]
			continue
		}
		neg := s[0] == '-' // Java writes PT-1S
		num := digits(strings.TrimPrefix(s, "-"))
		if neg {
			s = s[1:]
		}
		if num == "" || len(num) == len(s) {
			return 0, false
		}
		unit, ok := isoUnit(s[len(num)], clock)
		if !ok {
			return 0, false
		}
		s = s[len(num)+1:]
		part, ok := addPart(0, num, unit)
		if neg {
			part = -part
		}
		if !ok || part > 0 && sum > math.MaxInt64-part {
			return 0, false
		}
		sum, any = sum+part, true
	}
	return sum, any
}

func isoUnit(c byte, clock bool) (time.Duration, bool) {
	switch c | 0x20 {
	case 'w':
		return 7 * day, !clock
	case 'y':
		return 365 * day, !clock
	case 'd':
		return day, !clock
	case 'h':
		return time.Hour, clock
	case 's':
		return time.Second, clock
	case 'm':
		if clock {
			return time.Minute, true
		}
		return 30 * day, true
	}
	return 0, false
}

// parseClock reads [d.]hh:mm:ss[.fff]. Two parts only (05:30) could be minutes or hours and are refused.
func parseClock(s string) (time.Duration, bool) {
	parts := strings.Split(s, ":")
	if len(parts) != 3 {
		return 0, false
	}
	var sum time.Duration
	ok := true
	if days, rest, found := strings.Cut(parts[0], "."); found {
		if sum, ok = addPart(0, days, day); !ok {
			return 0, false
		}
		parts[0] = rest
	}
	for i, unit := range []time.Duration{time.Hour, time.Minute, time.Second} {
		if parts[i] == "" || digits(parts[i]) != parts[i] || unit != time.Second && strings.Contains(parts[i], ".") {
			return 0, false
		}
		if sum, ok = addPart(sum, parts[i], unit); !ok {
			return 0, false
		}
	}
	return sum, true
}

// addPart adds num times unit to sum. Whole numbers are exact; false when the sum does not fit.
func addPart(sum time.Duration, num string, unit time.Duration) (time.Duration, bool) {
	var part time.Duration
	if i, err := strconv.ParseInt(num, 10, 64); err == nil {
		if i > math.MaxInt64/int64(unit) {
			return 0, false
		}
		part = time.Duration(i) * unit
	} else {
		f, err := strconv.ParseFloat(num, 64)
		if err != nil {
			return 0, false
		}
		var ok bool
		if part, ok = scale(f, unit); !ok {
			return 0, false
		}
	}
	if sum > math.MaxInt64-part {
		return 0, false
	}
	return sum + part, true
}

func scale(f float64, unit time.Duration) (time.Duration, bool) {
	f *= float64(unit)
	if f < 0 || f >= math.MaxInt64 || math.IsNaN(f) {
		return 0, false
	}
	return time.Duration(math.Round(f)), true
}
