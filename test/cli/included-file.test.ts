// check, test and diff of a file that the configuration includes, before it is in its place.

import t, { type Test } from 'tap'
import { runCommand } from '../support/rooms/cli.js'

const main = `version: 1
include: [{ file: conf.d/*.yaml, paths: [/**], targets: ['http://127.0.0.1:8601'] }]
`
const posts = (permission: string) => `upstreams:
  posts: { target: http://127.0.0.1:8601 }
routes:
  /posts: { to: posts, require: { GET: ${permission} } }
`

function folder(t: Test) {
  const cwd = t.testdir({
    'portcullis.yaml': main,
    'conf.d': { 'posts.yaml': posts('Usage.Read.All') },
    team: {
      'posts.yaml': posts('Server.ReadWrite'),
      'other.yaml': posts('Server.ReadWrite'),
      'bad.yaml': 'rouets: {}\n',
    },
  })
  return (line: string) => runCommand(line.split(' '), { cwd, env: { PORTCULLIS_SOCKET: '/tmp/no-server-here.sock' } })
}

t.test('an included file is checked in the place of the one with its name', async (t) => {
  const run = folder(t)
  const whole = await run('check portcullis.yaml')
  t.equal(whole.code, 0, whole.err + whole.out)
  const part = await run('check team/posts.yaml -c portcullis.yaml')
  t.equal(part.code, 0, part.err + part.out)
  const named = await run('check team/bad.yaml -c portcullis.yaml --as conf.d/posts.yaml')
  t.equal(named.code, 2)
  t.match(named.out, /posts\.yaml:1:1.*did you mean "routes"/)
  t.equal((await run('check --as conf.d/posts.yaml')).code, 2, 'which file?')
})

t.test('diff of an included file tells of its change alone', async (t) => {
  const run = folder(t)
  const one = await run('diff conf.d/posts.yaml team/posts.yaml -c portcullis.yaml')
  t.equal(one.code, 1, one.err)
  t.match(one.out, /\/posts/)
  t.notMatch(one.out, /gone|api\/v2\/me/)
  const same = await run('diff conf.d/posts.yaml conf.d/posts.yaml -c portcullis.yaml')
  t.equal(same.code, 0, same.out + same.err)
})

t.test('a file of another name has its place by --as', async (t) => {
  const run = folder(t)
  const other = await run('diff conf.d/posts.yaml team/other.yaml -c portcullis.yaml --as conf.d/posts.yaml')
  t.equal(other.code, 1, other.err)
  t.match(other.out, /\/posts/)
  t.notMatch(other.out, /gone/)
})
