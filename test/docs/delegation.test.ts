// The page about calling on for a person, as it stands there: its commands and its program, an agent with somebody's
// consent, and what the API at the end receives.
// run: apart

import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import t from 'tap'
import { defaultConfigFile } from '../../src/config/read/package-root.js'
import { accepts } from '../support/programs/accepts.js'
import { call, tokenRequest } from '../support/programs/demo.js'
import { browseProgram, signInAndAccept } from '../support/programs/people-program.js'
import { plantSetUpLink } from '../support/programs/planted-link.js'
import { type Program, programWords, startProgram } from '../support/programs/program.js'
import { steadyPort } from '../support/programs/steady-port.js'
import { pkcePair } from '../support/rooms/delegation.js'
import { documentedBlock } from '../support/settings/documentation.js'
import { plainEnvironment } from '../support/settings/plain-environment.js'
import { until } from '../support/traffic/until.js'

const person = { name: 'Ada Lovelace', email: 'ada@contoso.test', password: 'seven unrelated green words' }
const callback = 'http://127.0.0.1/callback'

function run(program: Program, script: string) {
  const words = programWords().map((word) => `'${word}'`)
  return spawn('sh', ['-e', '-c', `portcullis() { ${words.join(' ')} "$@"; }\n${script}`], {
    cwd: program.cwd,
    env: { ...plainEnvironment(), ...program.env },
  })
}

function sh(program: Program, script: string): Promise<{ code: number | null; out: string }> {
  const child = run(program, script)
  let out = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (out += chunk.toString()))
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out })))
}

/** An access token of the agent for the person, who signs in and accepts. */
async function agentToken(program: Program, client_id: string): Promise<string> {
  const { verifier, challenge } = pkcePair()
  const scope = `${program.baseUrl}/desk/desk.read`
  const query = { client_id, redirect_uri: callback, response_type: 'code', scope, state: 's' }
  const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }
  const browser = browseProgram(program)
  await browser.open(`/api/v2/oauth2/v2.0/authorize?${new URLSearchParams({ ...query, ...pkce })}`)
  await signInAndAccept(browser, person)
  const code = new URL(browser.page.left ?? 'about:blank').searchParams.get('code') ?? ''
  const form = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier, client_id }
  return JSON.parse((await tokenRequest(program, form)).body).access_token
}

t.test('T28 the documented service calls on for its caller’s person', { timeout: 400_000 }, async (t) => {
  // A socket's path has room for 103 bytes.
  const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  mkdirSync(join(cwd, 'config', 'conf.d'), { recursive: true })
  const config = join(cwd, 'config', 'portcullis.yaml')
  writeFileSync(config, readFileSync(defaultConfigFile()))
  const program = await startProgram({ cwd, env: { PORTCULLIS_CONFIG: config } })
  t.teardown(() => program.stop())
  const browser = browseProgram(program)
  await browser.open(await plantSetUpLink(program))
  await browser.submit(person, { form: 'set-up-form' })

  const received: Record<string, unknown>[] = []
  const billing = createServer(({ headers }, response) => {
    received.push({ ...decodeJwt(String(headers.authorization).replace('Bearer ', '')) })
    response.end('two invoices')
  })
  await new Promise<void>((resolve) => billing.listen(0, '127.0.0.1', resolve))
  t.teardown(() => billing.close())
  const ports = { desk: await steadyPort(), billing: (billing.address() as AddressInfo).port }
  const block = (marker: string) =>
    (documentedBlock(marker) ?? `there is no block with ${marker}`)
      .replaceAll('https://localhost:8443', program.baseUrl)
      .replaceAll('3001', String(ports.desk))
      .replaceAll('3002', String(ports.billing))

  const made = await sh(program, `${block('app create desk')}\nportcullis app show agent -o json`)
  t.equal(made.code, 0, made.out)
  const agent = /"applicationId": *"([^"]+)"/.exec(made.out)?.[1] ?? ''
  const desk = /^PORTCULLIS_CLIENT_ID=(\S+)$/m.exec(readFileSync(join(cwd, 'data', 'desk.env'), 'utf8'))?.[1]
  writeFileSync(join(cwd, 'desk.mjs'), block("grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange'"))
  const service = run(program, block('desk.mjs').replace(/^(\S+) node/, `export $1; exec '${process.execPath}'`))
  t.teardown(() => void service.kill())
  await until('the service listens', () => accepts(ports.desk))

  const token = await agentToken(program, agent)
  const ask = (path: string) => call(program, path, { headers: { authorization: `Bearer ${token}` } })
  const answer = await ask('/desk/tickets')
  t.match(answer, { status: 200, body: 'two invoices' })
  t.match(received, [
    {
      aud: 'billing',
      sub: decodeJwt(token).sub,
      client_id: desk,
      scope: 'billing.read',
      act: { sub: desk, act: { sub: agent } },
    },
  ])
  t.equal((await ask('/billing/invoices')).status, 401, 'the agent’s own token is for the help desk')

  const less = await sh(program, `portcullis app permission remove agent ${program.baseUrl}/billing/billing.read --yes`)
  t.equal(less.code, 0, less.out)
  const after = await agentToken(program, agent)
  const refused = await call(program, '/desk/tickets', { headers: { authorization: `Bearer ${after}` } })
  t.match(refused, { status: 502, body: /billing\.read is more than the caller/ })
  t.equal(received.length, 1)
})
