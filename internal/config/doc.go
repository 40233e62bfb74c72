// Package config holds what people say about their organisation and about the findings: the file .retrylint.yaml (one in a
// repository, one for the organisation, which wins), suppression comments, baselines, and the lines that a change touched.
//
// A configuration is strict: an unknown key, a wrong type, a broken duration are [Problem] values with line, column and,
// where there is one, a suggestion. One table ([shape] values in shape.go) describes the file; checking it and the JSON schema for
// editors are made from that table, so they cannot drift apart.
//
// What a configuration declares (services, links, layers, senders, windows, settings) becomes facts of origin "declared":
// the configuration is one more extractor, and the linker needs no second way in.
package config
