// `check` for a pipeline: what a start in production would refuse, it refuses, with the same sentences and exit code.

import { createPrivateKey, randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { defaultConfigFile } from '../../../src/config/read/package-root.js'
import { ensureDevelopmentCertificate } from '../../../src/http/tls/development-ca.js'
import { runCommand } from '../../support/rooms/cli.js'
import { documentedBlock } from '../../support/settings/documentation.js'

const check = (cwd: string, env: NodeJS.ProcessEnv, ...argv: string[]) => runCommand(['check', ...argv], { cwd, env })

t.test('production is refused on development material, however production is named', async (t) => {
  const cwd = t.testdir()
  const named = await check(cwd, { PORTCULLIS_MODE: 'production' })
  t.equal(named.code, 2)
  for (const reason of [
    /^server\.baseUrl is https:\/\/localhost/m,
    /^server\.tls is /m,
    /^secrets\.masterKeys is empty/m,
  ])
    t.match(named.out, reason)
  t.match(named.err, /a start in production mode would be refused, 3 reasons/)
  t.same(await check(cwd, {}, '--mode', 'production'), named)
  writeFileSync(
    join(cwd, 'own.yaml'),
    readFileSync(defaultConfigFile(cwd), 'utf8').replace(/^mode: .*/m, 'mode: development'),
  )
  t.equal((await check(cwd, {}, 'own.yaml', '--mode', 'production')).code, 2, 'also where the file says otherwise')
  t.equal((await check(cwd, {}, 'own.yaml')).code, 0)
  const problems = JSON.parse((await check(cwd, {}, '--mode', 'production', '-o', 'json')).out) as { message: string }[]
  t.equal(problems.length, 3)
  t.equal((await check(cwd, { PORTCULLIS_MODE: 'production' }, '--mode', 'development')).code, 0)
})

t.test('what production needs can all be said by the environment, the certificate too', async (t) => {
  const cwd = t.testdir()
  const { certFile, keyFile } = await ensureDevelopmentCertificate(join(cwd, 'made'))
  writeFileSync(join(cwd, 'keys'), `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 })
  const env = {
    PORTCULLIS_MODE: 'production',
    PORTCULLIS_BASE_URL: 'https://api.example.com',
    PORTCULLIS_MASTER_KEYS: `file:${join(cwd, 'keys')}`,
    PORTCULLIS_TLS: `${certFile},${keyFile}`,
  }
  t.match(await check(cwd, env), { code: 0, err: /is good for production: \d+ routes/ })
  const [, ...words] = (documentedBlock('portcullis check --mode') ?? '').trim().split(' ')
  t.match(await runCommand(words, { cwd, env: { ...env, PORTCULLIS_MODE: '' } }), {
    code: 0,
    err: /good for production/,
  })
  const other = await ensureDevelopmentCertificate(join(cwd, 'other'))
  const mixed = await check(cwd, { ...env, PORTCULLIS_TLS: `${certFile},${other.keyFile}` })
  t.match(mixed, {
    code: 2,
    out: /^server\.tls cannot be used: \S+other\S+localhost\.key is not the key of \S+made\S+pem$/m,
  })
  const swapped = await check(cwd, { ...env, PORTCULLIS_TLS: `${keyFile},${certFile}` })
  t.match(swapped, {
    code: 2,
    out: /^server\.tls cannot be used: \S+localhost\.key holds no certificate: are the files swapped\?$/m,
  })
  const junk = join(cwd, 'junk')
  writeFileSync(junk, 'neither', { mode: 0o600 })
  const noKey = await check(cwd, { ...env, PORTCULLIS_TLS: `${certFile},${junk}` })
  t.match(noKey, { code: 2, out: /junk holds no private key, or none in PEM$/m })
  const passphrase = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' } as const
  writeFileSync(junk, createPrivateKey(readFileSync(keyFile)).export(passphrase))
  const locked = await check(cwd, { ...env, PORTCULLIS_TLS: `${certFile},${junk}` })
  t.match(locked, { code: 2, out: /junk is encrypted, and a start cannot ask for its passphrase/ })
  const noCertificate = await check(cwd, { ...env, PORTCULLIS_TLS: `${junk},${keyFile}` })
  t.match(noCertificate, { code: 2, out: /junk holds no certificate, or none in PEM$/m })
  const years = await runCommand(['check'], { cwd, env, now: Date.now() + 10 * 365 * 86_400_000 })
  t.match(years, {
    code: 0,
    err: /^warning: server\.tls: \S+localhost\.pem ended on \d{4}-\d\d-\d\d: clients refuse it/m,
  })
  const absent = await check(cwd, { ...env, PORTCULLIS_TLS: `${certFile},/absent.key` })
  t.match(absent, {
    code: 2,
    out: /server\.tls: the private key in .*cannot be read: \/absent\.key \(there is no such file\)$/m,
  })
  const pem = await check(cwd, { ...env, PORTCULLIS_TLS: `${certFile},${readFileSync(keyFile, 'utf8')}` })
  t.match(pem, { code: 2, out: /the private key in .*cannot be read \(E?[A-Za-z ]+\)$/m })
  t.notMatch(pem.out, /PRIVATE KEY/, 'a key in the place of its path is not shown')
  chmodSync(keyFile, 0o604)
  t.match(await check(cwd, env), { code: 0, err: /warning: .*everybody on this machine may read this private key/ })
  for (const wrong of [`${certFile},`, ',', 'one', `${certFile},${keyFile},x`])
    t.match(await check(cwd, { ...env, PORTCULLIS_TLS: wrong }), { code: 2, out: /server\.tls: / }, wrong)
  t.match(await check(cwd, { ...env, PORTCULLIS_WORKERS: '4' }), {
    code: 2,
    out: /store\.url is empty[\s\S]*redis\.url is empty/,
  })
  mkdirSync(join(cwd, 'data', 'tls'), { recursive: true })
  writeFileSync(join(cwd, 'data', 'tls', 'ca.key'), '')
  t.match(await check(cwd, env), { code: 2, out: /ca\.key was made by a development start/ })
})
