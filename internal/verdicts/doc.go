// Command verdicts measures how often the linter is right on code that nobody here wrote.
//
// It scans the public repositories of repositories.txt, draws findings of each rule, and holds them against verdicts.tsv, which
// keeps what a reader of the code thought of each: right, wrong or debatable, and why. It prints precision per rule, and how
// many loops were taken for event loops, consumers, pollers and reconcilers, which are no retries. What was drawn and not
// read yet is printed as lines to be completed and put into verdicts.tsv:
//
//	go run ./internal/verdicts -checkouts ~/checkouts -bin bin/retrylint [-scans DIR] [-seed 8] [-per-rule 12] [-errors 50]
//
// The folder of checkouts holds one folder for each repository, by the last element of its name. Any other list in the form
// of repositories.txt will do (-list, -verdicts); with -list all, every folder is taken as it lies. A scan that -scans has
// already is not made again. No code of the repositories is kept here: places, and a reader's words.
package main
