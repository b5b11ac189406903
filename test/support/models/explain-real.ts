// The real side of the test that explanations agree with the gate: a gate on a port, tokens of the token endpoint,
// tokens that are wrong in one way, and calls over a socket with the reason that the log gave them.

import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { createUsage } from '../../../src/access/usage.js'
import { listConsents } from '../../../src/directory/consents/consents.js'
import { gatewayRoutes } from '../../../src/gateway/index.js'
import { createBodyBudget } from '../../../src/http/requests/body-budget.js'
import type { AccessTokenClaims } from '../../../src/tokens/claims.js'
import { issueAccessToken } from '../../../src/tokens/issue.js'
import { makeCode, redemption } from '../rooms/delegation.js'
import { baseUrl } from '../rooms/directory.js'
import { recordingUpstream } from '../rooms/http-gate.js'
import { listening, testServer } from '../rooms/http-server.js'
import { readToken, tokenPath } from '../rooms/identity.js'
import { openManagement } from '../rooms/management.js'
import { upstreamSettings } from '../settings/upstream-settings.js'
import { type Expected, type ModelCall, type ModelToken, tokenNow } from './explain-oracle.js'
import { modelRoutes, productLimits, productRoutes, type World } from './explain-world.js'

export const mangled = [
  'expired',
  'not_yet_valid',
  'wrong_issuer',
  'unknown_key',
  'bad_signature',
  'algorithm_mismatch',
  'token_type',
  'token_shape',
  'token_malformed',
  'token_too_long',
] as const

export type TestApp = Awaited<ReturnType<typeof openTestApp>>

/** The gate on a port of its own, over the same rooms as the token endpoint and the explanations. */
export async function openTestApp(t: Parameters<typeof recordingUpstream>[0] & { testdir(): string }) {
  const upstream = await recordingUpstream(t)
  const position = { file: '/etc/portcullis/portcullis.yaml', line: 90, column: 3 }
  const settings = upstreamSettings('service', { target: upstream.target, position })
  const testApp = await openManagement(t, {
    routes: productRoutes(settings),
    upstreams: new Map([['service', settings]]),
    limits: productLimits(),
  })
  const reasons = new Map<string, string | undefined>()
  const write = (line: string) => {
    const { requestId, reason } = JSON.parse(line) as { requestId: string; reason?: string }
    reasons.set(requestId, reason)
  }
  const app = testServer({
    baseUrl,
    logger: { level: 'info', stream: { write } },
    accessLog: true,
    metrics: testApp.metrics,
  })
  const { settings: all, deps } = testApp
  const usage = createUsage({ store: testApp.store, instanceId: 'gate', now: testApp.now, onDropped: () => {} })
  const server = { ...all.server, bodyIdleMs: 5_000 }
  const consentsOf = (about: Parameters<typeof listConsents>[1]) => listConsents(testApp.store.reader, about)
  await app.register(
    gatewayRoutes({
      ...deps,
      settings: { ...all, server },
      limiter: testApp.limiter,
      gate: testApp.gate,
      bodies: createBodyBudget({ bytes: 67_108_864 }),
      usage,
      consentsOf,
      toolPins: testApp.toolDefinitions,
      sessionKeys: [new Uint8Array(32)],
      approvals: {
        request: async () => {
          throw new Error('no tool here has to be approved')
        },
      },
    }),
  )
  const port = await listening(app)
  const agent = new Agent({ keepAlive: true })
  t.teardown(async () => {
    agent.destroy()
    await app.close()
  })
  const call = (path: string, token: string) =>
    exchange({ port, agent }, { method: 'GET', path, headers: callHeaders('192.0.2.9', token), bytes: undefined })
  return { ...testApp, upstream, reasons, port, agent, call }
}

/** A token that is wrong in one way. */
export async function mangle({ keyring, clock }: TestApp, reason: (typeof mangled)[number]): Promise<string> {
  const now = Math.floor(clock.nowMs / 1000)
  const claims: AccessTokenClaims = {
    ...{
      iss: baseUrl,
      aud: `${baseUrl}/api/v2`,
      sub: 'a',
      client_id: 'a',
      iat: now,
      nbf: now,
      exp: now + 3600,
      jti: 'j',
    },
    ...{ tid: 't', idtyp: 'app', scope: 'assets_read', roles: ['assets_read'], cid: 'c', seq: 0 },
  }
  const sign = (changes: Partial<AccessTokenClaims>) => issueAccessToken(keyring, { ...claims, ...changes })
  const rewrite = async (changes: Record<string, string>) => {
    const [head = '', ...rest] = (await sign({})).split('.')
    const header = { ...JSON.parse(Buffer.from(head, 'base64url').toString()), ...changes }
    return [Buffer.from(JSON.stringify(header)).toString('base64url'), ...rest].join('.')
  }
  switch (reason) {
    case 'expired':
      return sign({ iat: now - 7_200, nbf: now - 7_200, exp: now - 3_600 })
    case 'not_yet_valid':
      return sign({ iat: now + 600, nbf: now + 600, exp: now + 4_200 })
    case 'wrong_issuer':
      return sign({ iss: 'https://elsewhere.test' })
    case 'unknown_key':
      return rewrite({ kid: 'x'.repeat(43) })
    case 'algorithm_mismatch':
      return rewrite({ alg: 'none' })
    case 'token_type':
      return rewrite({ typ: 'JWT' })
    case 'bad_signature': {
      const [head, body, signature = ''] = (await sign({})).split('.')
      return [head, body, `${signature[0] === 'A' ? 'B' : 'A'}${signature.slice(1)}`].join('.')
    }
    case 'token_shape':
      return 'nonsense'
    case 'token_malformed':
      return 'a,b'
    case 'token_too_long':
      return 'a'.repeat(9_000)
  }
}

export type Outcome = Pick<Expected, 'status' | 'reason'> & { missing?: Expected['missing'] }

/** The token request where there is one, and the call: what an application would see. */
export async function really(
  testApp: TestApp,
  world: World,
  { target, call, presented }: { target: string; call: ModelCall; presented: string | undefined },
): Promise<Outcome> {
  const { caller } = call
  const got =
    caller.kind === 'simulated' ? await getToken(testApp, world, { ...caller, route: call.match.route }) : undefined
  const token = got?.token ?? presented
  const outcome = await send(testApp, { target, call, token })
  return outcome.reason === 'no_token' && got?.refused !== undefined ? got.refused : outcome
}

/** From the token endpoint, for the API of a route or of that name; it is kept in `world.tokens`. */
export async function getToken(
  testApp: TestApp,
  world: World,
  {
    application,
    tenant,
    user,
    route,
    resource = modelRoutes.find(({ id }) => id === route)?.resource ?? world.model.own,
  }: Extract<ModelCall['caller'], { kind: 'simulated' }> & { route?: string | undefined; resource?: string },
): Promise<{ token?: string; refused?: Outcome }> {
  const secret = world.secrets.get(application.id)
  const client = {
    client_id: application.id,
    ...(secret === undefined || secret === '' ? {} : { client_secret: secret }),
  }
  const content = tokenNow(world.model, { application, tenant, user, resource })
  let form: Record<string, string> = {
    grant_type: 'client_credentials',
    scope: 'default',
    resource,
    requested_enrollment: tenant,
    ...client,
  }
  if (user !== undefined) {
    const ids = [...application.configured]
      .map((name) => name.split(' '))
      .filter(([kind, of]) => kind === 'delegated' && of === resource)
    const permissions = ids.map(([, , id]) => id ?? '')
    const code = await makeCode(testApp.deps, {
      userId: user.id,
      applicationId: application.id,
      tenantId: tenant,
      resource,
      permissions,
      openidScopes: [],
    })
    form = redemption(code, client)
  }
  const answer = await testApp.post(tokenPath, form)
  const id = String(answer.headers['request-id'])
  if (answer.statusCode !== 200) {
    const line = testApp.logged
      .map((text) => JSON.parse(text) as { requestId?: string; reason?: string })
      .find(({ requestId }) => requestId === id)
    testApp.logged.length = 0
    return { refused: { status: answer.statusCode, reason: line?.reason ?? '' } }
  }
  testApp.logged.length = 0
  const { access_token: text } = answer.json() as { access_token: string }
  const { claims } = readToken(text)
  if (!('permissions' in content)) throw new Error(`a token that the oracle would refuse: ${content.reason}`)
  const token: ModelToken = {
    ...{
      text,
      jti: String(claims['jti']),
      kind: user === undefined ? 'application' : 'delegated',
      application,
      tenant,
      user,
    },
    ...{ resource, permissions: content.permissions, issuedAt: world.order, endsMs: Number(claims['exp']) * 1000 },
    ...{ isRevoked: false, isGrantRevoked: false },
  }
  world.tokens.push(token)
  return { token: text }
}

async function send(
  testApp: TestApp,
  { target, call, token }: { target: string; call: ModelCall; token: string | undefined },
): Promise<Outcome> {
  const path = call.tokenInQuery ? `${target}${target.includes('?') ? '&' : '?'}access_token=x` : target
  const bytes = call.bodyBytes ?? (call.method === 'GET' || call.method === 'HEAD' ? undefined : 0)
  const headers = callHeaders(call.address, token)
  const { status, id, body } = await exchange(testApp, { method: call.method, path, headers, bytes })
  const reason = await loggedReason(testApp, id)
  const permission = body.includes('"permission"')
    ? (JSON.parse(body).error.permission as NonNullable<Expected['missing']>)
    : undefined
  const missing = permission && { id: permission.id, kind: permission.kind, status: permission.status }
  return { status, reason: reason ?? '', ...(missing === undefined ? {} : { missing }) }
}

/** The header fields of a call from that address. */
export function callHeaders(address: string, token: string | undefined): Record<string, string> {
  return {
    ...{ host: 'portcullis.test', 'x-forwarded-proto': 'https', 'x-forwarded-for': address },
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  }
}

/** One request; `bytes` of body, announced. */
export function exchange(
  { port, agent }: { port: number; agent: Agent },
  described: { method: string; path: string; headers: Record<string, string>; bytes: number | undefined },
): Promise<{ status: number; id: string; body: string; headers: IncomingHttpHeaders }> {
  const { method, path, bytes } = described
  const headers = bytes === undefined ? described.headers : { ...described.headers, 'content-length': String(bytes) }
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path, headers, agent }, (answer) => {
      let body = ''
      answer.on('data', (chunk) => {
        body += String(chunk)
      })
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          id: String(answer.headers['request-id']),
          body,
          headers: answer.headers,
        }),
      )
    })
    sent.on('error', reject)
    sent.end(bytes === undefined ? undefined : Buffer.alloc(bytes))
  })
}

/** The line is written when the answer has closed, which may be a moment after it was read. */
async function loggedReason({ reasons }: TestApp, id: string): Promise<string | undefined> {
  while (!reasons.has(id)) await new Promise((resolve) => setImmediate(resolve))
  return reasons.get(id)
}
