package forge

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"
)

// App is a GitHub App: it signs for itself with a private key and gets tokens of an hour for one organisation.
type App struct {
	ID  string // number or client id
	key *rsa.PrivateKey

	mu      sync.Mutex
	token   string
	expires time.Time
}

// NewApp makes an App of its id and its private key in PEM form, PKCS #1 as GitHub hands it out, or PKCS #8. The key is
// part of no error.
func NewApp(id string, keyPEM []byte) (*App, error) {
	block, _ := pem.Decode(keyPEM)
	if id == "" || block == nil {
		return nil, errors.New("GitHub App: an id and a private key in PEM form are needed")
	}
	if k, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return &App{ID: id, key: k}, nil
	}
	if k, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
		if k, ok := k.(*rsa.PrivateKey); ok {
			return &App{ID: id, key: k}, nil
		}
	}
	return nil, errors.New("GitHub App: the private key is not an RSA key in PKCS #1 or PKCS #8 form")
}

// jwt is the App's own signature, good for some minutes. It begins a minute in the past, since clocks differ.
func (a *App) jwt(now time.Time) (string, error) {
	enc := base64.RawURLEncoding
	claims, err := json.Marshal(map[string]any{"iat": now.Add(-time.Minute).Unix(), "exp": now.Add(8 * time.Minute).Unix(), "iss": a.ID})
	if err != nil {
		return "", err
	}
	text := enc.EncodeToString([]byte(`{"alg":"RS256","typ":"JWT"}`)) + "." + enc.EncodeToString(claims)
	sum := sha256.Sum256([]byte(text))
	sig, err := rsa.SignPKCS1v15(rand.Reader, a.key, crypto.SHA256, sum[:])
	if err != nil {
		return "", fmt.Errorf("GitHub App: %w", err)
	}
	return text + "." + enc.EncodeToString(sig), nil
}

// Token is a token for the target's organisation. It is made anew five minutes before it ends. It may be used by several
// goroutines.
func (a *App) Token(ctx context.Context, t Target, opt Options) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	opt.Token = func(context.Context) (string, error) { return a.jwt(time.Now()) }
	c := newClient(t, opt)
	if a.token != "" && c.opt.now().Before(a.expires.Add(-5*time.Minute)) {
		return a.token, nil
	}
	var installation struct {
		ID int64 `json:"id"`
	}
	base := apiBase(t)
	_, err := c.get(ctx, base+"/orgs/"+url.PathEscape(t.Owner)+"/installation", &installation)
	if notFound(err) {
		_, err = c.get(ctx, base+"/users/"+url.PathEscape(t.Owner)+"/installation", &installation)
	}
	if err != nil {
		return "", fmt.Errorf("GitHub App %s at %s: %w", a.ID, t.Owner, c.redact(err))
	}
	var answer struct {
		Token   string    `json:"token"`
		Expires time.Time `json:"expires_at"`
	}
	if _, err := c.once(ctx, http.MethodPost, base+"/app/installations/"+strconv.FormatInt(installation.ID, 10)+"/access_tokens", []byte("{}"), &answer); err != nil {
		return "", fmt.Errorf("GitHub App %s at %s: %w", a.ID, t.Owner, c.redact(err))
	}
	if answer.Token == "" {
		return "", fmt.Errorf("GitHub App %s at %s: the answer holds no token", a.ID, t.Owner)
	}
	a.token, a.expires = answer.Token, answer.Expires
	return a.token, nil
}
