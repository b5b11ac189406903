// Anyone who may make and end credentials may do so in a loop: what that leaves behind has an end, and no token that
// was issued before is good again because of it.
// full: thousands of credentials, made and ended

import { randomUUID } from 'node:crypto'
import t from 'tap'
import { changeApplication } from '../../src/directory/applications/application-changes.js'
import {
  addFederatedCredential,
  removeFederatedCredential,
} from '../../src/directory/credentials/federated-credentials.js'
import { addSecret, endSecret, rotateSecret } from '../../src/directory/credentials/secrets.js'
import { clientKeyCredential } from '../../src/oauth/secrets/client-key-credential.js'
import { createRevocationView, type RevocationFollower } from '../../src/revocation/revocation-view.js'
import type { Store } from '../../src/storage/sql/store.js'
import { openDirectory } from '../support/rooms/directory.js'
import { newKeyPair } from '../support/tokens/key-pair.js'

t.setTimeout(240_000)
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const credentials = 20
const bounds = { perApplication: 5_000, perUser: 500, credentials }

/** A directory with a view, an application, and the way to a token of one of its credentials. */
async function open(t: Parameters<typeof openDirectory>[0]) {
  const views: RevocationFollower[] = []
  let clock = () => 0
  const testApp = await openDirectory(t, {
    followers: ({ feed }) => {
      const options = { feed, staleAfterMs: 600_000, horizonMs: dayMs, now: () => clock() }
      views.push(createRevocationView(options))
      return views
    },
  })
  clock = testApp.now
  const [view] = views
  if (view === undefined) throw new Error('there is no view')
  const { registration } = await testApp.registerDemo()
  const { applicationId, tenantId } = registration
  const tokenOf = (credentialId: string) => ({
    ...{ jti: randomUUID(), credentialId, applicationId, tenantId, seq: view.seq },
  })
  return { ...testApp, view, applicationId, tokenOf, deps: { ...testApp.writes, bounds } }
}

async function rowsOf(store: Store, what: 'credential' | 'application'): Promise<number> {
  const rows = await store.reader.selectFrom('revocations').select('id').where('what', '=', what).execute()
  return rows.length
}

t.test(
  'gateway H6: a loop of federated credentials leaves so many revocations, and every token is refused',
  async (t) => {
    const { store, view, deps, applicationId, tokenOf, now } = await open(t)
    const tokens = []
    for (let at = 0; at < 2_000; at += 1) {
      const input = { name: 'loop', issuer: 'https://issuer.test', subject: `subject ${at}` }
      const { id } = await addFederatedCredential(deps, applicationId, input)
      tokens.push(tokenOf(id))
      await removeFederatedCredential(deps, { applicationId, id })
    }
    t.equal(await rowsOf(store, 'credential'), credentials)
    t.equal(await rowsOf(store, 'application'), 1, 'the others are one of the application')
    t.ok(view.entries <= credentials + 1, `${view.entries} entries`)
    t.equal(tokens.filter((token) => view.refusal(token, now()) === undefined).length, 0, 'all are refused')
    const { keyId } = await addSecret(deps, applicationId, { label: 'next', lifetimeMs: dayMs })
    t.equal(view.refusal(tokenOf(keyId), now()), undefined, 'a later one is not')
  },
)

t.test('gateway H6: a loop of secrets is refused after so many a day, and leaves so many revocations', async (t) => {
  const { store, view, deps, applicationId, tokenOf, now, clock } = await open(t)
  const tokens = []
  for (let at = 0; at < 199; at += 1) {
    const { keyId } = await addSecret(deps, applicationId, { label: 'loop', lifetimeMs: dayMs })
    tokens.push(tokenOf(keyId))
    await endSecret(deps, { applicationId, keyId })
  }
  const another = () => addSecret(deps, applicationId, { label: 'loop', lifetimeMs: dayMs })
  await t.rejects(another(), { code: 'TooManySecrets', message: /at most 200 new secrets a day/ })
  const rotated = rotateSecret(deps, applicationId, { label: 'loop', lifetimeMs: dayMs, overlapMs: 1 })
  await t.rejects(rotated, { code: 'TooManySecrets' }, 'nor by rotating')
  t.equal(await rowsOf(store, 'credential'), credentials)
  t.equal(await rowsOf(store, 'application'), 1)
  t.ok(view.entries <= credentials + 1, `${view.entries} entries`)
  t.equal(tokens.filter((token) => view.refusal(token, now()) === undefined).length, 0)
  for (let day = 1; day <= 3; day += 1) {
    clock.nowMs += dayMs + 1
    for (let at = 0; at < 199; at += 1) await endSecret(deps, { applicationId, keyId: (await another()).keyId })
  }
  const left = await store.reader.selectFrom('application_secrets').select('key_id').execute()
  t.ok(left.length <= 600, `${left.length} rows: ended ones do not stay for months where there are many`)
})

t.test('gateway H6: exchanging keys in a loop leaves so many revocations', async (t) => {
  const { store, view, deps, applicationId, tokenOf, now } = await open(t)
  const { publicKey } = await newKeyPair('ec', { namedCurve: 'P-256' })
  const jwk = publicKey.export({ format: 'jwk' })
  const setOf = (kid: string) => ({ keys: [{ ...jwk, kid }] })
  await changeApplication(deps, applicationId, { authMethod: 'private_key_jwt', jwks: setOf('k0') })
  const tokens = []
  for (let at = 0; at < 100; at += 1) {
    tokens.push(tokenOf(clientKeyCredential(applicationId, `k${at}`)))
    await changeApplication(deps, applicationId, { jwks: setOf(`k${at + 1}`) })
  }
  t.equal(await rowsOf(store, 'credential'), credentials)
  t.equal(await rowsOf(store, 'application'), 1)
  t.equal(tokens.filter((token) => view.refusal(token, now()) === undefined).length, 0)
})
