// The Dockerfile as far as it can be judged without an engine: what its stages take in, who runs, what is left out.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../src/config/read/package-root.js'
import { deployFile, dockerStages, imageEnvironment } from './deployment.js'

const stages = dockerStages()
const end = stages.at(-1)
const ignored = readFileSync(join(packageRoot(), '.dockerignore'), 'utf8')

function words(word: string): string[] {
  return (end?.instructions ?? []).filter((each) => each.word === word).map(({ rest }) => rest)
}

t.test('the base is one pinned version of Node 24, and every stage stands on it', async (t) => {
  t.equal(stages.length, 2)
  for (const { from } of stages) t.match(from, /^node:24\.\d+\.\d+-bookworm-slim$/)
})

t.test('nothing comes from the network but npm’s packages by the lock file; no secret is an argument', async (t) => {
  for (const { instructions } of stages) {
    for (const { word, rest } of instructions) {
      t.not(word, 'ADD')
      if (word === 'ARG' || word === 'ENV') t.notMatch(rest, /secret|key|password|token/i)
      if (word === 'RUN') t.notMatch(rest, /curl|wget|git |https?:|apt-get|npm i(nstall)?\b/)
    }
    const installs = instructions.filter(({ rest }) => rest.includes('npm ci'))
    t.ok(
      installs.every(({ rest }) => rest.includes('--ignore-scripts')),
      'no package runs code of its own',
    )
  }
  t.ok(
    words('RUN').some((rest) => rest.startsWith('npm ci --omit=dev ')),
    'the end has what production needs',
  )
})

t.test('what is copied exists, and passes .dockerignore, which lets nothing else in', async (t) => {
  t.match(ignored, /^\*$/m, 'everything is left out first')
  const let_in = [...ignored.matchAll(/^!(.+)$/gm)].map(([, name]) => name ?? '')
  for (const { instructions } of stages) {
    for (const { rest } of instructions.filter(({ word, rest }) => word === 'COPY' && !rest.startsWith('--from='))) {
      for (const path of rest.split(' ').slice(0, -1)) {
        t.ok(existsSync(join(packageRoot(), path)), `${path} exists`)
        t.ok(let_in.includes(path.split('/')[0] ?? ''), `${path} reaches the builder`)
      }
    }
  }
  for (const path of ['data', 'deploy', '.git', 'node_modules', 'dist', 'test']) t.notOk(let_in.includes(path), path)
})

t.test('the end stage runs as a number that is not root, with one place to write, and stops on SIGTERM', async (t) => {
  const [user = ''] = words('USER')
  t.match(user, /^[1-9]\d{3,}:[1-9]\d{3,}$/)
  const order = end?.instructions.map(({ word }) => word) ?? []
  t.ok(order.lastIndexOf('USER') > order.lastIndexOf('RUN'), 'nothing after it runs as root')
  t.same(words('VOLUME'), [imageEnvironment()['PORTCULLIS_DATA']])
  const [uid] = user.split(':')
  t.match(words('RUN').join('\n'), new RegExp(`install -d -o ${uid} -g \\d+ -m 0700 /data`))
  t.same(words('STOPSIGNAL'), ['SIGTERM'])
  t.same(words('EXPOSE'), [imageEnvironment()['PORTCULLIS_LISTEN']?.split(':')[1]])
})

t.test(
  'commands are lists, so that no shell stands between a signal and the program; the check needs node only',
  async (t) => {
    t.same(JSON.parse(words('ENTRYPOINT')[0] ?? ''), ['node', '/app/dist/src/main.js'])
    t.same(JSON.parse(words('CMD')[0] ?? ''), ['serve'])
    const check = words('HEALTHCHECK')[0] ?? ''
    const list = JSON.parse(check.slice(check.indexOf('['))) as string[]
    t.same(list.slice(0, 2), ['node', '-e'])
    t.match(list[2], "fetch('http://127.0.0.1:9464/livez'")
    t.ok(existsSync(join(packageRoot(), 'src/main.ts')))
    t.notMatch(deployFile('Dockerfile'), /curl|wget/)
  },
)
