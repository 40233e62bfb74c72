module github.com/retrylint/retrylint/conformance

go 1.26.0

require github.com/avast/retry-go/v4 v4.7.0
