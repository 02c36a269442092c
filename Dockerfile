# syntax=docker/dockerfile:1

# npm, and a compiler for packages without a prebuilt binary for this platform.
FROM node:24-bookworm AS install
WORKDIR /app
COPY package.json package-lock.json ./
COPY scripts/install.cjs scripts/lock.cjs scripts/compiler-advice.cjs scripts/elapsed.cjs scripts/
# The same installation as `npm start`: the packages of the lock file, including the pinned Node; install scripts run for
# two packages only.
RUN node scripts/install.cjs --production

FROM debian:bookworm-slim
# Libraries that the pinned Node links to, and util-linux, which the sandbox uses to isolate its processes.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends libatomic1 libstdc++6 util-linux \
 && rm -rf /var/lib/apt/lists/* \
 && install --directory --mode=700 --owner=10001 --group=10001 /data
WORKDIR /app
COPY --from=install /app/node_modules node_modules/
COPY package.json package-lock.json LICENSE ./
COPY scripts scripts/
COPY sandbox sandbox/
COPY src src/

# This user owns nothing in /app. It is a number so that an orchestrator can see that it is not root.
USER 10001:10001
ENV NODE_ENV=production \
    DATA_DIR=/data \
    PATH=/app/node_modules/node/bin:$PATH
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --start-interval=1s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Started directly: a shell or npm in between would not forward SIGTERM.
CMD ["node", "src/main.ts"]
