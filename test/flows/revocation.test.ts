// Cut off: by the API, by the command line, by a disabled application or tenant, by a rotated or expired secret. Each
// time the very next call on a kept-alive connection with a token that the gate has in its cache is refused.
// full: every way of cutting off, against a program
// run: apart

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createLocalClient } from '../../src/cli/calls/local-client.js'
import {
  type Answer,
  call,
  demoCredential,
  demoToken,
  keptAlive,
  portcullis,
  tokenRequest,
} from '../support/programs/demo.js'
import { type Program, startProgram } from '../support/programs/program.js'

interface Caller {
  token: string
  me(): Promise<Answer>
}

/** A token that has been used on the connection that it will be used on again. */
async function caller(t: Test, program: Program, token: string): Promise<Caller> {
  const agent = keptAlive(program)
  t.teardown(() => agent.destroy())
  const me = () => call(program, '/api/v2/me', { agent, headers: { authorization: `Bearer ${token}` } })
  for (const _ of [1, 2]) t.equal((await me()).status, 200, 'accepted before')
  return { token, me }
}

function refused(t: Test, answer: Answer): void {
  t.equal(answer.status, 401)
  t.match(answer.headers['www-authenticate'], /^Bearer .*error="invalid_token"/)
}

async function application(t: Test, program: Program, name: string, more: string[] = []) {
  const words = [
    'app',
    'create',
    name,
    '--type',
    'web',
    '--permission',
    'User.Read.All',
    '--consent',
    '-o',
    'json',
    ...more,
  ]
  const { code, stdout, stderr } = await portcullis(program, words)
  t.equal(code, 0, stderr)
  const { applicationId, publicKey, clientSecret } = JSON.parse(stdout) as Record<string, string>
  const fields = {
    grant_type: 'client_credentials',
    client_id: publicKey ?? '',
    client_secret: clientSecret ?? '',
    requested_scopes: 'User.Read.All',
  }
  const answer = await tokenRequest(program, fields)
  t.equal(answer.status, 200, answer.body)
  return { applicationId: applicationId ?? '', fields, token: JSON.parse(answer.body).access_token as string }
}

t.test('V5 V9 what is revoked is refused at the next call, also after kill -9 and a new start', async (t) => {
  // A socket's path has room for 103 bytes, and tap's own folders are named after the whole test.
  const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  const program = await startProgram({ cwd })
  t.teardown(() => program.stop('SIGKILL'))
  const gone: string[] = []
  /** What got tokens once, and gets none any more. */
  const ended: Record<string, string>[] = []

  await t.test('a token, by RFC 7009', async (t) => {
    const { clientId, clientSecret } = demoCredential(program)
    const { token, me } = await caller(t, program, await demoToken(program))
    const bystander = await caller(t, program, await demoToken(program))
    const answer = await tokenRequest(
      program,
      { token, client_id: clientId, client_secret: clientSecret },
      '/api/v2/oauth2/v2.0/revoke',
    )
    t.equal(answer.status, 200)
    refused(t, await me())
    t.equal((await bystander.me()).status, 200, 'another token of the same application goes on')
    gone.push(token)
  })

  await t.test('a token, by the command line', async (t) => {
    const { token, me } = await caller(t, program, await demoToken(program))
    t.equal((await portcullis(program, ['revoke', 'token', token])).code, 0)
    refused(t, await me())
    gone.push(token)
  })

  await t.test('all tokens of an application, which may go on with new ones', async (t) => {
    const { applicationId, fields, token } = await application(t, program, 'revoked-app')
    const { me } = await caller(t, program, token)
    t.equal((await portcullis(program, ['revoke', 'application', applicationId, '--yes'])).code, 0)
    refused(t, await me())
    const next = await tokenRequest(program, fields)
    await caller(t, program, JSON.parse(next.body).access_token)
    gone.push(token)
  })

  await t.test('a disabled application, which gets no new ones either', async (t) => {
    const { applicationId, fields, token } = await application(t, program, 'disabled-app')
    const { me } = await caller(t, program, token)
    t.equal((await portcullis(program, ['app', 'disable', applicationId, '--yes'])).code, 0)
    refused(t, await me())
    const next = await tokenRequest(program, fields)
    t.equal(next.status, 401)
    t.equal(JSON.parse(next.body).error, 'invalid_client')
    gone.push(token)
    ended.push(fields)
  })

  await t.test('a rotated secret: its tokens stop, the new secret works', async (t) => {
    const { applicationId, fields, token } = await application(t, program, 'rotated-app')
    const { me } = await caller(t, program, token)
    const { code, stdout } = await portcullis(program, ['app', 'rotate', applicationId, '--yes', '-o', 'json'])
    t.equal(code, 0)
    refused(t, await me())
    t.equal((await tokenRequest(program, fields)).status, 401, 'the old secret is refused')
    const next = await tokenRequest(program, { ...fields, client_secret: JSON.parse(stdout).clientSecret })
    await caller(t, program, JSON.parse(next.body).access_token)
    gone.push(token)
    ended.push(fields)
  })

  await t.test('K3 a secret that ends in its overlap takes its tokens along when it ends', async (t) => {
    const { applicationId, fields, token } = await application(t, program, 'overlapping-app')
    const { me } = await caller(t, program, token)
    // A command takes its time to start, so a call within the overlap goes to the socket that the command would use.
    t.equal((await portcullis(program, ['app', 'rotate', applicationId, '--overlap', '9s'])).code, 0)
    t.equal((await tokenRequest(program, fields)).status, 200, 'the old secret works in the overlap')
    t.equal((await me()).status, 200)
    const shown = await createLocalClient(join(cwd, 'data', 'admin.sock')).call('GET', `/applications/${applicationId}`)
    const ends = (shown as { secrets: { endsAt: string }[] }).secrets.map((secret) => Date.parse(secret.endsAt))
    const first = Math.min(...ends)
    t.ok(first > Date.now() && first <= Date.now() + 9_000, 'the end is known')
    while (Date.now() < first) await new Promise((resolve) => setTimeout(resolve, first - Date.now()))
    refused(t, await me())
    t.equal((await tokenRequest(program, fields)).status, 401, 'and so is the secret')
    gone.push(token)
    ended.push(fields)
  })

  await t.test('a disabled tenant', async (t) => {
    const created = await portcullis(program, ['tenant', 'create', 'Second', '-o', 'json'])
    t.equal(created.code, 0, created.stderr)
    const { tenantId } = JSON.parse(created.stdout)
    const { token } = await application(t, program, 'tenant-app', ['--tenant', tenantId])
    const { me } = await caller(t, program, token)
    const bystander = await caller(t, program, await demoToken(program))
    t.equal((await portcullis(program, ['tenant', 'disable', tenantId, '--yes'])).code, 0)
    refused(t, await me())
    t.equal((await bystander.me()).status, 200, 'another tenant goes on')
    gone.push(token)
  })

  await program.stop('SIGKILL')
  const ports = { public: Number(new URL(program.baseUrl).port), operator: Number(new URL(program.operatorUrl).port) }
  const again = await startProgram({ cwd, ports })
  t.teardown(() => again.stop())
  for (const token of gone)
    refused(t, await call(again, '/api/v2/me', { headers: { authorization: `Bearer ${token}` } }))
  t.equal(gone.length, 7)
  for (const fields of ended) t.equal((await tokenRequest(again, fields)).status, 401, 'and gets no token')
  t.equal(ended.length, 3)
})
