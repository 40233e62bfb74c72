package libs

// Stubs of routers and web frameworks: what registers a handler and what a handler can ask.

const chiStub = `package chi

import (
	"context"
	"net/http"
)

type Middlewares []func(http.Handler) http.Handler
type Routes interface{ Routes() []any }
type Router interface {
	http.Handler
	Use(middlewares ...func(http.Handler) http.Handler)
	With(middlewares ...func(http.Handler) http.Handler) Router
	Group(fn func(r Router)) Router
	Route(pattern string, fn func(r Router)) Router
	Mount(pattern string, h http.Handler)
	Handle(pattern string, h http.Handler)
	HandleFunc(pattern string, h http.HandlerFunc)
	Method(method, pattern string, h http.Handler)
	MethodFunc(method, pattern string, h http.HandlerFunc)
	Connect(pattern string, h http.HandlerFunc)
	Delete(pattern string, h http.HandlerFunc)
	Get(pattern string, h http.HandlerFunc)
	Head(pattern string, h http.HandlerFunc)
	Options(pattern string, h http.HandlerFunc)
	Patch(pattern string, h http.HandlerFunc)
	Post(pattern string, h http.HandlerFunc)
	Put(pattern string, h http.HandlerFunc)
	Trace(pattern string, h http.HandlerFunc)
	NotFound(h http.HandlerFunc)
	MethodNotAllowed(h http.HandlerFunc)
}
type Mux struct{ Router }

func NewRouter() *Mux                                     { return nil }
func NewMux() *Mux                                        { return nil }
func URLParam(r *http.Request, key string) string         { return "" }
func URLParamFromCtx(ctx context.Context, key string) string { return "" }
func RouteContext(ctx context.Context) any                { return nil }
`

var (
	_ = addStub("github.com/go-chi/chi/v5", chiStub)
	_ = addStub("github.com/go-chi/chi/v4", chiStub)
	_ = addStub("github.com/go-chi/chi", chiStub)
)

var _ = addStub("github.com/gorilla/mux", `package mux

import "net/http"

type MiddlewareFunc func(http.Handler) http.Handler
type Router struct{ NotFoundHandler http.Handler }
type Route struct{}

func NewRouter() *Router                                                                                  { return nil }
func Vars(r *http.Request) map[string]string                                                              { return nil }
func (r *Router) ServeHTTP(w http.ResponseWriter, req *http.Request)                                      {}
func (r *Router) Handle(path string, handler http.Handler) *Route                                         { return nil }
func (r *Router) HandleFunc(path string, f func(http.ResponseWriter, *http.Request)) *Route               { return nil }
func (r *Router) PathPrefix(tpl string) *Route                                                            { return nil }
func (r *Router) Path(tpl string) *Route                                                                  { return nil }
func (r *Router) Host(tpl string) *Route                                                                  { return nil }
func (r *Router) Methods(methods ...string) *Route                                                        { return nil }
func (r *Router) NewRoute() *Route                                                                        { return nil }
func (r *Router) Use(mwf ...MiddlewareFunc)                                                               {}
func (r *Router) StrictSlash(value bool) *Router                                                          { return r }
func (r *Route) Methods(methods ...string) *Route                                                         { return r }
func (r *Route) Path(tpl string) *Route                                                                   { return r }
func (r *Route) PathPrefix(tpl string) *Route                                                             { return r }
func (r *Route) Headers(pairs ...string) *Route                                                           { return r }
func (r *Route) Queries(pairs ...string) *Route                                                           { return r }
func (r *Route) Host(tpl string) *Route                                                                   { return r }
func (r *Route) Name(name string) *Route                                                                  { return r }
func (r *Route) Handler(handler http.Handler) *Route                                                      { return r }
func (r *Route) HandlerFunc(f func(http.ResponseWriter, *http.Request)) *Route                            { return r }
func (r *Route) Subrouter() *Router                                                                       { return nil }
`)

var _ = addStub("github.com/gin-gonic/gin", `package gin

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

type H map[string]any
type HandlerFunc func(*Context)
type HandlersChain []HandlerFunc
type ResponseWriter interface {
	http.ResponseWriter
	Status() int
	Written() bool
}
type Param struct{ Key, Value string }
type Params []Param
type Error struct{ Err error }

func (msg *Error) Error() string { return "" }

type IRoutes interface {
	Use(...HandlerFunc) IRoutes
	Handle(string, string, ...HandlerFunc) IRoutes
	Any(string, ...HandlerFunc) IRoutes
	GET(string, ...HandlerFunc) IRoutes
	POST(string, ...HandlerFunc) IRoutes
	DELETE(string, ...HandlerFunc) IRoutes
	PATCH(string, ...HandlerFunc) IRoutes
	PUT(string, ...HandlerFunc) IRoutes
	OPTIONS(string, ...HandlerFunc) IRoutes
	HEAD(string, ...HandlerFunc) IRoutes
}
type IRouter interface {
	IRoutes
	Group(string, ...HandlerFunc) *RouterGroup
}
type RouterGroup struct{}

func (group *RouterGroup) Use(middleware ...HandlerFunc) IRoutes                                       { return nil }
func (group *RouterGroup) Group(relativePath string, handlers ...HandlerFunc) *RouterGroup             { return nil }
func (group *RouterGroup) Handle(httpMethod, relativePath string, handlers ...HandlerFunc) IRoutes     { return nil }
func (group *RouterGroup) Any(relativePath string, handlers ...HandlerFunc) IRoutes                    { return nil }
func (group *RouterGroup) GET(relativePath string, handlers ...HandlerFunc) IRoutes                    { return nil }
func (group *RouterGroup) POST(relativePath string, handlers ...HandlerFunc) IRoutes                   { return nil }
func (group *RouterGroup) DELETE(relativePath string, handlers ...HandlerFunc) IRoutes                 { return nil }
func (group *RouterGroup) PATCH(relativePath string, handlers ...HandlerFunc) IRoutes                  { return nil }
func (group *RouterGroup) PUT(relativePath string, handlers ...HandlerFunc) IRoutes                    { return nil }
func (group *RouterGroup) OPTIONS(relativePath string, handlers ...HandlerFunc) IRoutes                { return nil }
func (group *RouterGroup) HEAD(relativePath string, handlers ...HandlerFunc) IRoutes                   { return nil }

type Engine struct{ RouterGroup }

func New() *Engine                                                            { return nil }
func Default() *Engine                                                        { return nil }
func (engine *Engine) Run(addr ...string) (err error)                         { return nil }
func (engine *Engine) ServeHTTP(w http.ResponseWriter, req *http.Request)     {}
func (engine *Engine) NoRoute(handlers ...HandlerFunc)                        {}
func SetMode(value string)                                                    {}
func Logger() HandlerFunc                                                     { return nil }
func Recovery() HandlerFunc                                                   { return nil }
func WrapF(f http.HandlerFunc) HandlerFunc                                    { return nil }
func WrapH(h http.Handler) HandlerFunc                                        { return nil }

const (
	ReleaseMode = "release"
	DebugMode   = "debug"
	TestMode    = "test"
)

type Context struct {
	Request *http.Request
	Writer  ResponseWriter
	Params  Params
	Keys    map[any]any
}

func (c *Context) Next()                                                {}
func (c *Context) Abort()                                               {}
func (c *Context) AbortWithStatus(code int)                             {}
func (c *Context) AbortWithStatusJSON(code int, jsonObj any)            {}
func (c *Context) AbortWithError(code int, err error) *Error            { return nil }
func (c *Context) Error(err error) *Error                               { return nil }
func (c *Context) Set(key string, value any)                            {}
func (c *Context) Get(key string) (value any, exists bool)              { return nil, false }
func (c *Context) MustGet(key string) any                               { return nil }
func (c *Context) GetString(key string) string                          { return "" }
func (c *Context) Param(key string) string                              { return "" }
func (c *Context) Query(key string) string                              { return "" }
func (c *Context) DefaultQuery(key, defaultValue string) string         { return "" }
func (c *Context) PostForm(key string) string                           { return "" }
func (c *Context) GetHeader(key string) string                          { return "" }
func (c *Context) GetRawData() ([]byte, error)                          { return nil, nil }
func (c *Context) Header(key, value string)                             {}
func (c *Context) FullPath() string                                     { return "" }
func (c *Context) ClientIP() string                                     { return "" }
func (c *Context) Bind(obj any) error                                   { return nil }
func (c *Context) BindJSON(obj any) error                               { return nil }
func (c *Context) ShouldBind(obj any) error                             { return nil }
func (c *Context) ShouldBindJSON(obj any) error                         { return nil }
func (c *Context) ShouldBindQuery(obj any) error                        { return nil }
func (c *Context) ShouldBindUri(obj any) error                          { return nil }
func (c *Context) Status(code int)                                      {}
func (c *Context) JSON(code int, obj any)                               {}
func (c *Context) IndentedJSON(code int, obj any)                       {}
func (c *Context) String(code int, format string, values ...any)        {}
func (c *Context) Data(code int, contentType string, data []byte)       {}
func (c *Context) Redirect(code int, location string)                   {}
func (c *Context) Copy() *Context                                       { return nil }
func (c *Context) Deadline() (deadline time.Time, ok bool)              { return }
func (c *Context) Done() <-chan struct{}                                { return nil }
func (c *Context) Err() error                                           { return nil }
func (c *Context) Value(key any) any                                    { return nil }

var _ context.Context = (*Context)(nil)
var _ url.Values
`)

const echoStub = `package echo

import (
	"context"
	"net/http"
)

type HandlerFunc func(c Context) error
type MiddlewareFunc func(next HandlerFunc) HandlerFunc
type Map map[string]interface{}
type Route struct{ Method, Path, Name string }
type Response struct {
	Writer    http.ResponseWriter
	Status    int
	Committed bool
}

func (r *Response) Header() http.Header               { return nil }
func (r *Response) Write(b []byte) (n int, err error) { return 0, nil }
func (r *Response) WriteHeader(code int)              {}

type HTTPError struct {
	Code     int
	Message  interface{}
	Internal error
}

func (he *HTTPError) Error() string { return "" }

func NewHTTPError(code int, message ...interface{}) *HTTPError { return nil }

type Context interface {
	Request() *http.Request
	SetRequest(r *http.Request)
	Response() *Response
	Path() string
	Param(name string) string
	QueryParam(name string) string
	FormValue(name string) string
	Get(key string) interface{}
	Set(key string, val interface{})
	Bind(i interface{}) error
	Validate(i interface{}) error
	String(code int, s string) error
	JSON(code int, i interface{}) error
	JSONBlob(code int, b []byte) error
	Blob(code int, contentType string, b []byte) error
	HTML(code int, html string) error
	NoContent(code int) error
	Redirect(code int, url string) error
	Error(err error)
	RealIP() string
	Echo() *Echo
}
type Group struct{}
type Echo struct {
	Debug, HideBanner bool
	HTTPErrorHandler  func(err error, c Context)
}

func New() *Echo                                                                             { return nil }
func (e *Echo) Use(middleware ...MiddlewareFunc)                                             {}
func (e *Echo) Pre(middleware ...MiddlewareFunc)                                             {}
func (e *Echo) Group(prefix string, m ...MiddlewareFunc) (g *Group)                          { return nil }
func (e *Echo) Add(method, path string, h HandlerFunc, m ...MiddlewareFunc) *Route           { return nil }
func (e *Echo) Any(path string, h HandlerFunc, m ...MiddlewareFunc) []*Route                 { return nil }
func (e *Echo) GET(path string, h HandlerFunc, m ...MiddlewareFunc) *Route                   { return nil }
func (e *Echo) POST(path string, h HandlerFunc, m ...MiddlewareFunc) *Route                  { return nil }
func (e *Echo) PUT(path string, h HandlerFunc, m ...MiddlewareFunc) *Route                   { return nil }
func (e *Echo) PATCH(path string, h HandlerFunc, m ...MiddlewareFunc) *Route                 { return nil }
func (e *Echo) DELETE(path string, h HandlerFunc, m ...MiddlewareFunc) *Route                { return nil }
func (e *Echo) HEAD(path string, h HandlerFunc, m ...MiddlewareFunc) *Route                  { return nil }
func (e *Echo) ServeHTTP(w http.ResponseWriter, r *http.Request)                             {}
func (e *Echo) Start(address string) error                                                   { return nil }
func (e *Echo) Shutdown(ctx context.Context) error                                           { return nil }
func (g *Group) Use(middleware ...MiddlewareFunc)                                            {}
func (g *Group) Group(prefix string, middleware ...MiddlewareFunc) (sg *Group)               { return nil }
func (g *Group) Add(method, path string, h HandlerFunc, m ...MiddlewareFunc) *Route          { return nil }
func (g *Group) GET(path string, h HandlerFunc, m ...MiddlewareFunc) *Route                  { return nil }
func (g *Group) POST(path string, h HandlerFunc, m ...MiddlewareFunc) *Route                 { return nil }
func (g *Group) PUT(path string, h HandlerFunc, m ...MiddlewareFunc) *Route                  { return nil }
func (g *Group) PATCH(path string, h HandlerFunc, m ...MiddlewareFunc) *Route                { return nil }
func (g *Group) DELETE(path string, h HandlerFunc, m ...MiddlewareFunc) *Route               { return nil }
func WrapHandler(h http.Handler) HandlerFunc                                                 { return nil }
func WrapMiddleware(m func(http.Handler) http.Handler) MiddlewareFunc                        { return nil }
`

var _ = addStub("github.com/labstack/echo/v4", echoStub)

var _ = addStub("github.com/gofiber/fiber/v2", `package fiber

import (
	"context"
	"time"
)

type Map map[string]interface{}
type Handler = func(*Ctx) error
type ErrorHandler = func(*Ctx, error) error
type Storage interface {
	Get(key string) ([]byte, error)
	Set(key string, val []byte, exp time.Duration) error
	Delete(key string) error
	Reset() error
	Close() error
}
type Config struct {
	AppName      string
	BodyLimit    int
	ReadTimeout  time.Duration
	WriteTimeout time.Duration
	ErrorHandler ErrorHandler
}
type Error struct {
	Code    int
	Message string
}

func (e *Error) Error() string                        { return "" }
func NewError(code int, message ...string) *Error     { return nil }

type Router interface {
	Use(args ...interface{}) Router
	Get(path string, handlers ...Handler) Router
	Head(path string, handlers ...Handler) Router
	Post(path string, handlers ...Handler) Router
	Put(path string, handlers ...Handler) Router
	Delete(path string, handlers ...Handler) Router
	Options(path string, handlers ...Handler) Router
	Patch(path string, handlers ...Handler) Router
	Add(method, path string, handlers ...Handler) Router
	All(path string, handlers ...Handler) Router
	Group(prefix string, handlers ...Handler) Router
	Route(prefix string, fn func(router Router), name ...string) Router
	Mount(prefix string, fiber *App) Router
}
type App struct{ Router }

func New(config ...Config) *App              { return nil }
func (app *App) Listen(addr string) error    { return nil }
func (app *App) Shutdown() error             { return nil }

type Ctx struct{}

func (c *Ctx) Next() error                                                 { return nil }
func (c *Ctx) Method(override ...string) string                            { return "" }
func (c *Ctx) Path(override ...string) string                              { return "" }
func (c *Ctx) Get(key string, defaultValue ...string) string               { return "" }
func (c *Ctx) GetReqHeaders() map[string][]string                          { return nil }
func (c *Ctx) Set(key, val string)                                         {}
func (c *Ctx) Body() []byte                                                { return nil }
func (c *Ctx) BodyParser(out interface{}) error                            { return nil }
func (c *Ctx) Params(key string, defaultValue ...string) string            { return "" }
func (c *Ctx) Query(key string, defaultValue ...string) string             { return "" }
func (c *Ctx) QueryParser(out interface{}) error                           { return nil }
func (c *Ctx) Locals(key interface{}, value ...interface{}) interface{}    { return nil }
func (c *Ctx) Status(status int) *Ctx                                      { return c }
func (c *Ctx) SendStatus(status int) error                                 { return nil }
func (c *Ctx) SendString(body string) error                                { return nil }
func (c *Ctx) Send(body []byte) error                                      { return nil }
func (c *Ctx) JSON(data interface{}, ctype ...string) error                { return nil }
func (c *Ctx) Redirect(location string, status ...int) error               { return nil }
func (c *Ctx) Context() context.Context                                    { return nil }
func (c *Ctx) UserContext() context.Context                                { return nil }
func (c *Ctx) SetUserContext(ctx context.Context)                          {}
func (c *Ctx) IP() string                                                  { return "" }
`)

var _ = addStub("github.com/gofiber/fiber/v2/middleware/idempotency", `package idempotency

import (
	"time"

	"github.com/gofiber/fiber/v2"
)

type Locker interface {
	Lock(key string) error
	Unlock(key string) error
}
type Config struct {
	Next                func(c *fiber.Ctx) bool
	Lifetime            time.Duration
	KeyHeader           string
	KeyHeaderValidate   func(string) error
	KeepResponseHeaders []string
	Lock                Locker
	Storage             fiber.Storage
}

var ConfigDefault Config

func New(config ...Config) fiber.Handler        { return nil }
func IsFromCache(c *fiber.Ctx) bool             { return false }
func WasPutToCache(c *fiber.Ctx) bool           { return false }
`)

var _ = addStub("github.com/julienschmidt/httprouter", `package httprouter

import "net/http"

type Param struct{ Key, Value string }
type Params []Param

func (ps Params) ByName(name string) string { return "" }

type Handle func(http.ResponseWriter, *http.Request, Params)
type Router struct{}

func New() *Router                                                                {  return nil }
func (r *Router) GET(path string, handle Handle)                                  {}
func (r *Router) HEAD(path string, handle Handle)                                 {}
func (r *Router) POST(path string, handle Handle)                                 {}
func (r *Router) PUT(path string, handle Handle)                                  {}
func (r *Router) PATCH(path string, handle Handle)                                {}
func (r *Router) DELETE(path string, handle Handle)                               {}
func (r *Router) Handle(method, path string, handle Handle)                       {}
func (r *Router) Handler(method, path string, handler http.Handler)               {}
func (r *Router) HandlerFunc(method, path string, handler http.HandlerFunc)       {}
func (r *Router) ServeHTTP(w http.ResponseWriter, req *http.Request)              {}
`)
