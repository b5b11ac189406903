// The configuration that is attacked: a route of every class that there is.

/** Another resource than the gate's own. */
export const otherResource = 'https://other.test'
/** Answers for routes only, with pages. */
export const pagesHost = 'pages.test'
/** A host of a proxy that asks; its routes stand below `/wide`. */
export const alternateHost = 'wiki.test'
/** Where the callers of the issuer outside act; nobody of ours does. */
export const outsideTenant = '9b2c51d4-1a77-4bb7-9b0f-6f6f5d4c3b02'
export const outsideIssuer = 'https://outside.test'
export const outsideAudience = 'api://gate'
/** An application that there is not. */
const nobody = '3f0c1f9e-9f34-4c6e-8f9e-0a6d1c5b7a01'

export interface Places {
  folder: string
  listen: number
  forwardAuth: number
  /** Where the service listens. */
  things: number
  /** The public keys of the issuer outside. */
  outsideKeys: object
}

/** The file. `openapi.json` lies beside it. */
export const configuration = ({ folder, listen, forwardAuth, things, outsideKeys }: Places): string => `
version: 1
data: { folder: '${folder}' }
server:
  baseUrl: https://portcullis.test
  apiHosts: [${pagesHost}]
  listen: 127.0.0.1:${listen}
  operator: 127.0.0.1:0
  forwardAuth: { listen: '127.0.0.1:${forwardAuth}', hosts: { ${alternateHost}: /wide } }
  tls: off
  trustedProxies: 127.0.0.1/32
  timeouts: { headers: 1s, bodyIdle: 1s }
  limits: { perAddress: 1000000/min }
tokens: { failedAuthentications: 1000000/min }
permissions:
  read: { describe: Read }
  write: { describe: Write, covers: [read] }
  unrelated: { describe: Something else }
resources:
  other: { id: '${otherResource}', name: Other, permissions: { look: { describe: Look, kinds: [application] } } }
issuers:
  outside:
    issuer: ${outsideIssuer}
    audience: ${outsideAudience}
    pinned: '${JSON.stringify(outsideKeys)}'
    algorithms: [ES256]
    acts: application
    tenant: ${outsideTenant}
    permissions: { scp: { read: read } }
upstreams:
  backend: { target: builtin:backend, timeouts: { connect: 30s } }
  mounted: { target: 'http://127.0.0.1:${things}/base', connections: 500, timeouts: { connect: 30s } }
  things: { target: 'http://127.0.0.1:${things}', connections: 500, timeouts: { connect: 30s } }
  plain: { target: 'http://127.0.0.1:${things}', identity: headers, connections: 500, timeouts: { connect: 30s } }
  silent: { target: 'http://127.0.0.1:${things}', identity: none, connections: 500, timeouts: { connect: 30s } }
  described: { target: 'http://127.0.0.1:${things}', openapi: 'file:openapi.json', timeouts: { connect: 30s } }
limits: {}
defaults: { limits: [], tokenLimits: [] }
routes:
  GET,POST,PUT,DELETE /open/**: { to: things, public: true }
  GET,POST /open/admin: { to: things, require: write }
  /guarded: { to: things, require: { GET: read, POST: write } }
  GET,POST /items/{id}: { to: things, require: read }
  GET,POST,DELETE /wide/**: { to: things, require: read }
  GET,POST /wide/admin: { to: things, require: write }
  /methods: { to: things, require: { GET: read, DELETE: write } }
  GET,DELETE /other: { to: things, resource: other, require: look }
  GET /mounted/**: { to: mounted, strip: /mounted, require: read }
  GET /old/{id}: { to: mounted, rewrite: { from: /old, to: /new }, require: write }
  GET /live/{id}: { to: things, stream: true, require: read }
  GET /talk/{id}: { to: things, stream: true, public: true }
  GET /called/{id}: { to: things, require: read, cors: { origins: ['https://evil.test'] } }
  GET,POST /plain/{id}: { to: plain, require: read }
  GET /silent/{id}: { to: silent, require: read, requestHeaders: [accept, x-attempt] }
  GET /of/{tenant}/{id}: { to: things, require: read, tenant: tenant }
  GET,POST /described/{id}: { to: described, require: read, validate: true }
  GET /outside/{id}: { to: things, require: read, issuers: [outside] }
  GET /either/{id}: { to: things, require: read, issuers: [own, outside] }
  GET /chosen/{id}: { to: things, require: read, applications: [${nobody}] }
  GET /shown/{id}: { to: things, require: read, pages: true }
  GET /watched/{id}: { to: things, require: write, shadow: true }
  /desk/mcp:
    to: things
    mcp: { versions: [2025-06-18, 2025-03-26], first: read, list: all, tools: { list: read, close: write } }
  /api/v2/me: { to: backend, require: { GET: read, PATCH: write } }
`

/** What `described` says of itself. */
export const openapi = {
  openapi: '3.1.0',
  info: { title: 'Told', version: '1' },
  paths: {
    '/described/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', pattern: '^[0-9]{1,4}$' } }],
      get: { responses: {} },
      post: {
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['name'],
                additionalProperties: false,
                properties: { name: { type: 'string', pattern: '^[a-z]{1,9}$' } },
              },
            },
          },
        },
        responses: {},
      },
    },
  },
}
