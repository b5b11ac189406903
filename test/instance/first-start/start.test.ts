// What a start refuses, makes and says: master keys, development material in production, the banner.
// run: apart

import { randomBytes } from 'node:crypto'
import fs, { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import t from 'tap'
import { developmentMaterial } from '../../../src/config/process/development-material.js'
import { developmentKeyFile } from '../../../src/config/process/written-master-keys.js'
import type { SecretValue } from '../../../src/config/read/secret-value.js'
import { managementPermissions } from '../../../src/config/routes/management-permissions.js'
import type { RouteSettings } from '../../../src/config/settings/route-settings.js'
import type { Settings } from '../../../src/config/settings/settings.js'
import { ensureCommandLineApplication } from '../../../src/directory/applications/command-line-application.js'
import { bannerLines } from '../../../src/instance/first-start/banner.js'
import { prepareDataFolder } from '../../../src/instance/first-start/data-folder.js'
import { hasOwner, makeFirstStart } from '../../../src/instance/first-start/first-start.js'
import { loadMasterKeys } from '../../../src/instance/first-start/master-key.js'
import { commandLineClient } from '../../../src/oauth/command-line-client.js'
import { createInProcessCounters } from '../../../src/storage/counters/in-process.js'
import { replaceConfiguredPermissions } from '../../../src/storage/sql/registrations/application-lists.js'
import { readApplications } from '../../../src/storage/sql/registrations/applications.js'
import { StoreUnavailable } from '../../../src/storage/sql/store.js'
import { setUp } from '../../../src/users/accounts/accept-link.js'
import { listMemberships } from '../../../src/users/memberships/memberships.js'
import { createUserWrites } from '../../../src/users/writes.js'
import { openDirectory } from '../../support/rooms/directory.js'
import { testSettings } from '../../support/settings/settings.js'

const secret = (text: string): SecretValue => ({ reveal: () => text })
const aKey = () => randomBytes(32).toString('base64url')

function settingsIn(folder: string, more: Partial<Settings> = {}): Settings {
  return { ...testSettings(), data: { folder }, masterKeys: [], ...more }
}

t.test('development makes its own master key once, for its owner alone', async (t) => {
  const settings = settingsIn(t.testdir())
  const [first] = loadMasterKeys(settings, randomBytes)
  const [again] = loadMasterKeys(settings, () => Buffer.alloc(32))
  t.equal(first?.length, 32)
  t.same(again, first, 'a second start reads it')
  t.equal(statSync(developmentKeyFile(settings)).mode & 0o777, 0o600)
})

t.test('a start that ends while it makes its key leaves a folder that starts', async (t) => {
  for (const name of ['writeSync', 'writeFileSync', 'fsyncSync', 'linkSync'] as const) {
    const settings = settingsIn(join(t.testdir(), name))
    const original = fs[name]
    const restore = () => {
      Object.assign(fs, { [name]: original })
      syncBuiltinESMExports()
    }
    t.teardown(restore)
    Object.assign(fs, {
      [name]: () => {
        throw new Error('the process ends here')
      },
    })
    syncBuiltinESMExports()
    try {
      loadMasterKeys(settings, randomBytes)
    } catch {
      // What stands in the folder now is what a kill would have left.
    }
    restore()
    t.equal(loadMasterKeys(settings, randomBytes)[0]?.length, 32, name)
    t.same(readdirSync(join(settings.data.folder, 'keys')), ['development-master.key'], name)
  }
})

t.test('two starts at once share one master key', async (t) => {
  const settings = settingsIn(t.testdir())
  let other: readonly Buffer[] = []
  const mine = loadMasterKeys(settings, (size) => {
    other = loadMasterKeys(settings, randomBytes)
    return randomBytes(size)
  })
  t.same(mine, other)
})

t.test('configured master keys are taken in order, and nothing is made', async (t) => {
  const settings = settingsIn(t.testdir(), { masterKeys: [secret(aKey()), secret(aKey())] })
  t.equal(loadMasterKeys(settings, randomBytes).length, 2)
  t.equal(existsSync(developmentKeyFile(settings)), false)
})

t.test('a master key that is not 32 bytes of base64url is refused without showing it', async (t) => {
  for (const wrong of [
    'short',
    randomBytes(31).toString('base64url'),
    randomBytes(33).toString('base64url'),
    `${aKey()}!`,
  ]) {
    const settings = settingsIn(t.testdir(), { masterKeys: [secret(wrong)] })
    const error = caught(() => loadMasterKeys(settings, randomBytes))
    t.match(error, /secrets\.masterKeys\[0\] is not 32 bytes/)
    t.notMatch(error, wrong)
  }
})

t.test('a damaged development key is refused by its file name', async (t) => {
  const settings = settingsIn(t.testdir())
  mkdirSync(join(settings.data.folder, 'keys'))
  writeFileSync(developmentKeyFile(settings), 'half a ke')
  t.match(
    caught(() => loadMasterKeys(settings, randomBytes)),
    /development-master\.key is not 32 bytes/,
  )
})

t.test('production has no master key of its own', async (t) => {
  t.match(
    caught(() => loadMasterKeys(settingsIn(t.testdir(), { mode: 'production' }), randomBytes)),
    /secrets\.masterKeys is empty/,
  )
})

t.test('production refuses each piece of development material and says what to set', async (t) => {
  const folder = t.testdir()
  const development = settingsIn(folder)
  loadMasterKeys(development, randomBytes)
  mkdirSync(join(folder, 'tls'))
  writeFileSync(join(folder, 'tls', 'ca.key'), '')
  t.same(developmentMaterial(development), [], 'development may')
  const found = developmentMaterial({ ...development, mode: 'production' })
  t.equal(found.length, 5)
  for (const expected of [
    /server\.baseUrl/,
    /server\.tls/,
    /secrets\.masterKeys/,
    /development-master\.key/,
    /ca\.key/,
  ]) {
    t.ok(
      found.some((sentence) => expected.test(sentence)),
      String(expected),
    )
  }
})

t.test('production starts on material of its own', async (t) => {
  const settings = settingsIn(t.testdir(), { mode: 'production', masterKeys: [secret(aKey())] })
  const server = { ...settings.server, baseUrl: 'https://api.example.com', tls: { kind: 'off' as const } }
  t.same(developmentMaterial({ ...settings, server }), [])
  for (const baseUrl of [
    'https://localhost',
    'https://gate.localhost:8443',
    'https://127.0.0.1',
    'https://[::1]:8443',
  ]) {
    t.equal(developmentMaterial({ ...settings, server: { ...server, baseUrl } }).length, 1, baseUrl)
  }
})

t.test('the data folder is made for its owner alone, and taken back from others', async (t) => {
  const folder = join(t.testdir(), 'deep', 'data')
  prepareDataFolder(folder)
  t.equal(statSync(folder).mode & 0o777, 0o700)
  chmodSync(folder, 0o755)
  prepareDataFolder(folder)
  t.equal(statSync(folder).mode & 0o777, 0o700)
  writeFileSync(join(folder, 'file'), '')
  t.match(
    caught(() => prepareDataFolder(join(folder, 'file'))),
    /this is a file, where a folder is needed\. It is data\.folder \(PORTCULLIS_DATA\)$/,
  )
})

t.test('the banner has at most 14 lines, and shows a secret on the first start only', async (t) => {
  const settings = settingsIn(t.testdir())
  const facts = {
    version: '1.2.3',
    caFile: '/tmp/a folder/ca.pem',
    nodeVersion: 'v20.20.2',
    command: 'portcullis',
    demo: undefined,
    hasOwner: false,
    config: undefined,
  }
  const later = bannerLines(settings, facts)
  const first = bannerLines(settings, {
    ...facts,
    demo: { clientId: 'an-id', clientSecret: 'a-secret', setUpLink: 'https://localhost:8443/set-up/pcl_ol_x' },
  })
  for (const lines of [first, later]) {
    t.ok(lines.length <= 14, `${lines.length} lines`)
    t.match(
      lines.filter((line) => /^\S/.test(line)),
      [/^TOKEN=\$\(/, /^curl /],
      'the commands, and nothing else, are whole lines to be pasted',
    )
    t.match(lines.join('\n'), /--cacert '\/tmp\/a folder\/ca\.pem'/, 'paths are quoted for the shell')
  }
  t.match(first.join('\n'), /client_secret=a-secret/)
  t.notMatch(later.join('\n'), /client_secret/)
  t.match(first.join('\n'), /^ {2}Set up {5}https:\/\/localhost:8443\/set-up\/pcl_ol_x \(once, 24 h\)$/m)
  t.match(later.join('\n'), /^ {2}Set up {5}portcullis set-up-link/m, 'later the command makes one')
  t.notMatch(later.join('\n'), /pcl_ol_/)
  t.match(bannerLines(settings, { ...facts, hasOwner: true }).join('\n'), /^ {2}Account {4}https:\/\/.*\/account$/m)
  t.match(later.join('\n'), /portcullis token --app hello/)
  t.match(first.join('\n'), /no longer supported/, 'an old Node is named')
  t.notMatch(bannerLines(settings, { ...facts, nodeVersion: 'v24.1.0' }).join('\n'), /no longer supported/)
})

t.test('the banner tells to call what the loaded routes let the demo application call', async (t) => {
  const settings = testSettings()
  const facts = {
    ...{ version: '1.2.3', caFile: undefined, nodeVersion: 'v24.1.0', command: 'portcullis', hasOwner: true },
    config: '/etc/a gate.yaml',
    demo: undefined,
  }
  const [sample] = settings.routes
  if (sample === undefined) throw new Error('no route')
  const route = (path: string, needs: string | 'public', more: Partial<RouteSettings> = {}): RouteSettings => ({
    ...{ ...sample, id: path, path },
    methods: new Map([['GET', needs === 'public' ? needs : { anyOf: [[needs]] }]]),
    ...more,
  })
  const unfit = [
    route('/a', 'User.Read'), // of users alone
    route('/b', 'Application.Read.All'), // the management API's own
    route('/c', 'assets_read', { applications: ['another'] }),
    route('/d', 'assets_read', { pages: true }),
    route('/e', 'assets_read', { issuers: ['entra'] }),
    route('/{name}', 'assets_read', { tenant: 'name' }),
    route('/f', 'assets_read', { resource: 'https://other.example' }),
    route('/g', 'assets_read', { methods: new Map([['POST', 'public']]) }),
  ]
  const callsOf = (...routes: RouteSettings[]) => {
    const lines = bannerLines({ ...settings, file: '/etc/a gate.yaml', routes }, facts)
    t.ok(lines.length <= 14)
    return lines.filter((line) => /^\S/.test(line))
  }
  const token = /^TOKEN=\$\(portcullis token --config '\/etc\/a gate.yaml' --app hello\)/
  const open = route('/open', 'public')
  const files = route('/files/{id}/**', 'assets_read')
  t.match(callsOf(...unfit, open, files, route('/x', 'assets_read')), [token, / https:\/\/localhost:8443\/x$/])
  t.match(callsOf(...unfit, open, files), [token, / https:\/\/localhost:8443\/files\/1\/1$/])
  t.same(callsOf(...unfit, open), ['curl -sS -i https://localhost:8443/open'])
  t.same(callsOf(...unfit), ["portcullis routes --config '/etc/a gate.yaml'"], 'else, what there is')
  t.match(
    bannerLines({ ...settings, routes: [] }, facts).join('\n'),
    /has no routes yet\. \/docs\/your-own-service says how/,
  )
})

t.test('of several first starts at once one makes the demo, with one link for the first owner', async (t) => {
  const { store, writes } = await openDirectory(t)
  const settings = settingsIn(t.testdir())
  const users = createUserWrites(writes, {
    ...{ store, settings, derive: () => [new Uint8Array(32)], counters: createInProcessCounters() },
    activity: { note() {}, flush: async () => {} },
    monotonic: () => performance.now(),
  })
  const deps = { store, writes, users, settings }
  t.equal(await makeFirstStart({ ...deps, settings: { ...settings, mode: 'production' } }), undefined)
  const made = (await Promise.all([1, 2, 3].map(() => makeFirstStart(deps)))).filter((demo) => demo !== undefined)
  t.equal(made.length, 1)
  const held = await store.reader.selectFrom('permission_grants').select('permission_id').execute()
  const management = new Set(managementPermissions('').map(({ id }) => id))
  t.ok(held.length > 0)
  t.same(
    held.filter(({ permission_id: id }) => management.has(id)),
    [],
    'a secret on a terminal manages nothing',
  )
  t.equal(await hasOwner(store), false)
  const secret = /\/set-up\/(pcl_ol_\w{43})$/.exec(made[0]?.setUpLink ?? '')?.[1] ?? ''
  const person = { email: 'ada@example.test', name: 'Ada', password: 'seven unrelated green words' }
  const ada = await setUp(users, secret, person)
  t.match(await listMemberships(store.reader, { userId: ada.userId }), [{ role: 'owner' }])
  t.equal(await hasOwner(store), true)
  t.equal(await makeFirstStart(deps), undefined, 'later starts make nothing')
})

t.test('a start does not fail because others are slow to confirm what it made', async (t) => {
  const { store, writes } = await openDirectory(t)
  const settings = settingsIn(t.testdir())
  const failing = (when: 'before' | 'after'): typeof writes => ({
    ...writes,
    feed: {
      ...writes.feed,
      async commit(work) {
        if (when === 'after') await writes.feed.commit(work)
        throw new StoreUnavailable(`it failed ${when} the commit`)
      },
    },
  })
  const users = createUserWrites(writes, {
    ...{ store, settings, derive: () => [new Uint8Array(32)], counters: createInProcessCounters() },
    activity: { note() {}, flush: async () => {} },
    monotonic: () => performance.now(),
  })
  const start = (when: 'before' | 'after') => makeFirstStart({ store, users, settings, writes: failing(when) })
  const program = (when: 'before' | 'after') => ensureCommandLineApplication(failing(when), store)
  await t.rejects(start('before'), { code: 'store_unavailable' })
  const made = await start('after')
  const read = async (id = '') => (await readApplications(store.reader, 'id', id))[0]
  t.ok(await read(made?.clientId), 'what is shown is what was made')
  await store.transaction((tx) => replaceConfiguredPermissions(tx, commandLineClient.applicationId, []))
  await t.rejects(program('before'), { code: 'store_unavailable' })
  await program('after')
  t.ok(((await read(commandLineClient.applicationId))?.configured.length ?? 0) > 0)
})

function caught(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    return String(error)
  }
  return 'nothing was thrown'
}
