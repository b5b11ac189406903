// A running gateway whose files may not grow any more, as on a full disk: what goes on, what is refused, who says so.
// full: a program, and the half minute after its disk has room again
// run: apart

import { spawnSync } from 'node:child_process'
import t from 'tap'
import { call, demoToken, portcullis } from '../support/programs/demo.js'
import { startProgram } from '../support/programs/program.js'
import { until } from '../support/traffic/until.js'

const program = await startProgram({ cwd: t.testdir() })
t.teardown(() => program.stop('SIGKILL'))

/** Bytes that a file of the program may have; a limit that its owner can lift again. */
function limitFiles(bytes: number | 'unlimited'): boolean {
  return spawnSync('prlimit', ['--pid', String(program.child.pid), `--fsize=${bytes}:`]).status === 0
}

const createTenant = (name: string) => portcullis(program, ['tenant', 'create', name])
const ready = async () => (await fetch(`${program.operatorUrl}/readyz`)).json()
const writable = async () =>
  /^portcullis_store_writable (\d)$/m.exec(await (await fetch(`${program.operatorUrl}/metrics`)).text())?.[1]

t.test(
  'F11 a full disk: calls and tokens go on, writes are 503, and readiness, status and metrics say why',
  async (t) => {
    t.equal((await createTenant('before')).code, 0)
    t.equal(await writable(), '1')
    if (!limitFiles(4_096)) {
      t.pass('this machine limits no files: write-health.test.ts shows the same')
      return
    }

    const refused = await createTenant('meanwhile')
    t.not(refused.code, 0)
    t.match(refused.stderr, /cannot be reached now|unavailable|503/i)
    t.same(await ready(), { ready: true, reasons: [], degraded: ['store_not_writable'] })
    t.equal(await writable(), '0')
    const status = await portcullis(program, ['status'])
    t.match(status.stdout, /degraded +yes: store_not_writable \(.*disk/)
    const token = await demoToken(program)
    const answer = await call(program, '/api/v2/me', { headers: { authorization: `Bearer ${token}` } })
    t.equal(answer.status, 200)
    t.equal(program.output().split('the Store takes no writes').length, 2, 'one line of the log')

    limitFiles('unlimited')
    t.equal((await createTenant('after')).code, 0, 'at once')
    await until('it says so', async () => (await createTenant('later')) && (await writable()) === '1', 180_000, 3_000)
    t.same(await ready(), { ready: true, reasons: [], degraded: [] })
    t.match(program.output(), /the Store takes writes again/)
    const tenants = await portcullis(program, ['tenant', 'list'])
    t.match(tenants.stdout, /before[\s\S]*after|after[\s\S]*before/)
    t.notMatch(tenants.stdout, /meanwhile/, 'what was refused is not there')
  },
)
