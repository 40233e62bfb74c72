package libs

// Stubs of database drivers and mappers.

var _ = addStub("github.com/jackc/pgx/v5/pgconn", `package pgconn

type CommandTag struct{}

func (ct CommandTag) RowsAffected() int64 { return 0 }
func (ct CommandTag) String() string      { return "" }

type PgError struct {
	Severity, Code, Message, Detail, Hint, ConstraintName, TableName, ColumnName string
}

func (pe *PgError) Error() string    { return "" }
func (pe *PgError) SQLState() string { return "" }
func SafeToRetry(err error) bool     { return false }
func Timeout(err error) bool         { return false }
`)

const pgxStub = `package pgx

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

var (
	ErrNoRows   = errors.New("no rows in result set")
	ErrTxClosed = errors.New("tx is closed")
)

type TxIsoLevel string
type TxAccessMode string

const (
	Serializable    TxIsoLevel = "serializable"
	RepeatableRead  TxIsoLevel = "repeatable read"
	ReadCommitted   TxIsoLevel = "read committed"
	ReadOnly        TxAccessMode = "read only"
)

type TxOptions struct {
	IsoLevel   TxIsoLevel
	AccessMode TxAccessMode
}
type Identifier []string

func (ident Identifier) Sanitize() string { return "" }

type NamedArgs map[string]any
type Row interface{ Scan(dest ...any) error }
type Rows interface {
	Close()
	Err() error
	Next() bool
	Scan(dest ...any) error
	Values() ([]any, error)
	CommandTag() pgconn.CommandTag
}
type Batch struct{}

func (b *Batch) Queue(query string, arguments ...any) any { return nil }
func (b *Batch) Len() int                                 { return 0 }

type BatchResults interface {
	Exec() (pgconn.CommandTag, error)
	Query() (Rows, error)
	QueryRow() Row
	Close() error
}
type Tx interface {
	Begin(ctx context.Context) (Tx, error)
	Commit(ctx context.Context) error
	Rollback(ctx context.Context) error
	Exec(ctx context.Context, sql string, arguments ...any) (commandTag pgconn.CommandTag, err error)
	Query(ctx context.Context, sql string, args ...any) (Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) Row
	SendBatch(ctx context.Context, b *Batch) BatchResults
	Conn() *Conn
}
type Conn struct{}

func Connect(ctx context.Context, connString string) (*Conn, error)                                             { return nil, nil }
func (c *Conn) Close(ctx context.Context) error                                                                 { return nil }
func (c *Conn) Ping(ctx context.Context) error                                                                  { return nil }
func (c *Conn) Begin(ctx context.Context) (Tx, error)                                                           { return nil, nil }
func (c *Conn) BeginTx(ctx context.Context, txOptions TxOptions) (Tx, error)                                    { return nil, nil }
func (c *Conn) Exec(ctx context.Context, sql string, arguments ...any) (pgconn.CommandTag, error)               { return pgconn.CommandTag{}, nil }
func (c *Conn) Query(ctx context.Context, sql string, args ...any) (Rows, error)                                { return nil, nil }
func (c *Conn) QueryRow(ctx context.Context, sql string, args ...any) Row                                       { return nil }
func (c *Conn) SendBatch(ctx context.Context, b *Batch) BatchResults                                            { return nil }

type begins interface{ Begin(ctx context.Context) (Tx, error) }

func BeginFunc(ctx context.Context, db begins, fn func(Tx) error) (err error)                                   { return nil }
func BeginTxFunc(ctx context.Context, db interface {
	BeginTx(ctx context.Context, txOptions TxOptions) (Tx, error)
}, txOptions TxOptions, fn func(Tx) error) (err error) {
	return nil
}
func CollectRows[T any](rows Rows, fn func(row any) (T, error)) ([]T, error)                                    { return nil, nil }
`

var _ = addStub("github.com/jackc/pgx/v5", pgxStub)

const pgxpoolStub = `package pgxpool

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

type Config struct {
	MaxConns        int32
	MinConns        int32
	MaxConnLifetime time.Duration
	MaxConnIdleTime time.Duration
}

func ParseConfig(connString string) (*Config, error) { return nil, nil }

type Conn struct{}

func (c *Conn) Release()                                                                                         {}
func (c *Conn) Conn() *pgx.Conn                                                                                  { return nil }
func (c *Conn) Begin(ctx context.Context) (pgx.Tx, error)                                                        { return nil, nil }
func (c *Conn) Exec(ctx context.Context, sql string, arguments ...any) (pgconn.CommandTag, error)                { return pgconn.CommandTag{}, nil }
func (c *Conn) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)                             { return nil, nil }
func (c *Conn) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row                                    { return nil }

type Tx struct{}

func (tx *Tx) Begin(ctx context.Context) (pgx.Tx, error)                                                         { return nil, nil }
func (tx *Tx) Commit(ctx context.Context) error                                                                  { return nil }
func (tx *Tx) Rollback(ctx context.Context) error                                                                { return nil }
func (tx *Tx) Exec(ctx context.Context, sql string, arguments ...any) (pgconn.CommandTag, error)                 { return pgconn.CommandTag{}, nil }
func (tx *Tx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)                              { return nil, nil }
func (tx *Tx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row                                     { return nil }

type Pool struct{}

func New(ctx context.Context, connString string) (*Pool, error)                                                  { return nil, nil }
func NewWithConfig(ctx context.Context, config *Config) (*Pool, error)                                           { return nil, nil }
func (p *Pool) Acquire(ctx context.Context) (c *Conn, err error)                                                 { return nil, nil }
func (p *Pool) AcquireFunc(ctx context.Context, f func(*Conn) error) error                                       { return nil }
func (p *Pool) Begin(ctx context.Context) (pgx.Tx, error)                                                        { return nil, nil }
func (p *Pool) BeginTx(ctx context.Context, txOptions pgx.TxOptions) (pgx.Tx, error)                             { return nil, nil }
func (p *Pool) Exec(ctx context.Context, sql string, arguments ...any) (pgconn.CommandTag, error)                { return pgconn.CommandTag{}, nil }
func (p *Pool) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)                             { return nil, nil }
func (p *Pool) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row                                    { return nil }
func (p *Pool) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults                                     { return nil }
func (p *Pool) Ping(ctx context.Context) error                                                                   { return nil }
func (p *Pool) Close()                                                                                           {}
`

var _ = addStub("github.com/jackc/pgx/v5/pgxpool", pgxpoolStub)

var _ = addStub("github.com/jackc/pgerrcode", "package pgerrcode\n\nconst (\n\tUniqueViolation      = \"23505\"\n\tSerializationFailure = \"40001\"\n\tDeadlockDetected     = \"40P01\"\n)\n\nfunc IsIntegrityConstraintViolation(code string) bool { return false }\n")

var _ = addStub("github.com/lib/pq", "package pq\n\ntype ErrorCode string\n\nfunc (ec ErrorCode) Name() string { return \"\" }\n\ntype Error struct {\n\tSeverity, Message, Detail, Constraint, Table string\n\tCode                                        ErrorCode\n}\n\nfunc (err *Error) Error() string { return \"\" }\nfunc Array(a interface{}) interface{} { return nil }\n")

var _ = addStub("github.com/go-sql-driver/mysql", "package mysql\n\nimport \"time\"\n\ntype MySQLError struct {\n\tNumber  uint16\n\tMessage string\n}\n\nfunc (me *MySQLError) Error() string { return \"\" }\n\ntype Config struct {\n\tUser, Passwd, Net, Addr, DBName string\n\tTimeout, ReadTimeout           time.Duration\n}\n\nfunc NewConfig() *Config { return nil }\nfunc (cfg *Config) FormatDSN() string { return \"\" }\n")

var _ = addStub("github.com/jmoiron/sqlx", `package sqlx

import (
	"context"
	"database/sql"
)

type Ext interface{}
type ExtContext interface{}
type Row struct{}

func (r *Row) Scan(dest ...interface{}) error            { return nil }
func (r *Row) StructScan(dest interface{}) error         { return nil }

type Rows struct{ *sql.Rows }

func (r *Rows) StructScan(dest interface{}) error { return nil }

type DB struct{ *sql.DB }
type Tx struct{ *sql.Tx }
type NamedStmt struct{}

func Open(driverName, dataSourceName string) (*DB, error)                                                      { return nil, nil }
func Connect(driverName, dataSourceName string) (*DB, error)                                                   { return nil, nil }
func ConnectContext(ctx context.Context, driverName, dataSourceName string) (*DB, error)                       { return nil, nil }
func MustConnect(driverName, dataSourceName string) *DB                                                        { return nil }
func NewDb(db *sql.DB, driverName string) *DB                                                                  { return nil }
func In(query string, args ...interface{}) (string, []interface{}, error)                                      { return "", nil, nil }
func (db *DB) Beginx() (*Tx, error)                                                                            { return nil, nil }
func (db *DB) BeginTxx(ctx context.Context, opts *sql.TxOptions) (*Tx, error)                                  { return nil, nil }
func (db *DB) MustBegin() *Tx                                                                                  { return nil }
func (db *DB) MustExec(query string, args ...interface{}) sql.Result                                           { return nil }
func (db *DB) NamedExec(query string, arg interface{}) (sql.Result, error)                                     { return nil, nil }
func (db *DB) NamedExecContext(ctx context.Context, query string, arg interface{}) (sql.Result, error)         { return nil, nil }
func (db *DB) Get(dest interface{}, query string, args ...interface{}) error                                   { return nil }
func (db *DB) GetContext(ctx context.Context, dest interface{}, query string, args ...interface{}) error       { return nil }
func (db *DB) Select(dest interface{}, query string, args ...interface{}) error                                { return nil }
func (db *DB) SelectContext(ctx context.Context, dest interface{}, query string, args ...interface{}) error    { return nil }
func (db *DB) Queryx(query string, args ...interface{}) (*Rows, error)                                         { return nil, nil }
func (db *DB) QueryRowx(query string, args ...interface{}) *Row                                                { return nil }
func (db *DB) QueryRowxContext(ctx context.Context, query string, args ...interface{}) *Row                    { return nil }
func (db *DB) Rebind(query string) string                                                                      { return "" }
func (tx *Tx) MustExec(query string, args ...interface{}) sql.Result                                           { return nil }
func (tx *Tx) NamedExec(query string, arg interface{}) (sql.Result, error)                                     { return nil, nil }
func (tx *Tx) NamedExecContext(ctx context.Context, query string, arg interface{}) (sql.Result, error)         { return nil, nil }
func (tx *Tx) Get(dest interface{}, query string, args ...interface{}) error                                   { return nil }
func (tx *Tx) GetContext(ctx context.Context, dest interface{}, query string, args ...interface{}) error       { return nil }
func (tx *Tx) Select(dest interface{}, query string, args ...interface{}) error                                { return nil }
func (tx *Tx) SelectContext(ctx context.Context, dest interface{}, query string, args ...interface{}) error    { return nil }
func (tx *Tx) Rebind(query string) string                                                                      { return "" }
`)

var _ = addStub("gorm.io/gorm", `package gorm

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

var (
	ErrRecordNotFound = errors.New("record not found")
	ErrDuplicatedKey  = errors.New("duplicated key not allowed")
)

type Dialector interface{ Name() string }
type Option interface{ Apply(*Config) error }
type Config struct {
	SkipDefaultTransaction bool
	TranslateError         bool
	PrepareStmt            bool
	Logger                 any
}

func (c *Config) Apply(config *Config) error { return nil }

type DeletedAt sql.NullTime
type Model struct {
	ID                   uint
	CreatedAt, UpdatedAt time.Time
	DeletedAt            DeletedAt
}
type Session struct{ NewDB, SkipHooks bool }
type DB struct {
	*Config
	Error        error
	RowsAffected int64
}

func Open(dialector Dialector, opts ...Option) (db *DB, err error)                              { return nil, nil }
func Expr(expr string, args ...interface{}) any                                                 { return nil }
func (db *DB) Session(config *Session) *DB                                                      { return db }
func (db *DB) WithContext(ctx context.Context) *DB                                              { return db }
func (db *DB) Debug() *DB                                                                       { return db }
func (db *DB) DB() (*sql.DB, error)                                                             { return nil, nil }
func (db *DB) AutoMigrate(dst ...interface{}) error                                             { return nil }
func (db *DB) Model(value interface{}) *DB                                                      { return db }
func (db *DB) Table(name string, args ...interface{}) *DB                                       { return db }
func (db *DB) Clauses(conds ...any) *DB                                                         { return db }
func (db *DB) Select(query interface{}, args ...interface{}) *DB                                { return db }
func (db *DB) Omit(columns ...string) *DB                                                       { return db }
func (db *DB) Where(query interface{}, args ...interface{}) *DB                                 { return db }
func (db *DB) Not(query interface{}, args ...interface{}) *DB                                   { return db }
func (db *DB) Or(query interface{}, args ...interface{}) *DB                                    { return db }
func (db *DB) Joins(query string, args ...interface{}) *DB                                      { return db }
func (db *DB) Preload(query string, args ...interface{}) *DB                                    { return db }
func (db *DB) Order(value interface{}) *DB                                                      { return db }
func (db *DB) Limit(limit int) *DB                                                              { return db }
func (db *DB) Offset(offset int) *DB                                                            { return db }
func (db *DB) Group(name string) *DB                                                            { return db }
func (db *DB) Scopes(funcs ...func(*DB) *DB) *DB                                                { return db }
func (db *DB) Unscoped() *DB                                                                    { return db }
func (db *DB) Raw(sql string, values ...interface{}) *DB                                        { return db }
func (db *DB) Exec(sql string, values ...interface{}) *DB                                       { return db }
func (db *DB) Create(value interface{}) *DB                                                     { return db }
func (db *DB) CreateInBatches(value interface{}, batchSize int) *DB                             { return db }
func (db *DB) Save(value interface{}) *DB                                                       { return db }
func (db *DB) First(dest interface{}, conds ...interface{}) *DB                                 { return db }
func (db *DB) Take(dest interface{}, conds ...interface{}) *DB                                  { return db }
func (db *DB) Last(dest interface{}, conds ...interface{}) *DB                                  { return db }
func (db *DB) Find(dest interface{}, conds ...interface{}) *DB                                  { return db }
func (db *DB) FirstOrCreate(dest interface{}, conds ...interface{}) *DB                         { return db }
func (db *DB) FirstOrInit(dest interface{}, conds ...interface{}) *DB                           { return db }
func (db *DB) Attrs(attrs ...interface{}) *DB                                                   { return db }
func (db *DB) Assign(attrs ...interface{}) *DB                                                  { return db }
func (db *DB) Update(column string, value interface{}) *DB                                      { return db }
func (db *DB) Updates(values interface{}) *DB                                                   { return db }
func (db *DB) UpdateColumn(column string, value interface{}) *DB                                { return db }
func (db *DB) Delete(value interface{}, conds ...interface{}) *DB                               { return db }
func (db *DB) Count(count *int64) *DB                                                           { return db }
func (db *DB) Pluck(column string, dest interface{}) *DB                                        { return db }
func (db *DB) Scan(dest interface{}) *DB                                                        { return db }
func (db *DB) Row() *sql.Row                                                                    { return nil }
func (db *DB) Rows() (*sql.Rows, error)                                                         { return nil, nil }
func (db *DB) Transaction(fc func(tx *DB) error, opts ...*sql.TxOptions) (err error)            { return nil }
func (db *DB) Begin(opts ...*sql.TxOptions) *DB                                                 { return db }
func (db *DB) Commit() *DB                                                                      { return db }
func (db *DB) Rollback() *DB                                                                    { return db }
`)

var _ = addStub("gorm.io/gorm/clause", "package clause\n\ntype Column struct{ Table, Name string }\ntype Assignment struct {\n\tColumn Column\n\tValue  interface{}\n}\ntype Set []Assignment\ntype OnConflict struct {\n\tColumns      []Column\n\tOnConstraint string\n\tDoNothing    bool\n\tDoUpdates    Set\n\tUpdateAll    bool\n}\ntype Locking struct{ Strength, Options string }\ntype Returning struct{ Columns []Column }\n\nfunc Assignments(values map[string]interface{}) Set { return nil }\nfunc AssignmentColumns(values []string) Set { return nil }\n")

var (
	_ = addStub("gorm.io/driver/postgres", "package postgres\n\nimport \"gorm.io/gorm\"\n\ntype Config struct{ DSN string }\n\nfunc Open(dsn string) gorm.Dialector { return nil }\nfunc New(config Config) gorm.Dialector { return nil }\n")
	_ = addStub("gorm.io/driver/mysql", "package mysql\n\nimport \"gorm.io/gorm\"\n\nfunc Open(dsn string) gorm.Dialector { return nil }\n")
	_ = addStub("gorm.io/driver/sqlite", "package sqlite\n\nimport \"gorm.io/gorm\"\n\nfunc Open(dsn string) gorm.Dialector { return nil }\n")
)

var _ = addStub("github.com/rabbitmq/amqp091-go", amqpStub)
var _ = addStub("github.com/streadway/amqp", amqpStub)

const amqpStub = `package amqp091

import (
	"context"
	"time"
)

type Table map[string]interface{}
type Error struct {
	Code            int
	Reason          string
	Server, Recover bool
}

func (e Error) Error() string { return "" }

const (
	Transient  uint8 = 1
	Persistent uint8 = 2

	ExchangeDirect = "direct"
	ExchangeFanout = "fanout"
	ExchangeTopic  = "topic"
)

type Config struct {
	Heartbeat time.Duration
	Vhost     string
	Recovery  any
}
type Publishing struct {
	Headers                                                             Table
	ContentType, ContentEncoding                                        string
	DeliveryMode, Priority                                              uint8
	CorrelationId, ReplyTo, Expiration, MessageId, Type, UserId, AppId  string
	Timestamp                                                           time.Time
	Body                                                                []byte
}
type Delivery struct {
	Headers                                     Table
	ContentType, CorrelationId, ReplyTo         string
	MessageId, Type, ConsumerTag                string
	DeliveryTag                                 uint64
	Redelivered                                 bool
	Exchange, RoutingKey                        string
	Timestamp                                   time.Time
	Body                                        []byte
}

func (d Delivery) Ack(multiple bool) error            { return nil }
func (d Delivery) Nack(multiple, requeue bool) error  { return nil }
func (d Delivery) Reject(requeue bool) error          { return nil }

type Queue struct {
	Name                string
	Messages, Consumers int
}
type Confirmation struct {
	DeliveryTag uint64
	Ack         bool
}
type DeferredConfirmation struct{}

func (d *DeferredConfirmation) Wait() bool                                      { return false }
func (d *DeferredConfirmation) WaitContext(ctx context.Context) (bool, error)   { return false, nil }

type Connection struct{}

func Dial(url string) (*Connection, error)                                      { return nil, nil }
func DialConfig(url string, config Config) (*Connection, error)                 { return nil, nil }
func (c *Connection) Channel() (*Channel, error)                                { return nil, nil }
func (c *Connection) NotifyClose(receiver chan *Error) chan *Error              { return nil }
func (c *Connection) IsClosed() bool                                            { return false }
func (c *Connection) Close() error                                              { return nil }

type Channel struct{}

func (ch *Channel) Publish(exchange, key string, mandatory, immediate bool, msg Publishing) error                                     { return nil }
func (ch *Channel) PublishWithContext(ctx context.Context, exchange, key string, mandatory, immediate bool, msg Publishing) error     { return nil }
func (ch *Channel) PublishWithDeferredConfirmWithContext(ctx context.Context, exchange, key string, mandatory, immediate bool, msg Publishing) (*DeferredConfirmation, error) {
	return nil, nil
}
func (ch *Channel) Consume(queue, consumer string, autoAck, exclusive, noLocal, noWait bool, args Table) (<-chan Delivery, error) {
	return nil, nil
}
func (ch *Channel) ConsumeWithContext(ctx context.Context, queue, consumer string, autoAck, exclusive, noLocal, noWait bool, args Table) (<-chan Delivery, error) {
	return nil, nil
}
func (ch *Channel) Get(queue string, autoAck bool) (msg Delivery, ok bool, err error)                                                 { return }
func (ch *Channel) QueueDeclare(name string, durable, autoDelete, exclusive, noWait bool, args Table) (Queue, error)                  { return Queue{}, nil }
func (ch *Channel) QueueBind(name, key, exchange string, noWait bool, args Table) error                                               { return nil }
func (ch *Channel) ExchangeDeclare(name, kind string, durable, autoDelete, internal, noWait bool, args Table) error                   { return nil }
func (ch *Channel) Qos(prefetchCount, prefetchSize int, global bool) error                                                            { return nil }
func (ch *Channel) Confirm(noWait bool) error                                                                                         { return nil }
func (ch *Channel) NotifyPublish(confirm chan Confirmation) chan Confirmation                                                         { return nil }
func (ch *Channel) NotifyClose(c chan *Error) chan *Error                                                                             { return nil }
func (ch *Channel) Ack(tag uint64, multiple bool) error                                                                               { return nil }
func (ch *Channel) Nack(tag uint64, multiple, requeue bool) error                                                                     { return nil }
func (ch *Channel) Close() error                                                                                                      { return nil }
`
