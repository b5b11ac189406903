// The rules of a real program change while it is under load, by every way of asking for it, and many of the files are
// wrong.
// full: a program under load while its rules change
// run: alone

import { mkdirSync, readdirSync, readFileSync, readlinkSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:https'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { parseDocument } from 'yaml'
import { createLocalClient } from '../../src/cli/calls/local-client.js'
import { defaultConfigFile } from '../../src/config/read/package-root.js'
import type { Answer } from '../../src/management/schemas.js'
import type { ReloadedAnswer } from '../../src/management/server/configuration.js'
import { call, demoCredential, demoToken, portcullis, tokenRequest } from '../support/programs/demo.js'
import { type Program, startProgram } from '../support/programs/program.js'
import { reloadUpstream, startLoad } from '../support/traffic/reload-load.js'
import { until } from '../support/traffic/until.js'

const cwd = t.testdir()
const upstream = await reloadUpstream(t)
const config = join(cwd, 'portcullis.yaml')
const rules = join(cwd, 'conf.d', 'rules.yaml')
const reloads = 100

/** SIGWINCH collects garbage. */
const planted = `--import=data:text/javascript,${encodeURIComponent(`import v8 from 'node:v8'; import vm from 'node:vm'
v8.setFlagsFromString('--expose-gc')
process.on('SIGWINCH', () => vm.runInNewContext('gc')())`)}`

/** The rules of generation n: one route comes with each, and one service moves. */
function rulesOf(n: number, to = 'moving'): string {
  return `upstreams:
  steady: { target: "http://127.0.0.1:${upstream.port}" }
  moving: { target: "http://127.0.0.1:${upstream.port}/g${n}" }
limits:
  of-${n}: { by: application, rate: 1000000/min }
routes:
  GET /api/v2/steady: { to: steady, require: User.Read.All }
  GET /api/v2/moving: { to: ${to}, require: User.Read.All, limits: [of-${n}] }
  GET /api/v2/stream: { to: steady, require: User.Read.All }
  GET /api/v2/live: { to: steady, require: User.Read.All, stream: true }
  POST /api/v2/upload: { to: steady, require: User.Read.All, body: 64MiB }
  GET /api/v2/only/${n}: { to: steady, public: true }
`
}

/** As those do it that swap files: never half of one. */
function write(text: string, file = rules): void {
  writeFileSync(`${file}.new`, text)
  renameSync(`${file}.new`, file)
}

async function start(): Promise<Program> {
  const document = parseDocument(readFileSync(defaultConfigFile(), 'utf8'))
  document.setIn(['include'], [{ file: 'conf.d/*.yaml', paths: ['/**'] }])
  document.setIn(['server', 'limits', 'perAddress'], '1000000/min')
  document.setIn(['server', 'limits', 'requestsPerConnection'], 1_000_000)
  document.setIn(['limits', 'application'], { by: 'application', rate: '1000000/min', burst: 100_000 })
  writeFileSync(config, document.toString())
  mkdirSync(join(cwd, 'conf.d'))
  write(rulesOf(0))
  return await startProgram({ cwd, config, env: { NODE_OPTIONS: planted, PORTCULLIS_LOG_LEVEL: 'info' } })
}

const firstStartedAt = performance.now()
const program = await start()
const firstStart = { ms: performance.now() - firstStartedAt, mib: resident(program) }
t.teardown(() => program.stop('SIGKILL'))
const agent = new Agent({ keepAlive: true, ca: program.ca() })
t.teardown(() => agent.destroy())
const local = createLocalClient(join(program.folder, 'admin.sock'))
const reload = async () => (await local.call('POST', '/configuration/reload')) as ReloadedAnswer
const metrics = async () => await (await fetch(`${program.operatorUrl}/metrics`)).text()
const count = (pattern: RegExp) => program.output().match(pattern)?.length ?? 0

/** What a file that is written now changes, by the log: watching may read it before the call does, which then finds nothing new. */
async function changesOf(text: string, file: string): Promise<unknown> {
  const before = program.output().length
  const logged = () => /^.*"msg":"the configuration is reloaded".*$/m.exec(program.output().slice(before))?.[0]
  write(text, file)
  await reload()
  await until('the log tells of the reload', () => logged() !== undefined)
  return JSON.parse(logged() ?? '')
}

async function metric(name: string): Promise<number> {
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await metrics())?.[1])
}

/** Of a descriptor, empty when it is closed again. */
function leadsTo(link: string): string {
  try {
    return readlinkSync(link)
  } catch {
    return ''
  }
}

/** In MiB. */
function resident({ child }: Program): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024
}

/** After garbage was collected twice, and what was shown a last time is gone. */
async function settled() {
  const { pid = 0 } = program.child
  for (let i = 0; i < 3; i++) {
    process.kill(pid, 'SIGWINCH')
    await metrics()
  }
  const folder = `/proc/${pid}/fd`
  const open = readdirSync(folder)
  return {
    descriptors: open.length,
    sockets: open.filter((name) => leadsTo(join(folder, name)).startsWith('socket:')).length,
    rssMiB: resident(program),
    heapMiB: (await metric('portcullis_nodejs_heap_size_used_bytes')) / 1024 / 1024,
    series: (await metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#')).length,
  }
}

/** Before there was any load. */
let quiet: Awaited<ReturnType<typeof settled>> | undefined
/** Under load, when the program was warm. */
let warm: Awaited<ReturnType<typeof settled>> | undefined

t.test('F25 100 reloads under load, a tenth of them invalid: no request fails, and nothing grows', async (t) => {
  const generations = { inEffect: 0, written: 0 }
  const token = await demoToken(program)
  quiet = await settled()
  const load = startLoad(program, token, generations)
  const started = performance.now()
  let sent = 0
  for (let n = 1; n <= reloads; n++) {
    const isWrong = n % 10 === 0
    if (!isWrong) generations.written = n
    write(rulesOf(n, isWrong ? 'nowhere' : 'moving'))
    const refused = count(/"the configuration is not reloaded/g)
    if (n % 3 === 0) process.kill(program.child.pid ?? 0, 'SIGHUP')
    else if (n % 33 === 1) t.comment(`${n}: no message`)
    else if (isWrong)
      await t.rejects(reload(), {
        exitCode: 2,
        message: /rules\.yaml:8:\d+ routes\["GET \/api\/v2\/moving"\]\.to: there is no upstream "nowhere"/,
      })
    else await reload()
    if (isWrong) await until('it is refused', () => count(/"the configuration is not reloaded/g) > refused)
    else
      await until('it is in effect', async () => (await call(program, `/api/v2/only/${n}`, { agent })).status === 200)
    if (!isWrong) generations.inEffect = n
    sent++
    if (n === 20) warm = await settled()
  }
  const tookMs = performance.now() - started
  await load.stop(upstream.endStreams)
  t.same(load.failures.slice(0, 5), [], 'every request was decided by rules that were in effect while it ran')
  t.equal(sent, reloads)
  const { calls, moved, uploads, streams, webSockets, messages } = load.counts
  t.ok(calls > reloads && moved > reloads && uploads > 10, 'there was load')
  t.equal(streams, 6, 'streams that were open all the time ended whole')
  t.equal(webSockets, 4, 'WebSockets too, each message of theirs answered')
  t.ok(messages > reloads, `${messages} messages`)
  t.ok(count(/conf\.d\/rules\.yaml:8:\d+ routes.*there is no upstream/g) >= reloads / 10, 'each mistake is named')
  t.ok(
    // What was silent for long comes anew; a service that each reload makes anew has one for each.
    upstream.steady.size <= reloads / 2,
    `${upstream.steady.size} connections to a service that no reload touched`,
  )
  const text = await metrics()
  t.match(text, /^portcullis_config_last_reload_successful 0$/m, 'the last file is wrong')
  t.equal(text.match(/^portcullis_config_info\{/gm)?.length, 1)
  t.equal((await call(program, `/api/v2/only/${reloads - 1}`)).status, 200, 'the rules before are in effect')

  const after = await settled()
  const figures = (of: typeof after) =>
    `${of.descriptors} descriptors, ${of.sockets} of them sockets, ${of.rssMiB.toFixed(0)} MiB resident, ${of.heapMiB.toFixed(1)} MiB of heap, ${of.series} series`
  t.comment(
    `${calls} calls, ${moved} of a route that changes, ${uploads} uploads, ${streams} streams, ${webSockets} WebSockets with ${messages} messages, 0 failed`,
  )
  t.comment(
    `${reloads} reloads in ${(tookMs / 1000).toFixed(1)} s; ${upstream.steady.size} connections to the steady service`,
  )
  if (quiet === undefined || warm === undefined) throw new Error('nothing was measured')
  t.comment(`before: ${figures(quiet)}`)
  t.comment(`after 20: ${figures(warm)}`)
  t.comment(`after ${reloads}: ${figures(after)}`)
  t.ok(after.heapMiB < warm.heapMiB + 10, 'the heap does not grow')
  t.ok(after.rssMiB < warm.rssMiB + 60, 'memory does not grow')
})

t.test(
  'a permission comes with a reload, is configured, consented, requested, opens a route; and goes again',
  async (t) => {
    const { clientId, clientSecret } = demoCredential(program)
    const own = `upstreams: { things: { target: "http://127.0.0.1:${upstream.port}" } }\n`
    const more = `${own}permissions:
  things_read: { describe: Read things }
resources:
  box: { id: "https://box.example.com/api", name: Box, permissions: { open: { describe: Open the box } } }
routes:
  GET /api/v2/things: { to: things, require: things_read }
`
    const file = join(cwd, 'conf.d', 'things.yaml')
    write(rulesOf(0))
    await reload()
    const token = async () => {
      const fields = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
      const answer = await tokenRequest(program, { ...fields, requested_scopes: 'things_read' })
      return answer.status === 200 ? (JSON.parse(answer.body).access_token as string) : answer.body
    }
    const things = async (bearer: string) =>
      (await call(program, '/api/v2/things', { agent, headers: { authorization: `Bearer ${bearer}` } })).status
    // When a secret was last used is written a minute at a time.
    const consents = async () =>
      JSON.stringify(await local.call('GET', `/applications/${clientId}`), (name, value) =>
        name === 'lastUsedAt' ? undefined : value,
      )
    const described = async () => JSON.parse((await call(program, '/api/v2/openapi.json', { agent })).body)
    const metadata = async (path: string) => await call(program, `/.well-known/${path}`, { agent })
    const resource = 'oauth-protected-resource/api'

    t.match(await token(), /invalid_scope/, 'nobody has heard of it')
    t.equal((await metadata(resource)).status, 404)
    t.notOk(Object.keys((await described()).paths).includes('/api/v2/things'))
    t.match(await changesOf(more, file), {
      routes: { added: ['GET /api/v2/things'] },
      permissions: { added: ['things_read', 'https://box.example.com/api/open'] },
    })
    t.match(await token(), /invalid_scope/, 'it is not configured')
    const configured = (
      (await local.call('GET', `/applications/${clientId}`)) as {
        permissions: { kind: string; resource: string; id: string }[]
      }
    ).permissions
    const permission = { kind: 'application', id: 'things_read' }
    const kept = configured.map(({ kind, resource, id }) => ({ kind, resource, id }))
    await local.call('PUT', `/applications/${clientId}/permissions`, { permissions: [...kept, permission] })
    await local.call('POST', `/applications/${clientId}/consents`, { permissions: [permission] })
    const holder = await token()
    t.equal(await things(holder), 200)
    t.equal((await call(program, '/api/v2/things', { agent })).status, 401)
    t.ok(Object.keys((await described()).paths).includes('/api/v2/things'), 'the document of the API says it')
    t.match((await metadata('oauth-authorization-server')).body, /"things_read"/)
    t.match(JSON.parse((await metadata(resource)).body), {
      resource: 'https://box.example.com/api',
      scopes_supported: ['open'],
    })
    t.match((await portcullis(program, ['check', config])).code, 0)

    const before = await consents()
    const otherwise = `${own}routes: { GET /api/v2/things: { to: things, require: User.Read.All } }\n`
    t.match(await changesOf(otherwise, file), {
      permissions: { removed: ['things_read', 'https://box.example.com/api/open'] },
      routes: { changed: ['GET /api/v2/things'] },
    })
    await until('the log tells what it changes', () =>
      /opened by things_read .*access: 1 call changes/.test(program.output()),
    )
    t.match(await token(), /invalid_scope/)
    t.equal((await metadata(resource)).status, 404)
    write(
      `${own}permissions: { things_read: { describe: Read things } }\nroutes: { GET /api/v2/others: { to: things, require: things_read } }\n`,
      file,
    )
    await reload()
    t.equal(await things(holder), 404, 'its route is gone')
    t.equal(await consents(), before, 'what was configured and consented is as it was')
    t.equal(await things(await token()), 404)
  },
)

t.test(
  'a ConfigMap that is swapped by its link, files that come and go, what no reload changes, and 5,000 routes',
  async (t) => {
    const folder = join(cwd, 'conf.d')
    const opens = async (path: string) => (await call(program, path, { agent })).status === 200
    for (const n of [1, 2]) {
      mkdirSync(join(folder, `..${n}`))
      writeFileSync(
        join(folder, `..${n}`, 'map.yaml'),
        `upstreams: { map: { target: "http://127.0.0.1:${upstream.port}" } }\nroutes: { GET /api/v2/map/${n}: { to: map, public: true } }\n`,
      )
    }
    symlinkSync('..1', join(folder, '..data'))
    symlinkSync('..data/map.yaml', join(folder, 'map.yaml'))
    await until('a file that came is read', () => opens('/api/v2/map/1'))
    symlinkSync('..2', join(folder, '..data.new'))
    renameSync(join(folder, '..data.new'), join(folder, '..data'))
    await until('what the link leads to now is read', () => opens('/api/v2/map/2'))
    t.notOk(await opens('/api/v2/map/1'))
    t.equal((await reload()).result, 'unchanged')
    const hash = /config_info\{hash="(\w+)"/.exec(await metrics())?.[1]

    const text = readFileSync(config, 'utf8')
    write(text.replace('level: ${PORTCULLIS_LOG_LEVEL:-info}', 'level: debug'), config)
    const reloaded = await portcullis(program, ['reload', '--config', config])
    t.equal(reloaded.code, 0)
    t.match(reloaded.stderr, /takes effect at the next start: log\.level \(.*portcullis\.yaml:\d+:\d+\)/)
    t.equal(/config_info\{hash="(\w+)"/.exec(await metrics())?.[1], hash, 'what runs is what it was')
    write(text.replace('require: Subscription.Read.All', 'require: Subscription.Raed.All'), config)
    const refused = await portcullis(program, ['reload', '--config', config])
    t.equal(refused.code, 2)
    t.match(
      refused.stderr,
      /portcullis\.yaml:\d+:\d+ routes\["GET \/api\/v2\/subscriptions"\]\.require: there is no permission "Subscription.Raed.All"/,
    )
    const refusedFor = async () => ((await local.call('GET', '/status')) as Answer<'status'>).refusedConfiguration
    const { since, mistakes } = (await refusedFor()) ?? {}
    t.equal(mistakes, 1)
    write(text.replace('require: Subscription.Read.All', 'require: Subscription.Reda.All'), config)
    await local.call('POST', '/configuration/reload').catch(() => undefined)
    t.equal((await refusedFor())?.since, since, 'since the first of them')
    write(text, config)
    await until('it is good again', async () => (await metric('portcullis_config_last_reload_successful')) === 1)
    t.equal(await refusedFor(), null)
    await startWithThousands(t, join(cwd, 'many'))
    // Of the services that 100 reloads moved away some connections were kept until now.
    let last = await settled()
    await until(
      'no descriptor is left of the load',
      async () => {
        last = await settled()
        return quiet !== undefined && last.descriptors <= quiet.descriptors + 3 && last.sockets <= quiet.sockets + 3
      },
      60_000,
    )
    t.comment(`at last: ${last.descriptors} descriptors, ${last.sockets} of them sockets, ${last.series} series`)
    const named = [...(await metrics()).matchAll(/(?:only\/|"of-|\/g)(\d+)"/g)].map(([, generation]) => generation)
    t.ok(named.length > 0)
    t.same([...new Set(named)], ['0'], 'the metrics name no route, limit or target that is gone')
    t.equal(await program.stop(), 0)
  },
)

/** Another program, which starts for the first time too. */
async function startWithThousands(t: Test, cwd: string): Promise<void> {
  mkdirSync(join(cwd, 'conf.d'), { recursive: true })
  const paths = Array.from({ length: 5_000 }, (_, i) => `/svc${i}/things${i % 2 === 0 ? '/{id}' : ''}`)
  const lines = paths.map((path) => `  GET ${path}: { to: steady, require: User.Read.All }`)
  write(readFileSync(config, 'utf8'), join(cwd, 'portcullis.yaml'))
  write(`${rulesOf(0)}${lines.join('\n')}\n`, join(cwd, 'conf.d', 'rules.yaml'))
  const began = performance.now()
  const many = await startProgram({ cwd, config: join(cwd, 'portcullis.yaml') })
  t.teardown(() => many.stop('SIGKILL'))
  const startMs = performance.now() - began
  const mib = resident(many).toFixed(0)
  t.equal((await call(many, '/svc4999/things')).status, 401, 'the last of them is guarded')
  t.equal((await call(many, '/svc4998/things/7')).status, 401)
  t.equal((await call(many, '/svc5000/things')).status, 404)
  const ten = `${Math.round(firstStart.ms)} ms and ${firstStart.mib.toFixed(0)} MiB with its own ten routes and six`
  t.comment(
    `Shows 8: a first start, from the command to ready: ${ten}; ${Math.round(startMs)} ms and ${mib} MiB with 5,000 more`,
  )
  t.equal(await many.stop(), 0)
}
