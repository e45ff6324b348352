# One image per function: an official Node image and one bundled file. The build installs nothing and needs no network;
# the function needs no shell, no write access and no particular user (kpt and kustomize run it as `nobody`).
#
#   npm ci && npm run build
#   docker build --target expand-seats   -t ghcr.io/seatplan/expand-seats:v0.1.0 .
#   docker build --target validate-seats -t ghcr.io/seatplan/validate-seats:v0.1.0 .
#   docker build --target probe-seats    -t ghcr.io/seatplan/probe-seats:v0.1.0 .
#   docker build --target argocd-cmp     -t ghcr.io/seatplan/argocd-cmp:v0.1.0 .
#
# NODE_IMAGE can be any image with Node 24 as /usr/local/bin/node and a passwd entry for nobody, CMP_BASE any with the shared
# libraries of that Node (glibc, libstdc++); the release pins both by digest.
ARG NODE_IMAGE=docker.io/library/node:24.21.0-bookworm-slim
ARG CMP_BASE=gcr.io/distroless/cc-debian12:nonroot

FROM ${NODE_IMAGE} AS node
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.version=${VERSION} \
      org.opencontainers.image.revision=${REVISION} \
      org.opencontainers.image.source=https://github.com/seatplan/seatplan \
      org.opencontainers.image.licenses=Apache-2.0 \
      org.opencontainers.image.vendor=seatplan
ENV NODE_ENV=production
WORKDIR /app
USER 65534:65534

FROM node AS expand-seats
LABEL org.opencontainers.image.title=expand-seats \
      org.opencontainers.image.description="KRM function: expands Seats and TrustTiers into Kubernetes objects"
COPY dist/expand-seats.js /app/expand-seats.js
ENTRYPOINT ["node", "/app/expand-seats.js"]

FROM node AS validate-seats
LABEL org.opencontainers.image.title=validate-seats \
      org.opencontainers.image.description="KRM function: checks Seats and TrustTiers and changes nothing"
COPY dist/validate-seats.js /app/validate-seats.js
ENTRYPOINT ["node", "/app/validate-seats.js"]

# The prober of a Job and the agent of its pods. The folder that anyone may write shows whether the root is read-only.
FROM node AS probe-seats
LABEL org.opencontainers.image.title=probe-seats \
      org.opencontainers.image.description="Checks in a cluster that what Git declares of seats is enforced"
COPY dist/probe-seats.js dist/probe-agent.js /app/
ADD dist/probe-folder.tar /
# Both wait most of their time: without room for young objects the prober of 500 seats holds 212 MB, not 351, at the same speed.
ENV NODE_OPTIONS=--max-semi-space-size=2
ENTRYPOINT ["node", "/app/probe-seats.js"]

# Argo CD's plugin: a sidecar of its repo-server, beside Git credentials, that runs what anyone may commit: no shell, no
# package manager. Argo CD brings the server (argocd-cmp-server), and talks to it as user 999. Without a platform level
# mounted at /etc/seatplan nothing is rendered.
FROM ${CMP_BASE} AS argocd-cmp
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.version=${VERSION} \
      org.opencontainers.image.revision=${REVISION} \
      org.opencontainers.image.source=https://github.com/seatplan/seatplan \
      org.opencontainers.image.licenses=Apache-2.0 \
      org.opencontainers.image.vendor=seatplan \
      org.opencontainers.image.title=argocd-cmp \
      org.opencontainers.image.description="Argo CD config management plugin: renders packages of Seats and TrustTiers"
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY dist/cli.js /app/cli.js
COPY deploy/argocd/plugin.yaml /home/argocd/cmp-server/config/plugin.yaml
ENV PATH=/usr/local/bin HOME=/tmp NODE_ENV=production SEATPLAN_PLATFORM=/etc/seatplan
USER 999:999
ENTRYPOINT ["node", "/app/cli.js"]
