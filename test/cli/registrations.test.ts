// Registrations by file, against the program itself: manifests, imports, and the script of the documentation.

import { type ChildProcess, spawn } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../src/config/read/package-root.js'
import { pngFile } from '../support/brands/pictures.js'
import { startWithPeople } from '../support/programs/people-program.js'
import { environment, freePort, programWords } from '../support/programs/program.js'
import { runCommand } from '../support/rooms/cli.js'
import { pkcePair } from '../support/rooms/delegation.js'
import { documentedBlock } from '../support/settings/documentation.js'
import { plainEnvironment } from '../support/settings/plain-environment.js'
import { until } from '../support/traffic/until.js'

const root = String(packageRoot())
const sample = (name: string) => join(root, 'test/cli/samples', name)

t.test('manifests and imports become registrations that work', { timeout: 240_000 }, async (t) => {
  const { program, manage, authorize, ask } = await startWithPeople(t)
  const { cwd, env, baseUrl } = program
  const run = (line: string, more: object = {}) => runCommand(line.split(' '), { cwd, env, ...more })
  const well = async (line: string) => {
    const { code, out, err } = await run(line)
    t.equal(code, 0, `${line}\n${err}`)
    return out
  }
  const json = async (line: string) => JSON.parse(await well(`${line} -o json`))
  const tokenOf = (application: { applicationId: string; clientSecret: string }, scope = 'default') =>
    ask('/api/v2/oauth2/v2.0/token', {
      form: {
        ...{ grant_type: 'client_credentials', scope },
        ...{ client_id: application.applicationId, client_secret: application.clientSecret },
      },
    })
  /** A token of the application's own, and a call with it: the status. */
  const calls = async (application: Parameters<typeof tokenOf>[0]) => {
    const got = await tokenOf(application)
    t.equal(got.status, 200, got.status === 200 ? 'a token' : got.body)
    const authorization = `Bearer ${JSON.parse(got.body).access_token}`
    return (await ask('/api/v2/me', { headers: { authorization } })).status
  }
  /** Somebody signs in to it: where they are sent, and the status of what redeems the code. */
  const signIn = async (client: { client_id: string; client_secret?: string }, redirect_uri: string) => {
    const pair = pkcePair()
    const query = new URLSearchParams({
      ...{ response_type: 'code', client_id: client.client_id, redirect_uri, scope: 'openid User.Read', state: 's' },
      ...{ code_challenge: pair.challenge, code_challenge_method: 'S256' },
    })
    const back = await authorize(`${baseUrl}/api/v2/oauth2/v2.0/authorize?${query}`)
    const code = back.searchParams.get('code') ?? ''
    const form = { grant_type: 'authorization_code', ...client, redirect_uri, code, code_verifier: pair.verifier }
    return { back: back.href, status: (await ask('/api/v2/oauth2/v2.0/token', { form })).status }
  }
  const importedSecrets = () =>
    readFileSync(join(cwd, 'shop.secrets'), 'utf8')
      .trim()
      .split('\n')
      .map((one) => JSON.parse(one))
  const write = (name: string, text: string) => writeFileSync(join(cwd, name), text)

  await t.test('apply creates once, with a secret in a file that nobody else may read', async (t) => {
    const manifest = [
      ...['name: reports', 'type: web', 'redirectUris: [https://reports.example/callback]'],
      ...['permissions: [Subscription.Read.All, delegated:User.Read]', 'consent: true', 'secretLabel: from a file'],
    ]
    write('reports.yaml', manifest.join('\n'))
    const tried = await run('app apply -f reports.yaml --dry-run --secret-file reports.secret')
    t.match(tried, { code: 0, out: /^created {4}reports\n(?: {2}\+ .*\n){5}$/, err: /this was a dry run/ })
    t.equal((await run('app show reports')).code, 3)
    const made = await well('app apply -f reports.yaml --secret-file reports.secret -o env')
    t.notMatch(made, /SECRET/)
    const file = join(cwd, 'reports.secret')
    t.equal(statSync(file).mode & 0o777, 0o600)
    const applicationId = /PORTCULLIS_CLIENT_ID=(.*)/.exec(made)?.[1] ?? ''
    const got = await tokenOf({ applicationId, clientSecret: readFileSync(file, 'utf8').trim() })
    t.equal(got.status, 200)
    const before = await well('audit list -o json')
    const again = await run('app apply -f reports.yaml --secret-file reports.secret')
    t.match(again, { code: 0, out: /^unchanged {2}reports {2}[0-9a-f-]{36}\n$/ })
    t.equal(await well('audit list -o json'), before, 'nothing was written the second time')
  })

  await t.test('apply changes to exactly what the file says, and tells the difference', async (t) => {
    await well('app disable reports --yes')
    write('both.json', JSON.stringify([{ name: 'reports', type: 'web', permissions: ['User.Read.All'] }, phone]))
    const { value } = await json('app apply -f both.json')
    t.match(value, [
      { name: 'reports', result: 'changed' },
      { name: 'phone', result: 'created' },
    ])
    t.match(
      value[0].differences.map(({ field, added }: { field: string; added: string[] }) => [field, added.length]),
      [
        ['redirectUris', 0],
        ['permissions', 1],
      ],
    )
    const now = await json('app show reports')
    t.match(now, { state: 'disabled', redirectUris: [], permissions: [{ kind: 'application', id: 'User.Read.All' }] })
    t.equal(now.consents.flatMap(({ permissions }: { permissions: unknown[] }) => permissions).length, 0)
    await well('app enable reports')
    t.match((await json('app apply -f both.json')).value, [{ result: 'unchanged' }, { result: 'unchanged' }])
    write('other.yaml', 'name: phone\ntype: web\n')
    t.match(await run('app apply -f other.yaml'), { code: 1, err: /its type is native and cannot become web/ })
    write('wrong.yaml', 'name: x\ntype: web\n---\nname: y\ntype: web\npermissions: [Nothing.Read]\n')
    t.match(await run('app apply -f wrong.yaml'), { code: 2, err: /no application permission "Nothing\.Read"/ })
    t.equal((await run('app show x')).code, 3, 'nothing is done before everything is known to be right')
  })

  await t.test(
    'what an application says of itself is applied once, and left alone where a file says nothing',
    async (t) => {
      mkdirSync(join(cwd, 'brands'))
      writeFileSync(join(cwd, 'brands/reports.png'), pngFile(64, 32))
      const manifest = (...brand: string[]) =>
        write(
          'brands/reports.yaml',
          ['name: reports', 'type: web', 'permissions: [User.Read.All]', ...brand].join('\n'),
        )
      const apply = async () => (await json('app apply -f brands/reports.yaml')).value[0]
      manifest('brand: { home: https://reports.example, terms: https://reports.example/t, logo: reports.png }')
      const tried = await well('app apply -f brands/reports.yaml --dry-run')
      t.match(tried, /\+ .*https:\/\/reports\.example\/\n[\s\S]*image\/png, 64 × 32/)
      t.match(await json('app brand show reports'), { home: '', logo: null }, 'nothing was done')
      t.match(await apply(), { result: 'changed', differences: [{ field: 'brand.home' }, {}, { field: 'brand.logo' }] })
      t.match(await apply(), { result: 'unchanged', differences: [] })
      manifest()
      t.match(await apply(), { result: 'unchanged' })
      manifest("brand: { terms: '', logo: '' }")
      t.match(await apply(), { result: 'changed', differences: [{ removed: [/\/t$/] }, { added: [] }] })
      const now = { home: 'https://reports.example/', terms: '', privacy: '', logo: null }
      t.match(await json('app brand show reports'), now)
      for (const [brand, why] of [
        ['{ home: "javascript:alert(1)" }', /reports: brand: The home page is an https/],
        ['{ logo: reports.yaml }', /reports: brand: The logo is a PNG/],
        ['{ logo: none.png }', /none\.png cannot be read \(ENOENT\)/],
        ['{ support: "https://x.example" }', /support/],
      ] as const) {
        manifest(`brand: ${brand}`, 'publisher: Nobody')
        t.match(await run('app apply -f brands/reports.yaml'), { code: 2, err: why })
      }
      t.match(await json('app show reports'), { publisher: '' }, 'nothing is done of a file that is wrong')
      write('brands/fresh.yaml', 'name: fresh\ntype: native\nbrand: { logo: reports.png }\n')
      t.match((await json('app apply -f brands/fresh.yaml')).value, [{ result: 'created' }])
      t.match((await json('app apply -f brands/fresh.yaml')).value, [{ result: 'unchanged' }])
      t.match(await json('app brand show fresh'), { logo: { width: 64 } })
      await well('app delete fresh --now --yes')
    },
  )

  await t.test('permissions are added and removed one at a time', async (t) => {
    await well('app permission add reports User.Read.All Subscription.Read.All --consent')
    t.match((await json('app permission list reports')).value, [
      { id: 'Subscription.Read.All', consentedIn: [String] },
      { id: 'User.Read.All', consentedIn: [String] },
    ])
    await well('app permission remove reports User.Read.All --yes')
    t.same((await json('app show reports')).permissions.length, 1)
    t.match(await run('app permission remove reports User.Read.All --yes'), { code: 3, err: /does not have/ })
    t.match(await run('app permission add reports Nothing.Read'), { code: 2, err: /permission list/ })
    t.match(await run('app permission add phone application:User.Read.All'), { code: 2 })
  })

  await t.test('what somebody else changed meanwhile is not written over', async (t) => {
    const { application, tag } = await manage.readApplication('reports')
    t.type(tag, 'string')
    const before = { unlessChangedFrom: tag }
    await manage.changeApplication('reports', { requirePkce: true }, before)
    const again = manage.changeApplication('reports', { redirectUris: [] }, before)
    await t.rejects(again, { exitCode: 1, message: /changed meanwhile/ })
    const { permissions } = application
    await t.rejects(manage.configurePermissions('reports', { permissions }, before), { message: /changed meanwhile/ })
  })

  await t.test('an imported service gets a token with its new secret once it is consented to', async (t) => {
    const line = `import keycloak ${sample('keycloak-realm.json')} --secret-file shop.secrets --map stock-read=assets_read`
    const { value, left } = await json(line)
    t.match(value, [
      { sourceId: 'shop-web', name: 'Shop', type: 'web', result: 'created' },
      { sourceId: 'shop-backend', type: 'web', result: 'created', notes: Array },
      { sourceId: 'shop-app', type: 'native', result: 'created' },
    ])
    t.match(left, [{ sourceId: 'https://saml.example/sp' }, { sourceId: 'stock' }])
    const secrets = importedSecrets()
    t.same(
      secrets.map(({ name }) => name),
      ['Shop', 'shop-backend'],
    )
    t.equal((await tokenOf(secrets[1], 'User.Read.All')).status, 400, 'an import consents to nothing')
    await well('consent grant shop-backend')
    t.equal(await calls(secrets[1]), 200)
    t.equal((await json('app show shop-app')).state, 'disabled', 'what was switched off stays off')
  })

  await t.test('a service of Hydra calls with its new secret', async (t) => {
    const only = '--only 8f7a1c2e-93b5-4d52-8a4e-0d6f5c3b2a01 --map invoices.read=User.Read.All'
    const { value } = await json(`import hydra ${sample('hydra.json')} ${only}`)
    t.match(value, [{ name: 'Billing', type: 'web', result: 'created', clientSecret: /^pcl_sk_/ }])
    t.equal((await tokenOf(value[0])).status, 400, 'nobody has consented')
    await well('consent grant Billing')
    t.equal(await calls(value[0]), 200)
  })

  await t.test('an imported web application signs people in', async (t) => {
    const { value } = await json(`import hydra ${sample('hydra.json')} --only 8f7a1c2e-93b5-4d52-8a4e-0d6f5c3b2a02`)
    const [{ applicationId, notes }] = value
    t.match(
      notes.map(({ field }: { field: string }) => field),
      [String, 'subject_type', /http:\/\/app\.example/],
    )
    const signedIn = await signIn({ client_id: applicationId }, 'http://127.0.0.1:5555/callback')
    t.match(signedIn, { back: /^http:\/\/127\.0\.0\.1:5555\/callback\?code=pcl_ac_/, status: 200 })
    const shop = {
      client_id: (await json('app show Shop')).applicationId,
      client_secret: importedSecrets()[0].clientSecret,
    }
    const inShop = await signIn(shop, 'https://shop.example/callback')
    t.match(inShop, { back: /^https:\/\/shop\.example\/callback\?code=pcl_ac_/, status: 200 })
  })

  await t.test('a second import makes no doubles; --update changes what is there', async (t) => {
    const count = (await json('app list')).value.length
    const file = sample('keycloak-realm.json')
    const again = await run(`import keycloak ${file} --secret-file never.secrets`)
    t.match(again, { code: 0, out: /^exists {5}Shop\n/, err: /3 exists\./ })
    t.equal((await run('app set Shop --no-redirect-uri --no-require-pkce --yes')).code, 0)
    const updated = await json(`import keycloak ${file} --update`)
    t.match(updated.value, [{ result: 'changed' }, { result: 'unchanged' }, { result: 'unchanged' }])
    t.match(await json('app show Shop'), { requirePkce: true, redirectUris: { length: 2 } })
    t.match(await json('app show shop-backend'), { permissions: { length: 3 } }, 'permissions from a map stay')
    t.equal((await json('app list')).value.length, count)
    t.throws(() => statSync(join(cwd, 'never.secrets')))
  })

  await t.test(
    'Entra manifests of both forms; a refusal of one application is reported and the rest are made',
    async (t) => {
      const made = await json(`import entra ${sample('entra.json')}`)
      t.match(made.value, [
        { name: 'Order desk', type: 'web', clientSecret: /^pcl_sk_/ },
        { name: 'Order desk (public client)', type: 'native', clientSecret: undefined },
      ])
      await well(`consent grant ${made.value[0].applicationId}`)
      t.equal(await calls(made.value[0]), 200, 'and calls with it')
      const older = await json(`import entra ${sample('entra-older.json')}`)
      t.match(older.value, [{ name: 'Field phone', type: 'native', result: 'created' }])
      const phone = await signIn({ client_id: older.value[0].applicationId }, 'com.contoso.field:/callback')
      t.match(
        phone,
        { back: /^com\.contoso\.field:\/callback\?code=pcl_ac_/, status: 200 },
        'and people to the older one',
      )
      write(
        'odd.json',
        JSON.stringify([
          { client_id: 'a', client_name: 'x'.repeat(200) },
          { client_id: 'b', client_name: 'fine' },
        ]),
      )
      const odd = await run('import hydra odd.json -o json')
      t.match(odd, { code: 1, err: /1 of 2 could not be registered/ })
      t.match(JSON.parse(odd.out).value, [{ result: 'failed', reason: /1 to 120/ }, { result: 'created' }])
    },
  )

  await t.test('delete asks, and a registration that is gone is gone', async (t) => {
    t.match(await run('app delete phone'), { code: 2, err: /say --yes/ })
    t.match(await run('app delete phone', { answer: 'n' }), { code: 1, err: /nothing was done/ })
    t.equal((await run('app show phone')).code, 0)
    t.match(await run('app delete phone', { answer: 'y' }), {
      code: 0,
      err: /Delete phone\?[\s\S]*deleted[\s\S]*restored until/,
    })
    t.equal((await run('app show phone')).code, 3)
    t.equal((await run('app delete nobody --yes')).code, 3)
    t.match(await run('app list --deleted'), { code: 0, out: /phone[\s\S]*operator/ })
    t.match(await run('app restore phnoe'), { code: 3, err: /The nearest is "phone"/ })
    t.match(await run('app restore phone'), {
      code: 0,
      out: /phone/,
      err: /Owners: none[\s\S]*Tokens of before stay refused/,
    })
    t.equal((await run('app show phone')).code, 0)
    t.equal((await run('app restore phone')).code, 3)
    t.match(await run('app delete phone --yes'), { code: 0 })
    t.match(await run('app delete phone --now --yes'), { code: 0, err: /for good/ })
    t.equal((await run('app restore phone')).code, 3)
  })

  t.notMatch(program.output(), /never-printed/)
})

const phone = { name: 'phone', type: 'native', redirectUris: ['com.example.phone:/callback'] }

t.test(
  'the script of the documentation goes from nothing to a call, and changes nothing the second time',
  { timeout: 240_000 },
  async (t) => {
    const script = readFileSync(join(root, 'deploy/first-application.sh'), 'utf8')
    t.ok(documentedBlock('#!/bin/sh\n') === script, 'it stands there as it is')
    t.ok(script.trimEnd().split('\n').length <= 12)
    const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
    t.teardown(async () => {
      first?.end()
      await until('the server has stopped, and its folder is gone', () => {
        rmSync(cwd, { recursive: true, force: true })
        return !existsSync(cwd)
      })
    })
    let first: Settled | undefined
    // As in a clone: built beside it, and no such command on the path, because an alias is none.
    const [node, ...words] = programWords()
    const through = `spawnSync(${JSON.stringify(node)}, [...${JSON.stringify(words)}, ...process.argv.slice(2)]`
    cloneOf(cwd, `process.exit(require('node:child_process').${through}, { stdio: 'inherit' }).status ?? 1)`)
    const ports = { public: await freePort(), operator: await freePort() }
    const settings = environment(`https://localhost:${ports.public}`, ports)
    const env = { ...plainEnvironment(), ...settings }
    const runScript = (...typed: string[]) => settled(scriptIn(cwd, typed, env))

    // The server that it starts belongs to its group and lives on.
    first = await runScript('./deploy/first-application.sh')
    t.match(first, { code: 0, out: 'Enabled\n' }, first.err)
    const state = async () => {
      const show = async (...argv: string[]) => (await runCommand(argv, { cwd, env: settings })).out
      const listed = await show('app', 'list', '-o', 'json')
      const shown = (await show('app', 'show', 'inventory', '-o', 'json')).replace(/"lastUsedAt": .*/g, '')
      const files = ['inventory.secret', 'inventory.json'].map((name) => readFileSync(join(cwd, 'data', name), 'utf8'))
      return { listed, shown, secret: files[0], audit: await show('audit', 'list', '-o', 'json') }
    }
    const before = await state()
    t.match(before.listed, /"name": "inventory"/)
    const second = await runScript('sh', 'deploy/first-application.sh')
    t.match(second, { code: 0, out: 'Enabled\n' }, second.err)
    t.same(await state(), before)
  },
)

t.test('the script says why no server started, and ends', async (t) => {
  const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  cloneOf(cwd, `console.log('the port is taken'); process.exit(1)`)
  const { code, err } = await settled(scriptIn(cwd, ['sh', 'deploy/first-application.sh'], plainEnvironment()))
  t.same([code, err], [1, 'the port is taken\n'])
})

/** The script beside a program that is this. */
function cloneOf(cwd: string, program: string): void {
  mkdirSync(join(cwd, 'dist/src'), { recursive: true })
  mkdirSync(join(cwd, 'deploy'))
  writeFileSync(join(cwd, 'dist/src/main.js'), program)
  copyFileSync(join(root, 'deploy/first-application.sh'), join(cwd, 'deploy/first-application.sh'))
}

function scriptIn(cwd: string, [program = '', ...words]: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  return spawn(program, words, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
}

interface Settled {
  code: number | null
  out: string
  err: string
  /** Ends whatever it started. */
  end(): void
}

function settled(child: ChildProcess): Promise<Settled> {
  const said = { out: '', err: '' }
  child.stdout?.on('data', (chunk: Buffer) => (said.out += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (said.err += chunk.toString()))
  const end = () => void process.kill(-(child.pid ?? 0), 'SIGTERM')
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...said, end })))
}
