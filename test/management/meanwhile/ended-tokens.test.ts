// What ends a token ends the requests that it began: a body that is held back until then, and what is between the last
// look and the write.

import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { changeTenant } from '../../../src/directory/tenants/tenants.js'
import { revoke } from '../../../src/revocation/revoke.js'
import { signOutEverywhere } from '../../../src/users/sessions/end-access.js'
import { openWorld, withToken } from '../../support/models/isolation.js'
import { ownResource } from '../../support/rooms/directory.js'
import { type ManagementApp, openManagement, refusal } from '../../support/rooms/management.js'

interface Scene {
  testApp: ManagementApp
  applicationId: string
  keyId: string
  tenantId: string
  token: string
}

/** An application with a token that manages applications. */
async function sceneOf(testApp: ManagementApp): Promise<Scene> {
  const permissions = [{ kind: 'application' as const, resource: ownResource, id: 'Application.ReadWrite.All' }]
  const { registration, secret, keyId, tenantId } = await testApp.registerDemo({ permissions })
  const { applicationId } = registration
  const client = { client_id: applicationId, client_secret: secret, grant_type: 'client_credentials' }
  const answer = await testApp.post('/api/v2/oauth2/v2.0/token', { ...client, scope: 'default' })
  return { testApp, applicationId, keyId, tenantId, token: answer.json().access_token }
}

const asOperator = (method: 'DELETE' | 'PATCH', path: string, body?: unknown) => async (testApp: ManagementApp) => {
  testApp.caller.principal = { kind: 'local' }
  const { statusCode } = await testApp.manage(method, path, body)
  if (statusCode >= 300) throw new Error(`${path}: ${statusCode}`)
}

const endings: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
  'the token is revoked': async ({ testApp, token }) => {
    const [, payload = ''] = token.split('.')
    const { jti } = JSON.parse(Buffer.from(payload, 'base64url').toString())
    return revoke(testApp.writes, { what: 'token', id: jti })
  },
  'its secret is ended': ({ testApp, applicationId, keyId }) =>
    asOperator('DELETE', `/applications/${applicationId}/secrets/${keyId}`)(testApp),
  'its consent is withdrawn': ({ testApp, applicationId, tenantId }) =>
    asOperator('DELETE', `/applications/${applicationId}/consents/${tenantId}`)(testApp),
  'its application is disabled': ({ testApp, applicationId }) =>
    asOperator('PATCH', `/applications/${applicationId}`, { state: 'disabled' })(testApp),
  'its application is deleted': ({ testApp, applicationId }) =>
    asOperator('DELETE', `/applications/${applicationId}`)(testApp),
  'its tenant is disabled': ({ testApp, tenantId }) => changeTenant(testApp.writes, tenantId, { state: 'disabled' }),
  'it is over': async ({ testApp }) => {
    testApp.clock.nowMs += 2 * 3_600_000
  },
}

const ended = { status: 401, code: 'InvalidToken' }

t.test('V5 C9 a body that is held back until its token has ended is refused, whatever it is for', async (t) => {
  for (const [name, end] of Object.entries(endings)) {
    for (const [path, body] of [
      ['/applications', { name: 'late', type: 'web' }],
      ['/explain', { method: 'GET', path: '/api/v2/me' }],
    ] as const) {
      const scene = await sceneOf(await openManagement(t))
      const { testApp, token } = scene
      const { held, isRead } = heldBack(JSON.stringify(body))
      testApp.caller.principal = 'token'
      const answer = testApp.manage('POST', path, held.stream, { authorization: `Bearer ${token}` })
      await isRead
      await end(scene)
      held.send()
      t.match(refusal(await answer), ended, `${path}: ${name}`)
    }
  }
})

t.test('V11 what ends just before the write keeps it from being written', async (t) => {
  for (const [name, end] of Object.entries(endings)) {
    const scene = await sceneOf(await openManagement(t))
    const { testApp, token, applicationId } = scene
    testApp.caller.principal = 'token'
    beforeTheWrite(testApp, () => end(scene))
    const headers = { authorization: `Bearer ${token}` }
    const body = { label: 'one more' }
    t.match(refusal(await testApp.manage('POST', `/applications/${applicationId}/secrets`, body, headers)), ended, name)
  }
})

t.test(
  'V11 a person who is signed out everywhere, or whose consent ends, writes nothing through an application',
  async (t) => {
    for (const name of ['signed out everywhere', 'the consent is withdrawn']) {
      const { testApp, principal, userId } = await delegated(t)
      testApp.caller.principal = principal
      beforeTheWrite(testApp, () =>
        name === 'signed out everywhere'
          ? signOutEverywhere(testApp.deps.users, userId)
          : revoke(testApp.writes, { what: 'grant', id: principal.grantId }),
      )
      t.match(refusal(await testApp.manage('POST', '/applications', { name: 'late', type: 'web' })), ended, name)
    }
  },
)

t.test('while the view is old nobody can say whether a token is still good', async (t) => {
  const scene = await sceneOf(await openManagement(t))
  const { held, isRead } = heldBack('{"name":"late","type":"web"}')
  scene.testApp.caller.principal = 'token'
  const headers = { authorization: `Bearer ${scene.token}` }
  const answer = scene.testApp.manage('POST', '/applications', held.stream, headers)
  await isRead
  Object.assign(scene.testApp.view, { isStale: () => true })
  held.send()
  t.match(refusal(await answer), { status: 503 })
})

async function delegated(t: Test) {
  const testApp = await openManagement(t)
  const world = await openWorld(testApp)
  const userId = world.a.developer
  const principal = withToken(world, world.tenantA, ['Application.ReadWrite.All'], userId)
  if (principal?.kind !== 'delegated') throw new Error('no person')
  return { testApp, principal, userId }
}

/** A body of which nothing comes before `send`; `isRead` when somebody waits for it. */
function heldBack(text: string) {
  let wanted: (() => void) | undefined
  const isRead = new Promise<void>((resolve) => {
    wanted = resolve
  })
  const stream = new Readable({ read: () => wanted?.() })
  const send = () => {
    stream.push(text)
    stream.push(null)
  }
  return { held: { stream, send }, isRead }
}

/** Does `work` after everything was looked at, right before the transaction of the next write. */
function beforeTheWrite(testApp: ManagementApp, work: () => Promise<unknown>): void {
  const { feed } = testApp.writes
  const useFeed = (used: typeof feed) => {
    testApp.writes.feed = used
    testApp.deps.users.feed = used
  }
  useFeed({
    async commit(written) {
      useFeed(feed)
      await work()
      return feed.commit(written)
    },
  })
}
