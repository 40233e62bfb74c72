package main

import (
	"context"
	"errors"

	"github.com/retrylint/retrylint/internal/scan"
	"github.com/retrylint/retrylint/internal/source"
	"github.com/retrylint/retrylint/model"
)

// runScan hands a request to the pipeline.
func runScan(ctx context.Context, req request) (*model.Result, error) {
	opt := scan.Options{Config: req.Config, Wants: req.Wants, Jobs: req.Jobs, Full: req.FullTypes, Verbose: req.Verbose, Version: toolVersion()}
	var err error
	if req.Manifest != "" {
		opt.Repos, err = source.ReadManifest(req.Manifest)
	}
	if err == nil && len(req.Paths) > 0 {
		var more []source.Repo
		if more, err = source.Discover(req.Paths, opt.Source); err == nil {
			opt.Repos = source.Merge(opt.Repos, more)
		}
	}
	var usage *source.UsageError
	if errors.As(err, &usage) {
		return nil, scanUsage{err}
	}
	if err != nil {
		return nil, err
	}
	opt.Events = func(e scan.Event) {
		if req.Event == nil || e.Kind == "start" {
			return
		}
		ev := event{Done: e.Done, Total: e.Total, Repository: e.Repo}
		if e.Err != nil {
			ev.Failed = e.Err.Error()
		}
		req.Event(ev)
	}
	return scan.Run(ctx, opt)
}
