// Tenants, applications and tokens for a story: made by the management socket and the token endpoint, as an operator
// and a client make them.

import { setTimeout as wait } from 'node:timers/promises'
import { call } from '../../support/cluster/checking-client.js'
import type { Instance, PlainAnswer } from '../../support/cluster/cluster-instance.js'
import { type LedgerToken, ledgerToken } from '../../support/cluster/token-ledger.js'

const patienceMs = 15_000

export interface TestApplication {
  applicationId: string
  clientSecret: string
  keyId: string
  tenantId: string
}

/** A new tenant's identifier. */
export async function newTenant(instance: Instance, name = 'Tenant'): Promise<string> {
  return (await provisioned(instance, '/tenants', { name })).tenantId as string
}

/** A new web application with one secret; it may read assets, or only subscriptions when it is `unpermitted`. */
export async function newApplication(
  instance: Instance,
  tenantId: string,
  options: { name?: string; unpermitted?: boolean } = {},
): Promise<TestApplication> {
  const ids = options.unpermitted === true ? ['Subscription.Read.All'] : ['assets_read', 'assets_create']
  const made = await provisioned(instance, '/applications', {
    name: options.name ?? 'Application',
    type: 'web',
    tenantId,
    permissions: ids.map((id) => ({ kind: 'application', id })),
    consent: true,
  })
  const { applicationId, clientSecret, secret } = made as {
    applicationId: string
    clientSecret: string
    secret: { keyId: string }
  }
  return { applicationId, clientSecret, keyId: secret.keyId, tenantId }
}

/** The token endpoint's answer to this application. */
export function askToken(port: number, { applicationId, clientSecret }: TestApplication): Promise<PlainAnswer> {
  const form = {
    grant_type: 'client_credentials',
    client_id: applicationId,
    client_secret: clientSecret,
    scope: 'default',
  }
  return call(port, {
    path: '/api/v2/oauth2/v2.0/token',
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  })
}

/** A token of the application, got from this port. Throws when it is refused. */
export async function newToken(
  port: number,
  application: TestApplication,
  never?: LedgerToken['never'],
): Promise<LedgerToken> {
  const answer = await askToken(port, application)
  if (answer.status !== 200) throw new Error(`no token: ${answer.status} ${answer.body}`)
  return ledgerToken((JSON.parse(answer.body) as { access_token: string }).access_token, never)
}

/** The same token with another signature. */
export function forged(token: LedgerToken): LedgerToken {
  const [head, body, signature = ''] = token.text.split('.')
  const bytes = Buffer.from(signature, 'base64url')
  bytes[10] = (bytes[10] ?? 0) ^ 1
  return { ...token, text: `${head}.${body}.${bytes.toString('base64url')}`, never: 'forged' }
}

/** What a story needs before it begins: an instance that stood still, or heals from the story before, is waited for. */
async function provisioned(instance: Instance, path: string, body: object): Promise<Record<string, unknown>> {
  let answer = await instance.manage('POST', path, body)
  for (const until = performance.now() + patienceMs; answer.status === 503 && performance.now() < until; ) {
    await wait(100)
    answer = await instance.manage('POST', path, body)
  }
  return succeeded(`POST ${path}`, answer)
}

/** One management call that must succeed; its JSON, empty when there was none. */
export async function managed(
  instance: Instance,
  method: string,
  path: string,
  body?: unknown,
): Promise<Record<string, unknown>> {
  return succeeded(`${method} ${path}`, await instance.manage(method, path, body))
}

function succeeded(what: string, { status, body }: PlainAnswer): Record<string, unknown> {
  if (status >= 300) throw new Error(`${what}: ${status} ${body}`)
  return body === '' ? {} : (JSON.parse(body) as Record<string, unknown>)
}

/** Throws when the ledger is not as it was written; how long it is. */
export async function verifyLedger(instance: Instance): Promise<number> {
  const { clean, count, problems } = await managed(instance, 'GET', '/auditEvents/verification')
  if (clean !== true) throw new Error(`the ledger: ${JSON.stringify(problems)}`)
  return Number(count)
}

export interface Cast {
  tenantId: string
  application: TestApplication
  /** Good ones, from every instance. */
  tokens: LedgerToken[]
  /** Turn by turn: mostly good ones, now and then a forged one and one without the permission. */
  next: (turn: number) => LedgerToken | undefined
}

/** What most stories begin with: a tenant, an application, and tokens that every instance has seen. */
export async function newCast(instances: readonly Instance[], tokensEach = 5): Promise<Cast> {
  const [first] = instances
  if (first === undefined) throw new Error('there is no instance')
  const tenantId = await newTenant(first)
  const application = await newApplication(first, tenantId)
  const poor = await newApplication(first, tenantId, { name: 'Poor', unpermitted: true })
  const tokens: LedgerToken[] = []
  for (const { port } of instances) {
    for (let at = 0; at < tokensEach; at += 1) tokens.push(await newToken(port, application))
  }
  const bad = [forged(tokens[0] as LedgerToken), await newToken(first.port, poor, 'unpermitted')]
  const next = (turn: number) => (turn % 25 === 24 ? bad[Math.floor(turn / 50) % 2] : tokens[turn % tokens.length])
  return { tenantId, application, tokens, next }
}
