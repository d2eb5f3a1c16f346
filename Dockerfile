# The whole of order-sync in one image: `docker run IMAGE worker`, or any other command in the place of `worker`.
#
# Behind a proxy with a certificate authority of its own: docker build --secret id=ca,src=ca-certificates.crt .

FROM node:26-trixie-slim AS base
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Where the secret is not given, node says that the file is missing, and goes on.
ENV NODE_EXTRA_CA_CERTS=/run/secrets/ca

# Builds what runs. Nothing of this stage but that reaches the image.
FROM base AS build
RUN --mount=type=cache,target=/root/.npm --mount=type=secret,id=ca npm ci --ignore-scripts
COPY .ci/bundle.ts .ci/bundle.ts
COPY src src
RUN node .ci/bundle.ts

FROM node:26-trixie-slim
# Nothing here changes user, so no program may do it. /data is for the state of a simulated shop. `order-sync` is for
# commands in a running container: docker exec CONTAINER order-sync status.
RUN find / -xdev -type f -perm /6000 -exec chmod a-s {} + && install -d -o 1000 -g 1000 /data && \
  ln -s /app/dist/main.js /usr/local/bin/order-sync
ENV NODE_ENV=production
# As the first line of main.js says.
ENV MALLOC_ARENA_MAX=1
WORKDIR /app
COPY --from=build /app/dist dist
COPY package.json LICENSE ./
COPY drizzle drizzle
# By number, so that an orchestrator can tell that it is not root.
USER 1000
EXPOSE 8080
# Of the worker; the base image has no curl.
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8080}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# node itself and not npm, which would keep signals to itself. Its options are those of the first line of main.js.
ENTRYPOINT ["node", "--max-semi-space-size=16", "--heap-growing-percent=40", "/app/dist/main.js"]
CMD ["worker"]
# Last, since the revision changes with every build: --build-arg REVISION="$(git rev-parse HEAD)"
ARG VERSION=0.1.0
ARG REVISION=
ARG SOURCE=
LABEL org.opencontainers.image.title="order-sync" \
  org.opencontainers.image.description="Keeps an exact, analysable copy of a shop's orders in PostgreSQL." \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$REVISION" \
  org.opencontainers.image.source="$SOURCE"
