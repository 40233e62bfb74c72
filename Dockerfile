# Not root, nothing but the program, git and certificates.
FROM golang:1.26-alpine AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=devel
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=${VERSION}" -o /retrylint ./cmd/retrylint

FROM alpine:3
RUN apk add --no-cache git ca-certificates && adduser -D -u 10001 retrylint
COPY --from=build /retrylint /usr/local/bin/retrylint
USER 10001
WORKDIR /work
ENTRYPOINT ["retrylint"]
CMD ["scan", "."]
