// Package bucket keeps facts in buckets: Amazon S3 and what speaks its protocol (s3://), Google Cloud Storage (gs://),
// Azure Blob Storage (azblob://) and memory (mem://, for tests). Folders and file:// URLs are those of the linter itself, so
// that both programs read and write the same files.
//
// An object appears in a bucket when its upload has ended, whole or not at all, so presence means done there as well.
package bucket

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"slices"
	"strings"

	"gocloud.dev/blob"
	_ "gocloud.dev/blob/azureblob"
	_ "gocloud.dev/blob/gcsblob"
	_ "gocloud.dev/blob/memblob"
	_ "gocloud.dev/blob/s3blob"
	"gocloud.dev/gcerrors"

	"github.com/retrylint/retrylint/internal/factfile"
)

// schemes are the URLs that go to a bucket.
var schemes = []string{"s3", "gs", "azblob", "mem"}

// Open opens a folder or a bucket. A path in the URL is a prefix of names: s3://bucket/retrylint/2026-11 keeps everything
// below retrylint/2026-11/. The query takes the options of the driver (region, endpoint); credentials come from where the
// vendor's own tools take them and are never part of the URL.
func Open(ctx context.Context, location string) (factfile.Store, error) {
	scheme, _, ok := strings.Cut(location, "://")
	if !ok || !slices.Contains(schemes, scheme) {
		return factfile.Open(location)
	}
	u, err := url.Parse(location)
	if err != nil {
		return nil, fmt.Errorf("facts: not a valid %s URL", scheme) // the parser's error would repeat what may be a secret
	}
	if u.User != nil {
		return nil, fmt.Errorf("facts at %s://%s: credentials in a URL end up in logs and are not used", scheme, u.Host)
	}
	// The drivers pass over a path in silence.
	if p := strings.Trim(u.Path, "/"); p != "" {
		q := u.Query()
		if q.Has("prefix") {
			return nil, fmt.Errorf("facts at %s://%s: give the prefix as the path or as prefix=, not both", scheme, u.Host)
		}
		q.Set("prefix", p+"/")
		u.Path, u.RawQuery = "", q.Encode()
	}
	b, err := blob.OpenBucket(ctx, u.String())
	if err != nil {
		return nil, fmt.Errorf("facts at %s://%s: %w", scheme, u.Host, err)
	}
	return Of(b), nil
}

// Of is the store in an open bucket.
func Of(b *blob.Bucket) factfile.Store { return &store{b} }

type store struct{ bucket *blob.Bucket }

// List implements factfile.Store.
func (s *store) List(ctx context.Context) ([]string, error) {
	var names []string
	list := s.bucket.List(&blob.ListOptions{Delimiter: "/"})
	for {
		o, err := list.Next(ctx)
		if err == io.EOF {
			slices.Sort(names)
			return names, nil
		}
		if err != nil {
			return nil, fmt.Errorf("list facts: %w", err)
		}
		if !o.IsDir && factfile.Known(o.Key) {
			names = append(names, o.Key)
		}
	}
}

// Get implements factfile.Store.
func (s *store) Get(ctx context.Context, name string) ([]byte, error) {
	data, err := s.bucket.ReadAll(ctx, name)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil, fmt.Errorf("read facts: %s: %w", name, fs.ErrNotExist)
	}
	if err != nil {
		return nil, fmt.Errorf("read facts: %w", err)
	}
	return data, nil
}

// Has implements factfile.Prober.
func (s *store) Has(ctx context.Context, name string) (bool, error) {
	there, err := s.bucket.Exists(ctx, name)
	if err != nil {
		return false, fmt.Errorf("look for facts: %w", err)
	}
	return there, nil
}

// Create implements factfile.Creator with the vendor's condition that there be no such object.
func (s *store) Create(ctx context.Context, name string, data []byte) error {
	err := s.put(ctx, name, data, true)
	if code := gcerrors.Code(err); code == gcerrors.FailedPrecondition || code == gcerrors.AlreadyExists {
		return nil
	}
	return err
}

// Put implements factfile.Store.
func (s *store) Put(ctx context.Context, name string, data []byte) error {
	return s.put(ctx, name, data, false)
}

func (s *store) put(ctx context.Context, name string, data []byte, fresh bool) error {
	if !factfile.Valid(name) || strings.Contains(name, "/") {
		return fmt.Errorf("write facts: %q is not the name of a facts file", name)
	}
	if err := s.bucket.Upload(ctx, name, bytes.NewReader(data), &blob.WriterOptions{ContentType: "application/octet-stream", IfNotExist: fresh}); err != nil {
		return fmt.Errorf("write facts: %w", err)
	}
	return nil
}
