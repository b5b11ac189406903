// `portcullis app federation …` and `portcullis registration-token …` against a stand-in for the server.

import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { commandsAgainst } from '../support/rooms/cli.js'

const applicationId = '7a1c1c3e-0000-4000-8000-000000000001'
const tenantId = '7a1c1c3e-0000-4000-8000-00000000000a'
const tokenId = '7a1c1c3e-0000-4000-8000-0000000000cc'
const trust = { name: 'orders', issuer: 'https://issuer.example', subject: 'orders', audience: 'https://gate.test' }
const credential = { id: 'fed_0000000000001', ...trust, jwks: null, createdAt: '', lastUsedAt: null }
const permission = { kind: 'delegated', resource: 'https://gate.test/api/v2', id: 'User.Read' }
const token = {
  ...{ id: tokenId, tenantId, label: 'pipeline', createdBy: '', permissions: [permission], usesLeft: 3 },
  ...{ createdAt: '2026-11-21T10:00:00.000Z', expiresAt: '2026-11-22T10:00:00.000Z' },
}
const made = { ...token, token: 'pcl_it_secret', registrationEndpoint: 'https://gate.test/register' }
const federated = `/api/v2/applications/${applicationId}/federatedCredentials`
const answers: Record<string, object> = {
  'GET /api/v2/tenants': { value: [{ tenantId, name: 'home', state: 'enabled', createdAt: '' }] },
  'GET /api/v2/applications/hello': { applicationId, type: 'web' },
  [`POST ${federated}`]: credential,
  [`GET ${federated}`]: { value: [credential] },
  [`DELETE ${federated}/fed_0000000000001`]: {},
  'POST /api/v2/registrationTokens': made,
  'GET /api/v2/registrationTokens': { value: [token] },
  [`GET /api/v2/registrationTokens?tenantId=${tenantId}`]: { value: [] },
  [`DELETE /api/v2/registrationTokens/${tokenId}`]: {},
}

t.test('app federation add, list and remove', async (t) => {
  const { cwd, requests, run } = await commandsAgainst(t, answers)
  const issuer = '--issuer https://issuer.example --subject orders'
  const added = await run(`app federation add hello ${issuer}`)
  t.equal(added.code, 0, added.err)
  t.same(requests.at(-1)?.body, { name: 'orders', issuer: 'https://issuer.example', subject: 'orders' })
  t.match(added.out, /fed_0000000000001[\s\S]*fetched from the issuer/)
  writeFileSync(join(cwd, 'keys.json'), '{"keys":[{"kid":"a"}]}')
  const keyed = await run(`app federation add hello ${issuer} --audience api://x --name one --jwks keys.json -o env`)
  t.equal(keyed.code, 0, keyed.err)
  t.match(requests.at(-1)?.body, { name: 'one', audience: 'api://x', jwks: { keys: [{ kid: 'a' }] } })
  t.match(keyed.out, /^PORTCULLIS_FEDERATED_CREDENTIAL=fed_0000000000001$/m)
  const listed = await run('app federation list hello')
  t.match(listed.out, /orders +https:\/\/issuer.example +orders +https:\/\/gate.test +never/)
  t.same(JSON.parse((await run('app federation list hello -o json')).out), { value: [credential] })
  const removed = await run('app federation remove hello fed_0000000000001 --yes')
  t.match([removed.code, removed.err], [0, /have ended/])
})

t.test('app federation refuses what is not said, what cannot be read, and what is not there', async (t) => {
  const { run } = await commandsAgainst(t, answers)
  t.equal((await run('app federation add hello --issuer https://issuer.example')).code, 2)
  t.equal((await run('app federation add hello --subject x')).code, 2)
  t.equal((await run('app federation add hello --issuer x --subject y --jwks none.json')).code, 2)
  t.equal((await run('app federation list nobody')).code, 3)
  t.equal((await run('app federation remove hello fed_x --yes')).code, 3)
})

t.test('registration-token create, list and revoke; the token is shown once or kept in a file', async (t) => {
  const { cwd, requests, run } = await commandsAgainst(t, answers)
  const created = await run(
    'registration-token create pipeline --uses 3 --expires 90m --tenant home --permission User.Read',
  )
  t.equal(created.code, 0, created.err)
  const permissions = [{ kind: 'delegated', id: 'User.Read' }]
  t.same(requests.at(-1)?.body, { label: 'pipeline', tenantId, uses: 3, expiresInHours: 2, permissions })
  t.match(created.out, /pcl_it_secret/)
  t.match((await run('registration-token create x -o env')).out, /^PORTCULLIS_REGISTRATION_TOKEN=pcl_it_secret$/m)
  t.same(JSON.parse((await run('registration-token create x -o json')).out), made)
  const kept = await run('registration-token create x --secret-file token.txt -o json')
  t.equal(kept.code, 0, kept.err)
  t.notMatch(kept.out, /pcl_it_secret/)
  t.equal(readFileSync(join(cwd, 'token.txt'), 'utf8'), 'pcl_it_secret\n')
  t.equal(statSync(join(cwd, 'token.txt')).mode & 0o777, 0o600)
  t.equal((await run('registration-token create x --secret-file token.txt')).code, 2, 'nothing is overwritten')
  t.match((await run('registration-token list')).out, /pipeline +3 .*delegated:User.Read/)
  t.same(JSON.parse((await run('registration-token list --tenant home -o json')).out), { value: [] })
  t.equal((await run(`registration-token revoke ${tokenId} --yes`)).code, 0)
  t.equal((await run('registration-token revoke nobody --yes')).code, 3)
  t.equal((await run('registration-token create x --uses 0')).code, 2)
})
