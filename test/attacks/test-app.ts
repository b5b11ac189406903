// The whole product in this process, with the service behind it and everybody who attacks.

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { createLocalClient } from '../../src/cli/calls/local-client.js'
import { managementCalls } from '../../src/cli/calls/management-calls.js'
import { loadSettings } from '../../src/config/read/load.js'
import { createApp } from '../../src/instance/app.js'
import { freePort } from '../support/programs/program.js'
import { type Test, viaProxy } from '../support/rooms/http-gate.js'
import { forge, testKey } from '../support/tokens/tokens-forge.js'
import { type RawTarget, rawConnection } from '../support/traffic/http-raw.js'
import { until } from '../support/traffic/until.js'
import {
  configuration,
  openapi,
  otherResource,
  outsideAudience,
  outsideIssuer,
  outsideTenant,
} from './configuration.js'
import type { Who } from './targets.js'
import { type Service, startService } from './watched-upstream.js'

export interface People {
  tokens: Record<Who, string | undefined>
  /** As services learn it. */
  applications: Record<Who, string | undefined>
  /** In which those are that are ours, and one in which nobody is. */
  tenants: { own: string; others: string }
}

export interface TestApp extends People {
  at: RawTarget
  /** Where proxies ask. */
  forwardAuth: RawTarget
  service: Service
  /** Lines of the log that are errors. */
  errors: string[]
}

/** Opens it; it ends with the test. */
export async function openTestApp(t: Test): Promise<TestApp> {
  const folder = mkdtempSync(join(tmpdir(), 'pcl-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const service = await startService(t)
  const outsideKey = await testKey('outside-key', 'ES256')
  const file = join(folder, 'portcullis.yaml')
  const [port, forwardAuth] = [await freePort(), await freePort()]
  const outsideKeys = { keys: [{ ...outsideKey.publicKey.export({ format: 'jwk' }), kid: outsideKey.kid, use: 'sig' }] }
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(openapi))
  writeFileSync(file, configuration({ folder, listen: port, forwardAuth, things: service.port, outsideKeys }))
  const errors: string[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => void errors.push(line) })
  const settings = loadSettings({ file, env: {} })
  const app = await createApp({ settings, masterKeys: [randomBytes(32)], version: '0', log })
  t.teardown(() => app.stop())
  await app.start()
  const people = await enrol(createLocalClient(join(folder, 'admin.sock')))
  people.tokens.outsider = forge(outsideKey, outsideClaims(), { typ: 'at+jwt' })
  people.applications.outsider = 'outside:client-1'
  await refused(port, people.tokens.revoked)
  service.received.length = 0
  return { at: { port }, forwardAuth: { port: forwardAuth }, ...people, service, errors }
}

function outsideClaims(): object {
  const now = Math.floor(Date.now() / 1000)
  const about = { iss: outsideIssuer, aud: outsideAudience, sub: 'client-1', azp: 'client-1', tid: outsideTenant }
  return { ...about, scp: 'read', jti: 'one', iat: now, nbf: now, exp: now + 3600 }
}

/** Who attacks. */
async function enrol(client: ReturnType<typeof createLocalClient>): Promise<People> {
  const manage = managementCalls(client)
  const [{ tenantId: own }, { tenantId: others }] = [
    await manage.createTenant({ name: 'Attackers' }),
    await manage.createTenant({ name: 'Others' }),
  ]
  const none = { lacking: '', revoked: '', reader: '', foreign: '', outsider: '' }
  const tokens: People['tokens'] = { nobody: undefined, ...none }
  const applications: People['applications'] = { ...tokens }
  const application = async (who: Who, ids: readonly string[], resource?: string) => {
    const permissions = ids.map((id) => ({
      kind: 'application' as const,
      id,
      ...(resource === undefined ? {} : { resource }),
    }))
    const about = { name: who, type: 'web', tenantId: own, permissions, consent: true } as const
    const made = await manage.createApplication(about)
    const { access_token: token } = await manage.issueToken(made.applicationId, {})
    tokens[who] = token
    applications[who] = made.applicationId
  }
  await application('lacking', ['unrelated'])
  await application('revoked', ['read', 'write', 'unrelated'])
  await application('reader', ['read'])
  await application('foreign', ['look'], otherResource)
  await manage.revoke({ what: 'token', token: tokens.revoked ?? '' })
  return { tokens, applications, tenants: { own, others } }
}

/** Until the revocation is known. */
async function refused(port: number, token: string | undefined): Promise<void> {
  await until('the revoked token is refused', async () => {
    const connection = await rawConnection({ port })
    connection.send(`GET /guarded HTTP/1.1\r\n${viaProxy}Authorization: Bearer ${token}\r\n\r\n`)
    const { status } = await connection.answer()
    connection.end()
    return status === 401
  })
}
