// What is typed at a terminal where a password may be in it is not shown there, and the terminal is as before afterwards.
// full: a terminal of its own, by script of util-linux

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { programWords } from '../../support/programs/program.js'
import { plainEnvironment } from '../../support/settings/plain-environment.js'
import { until } from '../../support/traffic/until.js'

const flags = ['--base-url', 'https://api.example.com', '--behind', '10.0.0.0/8', '--data', './data']

/** `init` on a terminal of its own, then what `stty` says of that. */
function onTerminal(t: Test, cwd: string) {
  const words = [...programWords(), 'init', ...flags].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['-qec', `${words}; echo "ended $?"; stty -a`, '/dev/null'], {
    cwd,
    env: { ...plainEnvironment(), TERM: 'xterm' },
  })
  t.teardown(() => child.kill('SIGKILL'))
  let shown = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (shown += chunk.toString()))
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  return {
    shown: () => shown,
    ended,
    async answer(question: RegExp, text: string) {
      await until(`the question ${question}`, async () => question.test(shown), 60_000)
      child.stdin.write(text)
    },
  }
}

t.test('a password is not shown while it is typed, nor afterwards', { timeout: 120_000 }, async (t) => {
  const cwd = t.testdir()
  const { answer, shown, ended } = onTerminal(t, cwd)
  await answer(
    /4\/5 .*not shown while you type/,
    'postgresql://gate:pass-word-1@db.internal:5432/gate?sslmode=require\r',
  )
  await answer(/5\/5 /, 'smtps://me:pass-word-2@mail.internal:465\r')
  await ended
  t.match(shown(), 'ended 0')
  t.match(shown(), 'postgresql://gate:…@db.internal:5432')
  t.match(shown(), 'smtps://me:…@mail.internal:465')
  t.notMatch(shown(), 'pass-word')
  t.match(shown(), / echo /, 'what is typed afterwards is shown')
  t.match(readFileSync(join(cwd, 'secrets', 'mail-url'), 'utf8'), 'pass-word-2', 'but it was read')
})

t.test(
  'an interrupt at a question writes nothing and leaves the terminal as it was',
  { timeout: 120_000 },
  async (t) => {
    const cwd = t.testdir()
    const { answer, shown, ended } = onTerminal(t, cwd)
    await answer(/4\/5 /, 'postgresql://gate:pass-word-1@\u0003')
    await ended
    t.match(shown(), /ended 1[03]\d|ended 2/)
    t.match(shown(), / echo /)
    t.notMatch(shown(), 'pass-word')
    t.throws(() => readFileSync(join(cwd, 'portcullis.yaml')), { code: 'ENOENT' })
  },
)
