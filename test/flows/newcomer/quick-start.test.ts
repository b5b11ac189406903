// A newcomer with a clock: a fresh clone, then everything that the quick start says and nothing else. Its blocks are
// pasted into terminals and its words pressed in Chromium, to the 429 of a plan and a dashboard that shows it. Where the
// page leaves something to guess, or names what is not there, this fails.
// full: a clone, npm ci, a build, a browser and Prometheus, a minute and a half
// run: apart

import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../../src/config/read/package-root.js'
import { startBrowser } from '../../support/browser/browser.js'
import { freePort } from '../../support/programs/program.js'
import { stepsOf } from './page-steps.js'
import { openVisitor } from './visitor.js'
import { createWalk, type Expected } from './walk.js'

const root = String(packageRoot())
const page = readFileSync(join(root, 'src/docs/quick-start.md'), 'utf8')

const expected: readonly Expected[] = [
  { marker: 'TOKEN=$(curl', printed: /^HTTP\/1\.1 200 /m },
  { marker: 'app create reader', printed: /"title": "First"/ },
  { marker: 'portcullis diff', printed: /plan trial is new/ },
  { marker: 'for call in', printed: /(?:"First"[\s\S]*?){5}"TooManyRequests"/ },
  { marker: 'portcullis top', printed: /\/posts\/\{id\} +storefront +6 +1 /, again: true },
  { marker: 'promtool', printed: /code="429".* => 1 @/, again: true },
]

t.test('from a clone to a dashboard by the words of the quick start', { timeout: 560_000 }, async (t) => {
  const cwd = join(t.testdir(), 'portcullis')
  const ports = await Promise.all([freePort(), freePort(), freePort(), freePort()])
  const browser = await startBrowser()
  t.teardown(() => browser.close())
  // The page says to go on in spite of the warning about the certificate.
  const visitor = await openVisitor(await browser.newContext({ ignoreHTTPSErrors: true }))
  const walk = createWalk({
    ...{ steps: stepsOf(page), cwd, expected, visitor },
    withOwnPorts: (text) => withPorts(text, ports),
  })
  t.teardown(() => walk.close())
  await walk.step('git clone', async () => execFileSync('git', ['clone', '-q', root, cwd]))
  putWorkInProgress(cwd)
  await walk.go()
  const table = walk.table()
  t.ok(table.length > 40, 'the page leads all the way')
  for (const line of table) t.comment(line)
})

t.test('what is not on the page is nothing that a newcomer finds', async (t) => {
  const wrong = '## 1. A\n\nPress **Portcullis**. Follow **Nowhere** in the menu.\n'
  t.match(stepsOf(wrong), [
    { verb: 'press', name: 'Portcullis' },
    { verb: 'follow', name: 'Nowhere', where: 'menu' },
  ])
  const browser = await startBrowser()
  t.teardown(() => browser.close())
  const html = '<button>One</button><a href="/a">Two</a><a href="/b">Two</a><label>Three<input></label>'
  const context = await browser.newContext()
  const [hasty, patient] = await Promise.all([openVisitor(context, 500), openVisitor(context)])
  for (const visitor of [hasty, patient]) await visitor.goto(`data:text/html,${html}`)
  const act = (text: string, visitor = hasty) =>
    stepsOf(`## 1. A\n\n${text}\n`).map((step) => visitor.act(step as never))
  for (const text of [
    'Press **Nothing**.',
    'Follow **Two**.',
    'Type `x` as **Four**.',
    'Tick **One**.',
    'It shows **Five**.',
  ])
    await t.rejects(Promise.all(act(text)), text)
  await Promise.all(act('Type `x` as **Three**. It shows **One**.', patient))
})

/** The ports of the page, and those that it gives to somebody whose ports are taken. */
function withPorts(text: string, [open = 0, operator = 0, service = 0, prometheus = 0]: readonly number[]): string {
  const own: Readonly<Record<string, number>> = {
    ...{ 8443: open, 9443: open, 9464: operator, 9465: operator },
    ...{ 3000: service, 9090: prometheus },
  }
  return text.replaceAll(/(?<=:|--port )(?:8443|9443|9464|9465|3000|9090)\b/g, (port) => String(own[port]))
}

/** A clone has what is committed; what is being worked on is tried too. */
function putWorkInProgress(cwd: string): void {
  const files = (...options: string[]) =>
    execFileSync('git', ['ls-files', '-z', ...options], { cwd: root, encoding: 'utf8' })
      .split('\0')
      .filter(Boolean)
  const gone = files('--deleted')
  for (const file of gone) rmSync(join(cwd, file), { force: true })
  for (const file of files('--modified', '--others', '--exclude-standard')) {
    if (!gone.includes(file)) cpSync(join(root, file), join(cwd, file))
  }
}
