// Consent withdrawn in one instance, on a page, by the person: the other instance's API refuses the access token. Two
// processes of the program as it ships, on one PostgreSQL and one Redis.
// full: two instances on PostgreSQL and Redis
// run: apart

import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { createFormBrowser } from '../support/browser/form-browser.js'
import { call } from '../support/cluster/checking-client.js'
import { startCluster } from '../support/cluster/cluster.js'
import { clusterHost, patientWithStore } from '../support/cluster/cluster-configuration.js'
import type { Instance } from '../support/cluster/cluster-instance.js'
import { pkcePair } from '../support/rooms/delegation.js'
import { decided } from '../support/traffic/until.js'

t.setTimeout(180_000)
const rounds = 20
const boundMs = 1000
const password = 'seven unrelated green words'
const redirectUri = 'https://app.test/callback'

t.test('C9 V5 consent withdrawn in one instance: the other one refuses within a second', async (t) => {
  const cluster = await startCluster(t, { instances: 2, configure: patientWithStore })
  const [one, two] = cluster.instances as [Instance, Instance]
  const { applicationId, clientSecret } = await provide(one)
  const browser = createFormBrowser(`https://${clusterHost}`, ({ method, url, headers, payload }) =>
    decided(() => call(one.port, { method, path: url, headers, ...(payload === undefined ? {} : { body: payload }) })),
  )
  const client = { client_id: applicationId, client_secret: clientSecret }
  /**
   * Of each round, from the answer on: when the last request was sent that the other let through, and its first
   * refusal.
   */
  const accepted: number[] = []
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const { verifier, challenge } = pkcePair()
    const params = {
      ...{ client_id: applicationId, redirect_uri: redirectUri, response_type: 'code' },
      ...{ scope: 'assets_read offline_access', code_challenge: challenge, code_challenge_method: 'S256' },
    }
    await browser.open(`/api/v2/oauth2/v2.0/authorize?${new URLSearchParams(params)}`)
    if (round === 0) await browser.submit({ email: 'mia@contoso.test', password }, { form: 'sign-in-form' })
    t.equal(browser.page.title, 'Allow this application?', 'prompted again each time')
    await browser.submit({}, { form: 'consent', button: 'accept' })
    const code = new URL(browser.page.left ?? '').searchParams.get('code') ?? ''
    const redeemed = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier }
    const tokens = await ask(two, { ...redeemed, ...client })
    for (const instance of [one, two]) t.equal(await callApi(instance, tokens.access_token), 200)

    await browser.open('/account/apps')
    const form = /<form id="(form-own-[^"]+)"/.exec(browser.page.body)?.[1]
    await browser.submit({}, form === undefined ? {} : { form })
    const answeredMs = performance.now()
    t.equal(await callApi(one, tokens.access_token), 401, 'at once where it was withdrawn')
    let acceptedMs = 0
    for (;;) {
      const sentMs = performance.now() - answeredMs
      const status = await callOnce(two, tokens.access_token)
      if (status === 401) break
      if (sentMs > 10_000) throw new Error('the other instance did not refuse within 10 s')
      if (status < 300) acceptedMs = sentMs
      await wait(5)
    }
    accepted.push(acceptedMs)
    times.push(performance.now() - answeredMs)
    const refreshed = await ask(two, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, ...client })
    t.equal(refreshed.error, 'invalid_grant')
  }
  times.sort((a, b) => a - b)
  const at = (part: number) => `${(times[Math.ceil(times.length * part) - 1] ?? 0).toFixed(1)} ms`
  t.comment(
    `${rounds} withdrawals, from the answer to the refusal by the other: p50 ${at(0.5)}, p95 ${at(0.95)}, max ${at(1)}`,
  )
  t.ok(Math.max(...accepted) < boundMs, 'what was sent later was let through by nobody')
})

/** A person with a password, and an application that may ask for assets_read. */
async function provide(instance: Instance): Promise<{ applicationId: string; clientSecret: string }> {
  const managed = async (path: string, body: unknown) => {
    const answer = await instance.manage('POST', path, body)
    if (answer.status !== 201) throw new Error(answer.body)
    return JSON.parse(answer.body)
  }
  const { tenantId } = await managed('/tenants', { name: 'Contoso' })
  await managed('/users', { email: 'mia@contoso.test', name: 'Mia Member', password, tenantId, role: 'member' })
  return managed('/applications', {
    ...{ name: 'Reports', type: 'web', tenantId, redirectUris: [redirectUri] },
    permissions: [{ kind: 'delegated', id: 'assets_read' }],
  })
}

async function ask(instance: Instance, form: Record<string, string>) {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const body = new URLSearchParams(form).toString()
  const answer = await decided(() =>
    call(instance.port, { path: '/api/v2/oauth2/v2.0/token', method: 'POST', headers, body }),
  )
  return JSON.parse(answer.body) as { access_token: string; refresh_token: string; error?: string }
}

async function callApi(instance: Instance, token: string): Promise<number> {
  return (await decided(async () => ({ status: await callOnce(instance, token) }))).status
}

/** Status of a call through the gate; 503 when the instance cannot tell now. */
async function callOnce(instance: Instance, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  return (await call(instance.port, { path: '/api/v2/check/1', headers })).status
}
