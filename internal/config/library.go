package config

// libraryShape is an entry of libraries:, the form of the built-in catalogue. A test in this package holds it against the
// declarations of the catalogue itself, which this package does not import.
func libraryShape() shape {
	texts := func(doc string) shape { return list(doc, shape{kind: kindText, doc: "text"}) }
	term := func(name, doc string) field { return opt(name, shape{kind: kindText, doc: doc}) }
	flag := func(name, doc string) field { return opt(name, shape{kind: kindBool, doc: doc}) }
	policy := []field{
		opt("follow", texts("values that hold parts of the policy: \"arg 1\", \"option WithBackOff\"")),
		term("attempts", "total calls: \"3\", \"arg 1 + 1\", \"option MaxTries else unbounded\""),
		term("zeroIs", "meaning of a literal 0: unbounded, default, one, never, error"),
		term("negativeIs", "the same of a negative number"),
		term("maxIs", "hard cap whatever is written"),
		flag("outer", "attempts set here replace those of what is followed"),
		term("backoff", "none, constant, linear, exponential, \"list arg 0\", server"),
		term("initial", "the first wait"), term("factor", "of an exponential"), term("max", "cap of one wait"), term("step", "of a linear one"),
		term("jitter", "none, full, equal, \"proportional 0.5\", \"additive 100ms\", some"),
		term("perAttempt", "time limit of one attempt"), term("overall", "time limit of all attempts"),
		term("budget", "how the overall limit acts: hard, gate-before, gate-after"),
		term("on", "what is repeated: \"error\", \"connect,reset,5xx,429\""),
		term("predicate", "settings that replace what is repeated by a function"),
		term("context", "the context whose end stops it: \"arg 0\", none"),
		term("escape", "what marks a permanent error: \"Permanent\""),
		term("retryAfter", "honoured, capped, ignored"),
		flag("addsKey", "adds an idempotency key by itself"), flag("rewinds", "rewinds the body itself"),
		term("kind", "library, client, transport ..."), term("offSwitch", "the line that switches it off"), term("defaultBy", "whose default it is"),
		opt("traits", list("further things to know", object("a trait",
			req("kind", shape{kind: kindText, doc: "of the trait"}), term("if", "only where this is set"), term("detail", "in words")))),
		flag("waitsAfterLast", "a wait follows the last failed attempt too"), flag("capsSum", "max caps wait and jitter together"),
		opt("when", list("terms that differ in some versions", shape{kind: kindAny, doc: "a variant"})),
	}
	send := []field{
		term("func", "method that sends: \"Do\", \"*\""), term("method", "HTTP method, or \"arg 0\", \"request\""), term("url", "\"arg 1\", \"request\""),
		term("operation", "what it does, for people"), term("kind", "request, publish, store, call"), flag("idempotent", "by what it does"),
		flag("effect", "it is known to change something"), term("key", "how a key travels: \"header\", \"client\", \"natural\""),
		term("queue", "where the name of a queue stands"),
	}
	with := func(first ...field) []field { return append(first, policy...) }
	return object("a library",
		term("name", "for people"), req("path", str("import path of the package")), opt("also", texts("import paths with the same API")),
		term("versions", "range of module versions: \">= v2\""), term("source", "where the facts were read"), term("doc", "traps"),
		opt("calls", list("functions that run an operation under retries", object("a call", with(
			req("func", str("\"Retry\", \"(*Retrier).Run\"")), term("runs", "what is repeated: \"arg 0\", \"request\""), opt("waits", str("the method of the result by which a caller learns how the work ended, where the call only starts it: \"Get\"")), opt("send", object("what is sent", send...)))...))),
		opt("clients", list("types whose values retry by themselves", object("a client", with(
			req("type", str("\"Client\"")), opt("new", texts("constructors")), opt("sends", list("methods that send", object("a method", send...))),
			opt("base", texts("setters, of the client or of what made it, that say where paths without a host go")),
			opt("perCall", texts("fields of options that a single call may set too, in a function that it is handed")))...))),
		opt("parts", list("functions whose values go into a policy", object("a part", with(
			req("func", str("function, method, type or variable")), term("wraps", "where the wrapped one stands: \"arg 0\""))...))),
	)
}
