// `trust`: the development authority into the stores of a machine and out again, tried with this system's own tools in
// folders of the test's own; and which authorities are not brought in.
// run: apart

import { execFileSync, spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { isInstalled, runSteps, shellText } from '../../../src/cli/trust/run-steps.js'
import { type Surroundings, type Trusted, trustStores } from '../../../src/cli/trust/stores.js'
import { isLimitedToThisMachine } from '../../../src/http/tls/authority-limits.js'
import { ensureDevelopmentCertificate, ownAuthority } from '../../../src/http/tls/development-ca.js'
import { runCommand } from '../../support/rooms/cli.js'

const has = (program: string) => isInstalled(program, `${process.env['PATH']}:/usr/sbin`)
const path = `${process.env['PATH']}:/usr/sbin:/sbin`

async function home(t: { teardown(work: () => unknown): void }) {
  const folder = mkdtempSync(join(tmpdir(), 'trust-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const files = await ensureDevelopmentCertificate(join(folder, 'data', 'tls'))
  const { file, name } = ownAuthority(join(folder, 'data')) ?? { file: '', name: '' }
  const authority: Trusted = { file, name, fileName: name.toLowerCase().replace(/\W+/g, '-') }
  return { folder, files, authority }
}

t.test('the authority can sign names of this machine only, which OpenSSL holds it to', async (t) => {
  const { folder, files } = await home(t)
  t.ok(isLimitedToThisMachine(new X509Certificate(readFileSync(files.caFile)).raw))
  t.match(ownAuthority(join(folder, 'data')), {
    isLimited: true,
    name: /^Portcullis development authority [0-9a-f]{8}$/,
  })
  if (!has('openssl')) return t.comment('openssl is not here')
  const verify = (file: string, ...more: string[]) =>
    spawnSync('openssl', ['verify', '-purpose', 'sslserver', '-CAfile', files.caFile, ...more, file], {
      encoding: 'utf8',
    })
  t.equal(verify(files.certFile).status, 0, verify(files.certFile).stderr)
  const openssl = (...words: string[]) => execFileSync('openssl', words, { cwd: folder, stdio: 'pipe' })
  const names = { local: 'DNS:app.localhost,IP:127.0.0.2', bank: 'DNS:bank.example', address: 'IP:10.0.0.1' }
  for (const [name, written] of Object.entries(names)) {
    openssl(
      'req',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      'k',
      '-out',
      'r',
      '-subj',
      '/CN=x',
    )
    writeFileSync(join(folder, 'e'), `subjectAltName=${written}\n`)
    const caKey = join(folder, 'data/tls/ca.key')
    openssl(
      'x509',
      '-req',
      '-in',
      'r',
      '-CA',
      files.caFile,
      '-CAkey',
      caKey,
      '-out',
      name,
      '-extfile',
      'e',
      '-days',
      '1',
    )
    const { status, stderr } = verify(join(folder, name))
    if (name === 'local') t.equal(status, 0, stderr)
    else t.match(stderr, /permitted subtree violation/, name)
  }
})

t.test("into a browser's store and out again", { skip: !has('certutil') && 'certutil is not here' }, async (t) => {
  const { folder, authority } = await home(t)
  const profiles = ['.pki/nssdb', '.mozilla/firefox/abc.default', '.mozilla/firefox/def with blank']
  for (const profile of profiles) {
    mkdirSync(join(folder, profile), { recursive: true })
    execFileSync('certutil', ['-N', '-d', `sql:${join(folder, profile)}`, '--empty-password'])
  }
  mkdirSync(join(folder, '.mozilla/firefox/no profile'))
  const list = (profile: string) =>
    execFileSync('certutil', ['-L', '-d', `sql:${join(folder, profile)}`], { encoding: 'utf8' })
  const run = (...argv: string[]) =>
    runCommand(['trust', '--store', 'browsers', ...argv], { cwd: folder, env: { HOME: folder, PATH: path } })
  const shown = await run('--print')
  t.equal(shown.code, 0, shown.err)
  t.equal(shown.out.match(/^certutil -A /gm)?.length, 3)
  t.match(shown.out, `'sql:${folder}/.mozilla/firefox/def with blank'`)
  t.notMatch(list('.pki/nssdb'), authority.name, 'printing does nothing')
  for (const time of ['once', 'twice']) {
    const { code, err } = await run()
    t.equal(code, 0, err)
    t.equal(err.match(/^trusted by a browser's authorities/gm)?.length, 3, time)
    for (const profile of profiles) t.match(list(profile), new RegExp(`${authority.name} +C,,`), profile)
  }
  for (const time of ['once', 'twice']) {
    const { code, err } = await run('--remove')
    t.equal(code, 0, `${time}: ${err}`)
    for (const profile of profiles) t.notMatch(list(profile), authority.name, profile)
  }
  writeFileSync(join(folder, '.pki/nssdb/cert9.db'), 'no database')
  const broken = await run()
  t.equal(broken.code, 1)
  t.match(broken.err, /failed: .*nssdb\): certutil ended with 255[\s\S]*1 of 3 stores failed/)
  const without = await runCommand(['trust', '--store', 'browsers'], {
    cwd: folder,
    env: { HOME: join(folder, 'nobody') },
  })
  t.match(without, { code: 3, err: /none of the known stores/ })
})

t.test("into Debian's store and out again", { skip: !has('update-ca-certificates') && 'no Debian' }, async (t) => {
  const { folder, authority } = await home(t)
  const root = join(folder, 'root')
  const [local, etc] = [join(root, 'usr/local/share/ca-certificates'), join(root, 'etc/ssl/certs')]
  for (const one of [local, etc, join(root, 'hooks'), join(root, 'usr/share')]) mkdirSync(one, { recursive: true })
  // A system trusts others too.
  const { caFile } = await ensureDevelopmentCertificate(join(folder, 'other'))
  writeFileSync(join(root, 'usr/share/other.crt'), readFileSync(caFile))
  writeFileSync(join(root, 'ca-certificates.conf'), 'other.crt\n')
  const [store, ...rest] = trustStores({ platform: 'linux', home: folder, root })
  t.equal(rest.length, 0)
  const places = ['--certsconf', join(root, 'ca-certificates.conf'), '--certsdir', join(root, 'usr/share')]
  places.push('--localcertsdir', local, '--etccertsdir', etc, '--hooksdir', join(root, 'hooks'))
  // The same command, told that its system is the test's folder.
  const here = (steps: ReturnType<NonNullable<typeof store>['add']>) =>
    steps.map(({ command, ...step }) => ({
      ...step,
      command: command[0] === 'update-ca-certificates' ? [...command, ...places] : command,
    }))
  const env = { PATH: path }
  t.equal(await runSteps(here(store?.add(authority) ?? []), { isRoot: true, env }), undefined)
  const pem = readFileSync(authority.file, 'utf8').trim()
  t.match(readFileSync(join(etc, 'ca-certificates.crt'), 'utf8'), pem)
  t.equal(await runSteps(here(store?.remove(authority) ?? []), { isRoot: true, env }), undefined)
  t.notMatch(readFileSync(join(etc, 'ca-certificates.crt'), 'utf8'), pem)
  t.same(readdirSync(local), [])
})

t.test('other systems, as commands', async (t) => {
  const authority = { file: '/d/tls/ca.pem', name: 'Portcullis development authority ab', fileName: 'portcullis-ab' }
  const commands = (at: Partial<Surroundings>) => {
    const [store] = trustStores({ platform: 'linux', home: '/nobody', root: '/', ...at })
    return store?.add(authority).map(({ command }) => shellText(command))
  }
  const root = t.testdir({ etc: { pki: { 'ca-trust': { source: { anchors: {} } } } } })
  t.same(commands({ root }), [
    `install -m 0644 /d/tls/ca.pem ${root}/etc/pki/ca-trust/source/anchors/portcullis-ab.pem`,
    'update-ca-trust extract',
  ])
  t.same(commands({ platform: 'darwin' }), [
    'security add-trusted-cert -r trustRoot -p ssl -k /nobody/Library/Keychains/login.keychain-db /d/tls/ca.pem',
  ])
})

t.test('an authority that is not ours, or could sign more, or is of production is not brought in', async (t) => {
  const { folder, files } = await home(t)
  const run = (env: NodeJS.ProcessEnv = {}, ...argv: string[]) =>
    runCommand(['trust', '--print', ...argv], { cwd: folder, env: { HOME: folder, ...env } })
  t.match(await run({ PORTCULLIS_TLS: 'off', PORTCULLIS_TRUSTED_PROXIES: '10.0.0.1' }), {
    code: 2,
    err: /no development certificate/,
  })
  t.match(await run({ PORTCULLIS_DATA: 'elsewhere' }), { code: 3, err: /start the server once/ })
  const own = readFileSync(files.caFile, 'utf8')
  const another = await ensureDevelopmentCertificate(join(folder, 'another'))
  writeFileSync(files.caFile, readFileSync(another.caFile))
  t.match(await run(), { code: 1, err: /was not made by a development start/ }, 'its key is not here')
  writeFileSync(files.caFile, 'nonsense')
  t.equal((await run()).code, 1)
  writeFileSync(files.caFile, own)
  t.equal((await run({}, '--store', 'system')).code, existsSync('/usr/local/share/ca-certificates') ? 0 : 3)
  if (!has('openssl')) return
  const key = join(folder, 'data/tls/ca.key')
  const subject = '/CN=Portcullis development authority 00000000'
  execFileSync('openssl', ['req', '-x509', '-key', key, '-subj', subject, '-days', '9', '-out', files.caFile], {
    stdio: 'pipe',
  })
  t.match(await run(), { code: 2, err: /could sign any name/ })
})
