# Not root, nothing but the program, git and certificates.
FROM golang:1.26-alpine AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=devel
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=${VERSION}" -o /retrylint ./cmd/retrylint

# A root of git and certificates alone: no shell of its own, no package manager.
FROM alpine:3 AS root
RUN apk add --no-cache --initdb --keys-dir /etc/apk/keys --repositories-file /etc/apk/repositories -p /rootfs git ca-certificates-bundle \
 && rm -rf /rootfs/lib/apk /rootfs/etc/apk /rootfs/var/cache/apk && mkdir -p /rootfs/work /rootfs/tmp && chmod 1777 /rootfs/tmp

FROM scratch
COPY --from=root /rootfs/ /
COPY --from=build /retrylint /usr/local/bin/retrylint
ENV PATH=/usr/local/bin:/usr/bin:/bin HOME=/tmp
USER 10001
WORKDIR /work
ENTRYPOINT ["retrylint"]
CMD ["scan", "."]
