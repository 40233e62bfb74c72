package analyzers

import (
	"regexp"
	"strings"
)

// freshFuncs are the constructors that give another value at each call, by import path (go-libraries.md, 10.1). Version
// suffixes of the path are cut off before the look-up.
var freshFuncs = map[string]string{
	"github.com/google/uuid":                              "New NewString NewRandom NewRandomFromReader NewUUID NewV6 NewV7 NewV7FromReader NewDCEPerson NewDCEGroup NewDCESecurity",
	"github.com/gofrs/uuid":                               "NewV1 NewV4 NewV6 NewV7 NewV1AtTime NewV6AtTime NewV7AtTime",
	"github.com/satori/go.uuid":                           "NewV1 NewV2 NewV4",
	"github.com/pborman/uuid":                             "New NewUUID NewRandom",
	"github.com/hashicorp/go-uuid":                        "GenerateUUID GenerateRandomBytes GenerateUUIDWithReader",
	"github.com/nu7hatch/gouuid":                          "NewV4",
	"github.com/rs/xid":                                   "New NewWithTime",
	"github.com/oklog/ulid":                               "Make MustNewDefault New MustNew",
	"github.com/segmentio/ksuid":                          "New NewRandom NewRandomWithTime",
	"github.com/matoous/go-nanoid":                        "New Must Generate MustGenerate Nanoid ID",
	"github.com/jaevor/go-nanoid":                         "",
	"github.com/lithammer/shortuuid":                      "New NewWithAlphabet NewWithEncoder",
	"github.com/teris-io/shortid":                         "Generate MustGenerate",
	"github.com/nats-io/nuid":                             "Next New",
	"github.com/lucsky/cuid":                              "New",
	"github.com/nrednav/cuid2":                            "Generate",
	"go.jetify.com/typeid":                                "New WithPrefix MustGenerate Generate",
	"github.com/thanhpk/randstr":                          "String Hex Base64 Base62 Dec Bytes",
	"github.com/dchest/uniuri":                            "New NewLen NewLenChars",
	"k8s.io/apimachinery/pkg/util/uuid":                   "NewUUID",
	"k8s.io/apimachinery/pkg/util/rand":                   "String Int Intn Int63nRange IntnRange",
	"go.mongodb.org/mongo-driver/bson/primitive":          "NewObjectID NewObjectIDFromTimestamp",
	"go.mongodb.org/mongo-driver/bson":                    "NewObjectID",
	"gopkg.in/mgo.v2/bson":                                "NewObjectId",
	"crypto/rand":                                         "Text Int Prime",
	"math/rand":                                           "Int Intn Int31 Int31n Int63 Int63n Uint32 Uint64 Float64 Float32 Perm N IntN Int32 Int32N Int64 Int64N UintN Uint Uint32N Uint64N NormFloat64 ExpFloat64",
	"github.com/sony/sonyflake":                           "NextID",
	"os":                                                  "",
	"github.com/google/go-cmp":                            "",
	"github.com/aidarkhanov/nanoid":                       "New Generate Nanoid",
	"github.com/Azure/azure-sdk-for-go/sdk/internal/uuid": "New",
	"github.com/moby/moby/pkg/stringid":                   "GenerateRandomID",
	"github.com/docker/docker/pkg/stringid":               "GenerateRandomID",
	"github.com/aws/smithy-go/rand":                       "NewUUID",
	"github.com/stripe/stripe-go":                         "NewIdempotencyKey",
	"github.com/ThreeDotsLabs/watermill":                  "NewUUID NewShortUUID NewULID",
}

// freshMethods are methods of generators.
var freshMethods = map[string]bool{
	"github.com/bwmarrin/snowflake.(*Node).Generate":          true,
	"github.com/sony/sonyflake.(*Sonyflake).NextID":           true,
	"github.com/gofrs/uuid.(Gen).NewV4":                       true,
	"math/rand.(*Rand).Int63":                                 true,
	"github.com/aws/smithy-go/rand.(*UUID).GetUUID":           true,
	"github.com/nats-io/nuid.(*NUID).Next":                    true,
	"github.com/teris-io/shortid.(*Shortid).Generate":         true,
	"github.com/gofrs/uuid.(*Gen).NewV4":                      true,
	"github.com/gofrs/uuid.(*Gen).NewV7":                      true,
	"github.com/gofrs/uuid.(*Gen).NewV1":                      true,
	"github.com/oklog/ulid.(*MonotonicEntropy).MonotonicRead": true,
}

var freshSet = func() map[string]bool {
	m := map[string]bool{}
	for p, list := range freshFuncs {
		for _, f := range strings.Fields(list) {
			m[p+"."+f] = true
		}
	}
	for k := range freshMethods {
		m[k] = true
	}
	return m
}()

var versionSuffix = regexp.MustCompile(`/v[0-9]+(\.|/|$)`)

// unversioned cuts the major version out of a callee's import path.
func unversioned(name string) string {
	return versionSuffix.ReplaceAllString(name, "$1")
}

// isFreshCall reports whether a callee gives another value at each call.
func isFreshCall(name string) bool {
	if freshSet[name] {
		return true
	}
	n := unversioned(name)
	if freshSet[n] {
		return true
	}
	// A seeded generator: (*math/rand.Rand).Int63
	if strings.HasPrefix(n, "math/rand.(*Rand).") || strings.HasPrefix(n, "(math/rand.Rand).") {
		return freshSet["math/rand."+n[strings.LastIndex(n, ".")+1:]]
	}
	if strings.HasPrefix(n, "sync/atomic.Add") || strings.HasPrefix(n, "sync/atomic.(*") && strings.HasSuffix(n, ".Add") {
		return true // a counter of the process
	}
	return false
}

// deliveryCalls give something that changes with each delivery or run of the same work.
var deliveryCalls = map[string]bool{
	"github.com/hibiken/asynq.GetRetryCount": true,
}

// processCalls are the same for everything that one process does.
var processCalls = map[string]bool{
	"os.Getpid": true, "os.Hostname": true, "os.Getppid": true,
}

var storedCalls = map[string]bool{
	"github.com/hibiken/asynq.GetTaskID": true,
}

// emptyCalls make an empty hash, buffer or header.
var emptyCalls = map[string]bool{
	"crypto/sha256.New": true, "crypto/sha1.New": true, "crypto/md5.New": true, "crypto/sha512.New": true,
	"hash/fnv.New32": true, "hash/fnv.New32a": true, "hash/fnv.New64": true, "hash/fnv.New64a": true, "hash/fnv.New128a": true,
	"hash/crc32.NewIEEE": true, "crypto/hmac.New": true, "strings.NewReplacer": true,
	"github.com/cespare/xxhash/v2.New": true,
}

// deliveryFields change with each delivery of one message.
var deliveryFields = map[string]bool{
	"ReceiptHandle": true, "DeliveryTag": true, "LockToken": true, "AckID": true, "AckId": true, "DeliveryAttempt": true,
	"DeliveryCount": true, "NumDelivered": true, "ReceiveCount": true,
}

// attemptFields hold the number of the attempt.
var attemptFields = map[string]bool{
	"Attempt": true, "AttemptNumber": true, "RetryAttempt": true, "CurrentAttempt": true, "AttemptNum": true, "RetryCountSoFar": true,
}

// purePackages hold functions whose results are made of their arguments alone.
var purePackages = map[string]bool{
	"fmt": true, "strings": true, "strconv": true, "bytes": true, "encoding/hex": true, "encoding/base64": true, "encoding/base32": true,
	"encoding/json": true, "encoding/binary": true, "encoding/xml": true, "encoding/gob": true, "crypto/sha256": true, "crypto/sha1": true, "crypto/md5": true, "crypto/sha512": true,
	"crypto/hmac": true, "hash/fnv": true, "hash/crc32": true, "hash/crc64": true, "hash/adler32": true, "hash/maphash": true, "hash": true, "path": true, "path/filepath": true,
	"net/url": true, "slices": true, "sort": true, "cmp": true, "unicode/utf8": true, "time": true, "math": true, "math/big": true, "maps": true, "errors": true, "html": true, "unsafe": true,
	"github.com/google/uuid": true, "github.com/gofrs/uuid": true, "github.com/satori/go.uuid": true, "github.com/rs/xid": true, "github.com/oklog/ulid": true,
	"github.com/segmentio/ksuid": true, "github.com/aws/aws-sdk-go-v2/aws": true, "github.com/aws/aws-sdk-go/aws": true, "k8s.io/utils/ptr": true, "k8s.io/utils/pointer": true,
	"github.com/stripe/stripe-go": true, "github.com/cespare/xxhash": true, "github.com/mitchellh/hashstructure": true, "github.com/samber/lo": true,
	"google.golang.org/protobuf/proto": true, "github.com/aws/smithy-go/ptr": true, "github.com/AlekSi/pointer": true, "github.com/bwmarrin/snowflake": true,
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to": true, "github.com/google/go-cmp": true, "github.com/goccy/go-json": true, "github.com/json-iterator/go": true,
	"go.mongodb.org/mongo-driver/bson/primitive": true, "io": true, "github.com/square/square-go-sdk": true, "github.com/plaid/plaid-go/plaid": true, "crypto/rand": true,
	"github.com/openai/openai-go": true,
}

// packageOf is the import path of a callee's name.
func packageOf(name string) string {
	n := unversioned(name)
	n = strings.TrimPrefix(n, "(")
	slash := strings.LastIndex(n, "/")
	if i := strings.Index(n[slash+1:], "."); i >= 0 {
		// Import paths may have dots in the last element ("gopkg.in/mgo.v2/bson", "github.com/satori/go.uuid").
		p := n[:slash+1+i]
		if purePackages[p] {
			return p
		}
		if j := strings.Index(n[slash+1+i+1:], "."); j >= 0 && purePackages[n[:slash+1+i+1+j]] {
			return n[:slash+1+i+1+j]
		}
		return p
	}
	return ""
}

// pureCall reports whether a call's result is made of its receiver and arguments alone.
func pureCall(name, pkg string) bool {
	return purePackages[pkg] && !isFreshCall(name)
}

// transparentCall reports whether a call only changes the form of a value, not the value.
func transparentCall(name string) bool {
	switch name[strings.LastIndex(name, ".")+1:] {
	case "String", "Ptr", "To", "Clone", "TrimSpace", "Sprint", "Must":
		return true
	}
	return false
}

var (
	idNoun   = regexp.MustCompile(`(?i)(uuid|guid|ulid|ksuid|xid|nanoid|cuid|nonce|snowflake|randomstring|randstring|randomkey|randomid|randomhex|randhex|uniqueid|uniquekey|uniqid)`)
	idMaker  = regexp.MustCompile(`^(?i)(new|gen|generate|make|create|must|mustnew|mustgenerate|next|random|rand|fresh|mint)`)
	idSuffix = regexp.MustCompile(`(ID|Id|Key|Token|id|String|key)$`)
)

// makesIDs reports whether a function without inputs that is called so makes fresh ids.
func makesIDs(base string, method bool) bool {
	if idNoun.MatchString(base) && !strings.HasPrefix(strings.ToLower(base), "parse") {
		return true
	}
	if idMaker.MatchString(base) && idSuffix.MatchString(base) {
		return true
	}
	// ids.Next(), gen.New(), idgen.Generate()
	switch base {
	case "Next", "Generate", "MustGenerate", "NextID", "Make":
		return true
	}
	return false
}

func readsStore(base string) bool {
	for _, p := range []string{"Get", "Load", "Find", "Fetch", "Lookup", "Read", "Select", "Query", "Ensure"} {
		if strings.HasPrefix(base, p) {
			return true
		}
	}
	return false
}

// accessor reports whether a method gives another form of its receiver.
func accessor(base string) bool {
	switch base {
	case "String", "Bytes", "Hex", "Base64", "Int64", "Unix", "UnixNano", "UnixMilli", "UnixMicro", "Format", "Add", "UTC", "Local", "In", "MarshalText",
		"Sum", "Sum64", "Sum32", "EncodeToString", "URN", "Base32", "Base36", "Base58", "Timestamp", "Nanosecond", "AppendFormat", "Time", "Text", "Truncate", "Round":
		return true
	}
	return false
}
