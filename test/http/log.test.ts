// The last net of the log: what is secret by its name does not pass, wherever it stands in a line.

import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createAccessLog } from '../../src/http/access-log.js'
import { maskedPath } from '../../src/http/requests/masked-path.js'
import { droppedLogLines, type LogTarget, logOutput } from '../../src/observability/log-output.js'
import { createLog } from '../../src/observability/process-log.js'

function logging(level = 'info') {
  const lines: string[] = []
  const log = createLog({ level, format: 'json' }, { write: (line) => void lines.push(line) })
  return { log, lines }
}

t.test('X5 secrets are masked by name at every depth, in lists too; the rest is untouched', async (t) => {
  const { log, lines } = logging()
  const fields = {
    token: 'hidden-1',
    route: 'GET /x',
    request: { headers: { authorization: 'hidden-2', accept: 'a' }, list: [{ cookie: 'hidden-3', n: 1 }] },
    body: { form: { client_secret: 'hidden-4', code: 'hidden-5', grant_type: 'g' } },
    absent: undefined,
  }
  log.info(fields, 'look')
  t.notMatch(lines.join(''), /hidden-[1-5]/)
  t.match(JSON.parse(lines[0] ?? ''), {
    level: 'info',
    msg: 'look',
    token: '***',
    route: 'GET /x',
    request: { headers: { authorization: '***', accept: 'a' }, list: [{ cookie: '***', n: 1 }] },
    body: { form: { client_secret: '***', code: '***', grant_type: 'g' } },
  })
  t.equal(fields.token, 'hidden-1', 'the object that was logged is not changed')
})

t.test('X5 an error keeps its kind and stack, and loses secrets that hang on it', async (t) => {
  const { log, lines } = logging()
  const more = { code: 'EADDRINUSE', request: { authorization: 'hidden-1' }, password: 'hidden-2' }
  const error = Object.assign(new Error('no'), more)
  log.error({ err: error }, 'failed')
  const line = JSON.parse(lines[0] ?? '')
  t.match(line, { level: 'error', err: { message: 'no', errorCode: 'EADDRINUSE', password: '***' } })
  t.match(line.err.stack, /log\.test/)
  t.notMatch(lines.join(''), /hidden-[12]/)
})

t.test('a level below the configured one writes nothing', async (t) => {
  const { log, lines } = logging('warn')
  log.info('quiet')
  t.same(lines, [])
  log.warn('loud')
  t.equal(lines.length, 1)
})

t.test('X5 what could be a credential is taken out of a path, wherever it stands', async (t) => {
  const token = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl-_'
  const cases: [string, string][] = [
    ['/api/v2/me', '/api/v2/me'],
    ['/api/v2/pcl_sk_a1_b2_c3', '/api/v2/***'],
    ['/set-up/pcl_ol_A1b2', '/set-up/***'],
    ['/api/v2/applications/pcl_pk_A1b2', '/api/v2/applications/pcl_pk_A1b2'],
    [`/${token}`, '/***'],
    [`/a/${token}/b/pcl_sk_x`, '/a/***/b/***'],
    [`/a/${token.slice(0, 30)}`, '/a/***'],
    ['/keyJoint', '/keyJoint'],
    [`/set-up/pcl_ol_${'a'.repeat(43)}`, '/set-up/***'],
    [`/invitation/pcl_om_${'Z9'.repeat(20)}/x`, '/invitation/***/x'],
    ['/a/pcl_pk_abc', '/a/pcl_pk_abc'],
  ]
  for (const [path, masked] of cases) t.equal(maskedPath(path), masked, path)
})

t.test('lines come whole and in order: the first at once, those of the same turn together at its end', async (t) => {
  const file = join(t.testdir(), 'log')
  const fd = openSync(file, 'w')
  t.teardown(() => closeSync(fd))
  const output = logOutput({ fd } as LogTarget)
  const turn = () => new Promise<void>((resolve) => void setImmediate(resolve))
  for (const line of ['one\n', 'two\n', 'three ä\n']) output.write(line)
  t.equal(readFileSync(file, 'utf8'), 'one\n')
  await turn()
  t.equal(readFileSync(file, 'utf8'), 'one\ntwo\nthree ä\n')
  output.write('four\n')
  t.match(readFileSync(file, 'utf8'), /four\n$/)
  await turn()
  t.match(readFileSync(file, 'utf8'), /ä\nfour\n$/, 'once')
})

t.test('lines that cannot be written are counted one by one', async (t) => {
  // No file is open under this number.
  const output = logOutput({ fd: 1_000_000 } as LogTarget)
  const before = droppedLogLines()
  for (const line of ['one\n', 'two\n', 'three\n']) output.write(line)
  await new Promise<void>((resolve) => void setImmediate(resolve))
  t.equal(droppedLogLines(), before + 3)
})

t.test(
  'on a terminal a request is one line, with what one looks for first and no control character of a client',
  async (t) => {
    const lines: string[] = []
    const log = createLog({ level: 'info', format: 'pretty' }, { write: (line) => void lines.push(line) })
    const write = createAccessLog(log)
    const about = {
      ...{ requestId: 'req-1', traceId: 'trace', clientRequestId: undefined, method: 'GET', route: 'portal-people' },
      ...{ status: 403, durationMs: 12, address: '127.0.0.1', applicationId: undefined, userId: undefined },
      ...{ operation: undefined, permissions: undefined },
    }
    const message = { operation: 'tools/call:a "b"\u001b', permissions: ['desk.read', 'desk.write'] }
    write({ ...about, path: '/portal/people', userId: 'u-1', reason: 'RoleRequired' })
    write({ ...about, path: '/x\u001b[2J\u0007y', status: 200, reason: undefined })
    write({ ...about, ...message, path: '/desk/mcp', userId: 'u-1', reason: 'insufficient_scope' })
    log.warn({ upstream: 'posts', cause: 'connection refused' }, 'upstream failed')
    t.equal(lines.length, 4)
    t.match(lines[0], /^\d\d:\d\d:\d\d\.\d{3}Z 403 GET \/portal\/people 12 ms user u-1 RoleRequired req-1\n$/)
    t.match(lines[1], /^\S+ 200 GET \/x\[2Jy 12 ms 127\.0\.0\.1 req-1\n$/)
    t.match(lines[2], / 403 GET \/desk\/mcp tools\/call:a "b" 12 ms user u-1 insufficient_scope req-1\n$/)
    t.match(lines[3], /upstream failed .*"cause":"connection refused".*\n$/)
    t.equal(lines.join('').split('\n').length, 5, 'one line each')

    const plain: string[] = []
    const json = createLog({ level: 'info', format: 'json' }, { write: (line) => void plain.push(line) })
    createAccessLog(json)({ ...about, ...message, path: '/desk/mcp', reason: undefined })
    t.match(JSON.parse(plain[0] ?? ''), { operation: message.operation, permission: 'desk.read desk.write' })

    const painted: string[] = []
    const stream = { write: (line: string) => void painted.push(line), isTTY: true }
    createAccessLog(createLog({ level: 'info', format: 'auto' }, stream))({ ...about, path: '/y', reason: undefined })
    t.match(painted[0], /\u001b\[33m403\u001b/)
  },
)
