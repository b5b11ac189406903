// `portcullis tenant brand …` and `portcullis app brand …` against a stand-in for the server: what they send, what they
// print.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { pngFile } from '../support/brands/pictures.js'
import { runCommand, socketServer } from '../support/rooms/cli.js'

const tenantId = '7a1c1c3e-0000-4000-8000-00000000000a'
const logo = { path: `/brand/${'0'.repeat(40)}.png`, type: 'image/png', width: 64, height: 32 }
const links = { terms: '', privacy: 'https://acme.example/privacy' }
const ofTenant = {
  ...{ tenantId, name: '', shownName: 'Acme', accent: '#0b5cad', accentDark: '', support: '', logo, logoDark: null },
  ...links,
}
const ofApplication = {
  applicationId: tenantId,
  name: 'diary',
  tenantName: 'Acme',
  home: 'https://app.example/',
  logo: null,
  ...links,
}

const sent: { method: string; path: string; body: unknown }[] = []
const cwd = mkdtempSync(join(tmpdir(), 'portcullis-brands-'))
t.teardown(() => rmSync(cwd, { recursive: true }))
const picture = pngFile(64, 32)
writeFileSync(join(cwd, 'logo.png'), picture)
writeFileSync(join(cwd, 'large.png'), Buffer.alloc(70_000))
const server = await socketServer(join(cwd, 'admin.sock'), ({ method, path: full, body }) => {
  const path = full.replace('/api/v2', '')
  if (path === '/tenants') return { json: { value: [{ tenantId, name: 'Acme' }] } }
  sent.push({ method, path, body })
  if (method === 'DELETE') return { status: 204 }
  return { json: path.startsWith('/tenants') ? ofTenant : ofApplication }
})
t.teardown(() => server.close())
const run = (line: string[]) => runCommand(line, { cwd, env: { PORTCULLIS_SOCKET: 'admin.sock' } })

t.test('a tenant’s brand is shown, changed by what is named, and taken away', async (t) => {
  const shown = await run(['tenant', 'brand', 'show', 'Acme'])
  t.match(shown.out, /name\s+Acme[\s\S]*accent\s+#0b5cad[\s\S]*64 × 32[\s\S]*terms\s+–/)
  await run([
    'tenant',
    'brand',
    'set',
    'Acme',
    '--accent',
    '#0b5cad',
    '--logo',
    'logo.png',
    '--terms',
    '',
    '--logo-dark',
    '',
  ])
  t.same(sent.at(-1), {
    method: 'PATCH',
    path: `/tenants/${tenantId}/brand`,
    body: { accent: '#0b5cad', terms: null, logo: picture.toString('base64'), logoDark: null },
  })
  t.match((await run(['tenant', 'brand', 'remove', 'Acme'])).err, /look like the server’s again/)
  t.match(sent.at(-1), { method: 'DELETE', path: `/tenants/${tenantId}/brand` })
  await run(['tenant', 'brand', 'remove', 'Acme', '--reason', 'It passes for the post office'])
  const body = { reason: 'It passes for the post office' }
  t.match(sent.at(-1), { method: 'POST', path: `/tenants/${tenantId}/brand/removal`, body })
})

t.test('an application’s logo and links too', async (t) => {
  t.match((await run(['app', 'brand', 'show', 'diary'])).out, /home\s+https:\/\/app\.example\//)
  await run(['app', 'brand', 'set', 'diary', '--home', 'https://app.example'])
  t.same(sent.at(-1), { method: 'PATCH', path: '/applications/diary/brand', body: { home: 'https://app.example' } })
  t.match((await run(['app', 'brand', 'remove', 'diary'])).err, /gone/)
})

t.test('nothing to change, and files that are none or too large, are said before anything is sent', async (t) => {
  const before = sent.length
  t.match(await run(['tenant', 'brand', 'set', 'Acme']), { code: 2, err: /say what to change/ })
  t.match(await run(['app', 'brand', 'set', 'diary', '--logo', 'none.png']), {
    code: 2,
    err: /cannot be read \(ENOENT\)/,
  })
  t.match(await run(['tenant', 'brand', 'set', 'Acme', '--logo', 'large.png']), { code: 2, err: /70000 bytes/ })
  t.equal(sent.length, before)
})
