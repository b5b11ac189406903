// The command line at a server that is somewhere else: signing in by a code and by browser, every command over https,
// and what is kept on this machine.

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { runCommandLine } from '../../src/cli/program.js'
import { commandLineClient } from '../../src/oauth/command-line-client.js'
import { signInAndAccept, startWithPeople } from '../support/programs/people-program.js'
import { freePort } from '../support/programs/program.js'
import { until } from '../support/traffic/until.js'

t.setTimeout(180_000)
const testApp = await startWithPeople(t)
const { program, manage, person, browse, authorize } = testApp
const server = program.baseUrl
const folder = mkdtempSync(join(tmpdir(), 'pcl-login-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const ca = join(folder, 'ca.pem')
writeFileSync(ca, program.ca())

interface Running {
  said: () => string
  done: Promise<{ code: number; out: string; err: string }>
}

/** One command line in a folder of its own, where no server is in sight. */
function start(words: readonly string[], env: NodeJS.ProcessEnv = {}, config = 'config'): Running {
  const [out, err]: [string[], string[]] = [[], []]
  const terminal = {
    out: (data: string | Uint8Array) => void out.push(Buffer.from(data).toString()),
    say: (message: string) => void err.push(`${message}\n`),
    env: { HOME: folder, XDG_CONFIG_HOME: join(folder, config), ...env },
    cwd: folder,
    interactive: false,
    colours: false,
    input: async () => '',
  }
  const never = async () => {}
  const code = runCommandLine({ serve: never, backend: never, version: '1', terminal }, words)
  return {
    said: () => err.join(''),
    done: code.then((ended) => ({ code: ended, out: out.join(''), err: err.join('') })),
  }
}

const run = (words: readonly string[], env?: NodeJS.ProcessEnv, config?: string) => start(words, env, config).done
const savedFile = (config = 'config') =>
  join(folder, config, 'portcullis', `${encodeURIComponent(new URL(server).host)}.json`)
const saved = (config?: string) => JSON.parse(readFileSync(savedFile(config), 'utf8'))

/** With the browser of this machine. */
async function loginByBrowser(who: { email: string; password: string }, config: string) {
  const login = start(['login', '--server', server, '--ca', ca, '--browser'], {}, config)
  await until('the address is shown', () => /https:\S+authorize\S+/.test(login.said()))
  const { pathname, search, searchParams } = new URL(/https:\S+authorize\S+/.exec(login.said())?.[0] ?? '')
  t.equal(searchParams.get('max_age'), '600', 'identity L9: login asks for a recent sign-in')
  const browser = browse()
  await browser.open(pathname + search)
  await signInAndAccept(browser, who)
  await get(browser.page.left ?? browser.page.body)
  return await login.done
}

/** As a browser would, to the listener. */
function get(address: string | URL): Promise<number> {
  return new Promise((resolve, reject) => {
    request(address, (answer) => resolve(answer.resume().statusCode ?? 0))
      .once('error', reject)
      .end()
  })
}

t.test('before anybody signed in every command says so: 4 denied, and where to sign in', async (t) => {
  for (const words of [['whoami'], ['app', 'list'], ['logout']]) {
    const ended = await run([...words, '--server', server])
    t.equal(ended.code, words[0] === 'logout' ? 0 : 4, words.join(' '))
    if (words[0] !== 'logout') t.match(ended.err, `portcullis login --server ${server}`)
  }
  t.equal((await run(['whoami'])).code, 4)
  t.equal((await run(['app', 'list', '--server', 'http://localhost:1'])).code, 2, 'no TLS, no token')
  t.equal((await run(['app', 'list', '--server', `${server}/path`])).code, 2)
  t.equal((await run(['app', 'list', '--server', server, '--socket', 'x'])).code, 2)
  t.equal((await run(['login', '--server', server, '--browser', '--device'])).code, 2)
  const nobody = await run(['login', '--server', `https://localhost:${await freePort()}`, '--ca', ca])
  t.equal(nobody.code, 5, nobody.err)
  t.equal((await run(['login', '--server', server])).code, 5, 'an authority that is not trusted')
  t.equal((await run(['login', '--server', server.replace('localhost', '127.0.0.1'), '--ca', ca])).code !== 0, true)
  t.throws(() => statSync(join(folder, 'config', 'portcullis')), 'and nothing is kept')
})

t.test('identity M2: nobody is signed in to the command line by a code unless the server allows it', async (t) => {
  const login = await run(['login', '--server', server, '--ca', ca, '--device'])
  t.equal(login.code, 4, login.err)
  t.match(login.err, /signIn\.deviceCodes: all/)
  t.throws(() => statSync(savedFile()))
})

t.test('an owner signs in; what is kept is for them alone', async (t) => {
  const login = await loginByBrowser(person, 'config')
  t.equal(login.code, 0, login.err)
  t.match(login.err, `Signed in at ${server} as ${person.name} <${person.email}>.`)
  t.equal(login.out, '')
  t.equal(statSync(savedFile()).mode & 0o777, 0o600)
  t.equal(statSync(join(folder, 'config', 'portcullis')).mode & 0o777, 0o700)
  t.same(
    readdirSync(join(folder, 'config', 'portcullis')).sort(),
    [`${encodeURIComponent(new URL(server).host)}.json`, 'current'].sort(),
  )
  const who = await run(['whoami', '-o', 'json'])
  t.equal(who.code, 0, who.err)
  t.match(JSON.parse(who.out), { server, name: person.name, email: person.email, permissions: /./ })
  t.ok(JSON.parse(who.out).permissions.includes('Application.ReadWrite.All'))
})

t.test('every command works as it does over the local socket, with the same exit codes', async (t) => {
  const created = await run([
    'app',
    'create',
    'remote',
    '--permission',
    'Subscription.Read.All',
    '--consent',
    '-o',
    'json',
  ])
  t.equal(created.code, 0, created.err)
  t.match(JSON.parse(created.out).clientSecret, /^pcl_sk_/)
  const listed = JSON.parse((await run(['app', 'list', '-o', 'json'])).out).value.map(
    ({ name }: { name: string }) => name,
  )
  t.ok(listed.includes('remote'))
  t.notOk(listed.includes(commandLineClient.name), 'what is part of the product is nobody’s')
  for (const words of [
    ['app', 'show', 'remote'],
    ['tenant', 'list'],
    ['user', 'list'],
    ['audit', 'list'],
    ['status'],
    ['keys', 'list'],
    ['consent', 'requests'],
    ['call', 'GET', '/api/v2/applications'],
  ]) {
    const ended = await run(words)
    t.equal(ended.code, 0, `${words.join(' ')}: ${ended.err}`)
  }
  t.match((await run(['token'])).out, /^eyJ\S+\n$/, 'their own token')
  t.equal((await run(['doctor', '--server', server])).code, 2)
  t.equal((await run(['app', 'show', 'nothing'])).code, 3)
  t.equal((await run(['app', 'show', commandLineClient.applicationId])).code, 3)
  t.equal((await run(['app', 'disable', commandLineClient.applicationId, '--yes'])).code, 3)
  t.equal((await run(['app', 'create', '', '--server', server])).code, 2)
  const twice = ['app', 'create', 'twice', '--type', 'native', '-o', 'json']
  t.notMatch((await run(twice)).err, 'Another')
  const second = await run(twice)
  t.equal(second.code, 0)
  t.match(second.err, 'Another application has the name twice. Commands now need the identifier')
  t.match(second.err, `--app ${JSON.parse(second.out).applicationId}`)
  t.match(await run(['app', 'show', 'twice']), { code: 1, err: JSON.parse(second.out).applicationId })
})

t.test('a call as the command line itself is refused with the commands that work, which do', async (t) => {
  const refused = await run(['call', 'GET', '/api/v2/subscriptions'])
  t.equal(refused.code, 4)
  t.match(refused.err, 'You called as the command line itself. Call as an application:')
  const commands = [...refused.err.matchAll(/^ {4}portcullis (.*)$/gm)].map(([, words = '']) => words)
  t.equal(commands.length, 2)
  for (const command of commands) {
    const ended = await run(command.split(' '))
    t.equal(ended.code, 0, `${command}: ${ended.err}`)
  }
  const path = '/api/v2/subscriptions?x=a b'
  const named = await run(['call', 'GET', path, '--server', server])
  t.match(named.err, `portcullis call GET '${path}' --app caller --server ${server}`)
  const token = { PORTCULLIS_ACCESS_TOKEN: (await run(['token'])).out.trim() }
  t.notMatch(
    (await run(['call', 'GET', '/api/v2/subscriptions'], token)).err,
    'app create',
    'whose token it is, is unknown',
  )
  t.notMatch((await run(['call', 'GET', '/api/v2/nothing'])).err, 'app create')
})

t.test('commands at once renew the tokens once, and none ends the sign-in of another', async (t) => {
  const before = saved()
  writeFileSync(savedFile(), JSON.stringify({ ...before, tokens: { ...before.tokens, expiresAt: 0 } }), { mode: 0o600 })
  const ended = await Promise.all(Array.from({ length: 8 }, () => run(['app', 'list'])))
  t.same(new Set(ended.map(({ code }) => code)), new Set([0]), ended.map(({ err }) => err).join(''))
  const after = saved()
  t.not(after.tokens.refreshToken, before.tokens.refreshToken)
  t.equal((await run(['app', 'list'])).code, 0)
  t.equal(saved().tokens.refreshToken, after.tokens.refreshToken, 'a token that is good is not renewed')
  await manage.revoke({ what: 'token', token: after.tokens.accessToken })
  t.equal((await run(['app', 'list'])).code, 0, 'one that was revoked is')
  t.not(saved().tokens.accessToken, after.tokens.accessToken)
  t.same(
    readdirSync(join(folder, 'config', 'portcullis')).filter((name) => name.includes('lock')),
    [],
  )
  // A process that died with the lock does not keep it.
  writeFileSync(savedFile().replace(/json$/, 'lock'), '999999999')
  const again = saved()
  writeFileSync(savedFile(), JSON.stringify({ ...again, tokens: { ...again.tokens, expiresAt: 0 } }), { mode: 0o600 })
  t.equal((await run(['app', 'list'])).code, 0)
})

t.test('a file that others can read is not used', async (t) => {
  const copy = JSON.stringify(saved())
  rmSync(savedFile())
  writeFileSync(savedFile(), copy, { mode: 0o644 })
  const refused = await run(['whoami'])
  t.equal(refused.code, 2)
  t.match(refused.err, /chmod 600/)
  rmSync(savedFile())
  writeFileSync(savedFile(), copy, { mode: 0o600 })
  t.equal((await run(['whoami'])).code, 0)
})

t.test(
  'by browser: a listener on 127.0.0.1 takes the answer to this request and no other (RFC 8252 §7.3)',
  async (t) => {
    const login = start(['login', '--server', server, '--ca', ca, '--browser'], {}, 'browser')
    await until('the address is shown', () => /https:\S+authorize\S+/.test(login.said()))
    const url = new URL(/https:\S+authorize\S+/.exec(login.said())?.[0] ?? '')
    const redirectUri = new URL(url.searchParams.get('redirect_uri') ?? '')
    t.match(redirectUri.href, /^http:\/\/127\.0\.0\.1:\d+\/callback$/)
    t.equal(url.searchParams.get('code_challenge_method'), 'S256')
    t.equal(await get(new URL('/other?state=x', redirectUri)), 404)
    await get(`${redirectUri.href}?code=forged&state=forged&iss=${server}`)
    t.equal(await get(await authorize(url.href)), 200)
    const ended = await login.done
    // At once: a moment later the port may be somebody else's.
    await t.rejects(get(redirectUri), { code: 'ECONNREFUSED' }, 'and nobody listens any more')
    t.equal(ended.code, 0, ended.err)
    t.equal((await run(['whoami'], {}, 'browser')).code, 0)
  },
)

t.test('a developer gets what the role allows, once an administrator consented for all', async (t) => {
  const dev = { email: 'dev@contoso.test', password: 'nine quiet rivers bending east' }
  const created = await run([
    'user',
    'invite',
    dev.email,
    '--tenant',
    saved().tenantId,
    '--role',
    'developer',
    '-o',
    'json',
  ])
  t.equal(created.code, 0, created.err)
  const browser = browse()
  await browser.open(new URL(JSON.parse(created.out).url).pathname)
  await browser.submit({ name: 'Dev', ...dev })
  const granted = await run(['consent', 'grant', commandLineClient.applicationId])
  t.equal(granted.code, 0, granted.err)
  const login = await loginByBrowser(dev, 'developer')
  t.equal(login.code, 0, login.err)
  t.equal((await run(['app', 'create', 'mine', '--type', 'native'], {}, 'developer')).code, 0)
  const refused = await run(['audit', 'list'], {}, 'developer')
  t.equal(refused.code, 4, refused.err)
  t.equal((await run(['keys', 'rotate'], {}, 'developer')).code, 4)
})

t.test('in another tenant its owner consents, and sees that tenant alone', async (t) => {
  const { tenantId } = await manage.createTenant({ name: 'Fabrikam' })
  const eve = { email: 'eve@fabrikam.test', password: 'eleven patient yellow boats' }
  const words = ['user', 'invite', eve.email, '--tenant', tenantId, '--role', 'owner', '-o', 'json']
  const invited = await run([...words, '--socket', join(program.folder, 'admin.sock')])
  t.equal(invited.code, 0, invited.err)
  const browser = browse()
  await browser.open(new URL(JSON.parse(invited.out).url).pathname)
  await browser.submit({ name: 'Eve', ...eve })
  const login = await loginByBrowser(eve, 'fabrikam')
  t.equal(login.code, 0, login.err)
  t.equal(JSON.parse((await run(['whoami', '-o', 'json'], {}, 'fabrikam')).out).tenantId, tenantId)
  t.same(JSON.parse((await run(['app', 'list', '-o', 'json'], {}, 'fabrikam')).out).value, [])
  t.equal((await run(['app', 'show', 'remote'], {}, 'fabrikam')).code, 3)
  t.equal((await run(['status'], {}, 'fabrikam')).code, 4, 'who is no operator does not see the server')
})

t.test('PORTCULLIS_TOKEN takes the place of a sign-in', async (t) => {
  const env = { PORTCULLIS_TOKEN: saved().tokens.accessToken, PORTCULLIS_SERVER: server, PORTCULLIS_CA: ca }
  t.equal((await run(['app', 'list'], env, 'none')).code, 0)
  t.match((await run(['whoami', '-o', 'json'], env, 'none')).out, person.email)
  t.equal((await run(['app', 'list'], { ...env, PORTCULLIS_TOKEN: 'eyJ' }, 'none')).code, 4)
  t.throws(() => statSync(join(folder, 'none')), 'and nothing is kept')
})

t.test('logout ends the sign-in there and here', async (t) => {
  const { tokens } = saved()
  const ended = await run(['logout'])
  t.equal(ended.code, 0, ended.err)
  t.throws(() => statSync(savedFile()))
  t.equal((await run(['app', 'list'])).code, 5, 'what is meant then is a server of this machine')
  const env = { PORTCULLIS_TOKEN: tokens.accessToken, PORTCULLIS_SERVER: server, PORTCULLIS_CA: ca }
  t.equal((await run(['app', 'list'], env)).code, 4, 'its access tokens ended too')
  const all = ['revoke', 'application', commandLineClient.applicationId, '--yes']
  t.equal((await run([...all, '--socket', join(program.folder, 'admin.sock')])).code, 0)
  const held = saved('browser').tokens.accessToken
  const renewed = await run(['app', 'list'], {}, 'browser')
  t.equal(renewed.code, 0, renewed.err)
  t.not(saved('browser').tokens.accessToken, held, 'all its tokens were refused; the sign-ins stand, and got new ones')
  await program.stop()
  const offline = await run(['logout'], {}, 'developer')
  t.equal(offline.code, 5)
  t.match(offline.err, /forgotten here/)
  t.throws(() => statSync(savedFile('developer')))
})
