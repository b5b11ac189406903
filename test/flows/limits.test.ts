// Limits as clients meet them: exact counts in a crowd, structured headers, one bucket for both spellings, and a flood
// of wrong secrets that does not lock the owner out.
// full: a crowd and a flood against a program
// run: apart

import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseList } from 'structured-headers'
import t from 'tap'
import { parseDocument } from 'yaml'
import { defaultConfigFile } from '../../src/config/read/package-root.js'
import { call, demoCredential, demoToken, tokenRequest } from '../support/programs/demo.js'
import { startProgram } from '../support/programs/program.js'

/** The default configuration with other limits, in a file of the test's own. */
function configuration(folder: string, limits: Record<string, unknown>, more: Record<string, unknown> = {}): string {
  const document = parseDocument(readFileSync(defaultConfigFile(), 'utf8'))
  for (const [name, policy] of Object.entries(limits)) document.setIn(['limits', name], policy)
  for (const [path, value] of Object.entries(more)) document.setIn(path.split('.'), value)
  const file = join(folder, 'portcullis.yaml')
  writeFileSync(file, document.toString())
  cpSync(join(defaultConfigFile(), '..', 'portcullis.schema.json'), join(folder, 'portcullis.schema.json'))
  return file
}

t.test('an application limit admits exactly its number in parallel, and says so in structured fields', async (t) => {
  const cwd = t.testdir()
  const config = configuration(cwd, { application: { by: 'application', quota: '20/h' } })
  const program = await startProgram({ cwd, config })
  t.teardown(() => program.stop())
  const token = await demoToken(program)
  const answers = await Promise.all(
    Array.from({ length: 60 }, () => call(program, '/api/v2/me', { headers: { authorization: `Bearer ${token}` } })),
  )
  t.equal(answers.filter((answer) => answer.status === 200).length, 20)
  const refused = answers.find((answer) => answer.status === 429)
  t.match(refused?.headers['retry-after'], /^\d+$/)
  t.equal(JSON.parse(refused?.body ?? '{}').error.code, 'TooManyRequests')
  for (const answer of [answers[0], refused]) {
    const policies = parseList(String(answer?.headers['ratelimit-policy']))
    t.ok(policies.length >= 1, 'RateLimit-Policy is a list')
    t.ok(policies.every(([, parameters]) => typeof parameters.get('q') === 'number'))
    t.ok(
      parseList(String(answer?.headers['ratelimit'])).every(
        ([, parameters]) => typeof parameters.get('r') === 'number',
      ),
    )
  }
})

t.test('T23 both spellings of the token endpoint are one bucket', async (t) => {
  const cwd = t.testdir()
  const config = configuration(cwd, { token: { by: 'address', quota: '6/h' } }, { 'defaults.tokenLimits': ['token'] })
  const program = await startProgram({ cwd, config })
  t.teardown(() => program.stop())
  const { clientId, clientSecret } = demoCredential(program)
  const fields = {
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    scope: 'default',
  }
  const paths = ['/api/v2/oauth2/v2.0/token', '/API/v2/OAuth/token', '/api/V2/oauth/TOKEN']
  const statuses: number[] = []
  for (let i = 0; i < 9; i++) statuses.push((await tokenRequest(program, fields, paths[i % 3])).status)
  t.same(statuses, [200, 200, 200, 200, 200, 200, 429, 429, 429])
})

t.test('K7 a flood of wrong secrets from one address does not lock the owner out elsewhere', async (t) => {
  const cwd = t.testdir()
  const config = configuration(cwd, {}, { 'server.trustedProxies': ['127.0.0.1/32'] })
  const program = await startProgram({ cwd, config })
  t.teardown(() => program.stop())
  const { clientId, clientSecret } = demoCredential(program)
  const from = (address: string, secret: string) =>
    call(program, '/api/v2/oauth2/v2.0/token', {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-forwarded-for': address,
        'x-forwarded-proto': 'https',
      },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: secret,
        scope: 'default',
      }).toString(),
    })
  const flood = await Promise.all(Array.from({ length: 40 }, () => from('198.51.100.9', `${clientSecret}x`)))
  const wrong = flood.filter((answer) => answer.status === 401).length
  t.ok(wrong >= 1 && wrong <= 10, `${wrong} attempts were looked at`)
  t.equal(flood.length - wrong, flood.filter((answer) => answer.status === 429).length)
  t.equal((await from('198.51.100.9', clientSecret)).status, 429, 'that address is locked for this client')
  t.equal((await from('203.0.113.4', clientSecret)).status, 200, 'the owner elsewhere is not')
})
