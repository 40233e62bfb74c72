// Command genstd writes the declarations of Go's standard library into one zip file for package gosrc.
//
// It asks the go command for the compiler's export data of every importable package, reads it, and writes it again in
// the indexed form of golang.org/x/tools, which does not depend on the compiler's version. Positions are left out: they
// would name files of the machine that ran the generator, and a reader needs none.
//
// Each package is an entry of its own and holds all that it refers to, so that a reader unpacks only what is imported.
// The entry "VERSION" holds the version of Go that the data was made with.
package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"flag"
	"fmt"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sort"
	"strings"

	"golang.org/x/tools/go/gcexportdata"
)

func main() {
	out := flag.String("o", "std.zip", "file to write")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, "genstd:", err)
		os.Exit(1)
	}
}

func run(out string) error {
	list, err := exportFiles()
	if err != nil {
		return err
	}
	version, err := exec.Command("go", "env", "GOVERSION").Output()
	if err != nil {
		return fmt.Errorf("ask for the version of Go: %w", err)
	}

	paths := make([]string, 0, len(list))
	for path := range list {
		if importable(path) {
			paths = append(paths, path)
		}
	}
	sort.Strings(paths)

	// One map for all, so that each package is made once and the identity of types is kept.
	imports := make(map[string]*types.Package)
	fset := token.NewFileSet()
	for _, path := range paths {
		if path == "unsafe" {
			continue
		}
		if err := readExport(fset, imports, path, list[path]); err != nil {
			return fmt.Errorf("read export data of %s: %w", path, err)
		}
	}

	var buf bytes.Buffer
	zw := zip.NewWriter(&buf)
	zw.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	if err := add(zw, "VERSION", bytes.TrimSpace(version)); err != nil {
		return err
	}
	for _, path := range paths {
		if path == "unsafe" {
			continue
		}
		var data bytes.Buffer
		// An empty file set knows no positions, so none are written.
		if err := gcexportdata.Write(&data, token.NewFileSet(), imports[path]); err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		}
		if err := add(zw, path, data.Bytes()); err != nil {
			return err
		}
	}
	if err := zw.Close(); err != nil {
		return fmt.Errorf("close the zip file: %w", err)
	}
	if err := os.WriteFile(out, buf.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write the zip file: %w", err)
	}
	fmt.Printf("%s: %d packages, %d bytes, %s, generator built with %s\n", out, len(paths)-1, buf.Len(), bytes.TrimSpace(version), runtime.Version())
	return nil
}

// exportFiles maps each package of the standard library to the file with its export data.
func exportFiles() (map[string]string, error) {
	cmd := exec.Command("go", "list", "-export", "-f", "{{.ImportPath}}\t{{.Export}}", "std")
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "GOFLAGS=", "GOWORK=off")
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list the standard library: %w", err)
	}
	list := make(map[string]string)
	for line := range strings.Lines(string(text)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		list[path] = file
	}
	return list, nil
}

// importable says whether code outside the standard library may import the package.
func importable(path string) bool {
	for elem := range strings.SplitSeq(path, "/") {
		if elem == "internal" || elem == "vendor" {
			return false
		}
	}
	return true
}

func readExport(fset *token.FileSet, imports map[string]*types.Package, path, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	//lint:ignore SA1019 the compilers of Go 1.26 and earlier write archives, which Read alone does not take
	r, err := gcexportdata.NewReader(f)
	if err != nil {
		return err
	}
	_, err = gcexportdata.Read(r, fset, imports, path)
	return err
}

func add(zw *zip.Writer, name string, data []byte) error {
	// A header without a time makes the file depend on its contents only.
	w, err := zw.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
	if err != nil {
		return fmt.Errorf("add %s: %w", name, err)
	}
	if _, err := w.Write(data); err != nil {
		return fmt.Errorf("add %s: %w", name, err)
	}
	return nil
}
