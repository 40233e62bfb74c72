package libs

// Stubs of packages that make identifiers: whether a value is fresh or stable is decided elsewhere, by the names.

var _ = addStub("github.com/google/uuid", `package uuid

import (
	"database/sql/driver"
	"hash"
	"io"
)

type UUID [16]byte
type NullUUID struct {
	UUID  UUID
	Valid bool
}
type Domain byte
type Time int64
type Version byte
type Variant byte

var (
	NameSpaceDNS  UUID
	NameSpaceURL  UUID
	NameSpaceOID  UUID
	NameSpaceX500 UUID
	Nil           UUID
	Max           UUID
)

func New() UUID                                                    { return UUID{} }
func NewString() string                                            { return "" }
func NewRandom() (UUID, error)                                     { return UUID{}, nil }
func NewRandomFromReader(r io.Reader) (UUID, error)                { return UUID{}, nil }
func NewUUID() (UUID, error)                                       { return UUID{}, nil }
func NewV6() (UUID, error)                                         { return UUID{}, nil }
func NewV7() (UUID, error)                                         { return UUID{}, nil }
func NewV7FromReader(r io.Reader) (UUID, error)                    { return UUID{}, nil }
func NewDCEPerson() (UUID, error)                                  { return UUID{}, nil }
func NewDCEGroup() (UUID, error)                                   { return UUID{}, nil }
func NewDCESecurity(domain Domain, id uint32) (UUID, error)        { return UUID{}, nil }
func NewSHA1(space UUID, data []byte) UUID                         { return UUID{} }
func NewMD5(space UUID, data []byte) UUID                          { return UUID{} }
func NewHash(h hash.Hash, space UUID, data []byte, version int) UUID { return UUID{} }
func Must(uuid UUID, err error) UUID                               { return UUID{} }
func Parse(s string) (UUID, error)                                 { return UUID{}, nil }
func ParseBytes(b []byte) (UUID, error)                            { return UUID{}, nil }
func MustParse(s string) UUID                                      { return UUID{} }
func FromBytes(b []byte) (UUID, error)                             { return UUID{}, nil }
func Validate(s string) error                                      { return nil }
func EnableRandPool()                                              {}
func SetRand(r io.Reader)                                          {}
func (uuid UUID) String() string                                   { return "" }
func (uuid UUID) URN() string                                      { return "" }
func (uuid UUID) Version() Version                                 { return 0 }
func (uuid UUID) Time() Time                                       { return 0 }
func (uuid UUID) ID() uint32                                       { return 0 }
func (uuid UUID) MarshalText() ([]byte, error)                     { return nil, nil }
func (uuid *UUID) UnmarshalText(data []byte) error                 { return nil }
func (uuid UUID) MarshalBinary() ([]byte, error)                   { return nil, nil }
func (uuid *UUID) Scan(src interface{}) error                      { return nil }
func (uuid UUID) Value() (driver.Value, error)                     { return nil, nil }
`)

const gofrsUUIDStub = `package uuid

import "time"

type UUID [16]byte
type NullUUID struct {
	UUID  UUID
	Valid bool
}
type Gen struct{}
type Generator interface {
	NewV1() (UUID, error)
	NewV4() (UUID, error)
	NewV6() (UUID, error)
	NewV7() (UUID, error)
}

var Nil, NamespaceDNS, NamespaceURL, NamespaceOID, NamespaceX500 UUID

func NewGen() *Gen                                  { return nil }
func NewV1() (UUID, error)                          { return UUID{}, nil }
func NewV3(ns UUID, name string) UUID               { return UUID{} }
func NewV4() (UUID, error)                          { return UUID{}, nil }
func NewV5(ns UUID, name string) UUID               { return UUID{} }
func NewV6() (UUID, error)                          { return UUID{}, nil }
func NewV7() (UUID, error)                          { return UUID{}, nil }
func NewV1AtTime(t time.Time) (UUID, error)         { return UUID{}, nil }
func NewV6AtTime(t time.Time) (UUID, error)         { return UUID{}, nil }
func NewV7AtTime(t time.Time) (UUID, error)         { return UUID{}, nil }
func FromString(text string) (UUID, error)          { return UUID{}, nil }
func FromStringOrNil(input string) UUID             { return UUID{} }
func FromBytes(input []byte) (UUID, error)          { return UUID{}, nil }
func FromBytesOrNil(input []byte) UUID              { return UUID{} }
func Must(u UUID, err error) UUID                   { return UUID{} }
func (u UUID) String() string                       { return "" }
func (u UUID) Bytes() []byte                        { return nil }
func (u UUID) Version() byte                        { return 0 }
func (u UUID) IsNil() bool                          { return false }
func (g *Gen) NewV1() (UUID, error)                 { return UUID{}, nil }
func (g *Gen) NewV3(ns UUID, name string) UUID      { return UUID{} }
func (g *Gen) NewV4() (UUID, error)                 { return UUID{}, nil }
func (g *Gen) NewV5(ns UUID, name string) UUID      { return UUID{} }
func (g *Gen) NewV6() (UUID, error)                 { return UUID{}, nil }
func (g *Gen) NewV7() (UUID, error)                 { return UUID{}, nil }
`

var (
	_ = addStub("github.com/gofrs/uuid", gofrsUUIDStub)
	_ = addStub("github.com/gofrs/uuid/v3", gofrsUUIDStub)
	_ = addStub("github.com/gofrs/uuid/v5", gofrsUUIDStub)
)

var _ = addStub("github.com/satori/go.uuid", `package uuid

type UUID [16]byte

var Nil, NamespaceDNS, NamespaceURL, NamespaceOID, NamespaceX500 UUID

func NewV1() UUID                           { return UUID{} }
func NewV2(domain byte) UUID                { return UUID{} }
func NewV3(ns UUID, name string) UUID       { return UUID{} }
func NewV4() UUID                           { return UUID{} }
func NewV5(ns UUID, name string) UUID       { return UUID{} }
func FromString(input string) (UUID, error) { return UUID{}, nil }
func FromStringOrNil(input string) UUID     { return UUID{} }
func FromBytes(input []byte) (UUID, error)  { return UUID{}, nil }
func Must(u UUID, err error) UUID           { return UUID{} }
func (u UUID) String() string               { return "" }
func (u UUID) Bytes() []byte                { return nil }
func (u UUID) Version() byte                { return 0 }
`)

var _ = addStub("github.com/hashicorp/go-uuid", `package uuid

import "io"

func GenerateUUID() (string, error)                               { return "", nil }
func GenerateUUIDWithReader(reader io.Reader) (string, error)     { return "", nil }
func GenerateRandomBytes(size int) ([]byte, error)                { return nil, nil }
func FormatUUID(buf []byte) (string, error)                       { return "", nil }
func ParseUUID(uuid string) ([]byte, error)                       { return nil, nil }
`)

var _ = addStub("github.com/rs/xid", `package xid

import "time"

type ID [12]byte

func New() ID                              { return ID{} }
func NewWithTime(t time.Time) ID           { return ID{} }
func NilID() ID                            { return ID{} }
func FromString(id string) (ID, error)     { return ID{}, nil }
func FromBytes(b []byte) (ID, error)       { return ID{}, nil }
func (id ID) String() string               { return "" }
func (id ID) Bytes() []byte                { return nil }
func (id ID) Time() time.Time              { return time.Time{} }
func (id ID) Counter() int32               { return 0 }
func (id ID) IsNil() bool                  { return false }
func (id ID) Compare(other ID) int         { return 0 }
`)

const ulidStub = `package ulid

import (
	"io"
	"time"
)

type ULID [16]byte
type MonotonicReader interface {
	io.Reader
	MonotonicRead(ms uint64, p []byte) error
}
type MonotonicEntropy struct{ io.Reader }

var Zero ULID

func New(ms uint64, entropy io.Reader) (ULID, error)               { return ULID{}, nil }
func MustNew(ms uint64, entropy io.Reader) ULID                    { return ULID{} }
func MustNewDefault(t time.Time) ULID                              { return ULID{} }
func Make() ULID                                                   { return ULID{} }
func Parse(ulid string) (id ULID, err error)                       { return ULID{}, nil }
func ParseStrict(ulid string) (id ULID, err error)                 { return ULID{}, nil }
func MustParse(ulid string) ULID                                   { return ULID{} }
func Monotonic(entropy io.Reader, inc uint64) *MonotonicEntropy    { return nil }
func DefaultEntropy() io.Reader                                    { return nil }
func Timestamp(t time.Time) uint64                                 { return 0 }
func Now() uint64                                                  { return 0 }
func MaxTime() uint64                                              { return 0 }
func Time(ms uint64) time.Time                                     { return time.Time{} }
func (id ULID) String() string                                     { return "" }
func (id ULID) Bytes() []byte                                      { return nil }
func (id ULID) Time() uint64                                       { return 0 }
func (id ULID) Entropy() []byte                                    { return nil }
func (id ULID) Compare(other ULID) int                             { return 0 }
`

var (
	_ = addStub("github.com/oklog/ulid/v2", ulidStub)
	_ = addStub("github.com/oklog/ulid", ulidStub)
)

var _ = addStub("github.com/segmentio/ksuid", `package ksuid

import (
	"io"
	"time"
)

type KSUID [20]byte

var Nil, Max KSUID

func New() KSUID                                                { return KSUID{} }
func NewRandom() (ksuid KSUID, err error)                       { return KSUID{}, nil }
func NewRandomWithTime(t time.Time) (ksuid KSUID, err error)    { return KSUID{}, nil }
func Parse(s string) (KSUID, error)                             { return KSUID{}, nil }
func FromBytes(b []byte) (KSUID, error)                         { return KSUID{}, nil }
func FromParts(t time.Time, payload []byte) (KSUID, error)      { return KSUID{}, nil }
func SetRand(r io.Reader)                                       {}
func (i KSUID) String() string                                  { return "" }
func (i KSUID) Bytes() []byte                                   { return nil }
func (i KSUID) Time() time.Time                                 { return time.Time{} }
func (i KSUID) Timestamp() uint32                               { return 0 }
func (i KSUID) Payload() []byte                                 { return nil }
func (i KSUID) Next() KSUID                                     { return KSUID{} }
func (i KSUID) IsNil() bool                                     { return false }
`)

const nanoidStub = `package gonanoid

func New(l ...int) (string, error)                            { return "", nil }
func Must(l ...int) string                                    { return "" }
func Generate(alphabet string, size int) (string, error)      { return "", nil }
func MustGenerate(alphabet string, size int) string           { return "" }
`

var (
	_ = addStub("github.com/matoous/go-nanoid/v2", nanoidStub)
	_ = addStub("github.com/matoous/go-nanoid", nanoidStub+"func Nanoid(param ...int) (string, error) { return \"\", nil }\nfunc ID(l int) (string, error) { return \"\", nil }\nfunc MustID(l int) string { return \"\" }\n")
)

const shortuuidStub = `package shortuuid

type Encoder interface{}

func New() string                                  { return "" }
func NewWithNamespace(name string) string          { return "" }
func NewWithAlphabet(abc string) string            { return "" }
func NewWithEncoder(enc Encoder) string            { return "" }
`

var (
	_ = addStub("github.com/lithammer/shortuuid/v4", shortuuidStub)
	_ = addStub("github.com/lithammer/shortuuid/v3", shortuuidStub)
	_ = addStub("github.com/lithammer/shortuuid", shortuuidStub)
)

var _ = addStub("github.com/bwmarrin/snowflake", `package snowflake

type ID int64
type Node struct{}

func NewNode(node int64) (*Node, error)  { return nil, nil }
func (n *Node) Generate() ID             { return 0 }
func ParseInt64(id int64) ID             { return 0 }
func ParseString(id string) (ID, error)  { return 0, nil }
func (f ID) Int64() int64                { return 0 }
func (f ID) String() string              { return "" }
func (f ID) Base64() string              { return "" }
`)

const sonyflakeStub = `package sonyflake

import "time"

type Settings struct {
	StartTime      time.Time
	MachineID      func() (uint16, error)
	CheckMachineID func(uint16) bool
}
type Sonyflake struct{}

func New(st Settings) (*Sonyflake, error)     { return nil, nil }
func NewSonyflake(st Settings) *Sonyflake     { return nil }
func (sf *Sonyflake) NextID() (uint64, error) { return 0, nil }
`

var _ = addStub("github.com/sony/sonyflake", sonyflakeStub)

var _ = addStub("github.com/cespare/xxhash/v2", `package xxhash

type Digest struct{}

func New() *Digest                                   { return nil }
func Sum64(b []byte) uint64                          { return 0 }
func Sum64String(s string) uint64                    { return 0 }
func (d *Digest) Write(b []byte) (n int, err error)  { return 0, nil }
func (d *Digest) WriteString(s string) (int, error)  { return 0, nil }
func (d *Digest) Sum(b []byte) []byte                { return nil }
func (d *Digest) Sum64() uint64                      { return 0 }
func (d *Digest) Reset()                             {}
func (d *Digest) Size() int                          { return 0 }
func (d *Digest) BlockSize() int                     { return 0 }
`)
