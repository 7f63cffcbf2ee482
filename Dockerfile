# One image for the api, the auditor, the sealer and the command line; the command chooses:
#   api (default), auditor, sealer, shoeprint

FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json nest-cli.json tsconfig.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY apps apps
COPY libs libs
COPY scripts/build-verifier.mjs scripts/
RUN npm run build:programs && npm run build:verifier && mkdir state

# What runs needs neither the tools of the build nor the embedded PostgreSQL, which is an optional dependency.
FROM node:24-slim AS modules
WORKDIR /modules
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /shoeprint
COPY --from=modules /modules/node_modules node_modules
COPY package.json LICENSE NOTICE ./
COPY rules rules
COPY docs/api-examples.json docs/asyncapi.yaml docs/
COPY apps/api/commonest-passwords.txt apps/api/
COPY apps/cli/bin apps/cli/bin
COPY deploy/start deploy/
COPY --from=build /build/dist dist
# Where a sealer keeps its keys, and where packages and the key that signs them are: volumes take their owner from here.
COPY --from=build --chown=node:node /build/state /var/lib/shoeprint
COPY --from=build --chown=node:node /build/state /var/lib/shoeprint-exports
USER node
EXPOSE 8377
ENTRYPOINT ["/shoeprint/deploy/start"]
CMD ["api"]
