// Package controlplane runs the manifests of deploy/kubernetes against a real control plane: etcd, kube-apiserver and
// kube-controller-manager as processes on this machine. Only the kubelet is a stand-in, which starts what a pod runs as a
// process.
package controlplane

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

const (
	deploy    = "../deploy/kubernetes"
	namespace = "retrylint"
)

type object = map[string]any

// at follows keys and, for lists, takes the first element.
func at(v any, keys ...string) any {
	for _, k := range keys {
		if l, ok := v.([]any); ok && len(l) > 0 {
			v = l[0]
		}
		m, _ := v.(object)
		v = m[k]
	}
	return v
}

func text(v any, keys ...string) string { s, _ := at(v, keys...).(string); return s }

func list(v any, keys ...string) []any { l, _ := at(v, keys...).([]any); return l }

func number(v any, keys ...string) int { n, _ := at(v, keys...).(float64); return int(n) }

// plane is the control plane, and what the stand-in for the kubelet knows.
type plane struct {
	dir    string
	url    string
	worker string // program of the pods
	client *http.Client
	values map[string]string // of the ConfigMap

	taken   map[string]bool // pods by uid
	mu      sync.Mutex      // of started
	started map[string]int  // pods by Job and index
	work    sync.WaitGroup
}

func fatal(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	fatal(t, err)
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

func build(t *testing.T, dir, out string, packages ...string) {
	t.Helper()
	cmd := exec.Command("go", append([]string{"build", "-o", out}, packages...)...)
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", packages, err, text)
	}
}

// start runs a process until the test ends; its log is shown if the test fails.
func start(t *testing.T, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	log := filepath.Join(t.TempDir(), "log")
	f, err := os.Create(log)
	fatal(t, err)
	cmd.Stdout, cmd.Stderr = f, f
	fatal(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		f.Close()
		if data, _ := os.ReadFile(log); t.Failed() {
			t.Logf("%s: ... %s", filepath.Base(name), data[max(0, len(data)-3000):])
		}
	})
}

func newPlane(t *testing.T) *plane {
	t.Helper()
	if _, err := exec.LookPath("etcd"); err != nil {
		t.Skip("etcd is not installed")
	}
	p := &plane{dir: t.TempDir(), taken: map[string]bool{}, started: map[string]int{}, values: map[string]string{}}
	p.worker = filepath.Join(p.dir, "retrylint")
	build(t, "..", p.worker, "./cmd/retrylint")
	bin := os.Getenv("RETRYLINT_CONTROLPLANE_BIN")
	if bin == "" {
		bin = p.dir
		build(t, ".", bin+"/", "k8s.io/kubernetes/cmd/kube-apiserver", "k8s.io/kubernetes/cmd/kube-controller-manager")
	}

	key, err := rsa.GenerateKey(rand.Reader, 2048)
	fatal(t, err)
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	fatal(t, err)
	file := func(name string, data []byte) string {
		f := filepath.Join(p.dir, name)
		fatal(t, os.WriteFile(f, data, 0o600))
		return f
	}
	private := file("sa.key", pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
	pub := file("sa.pub", pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}))
	tokens := file("tokens.csv", []byte("only-in-this-test,admin,1,system:masters\n"))
	etcd, peers, api, manager := "http://127.0.0.1:"+freePort(t), "http://127.0.0.1:"+freePort(t), freePort(t), freePort(t)
	p.url = "https://127.0.0.1:" + api
	p.client = &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} // its certificate is made when it starts
	start(t, "etcd", "--data-dir", filepath.Join(p.dir, "etcd"), "--listen-client-urls", etcd, "--advertise-client-urls", etcd,
		"--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers, "--initial-cluster", "default="+peers)
	start(t, filepath.Join(bin, "kube-apiserver"), "--etcd-servers", etcd, "--bind-address", "127.0.0.1", "--secure-port", api, "--cert-dir", filepath.Join(p.dir, "certs"),
		"--service-account-issuer", "https://retrylint.example.org", "--service-account-key-file", pub, "--service-account-signing-key-file", private,
		"--token-auth-file", tokens, "--disable-admission-plugins=ServiceAccount", "--service-cluster-ip-range", "10.0.0.0/24")
	p.wait(t, 3*time.Minute, "the API", func() bool {
		code, _, err := p.try("GET", "/readyz", "", nil)
		return err == nil && code == 200
	})
	config := file("kubeconfig", fmt.Appendf(nil, `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: %q, insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: only-in-this-test}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`, p.url))
	start(t, filepath.Join(bin, "kube-controller-manager"), "--kubeconfig", config, "--authentication-kubeconfig", config, "--authorization-kubeconfig", config,
		"--controllers=job-controller,cronjob-controller,garbage-collector-controller", "--leader-elect=false", "--secure-port", manager,
		"--bind-address", "127.0.0.1", "--cert-dir", filepath.Join(p.dir, "manager-certs"))
	return p
}

func (p *plane) wait(t *testing.T, limit time.Duration, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !done(); time.Sleep(250 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within %s", what, limit)
		}
	}
}

func (p *plane) try(method, path, kind string, body any) (int, object, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return 0, nil, err
	}
	if body == nil {
		data = nil
	}
	req, err := http.NewRequest(method, p.url+path, bytes.NewReader(data))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Authorization", "Bearer only-in-this-test")
	req.Header.Set("Content-Type", kind)
	resp, err := p.client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	var out object
	_ = json.Unmarshal(answer, &out) // /readyz answers in words
	return resp.StatusCode, out, err
}

func (p *plane) do(t *testing.T, method, path string, body any) object {
	t.Helper()
	kind := "application/json"
	if method == "PATCH" {
		kind = "application/merge-patch+json"
	}
	code, out, err := p.try(method, path, kind, body)
	fatal(t, err)
	if code >= 300 {
		t.Fatalf("%s %s: %d %s", method, path, code, text(out, "message"))
	}
	return out
}

// manifest reads a file of the base.
func manifest(t *testing.T, name string) object {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(deploy, name))
	fatal(t, err)
	var out object
	fatal(t, yaml.Unmarshal(data, &out))
	return out
}

const (
	core  = "/api/v1/namespaces/" + namespace
	batch = "/apis/batch/v1/namespaces/" + namespace
)

// kubelet takes the pods that nobody has taken, until the context ends.
func (p *plane) kubelet(ctx context.Context, t *testing.T, before func(job, index string, n int) string) {
	for ctx.Err() == nil {
		code, pods, err := p.try("GET", core+"/pods", "", nil)
		if err == nil && code == 200 {
			for _, pod := range list(pods, "items") {
				uid := text(pod, "metadata", "uid")
				if text(pod, "status", "phase") != "Pending" || at(pod, "metadata", "deletionTimestamp") != nil || p.taken[uid] {
					continue // taken is of this goroutine alone
				}
				p.taken[uid] = true
				labels, _ := at(pod, "metadata", "labels").(object)
				job, index := text(labels, "batch.kubernetes.io/job-name"), text(labels, "batch.kubernetes.io/job-completion-index")
				p.mu.Lock()
				n := p.started[job+"/"+index]
				p.started[job+"/"+index]++
				p.mu.Unlock()
				p.work.Add(1)
				go func() {
					defer p.work.Done()
					p.runPod(ctx, t, pod.(object), before(job, index, n))
				}()
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
	p.work.Wait()
}

// runPod does what a kubelet does for a pod of one container: environment, volumes, process, status. fault is what befalls it:
// "kill" or "drain".
func (p *plane) runPod(ctx context.Context, t *testing.T, pod object, fault string) {
	name := text(pod, "metadata", "name")
	status := core + "/pods/" + name + "/status"
	container := list(pod, "spec", "containers")[0]
	if fault == "drain" {
		p.patch(t, status, object{"status": object{"phase": "Failed", "reason": "Evicted", "conditions": []any{
			object{"type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI", "lastTransitionTime": time.Now().UTC().Format(time.RFC3339)}}}})
		return
	}
	p.patch(t, status, object{"status": object{"phase": "Running", "startTime": time.Now().UTC().Format(time.RFC3339)}})

	// Volumes: a claim is one folder for all pods, an empty folder is one of the pod.
	var paths []string // pairs for a replacer
	for _, m := range list(container, "volumeMounts") {
		host := ""
		for _, v := range list(pod, "spec", "volumes") {
			switch {
			case text(v, "name") != text(m, "name"):
			case at(v, "persistentVolumeClaim") != nil:
				host = filepath.Join(p.dir, "claims", text(v, "persistentVolumeClaim", "claimName"))
			case at(v, "configMap") != nil:
				host = filepath.Join(p.dir, "pods", name, "config")
				for k, text := range p.values {
					writeFile(t, filepath.Join(host, k), text)
				}
			default:
				host = filepath.Join(p.dir, "pods", name, "empty")
			}
		}
		if err := os.MkdirAll(host, 0o755); err != nil {
			t.Error(err)
		}
		if mount := text(m, "mountPath"); mount != "/tmp" {
			paths = append(paths, mount, host)
		} else {
			paths = append(paths, "\x00tmp", host)
		}
	}
	here := strings.NewReplacer(paths...)
	cmd := exec.CommandContext(ctx, p.worker)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + here.Replace("\x00tmp")}
	var vars []string
	for _, e := range list(container, "env") {
		value := here.Replace(text(e, "value"))
		switch from := at(e, "valueFrom"); {
		case at(from, "configMapKeyRef") != nil:
			value = p.values[text(from, "configMapKeyRef", "key")]
		case at(from, "fieldRef") != nil:
			field := text(from, "fieldRef", "fieldPath")
			kind, key, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(field, "metadata."), "']"), "['")
			value = text(pod, "metadata", kind, key)
			if value == "" {
				t.Errorf("pod %s has no %s", name, field)
			}
		case from != nil:
			continue // of a secret that is not there
		}
		cmd.Env = append(cmd.Env, text(e, "name")+"="+value)
		vars = append(vars, "$("+text(e, "name")+")", value)
	}
	expand := strings.NewReplacer(vars...)
	for _, a := range list(container, "args") {
		s, _ := a.(string)
		cmd.Args = append(cmd.Args, expand.Replace(s))
	}
	log := new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = log, log
	code := 0
	if fault == "kill" {
		code = 137
		if err := cmd.Start(); err != nil {
			t.Error(err)
			return
		}
		_ = cmd.Process.Signal(syscall.SIGKILL)
		_ = cmd.Wait()
	} else if err := cmd.Run(); err != nil {
		code = cmd.ProcessState.ExitCode()
		t.Logf("pod %s ends with %d: %s", name, code, log.String()[:min(log.Len(), 600)])
	}
	phase, reason := "Succeeded", "Completed"
	if code != 0 {
		phase, reason = "Failed", "Error"
	}
	p.patch(t, status, object{"status": object{"phase": phase, "containerStatuses": []any{object{"name": text(container, "name"), "image": "x", "imageID": "x",
		"ready": false, "restartCount": 0, "state": object{"terminated": object{"exitCode": code, "reason": reason, "startedAt": time.Now().UTC().Format(time.RFC3339),
			"finishedAt": time.Now().UTC().Format(time.RFC3339)}}}}}})
}

func (p *plane) patch(t *testing.T, path string, body object) {
	for range 5 {
		code, out, err := p.try("PATCH", path, "application/strategic-merge-patch+json", body)
		if err == nil && (code < 300 || code == 404) {
			return
		}
		t.Logf("PATCH %s: %d %s %v", path, code, text(out, "message"), err)
		time.Sleep(time.Second)
	}
	t.Errorf("PATCH %s: given up", path)
}

func writeFile(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Error(err)
	}
}

// organisation makes repositories and the manifest that lists them, one of which is not there.
func (p *plane) organisation(t *testing.T) {
	t.Helper()
	var b strings.Builder
	b.WriteString("repositories:\n")
	for i := range 12 {
		name := fmt.Sprintf("repo-%02d", i)
		dir := filepath.Join(p.dir, "git", name)
		writeFile(t, filepath.Join(dir, "go.mod"), "module example.org/"+name+"\n")
		writeFile(t, filepath.Join(dir, "pay.go"), fmt.Sprintf("package pay\n\nimport \"net/http\"\n\nfunc Pay() error {\n\tvar err error\n\tfor range %d {\n\t\tif _, err = http.Post(\"http://repo-%02d/pay\", \"\", nil); err == nil {\n\t\t\treturn nil\n\t\t}\n\t}\n\treturn err\n}\n", 3+i, (i+1)%12))
		for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "x"}} {
			cmd := exec.Command("git", args...)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("git %s: %v %s", args, err, out)
			}
		}
		fmt.Fprintf(&b, "  - {name: %s, url: \"file://%s\"}\n", name, dir)
	}
	fmt.Fprintf(&b, "  - {name: gone, url: \"file://%s\"}\n", filepath.Join(p.dir, "git", "gone"))
	p.values["repositories.yaml"] = b.String()
	p.values["facts"] = filepath.Join(p.dir, "facts") + "/{run}"
	p.values["cache"] = "off"
}

func condition(job object, kind string) (object, bool) {
	for _, c := range list(job, "status", "conditions") {
		if text(c, "type") == kind && text(c, "status") == "True" {
			return c.(object), true
		}
	}
	return nil, false
}

// TestControlPlane applies the manifests as they are, but for the schedule, which is each minute. Pods are killed, evicted and
// given work that nobody can do; the report must be that of a single run, byte for byte.
func TestControlPlane(t *testing.T) {
	if os.Getenv("RETRYLINT_CONTROLPLANE") == "" {
		t.Skip("set RETRYLINT_CONTROLPLANE=1: the first build of the control plane takes minutes")
	}
	p := newPlane(t)
	p.organisation(t)
	p.do(t, "POST", "/api/v1/namespaces", object{"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": namespace,
		"labels": object{"pod-security.kubernetes.io/enforce": "restricted"}}})
	values := object{}
	for k, v := range p.values {
		values[k] = v
	}
	p.do(t, "POST", core+"/configmaps", object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": object{"name": "retrylint"}, "data": values})
	p.do(t, "POST", core+"/serviceaccounts", manifest(t, "serviceaccount.yaml"))
	p.do(t, "POST", core+"/persistentvolumeclaims", manifest(t, "reports.yaml"))

	ctx, stop := context.WithCancel(t.Context())
	kubelet := make(chan struct{})
	defer func() { stop(); <-kubelet }()
	go func() {
		defer close(kubelet)
		p.kubelet(ctx, t, func(job, index string, n int) string {
			switch {
			case strings.HasPrefix(job, "retrylint-scan-") && index == "1" && n == 0:
				return "kill"
			case strings.HasPrefix(job, "retrylint-scan-") && index == "2" && n < 3:
				return "drain" // as often as an index may fail, and once more
			}
			return ""
		})
	}()

	// Not shortly before a minute ends, so that both CronJobs begin in the same one.
	for time.Now().Second() > 50 {
		time.Sleep(time.Second)
	}
	for _, name := range []string{"scan-cronjob.yaml", "reduce-cronjob.yaml"} {
		cron := manifest(t, name)
		at(cron, "spec").(object)["schedule"] = "* * * * *"
		p.do(t, "POST", batch+"/cronjobs", cron)
	}
	jobs := func() []any { return list(p.do(t, "GET", batch+"/jobs", nil), "items") }
	p.wait(t, 3*time.Minute, "Jobs of the CronJobs", func() bool { return len(jobs()) >= 2 })
	for _, name := range []string{"retrylint-scan", "retrylint-reduce"} {
		p.do(t, "PATCH", batch+"/cronjobs/"+name, object{"spec": object{"suspend": true}})
	}
	var scan, reduce string
	for _, j := range jobs() {
		switch name := text(j, "metadata", "name"); {
		case strings.HasPrefix(name, "retrylint-scan-") && (scan == "" || name < scan):
			scan = name
		case strings.HasPrefix(name, "retrylint-reduce-") && (reduce == "" || name < reduce):
			reduce = name
		}
	}
	run := strings.TrimPrefix(scan, "retrylint-scan-")
	if run == "" || run != strings.TrimPrefix(reduce, "retrylint-reduce-") {
		t.Fatalf("the Jobs %q and %q are not of one minute", scan, reduce)
	}
	job := func(name string) object { return p.do(t, "GET", batch+"/jobs/"+name, nil) }
	p.wait(t, 5*time.Minute, "the end of the scan", func() bool { _, ok := condition(job(scan), "Complete"); return ok })
	done := job(scan)
	if got := text(done, "status", "completedIndexes"); got != "0-3" {
		t.Errorf("completed indexes %q", got)
	}
	if got := text(done, "status", "failedIndexes"); got != "" {
		t.Errorf("failed indexes %q: three evictions do not count", got)
	}
	if got := number(done, "status", "failed"); got < 1 {
		t.Errorf("%d pods have failed, but one was killed", got)
	}
	// Findings are an answer: the Job fails at once, with the report written.
	p.wait(t, 5*time.Minute, "the end of the reduce step", func() bool { _, ok := condition(job(reduce), "Failed"); return ok })
	if c, _ := condition(job(reduce), "Failed"); text(c, "reason") != "PodFailurePolicy" {
		t.Errorf("the reduce step ended by %v", c)
	}
	if n := p.pods(reduce, ""); n != 1 {
		t.Errorf("the reduce step ran %d times", n)
	}
	if a, b := p.pods(scan, "1"), p.pods(scan, "2"); a != 2 || b != 4 {
		t.Errorf("index 1 ran %d times and index 2 %d times", a, b)
	}

	got, err := os.ReadFile(filepath.Join(p.dir, "claims", "retrylint-reports", "last.json"))
	fatal(t, err)
	list := filepath.Join(p.dir, "repositories.yaml")
	writeFile(t, list, p.values["repositories.yaml"])
	single := filepath.Join(p.dir, "single.json")
	cmd := exec.Command(p.worker, "scan", "--manifest", list, "--cache", "off", "--since", filepath.Join(p.dir, "none.json"), "--date", "{run}", "--format", "json", "--output", single)
	cmd.Env = append(os.Environ(), "RETRYLINT_RUN="+scan)
	if out, _ := cmd.CombinedOutput(); !slices.Contains([]int{1, 3}, cmd.ProcessState.ExitCode()) {
		t.Fatalf("single run: %s", out)
	}
	want, err := os.ReadFile(single)
	fatal(t, err)
	if !bytes.Equal(got, want) {
		t.Errorf("the report of the shards differs from that of one run: %d bytes and %d", len(got), len(want))
	}
	if !bytes.Contains(got, []byte(`"gone"`)) {
		t.Error("the repository that is not there is not named")
	}

	// Wrong usage is not mended by another attempt: each index fails once.
	broken := object{"apiVersion": "batch/v1", "kind": "Job", "metadata": object{"name": "broken"}, "spec": at(manifest(t, "scan-cronjob.yaml"), "spec", "jobTemplate", "spec")}
	container := at(broken, "spec", "template", "spec", "containers").([]any)[0].(object)
	args := container["args"].([]any)
	container["args"] = append(args, "--no-such-flag")
	p.do(t, "POST", batch+"/jobs", broken)
	p.wait(t, 3*time.Minute, "the end of the broken Job", func() bool { _, ok := condition(job("broken"), "Failed"); return ok })
	if got := text(job("broken"), "status", "failedIndexes"); got != "0-3" {
		t.Errorf("failed indexes %q", got)
	}
	for _, index := range []string{"0", "1", "2", "3"} {
		if n := p.pods("broken", index); n != 1 {
			t.Errorf("index %s of the broken Job ran %d times", index, n)
		}
	}
}

// pods is how many pods of a Job were started.
func (p *plane) pods(job, index string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.started[job+"/"+index]
}
