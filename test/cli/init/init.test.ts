// `init`: a configuration for production from flags or from answers, which a start takes; nothing is overwritten, no
// secret stands in it, and what fails leaves nothing behind.

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { init } from '../../../src/cli/init/init.js'
import type { Terminal } from '../../../src/cli/output/terminal.js'
import { ensureDevelopmentCertificate } from '../../../src/http/tls/development-ca.js'
import { runCommand } from '../../support/rooms/cli.js'

const run = (cwd: string, ...argv: string[]) => runCommand(['init', ...argv], { cwd })
const base = ['--base-url', 'https://api.example.com']
const behind = [...base, '--behind', '10.0.0.0/8, 192.168.1.1']
const modeOf = (...path: string[]) => (statSync(join(...path)).mode & 0o777).toString(8)

t.test('flags say everything: files with their modes, a file without secrets that check takes', async (t) => {
  const cwd = t.testdir()
  const { certFile, keyFile } = await ensureDevelopmentCertificate(join(cwd, 'made'))
  const store = 'postgresql://gate:pass-word-1@db.internal:5432/gate?sslmode=require'
  const more = [
    '--store',
    store,
    '--redis',
    'rediss://:pass-word-2@cache:6379',
    '--mail',
    'smtps://me:pass-word-3@mail:465',
  ]
  const made = await run(cwd, 'gate', ...base, '--cert', certFile, '--key', keyFile, ...more)
  t.equal(made.code, 0, made.err)
  t.match(made.err, /Keep a copy of secrets\/master-keys apart[\s\S]*portcullis serve --config gate\/portcullis\.yaml/)
  t.notMatch(made.out + made.err, /pass-word/)
  const text = readFileSync(join(cwd, 'gate/portcullis.yaml'), 'utf8')
  t.notMatch(text, /pass-word|[\w-]{43}$/m)
  t.match(text, 'from: "Portcullis <no-reply@api.example.com>"')
  t.same(readdirSync(join(cwd, 'gate')).sort(), ['conf.d', 'portcullis.yaml', 'secrets'])
  t.same(readdirSync(join(cwd, 'gate/secrets')).sort(), ['mail-url', 'master-keys', 'redis-url', 'store-url'])
  t.equal(modeOf(cwd, 'gate/secrets'), '700')
  for (const name of readdirSync(join(cwd, 'gate/secrets'))) t.equal(modeOf(cwd, 'gate/secrets', name), '600', name)
  t.match(readFileSync(join(cwd, 'gate/secrets/master-keys'), 'utf8'), /^[\w-]{43}\n$/)
  const checked = await runCommand(['check', '--mode', 'production', 'gate/portcullis.yaml'], { cwd })
  t.match(checked, { code: 0, err: /is good for production/ })
  t.notMatch(checked.err, /warning/)
  const again = await run(cwd, 'gate', ...behind)
  t.match(again, { code: 2, out: '', err: /portcullis\.yaml is there already, and nothing is overwritten/ })
  t.equal(readFileSync(join(cwd, 'gate/portcullis.yaml'), 'utf8'), text)
})

t.test('what holds a secret already is only named', async (t) => {
  const cwd = t.testdir({ 'store-url': 'postgresql://u:p@h/d\n' })
  const { code, err } = await run(cwd, ...behind, '--store', `file:${join(cwd, 'store-url')}`)
  t.equal(code, 0, err)
  t.match(readFileSync(join(cwd, 'portcullis.yaml'), 'utf8'), `url: "file:${join(cwd, 'store-url')}"`)
  t.same(readdirSync(join(cwd, 'secrets')), ['master-keys'])
})

t.test('nobody at a terminal and no flags: it says which flags', async (t) => {
  const cwd = t.testdir()
  t.match(await run(cwd), {
    code: 2,
    err: /nobody is here to ask: say --base-url URL, --cert FILE --key FILE \(or --behind/,
  })
  t.match(await run(cwd, ...base, '--cert', 'c.pem'), { code: 2, err: /say --key FILE/ })
  t.match(await run(cwd, '--key', 'k'), { code: 2, err: /say --cert too/ })
  t.match(await run(cwd, ...behind, '--cert', 'c'), { code: 2, err: /--cert and --key, or --behind/ })
  t.same(readdirSync(cwd), [])
})

t.test('what a start would refuse is refused, and nothing is left behind', async (t) => {
  const cwd = t.testdir({ mine: { 'notes.txt': 'mine' } })
  const cases: [string[], RegExp][] = [
    [['--base-url', 'http://api.example.com', '--behind', '10.0.0.1'], /--base-url: write an https origin/],
    [['--base-url', 'https://API.example.com:443', '--behind', '10.0.0.1'], /--base-url: write it as https:\/\/api/],
    [['--base-url', 'https://localhost', '--behind', '10.0.0.1'], /--base-url: clients elsewhere/],
    [[...base, '--behind', 'nonsense'], /nothing was written, [\s\S]*server\.trustedProxies/],
    [[...base, '--cert', 'absent.pem', '--key', 'absent.key'], /server\.tls\.cert: .*cannot be read/],
    [[...behind, '--store', 'mysql://h/d'], /--store: write postgresql:\/\//],
    [[...behind, '--mail', 'http://h'], /--mail: write smtp:\/\//],
    [[...behind, '--listen', 'nowhere'], /server\.listen/],
    [[...behind, '--data', 'a\nb'], /write it on one line|--data/],
  ]
  for (const [argv, expected] of cases) {
    for (const folder of ['mine', 'new/inner']) {
      const { code, out, err } = await run(cwd, folder, ...argv)
      t.same([code, out], [2, ''], argv.join(' '))
      t.match(err, expected)
    }
  }
  t.same(readdirSync(cwd), ['mine'], 'also no folder')
  t.same(readdirSync(join(cwd, 'mine')), ['notes.txt'])
  mkdirSync(join(cwd, 'mine/secrets'))
  t.match(await run(cwd, 'mine', ...behind), { code: 2, err: /secrets is there already/ })
  writeFileSync(join(cwd, 'file'), '')
  t.match(await run(cwd, 'file/in', ...behind), { code: 1, err: /nothing was written: .*ENOTDIR/ })
})

t.test('a person answers five questions, and again where an answer will not do', async (t) => {
  const cwd = t.testdir()
  const answers = ['api.example.com', 'https://api.example.com', 'proxy', '10.0.0.1', '', '', 'smtp://mail:25']
  const questions: string[] = []
  const terminal: Terminal = {
    ...{ out() {}, say() {}, env: {}, cwd, interactive: true, colours: false, input: async () => '' },
    ask: async (question) => {
      questions.push(question)
      return answers.shift() ?? ''
    },
  }
  await init('.', {}, terminal)
  t.match(questions, [
    /^1\/5 Public address/,
    /write an https origin/,
    /^2\/5/,
    /Addresses of the proxy/,
    /^3\/5.*data\]:/,
    /^4\/5/,
    /^5\/5/,
  ])
  t.equal(questions.length, 7)
  const text = readFileSync(join(cwd, 'portcullis.yaml'), 'utf8')
  t.match(text, `folder: "${join(cwd, 'data')}"`)
  t.notMatch(text, /^store:/m)
  t.notOk(existsSync(join(cwd, 'data')), 'the start makes it')
  const never: Terminal = { ...terminal, cwd: t.testdir({ empty: {} }), ask: async () => 'no' }
  await t.rejects(init('empty', {}, never), { message: /no answer that will do/ })
  t.same(readdirSync(join(never.cwd, 'empty')), [])
  t.match(await runCommand(['init', 'empty', ...behind, '--defaults'], { cwd: never.cwd, answer: 'no question' }), {
    code: 0,
  })
})

t.test('what is typed stays a value: quotes, references, comments', async (t) => {
  const cwd = t.testdir()
  const data = join(cwd, 'a "b" # ${HOME} \\ : c')
  const { code, err } = await run(cwd, ...behind, '--data', data)
  t.equal(code, 0, err)
  const shown = await runCommand(['check', '--print', 'portcullis.yaml'], { cwd })
  t.equal(JSON.parse(shown.out).data.folder, data)
})
