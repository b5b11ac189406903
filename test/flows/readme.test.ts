// README.md and the pages of src/docs are true: their commands, cut from the text and run by sh, do what they say,
// one's own service included. One program runs all of them.
// full: installs packages and runs every block of README.md and of the documentation
// run: apart

import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { defaultConfigFile, packageRoot } from '../../src/config/read/package-root.js'
import { accepts } from '../support/programs/accepts.js'
import { call, demoCredential } from '../support/programs/demo.js'
import { installClientPackage } from '../support/programs/installed-client.js'
import { browseProgram, signInAndAccept } from '../support/programs/people-program.js'
import { freePort, type Program, programWords, startProgram } from '../support/programs/program.js'
import { steadyPort } from '../support/programs/steady-port.js'
import { documentedBlock } from '../support/settings/documentation.js'
import { plainEnvironment } from '../support/settings/plain-environment.js'
import { until } from '../support/traffic/until.js'
import { startFileServer } from '../support/upstreams/file-server.js'

interface Documented extends Program {
  /** The documented command that says where it listens. */
  exported: string
}

/** The block of code in which `marker` stands. */
function block(marker: string): string {
  return documentedBlock(marker) ?? `there is no block with ${marker}`
}

function sh(program: Documented, script: string): Promise<{ code: number | null; out: string; err: string }> {
  const words = programWords().map((word) => `'${word}'`)
  const child = spawn('sh', ['-e', '-c', `${program.exported}\nportcullis() { ${words.join(' ')} "$@"; }\n${script}`], {
    cwd: program.cwd,
    env: { ...plainEnvironment(), ...program.env },
  })
  const printed = { out: '', err: '' }
  child.stdout.on('data', (chunk: Buffer) => (printed.out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (printed.err += chunk.toString()))
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, ...printed })))
}

t.test('the commands of README.md and src/docs work as they stand there', { timeout: 240_000 }, async (t) => {
  const cwd = t.testdir({ config: {} })
  const config = join(cwd, 'config', 'portcullis.yaml')
  writeFileSync(config, readFileSync(defaultConfigFile()))
  const ports = { public: await freePort(), operator: await freePort() }
  const exported = block('export PORTCULLIS_LISTEN')
    .replaceAll(':9443', `:${ports.public}`)
    .replace(':9465', `:${ports.operator}`)
  // Where it listens comes from the block alone.
  const unset = { PORTCULLIS_LISTEN: undefined, PORTCULLIS_BASE_URL: undefined, PORTCULLIS_OPERATOR: undefined }
  const command = ['sh', '-e', '-c', `${exported}\nexec "$@"`, 'sh', ...programWords(), 'serve']
  const started = await startProgram({ cwd, env: { PORTCULLIS_CONFIG: config, ...unset }, ports, command })
  t.teardown(() => started.stop())
  const program = { ...started, exported }

  const { clientId, clientSecret } = demoCredential(program)
  const first = block('TOKEN=$(curl -sS --cacert')
    .replaceAll('https://localhost:8443', program.baseUrl)
    .replace('client_id=…', `client_id=${clientId}`)
    .replace('client_secret=…', `client_secret=${clientSecret}`)
  const called = await sh(program, first)
  t.match(called.out, /^HTTP\/1\.1 200 /, `the quick start's call: ${called.err}`)

  const registered = ['app create reports', 'app permission add reports', 'portcullis doctor'].map(block)
  const commands = await sh(program, ['TOKEN=$(portcullis token --app hello)', ...registered].join('\n'))
  t.equal(commands.code, 0, commands.err)
  t.match(commands.out, /"state":"Enabled"/, 'the call was answered')
  t.match(readFileSync(join(cwd, 'data', 'reports.env'), 'utf8'), /^PORTCULLIS_CLIENT_SECRET=pcl_sk_/m)

  await installClientPackage(cwd)
  writeFileSync(
    join(cwd, 'worker.mjs'),
    block("from 'portcullis-client'").replaceAll('https://localhost:8443', program.baseUrl),
  )
  const coded = await sh(program, block('node --env-file=data/worker.env'))
  t.equal(coded.code, 0, coded.err)
  t.match(coded.out, /state: 'Enabled'/, 'the program got its list')

  await t.test('one’s own service in five minutes: json-server from npm, behind eight lines', async (t) => {
    const began = performance.now()
    const port = await steadyPort()
    const here = (marker: string) => block(marker).replaceAll(/\b3000\b/g, String(port))
    startService(t, program, here('npx json-server'))
    await until('json-server listens', () => accepts(port))
    t.ok(yamlLines(block('cat > config/conf.d/posts.yaml')) <= 8)
    const behind = await sh(program, here('cat > config/conf.d/posts.yaml'))
    t.equal(behind.code, 0, behind.err)

    const called = await sh(program, `set +e\n${here('app create reader')}`)
    t.match(called.out, /"title": ?"First"/, 'read')
    t.match(called.out, /"title": ?"Second",\s*"id": ?2/, 'written')
    t.match(`${called.out}${called.err}`, /"permission":\{"id":"Posts\.Write"/, 'refused, with the reason')
    const stored = () => readFileSync(join(cwd, 'data', 'posts.json'), 'utf8')
    t.match(JSON.parse(stored()), { posts: [{ id: 1 }, { id: 2 }] }, 'the service wrote one and lost none')
    t.comment(`from nothing to a guarded service: ${Math.round(performance.now() - began)} ms`)
    const anybody = await call(program, '/posts/1')
    t.equal(anybody.status, 401)
  })

  await t.test('one’s own MCP server in five minutes: the reference server from npm', async (t) => {
    const port = await steadyPort()
    const here = (marker: string) =>
      block(marker)
        .replaceAll(/\b3001\b/g, String(port))
        .replaceAll('https://localhost:8443', program.baseUrl)
    startService(t, program, here('npx @modelcontextprotocol/server-everything'))
    await until('the MCP server listens', () => accepts(port))
    const behind = await sh(program, here('portcullis mcp list'))
    t.equal(behind.code, 0, behind.err)
    const agent = await sh(program, here('delegated:$MCP/everything.read'))
    t.equal(agent.code, 0, agent.err)
    t.match(agent.out, /delegated:\S+\/everything\/mcp\/everything\.write/)
    const { out, err } = await sh(program, `set +e\n${here('app create robot')}`)
    t.match(`${out}${err}`, /"permission":\{"id":"everything\.write"/, 'a refusal names what the tool needs')
    t.match(out, /^ {8}echo: /m, 'the robot sees the tools that it may use')
    t.notMatch(out, /^ {8}toggle-simulated-logging: /m)
    t.match(out, /"message":"Unknown tool: rm"/, 'what the file does not name is not there')
    t.match(out, /decision +refused by the gate: 403/, 'and explain says so too')
    const { out: compared, code } = await sh(program, 'portcullis mcp check')
    t.equal(code, 0, compared)
  })

  await t.test('nginx from Debian serves files behind seven lines, and takes them from who may write', async (t) => {
    const folder = join(cwd, 'nginx')
    const port = await startFileServer(t, folder)
    const lines = block('/files/**:')
    t.ok(yamlLines(lines) <= 8)
    writeFileSync(join(cwd, 'config', 'conf.d', 'files.yaml'), lines.replace('8080', String(port)))
    const made = ['Read', 'Write'].map(
      (what) => `portcullis app create f${what} --permission Files.${what} --consent >&2`,
    )
    const tokens = ['Read', 'Write'].map((what) => `portcullis token --app f${what}`)
    const { code, out, err } = await sh(program, ['portcullis reload >&2', ...made, ...tokens].join('\n'))
    t.equal(code, 0, err)
    const [reader = '', writer = ''] = out
      .trim()
      .split('\n')
      .map((token) => `Bearer ${token}`)
    const ask = (method: string, authorization: string, headers: Record<string, string> = {}, body?: string) =>
      call(program, '/files/notes.txt', { method, headers: { authorization, ...headers }, ...(body && { body }) })

    t.equal((await ask('PUT', reader, {}, 'mine')).status, 403)
    t.notOk(existsSync(join(folder, 'files', 'notes.txt')), 'nothing was written')
    t.equal((await ask('PUT', writer, {}, 'a note of somebody')).status, 201)
    const whole = await ask('GET', reader)
    t.same([whole.status, whole.body], [200, 'a note of somebody'])
    t.same((await ask('GET', reader, { range: 'bytes=2-5' })).body, 'note')
    t.equal((await ask('GET', reader, { 'if-none-match': String(whole.headers['etag']) })).status, 304)
    const head = await ask('HEAD', reader)
    t.same([head.status, head.headers['content-length'], head.body], [200, '18', ''])
    t.equal((await ask('DELETE', reader)).status, 403)
    t.equal((await ask('DELETE', writer)).status, 204)
    t.equal((await ask('GET', reader)).status, 404)
    t.equal((await call(program, '/files/notes.txt')).status, 401)
  })

  await t.test('people are signed in by its commands, from the first owner to a withdrawn consent', async (t) => {
    const person = { name: 'Ada Lovelace', email: 'ada@contoso.example', password: 'seven unrelated green words' }
    const link = /Set up +https:\/\/[^/]+(\/set-up\/\S+)/.exec(program.output())?.[1]
    const owner = browseProgram(program)
    await owner.open(`${link}`)
    t.equal((await owner.submit(person, { form: 'set-up-form' })).title, 'Overview')

    const here = (marker: string) => block(marker).replaceAll('https://localhost:8443', program.baseUrl)
    const ran = await sh(program, `${here('VERIFIER=')}\necho "$VERIFIER"`)
    t.equal(ran.code, 0, ran.err)
    t.match(ran.out, /\/invitation\/pcl_ol_/, 'the colleague has a link')
    const [address = '', verifier = ''] = ran.out.trim().split('\n').slice(-2)
    const browser = browseProgram(program)
    await browser.open(address.slice(program.baseUrl.length))
    await signInAndAccept(browser, person)
    const back = new URL(browser.page.left ?? 'about:blank')
    t.equal(back.origin + back.pathname, 'https://diary.example/callback')

    const code = back.searchParams.get('code')
    const again = `. data/diary.env; VERIFIER=${verifier}\n${here('CODE=').replace(/^CODE=.*$/m, `CODE=${code}`)}`
    const withdraw = 'portcullis consent revoke diary --yes\nask -H "Authorization: Bearer $(field access_token)"'
    const used = await sh(program, `${again}\n${withdraw} ${program.baseUrl}/api/v2/me`)
    t.equal(used.code, 0, used.err)
    t.match(used.out, `"email":"${person.email}"`, 'the call was for the person')
    t.match(used.out, /delegated:\S+User\.Read/, 'what they allowed is listed')
    t.match(used.out, /"code":"InvalidToken"/, 'once withdrawn, the token of the refresh is refused')
  })
})

/** Of the document within a block of code. */
function yamlLines(text: string): number {
  const document = /<<END\n([\s\S]*)^END$/m.exec(text)?.[1] ?? text
  return document.trim().split('\n').length
}

/**
 * Runs a block whose last command stays, such as somebody's service; it ends with the test. npx is the package that is
 * installed here.
 */
function startService(t: { teardown(work: () => unknown): void }, program: Program, script: string): void {
  const installed = join(String(packageRoot()), 'node_modules')
  const [, name = ''] = /npx (\S+)@/.exec(script) ?? []
  const { bin } = JSON.parse(readFileSync(join(installed, name, 'package.json'), 'utf8')) as { bin: object | string }
  const main = join(installed, name, typeof bin === 'string' ? bin : String(Object.values(bin)[0]))
  const npx = `npx() { shift; exec '${process.execPath}' '${main}' "$@"; }`
  const child = spawn('sh', ['-e', '-c', `${npx}\n${script}`], {
    cwd: program.cwd,
    env: plainEnvironment(),
    stdio: 'ignore',
  })
  t.teardown(() => void child.kill())
}
