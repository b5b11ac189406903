// /downloads: what is given away and how, and that nothing else is.

import { spawnSync } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { authorityCommands } from '../../src/downloads/authority.js'
import { clientPackageName } from '../../src/downloads/client-package.js'
import { createDownloads, type Download } from '../../src/downloads/downloads.js'
import { downloadRoutes } from '../../src/downloads/routes.js'
import { contentsFile, digestOf } from '../../src/downloads/server-package.js'
import {
  type DevelopmentAuthority,
  ensureDevelopmentCertificate,
  readDevelopmentAuthority,
} from '../../src/http/tls/development-ca.js'
import { testServer } from '../support/rooms/http-server.js'

const baseUrl = 'https://gate.example'
const clientFile = `${clientPackageName}-1.2.3.tgz`

/** A server's package with a client of one module, packed as `npm pack` leaves it. */
function installation(t: Test, { packed = true } = {}): string {
  const root = t.testdir()
  const files: Record<string, string> = {
    'package.json': '{ "name": "portcullis", "version": "1.2.3" }',
    LICENSE: 'Apache',
    'config/portcullis.yaml': 'version: 1\n',
    'dist/src/main.js': '#!/usr/bin/env node\n',
    'dist/src/client/index.js': 'export const a = 1\n//# sourceMappingURL=index.js.map\n',
    'dist/src/client/index.d.ts': 'export declare const a = 1\n',
    'dist/src/client/index.js.map': '{}',
  }
  const contents: Record<string, { sha256: string }> = {}
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
    contents[name] = { sha256: digestOf(Buffer.from(text)) }
  }
  if (packed) writeFileSync(join(root, contentsFile), JSON.stringify(contents))
  return root
}

async function serve(t: Test, root: string, authority?: DevelopmentAuthority) {
  const downloads = createDownloads({ root, version: '1.2.3' })
  const app = testServer({ baseUrl })
  app.register(downloadRoutes(downloads, { baseUrl, authority }))
  await app.ready()
  t.teardown(() => app.close())
  const own = { host: 'gate.example', 'x-forwarded-proto': 'https' }
  return {
    downloads,
    ask: (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' | 'POST' | 'DELETE' = 'GET') =>
      app.inject({ method, url, headers: { ...own, ...headers } }),
  }
}

t.test('the list names every package with its address, size and integrity', async (t) => {
  const { ask } = await serve(t, installation(t))
  const answer = await ask('/downloads')
  t.equal(answer.statusCode, 200)
  t.equal(answer.headers['content-type'], 'application/json')
  t.equal(answer.headers['vary'], 'accept')
  const { value } = answer.json() as {
    value: { name: string; url: string; immutableUrl: string; size: number; integrity: string }[]
  }
  t.same(
    value.map(({ name, url }) => [name, url]),
    [
      [clientPackageName, `${baseUrl}/downloads/${clientFile}`],
      ['portcullis', `${baseUrl}/downloads/portcullis-1.2.3.tgz`],
    ],
  )
  const same = await ask('/downloads', { 'if-none-match': String(answer.headers['etag']) })
  t.equal(same.statusCode, 304)
  for (const { url, immutableUrl, size, integrity } of value) {
    const file = await ask(new URL(url).pathname)
    t.equal(file.statusCode, 200, url)
    t.equal(file.headers['content-type'], 'application/gzip')
    t.equal(file.headers['x-content-type-options'], 'nosniff')
    t.equal(file.rawPayload.length, size)
    t.equal(`sha512-${createHash('sha512').update(file.rawPayload).digest('base64')}`, integrity)
    t.equal(file.headers['cache-control'], 'public, no-cache', 'a version may be built again')
    t.same((await ask(new URL(immutableUrl).pathname)).rawPayload, file.rawPayload)
  }
})

t.test('a browser gets the list as a page, with the line that installs each', async (t) => {
  const { ask } = await serve(t, installation(t))
  const page = await ask('/downloads', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })
  t.equal(page.statusCode, 200)
  t.match(page.headers['content-type'], /^text\/html/)
  t.match(page.body, `npm install ${baseUrl}/downloads/${clientFile}`)
  t.match(page.body, 'sha512-')
  t.notMatch(page.body, '--cafile')
})

t.test('in development the certificate authority is there too, with the commands that check it', async (t) => {
  await ensureDevelopmentCertificate(join(t.testdir(), 'tls'))
  const authority = readDevelopmentAuthority(t.testdirName)
  const { ask } = await serve(t, installation(t), authority)
  const path = '/downloads/development-ca.pem'
  const answer = await ask(path)
  t.equal(answer.statusCode, 200)
  t.equal(answer.headers['content-type'], 'application/x-pem-file')
  t.equal(answer.headers['x-content-type-options'], 'nosniff')
  t.equal(answer.body, authority.pem)
  t.equal(new X509Certificate(answer.body).fingerprint256, authority.fingerprint)
  t.notMatch(answer.body, 'PRIVATE', 'its key stays where it is')
  const again = await ask(path, { 'if-none-match': String(answer.headers['etag']) })
  t.equal(again.statusCode, 304)
  t.equal((await ask(path, {}, 'POST')).statusCode, 405)
  const listed = (await ask('/downloads')).json().developmentAuthority
  t.same(listed, { url: `${baseUrl}${path}`, fingerprint: authority.fingerprint })
  const page = await ask('/downloads', { accept: 'text/html' })
  t.match(page.body, 'npm install --no-audit --cafile=ca.pem', 'npm must know of it')
  t.match(page.body, authority.fingerprint)
  t.notMatch(page.body, 'data/tls', 'no path of the server’s disk')
})

t.test('the commands keep the authority that they name, and remove every other one', async (t) => {
  const folders = ['own', 'other'].map((name) => join(t.testdir({ own: {}, other: {} }), name))
  for (const folder of folders) await ensureDevelopmentCertificate(join(folder, 'tls'))
  const [own, other] = folders.map(readDevelopmentAuthority) as [DevelopmentAuthority, DevelopmentAuthority]
  const [, check] = authorityCommands(own, baseUrl).split('\n', 2)
  const rest = authorityCommands(own, baseUrl).slice(authorityCommands(own, baseUrl).indexOf(check ?? ''))
  for (const [served, isKept] of [
    [own.pem, true],
    [other.pem, false],
    ['<!doctype html>', false],
  ] as const) {
    const cwd = mkdtempSync(join(t.testdirName, 'client-'))
    writeFileSync(join(cwd, 'ca.pem'), served)
    const { stderr } = spawnSync('sh', ['-c', rest], { cwd, encoding: 'utf8' })
    t.equal(existsSync(join(cwd, 'ca.pem')), isKept)
    t.equal(/was not the certificate authority/.test(stderr), !isKept)
  }
})

t.test('where a real certificate is served, there is no authority, and nothing speaks of one', async (t) => {
  const { ask } = await serve(t, installation(t))
  const answer = await ask('/downloads/development-ca.pem')
  t.equal(answer.statusCode, 404)
  t.equal(answer.headers['cache-control'], 'no-store')
  t.equal((await ask('/downloads')).json().developmentAuthority, undefined)
  t.notMatch((await ask('/downloads', { accept: 'text/html' })).body, /authority|cafile/)
})

t.test('an address with the digest may be kept for ever; with another digest there is nothing', async (t) => {
  const { ask, downloads } = await serve(t, installation(t))
  const { digest } = (await downloads.client()) as Download
  const kept = await ask(`/downloads/${digest}/${clientFile}`)
  t.equal(kept.headers['cache-control'], 'public, max-age=31536000, immutable')
  for (const other of ['0'.repeat(64), digest.toUpperCase(), digest.slice(0, 40)]) {
    const answer = await ask(`/downloads/${other}/${clientFile}`)
    t.equal(answer.statusCode, 404, other)
    t.equal(answer.headers['cache-control'], 'no-store')
  }
})

t.test('an ETag saves who has it (RFC 9110 §13.1.2); HEAD has the head alone', async (t) => {
  const { ask } = await serve(t, installation(t))
  const { headers } = await ask(`/downloads/${clientFile}`)
  const etag = String(headers['etag'])
  t.match(etag, /^"sha512-.+"$/)
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const answer = await ask(`/downloads/${clientFile}`, { 'if-none-match': known })
    t.equal(answer.statusCode, 304, known)
    t.equal(answer.body, '')
  }
  t.equal((await ask(`/downloads/${clientFile}`, { 'if-none-match': '"other"' })).statusCode, 200)
  const head = await ask(`/downloads/${clientFile}`, {}, 'HEAD')
  t.equal(head.statusCode, 200)
  t.equal(head.headers['content-length'], headers['content-length'])
  t.equal(head.headers['etag'], etag)
  t.equal(head.body, '')
})

t.test('other methods get 405 with Allow', async (t) => {
  const { ask } = await serve(t, installation(t))
  for (const url of ['/downloads', `/downloads/${clientFile}`, `/downloads/x/${clientFile}`]) {
    for (const method of ['POST', 'DELETE'] as const) {
      const answer = await ask(url, {}, method)
      t.equal(answer.statusCode, 405, `${method} ${url}`)
      t.equal(answer.headers['allow'], 'GET, HEAD')
    }
  }
})

t.test('nothing else is served: no other file, no way out', async (t) => {
  const { ask } = await serve(t, installation(t))
  for (const url of [
    '/downloads/package.json',
    '/downloads/portcullis-1.2.4.tgz',
    `/downloads/${clientFile.toUpperCase()}`,
    '/downloads/..%2fpackage.json',
    '/downloads/%2e%2e/package.json',
    '/downloads/../package.json',
    '/downloads/config/portcullis.yaml',
    '/downloads/__proto__',
    '/downloads/%00',
    '/downloads/',
  ]) {
    const answer = await ask(url)
    t.ok([400, 404].includes(answer.statusCode), `${answer.statusCode} ${url}`)
    t.notMatch(answer.body, 'version: 1')
  }
  const missing = await ask('/downloads/left-pad-1.0.0.tgz')
  t.match(missing.json().error.message, `It has /downloads/${clientFile} and /downloads/portcullis-1.2.3.tgz.`)
  const page = await ask('/downloads/left-pad-1.0.0.tgz', { accept: 'text/html' })
  t.equal(page.statusCode, 404)
  t.match(page.body, /id="go-on" href="\/downloads"/, 'a browser gets a page with a way on')
})

t.test('from source there is nothing, and both answers say so', async (t) => {
  const { ask, downloads } = await serve(t, t.testdir())
  t.equal(await downloads.client(), undefined)
  t.same((await ask('/downloads')).json(), { value: [] })
  const missing = await ask(`/downloads/${clientFile}`)
  t.equal(missing.statusCode, 404)
  t.match(missing.json().error.message, 'npm run build')
  t.match((await ask('/downloads', { accept: 'text/html' })).body, 'id="nothing"')
})

t.test('a client without its types is not whole, and is not given away', async (t) => {
  const root = installation(t)
  rmSync(join(root, 'dist/src/client/index.d.ts'))
  t.equal(await createDownloads({ root, version: '1.2.3' }).client(), undefined)
})

t.test('a build that was not packed has the client alone', async (t) => {
  const { ask } = await serve(t, installation(t, { packed: false }))
  t.same((await ask('/downloads')).json().value.length, 1)
  const missing = await ask('/downloads/portcullis-1.2.3.tgz')
  t.equal(missing.statusCode, 404)
  t.match(missing.json().error.message, `It has /downloads/${clientFile}.`)
})

t.test('what somebody changed in the installation never leaves: a configuration holds secrets', async (t) => {
  for (const change of ['config/portcullis.yaml', 'dist/src/main.js']) {
    const root = installation(t)
    appendFileSync(join(root, change), '# secret: hunter2\n')
    t.same(
      (await createDownloads({ root, version: '1.2.3' }).list()).map(({ name }) => name),
      [clientPackageName],
      change,
    )
  }
  const root = installation(t)
  rmSync(join(root, 'config/portcullis.yaml'))
  t.equal((await createDownloads({ root, version: '1.2.3' }).list()).length, 1, 'nor is a part of it given away')
})

t.test('a package is made once, however many ask at the same time; a failure is not kept', async (t) => {
  const root = installation(t)
  const downloads = createDownloads({ root, version: '1.2.3' })
  const [first, second] = await Promise.all([downloads.client(), downloads.client()])
  t.equal(first, second)
  const license = join(root, 'LICENSE')
  rmSync(license)
  const later = createDownloads({ root, version: '1.2.3' })
  await t.rejects(later.client(), { code: 'ENOENT' })
  writeFileSync(license, 'Apache')
  t.ok((await later.client())?.bytes.equals(first?.bytes ?? Buffer.alloc(0)), 'and the bytes are the same')
})
