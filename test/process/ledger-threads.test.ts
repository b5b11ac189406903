// A long ledger is verified in threads beside the one that answers requests, and what is wrong in it is found.
// full: a program with a ledger of 120,000 rows, verified three times
// run: apart

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import t from 'tap'
import { createLocalClient } from '../../src/cli/calls/local-client.js'
import { lengthenLedger } from '../support/ledger/long-ledger.js'
import { programWords, startProgram } from '../support/programs/program.js'

const cwd = t.testdir()
const masterKey = randomBytes(32)
const rows = 120_000
// A thread of a program that runs from source has no compiler: such a program walks along the chain.
const fromSource = programWords().some((word) => word.endsWith('.ts'))
const skip = fromSource ? 'npm test -- process/ledger-threads has the program built' : false
const env = { PORTCULLIS_MASTER_KEYS: masterKey.toString('base64url') }

/** While no server runs on it. */
function lengthen(file: string): void {
  const database = new DatabaseSync(file)
  database.exec('begin')
  lengthenLedger(database, masterKey, rows)
  database.exec('commit')
  database.close()
}

t.test('a ledger of 120,000 rows is verified by threads, tampered with or not', { skip }, async (t) => {
  const first = await startProgram({ cwd, env })
  const file = join(first.folder, 'portcullis.db')
  await first.stop()
  lengthen(file)
  const program = await startProgram({ cwd, env })
  t.teardown(() => program.stop('SIGKILL'))
  const local = createLocalClient(join(program.folder, 'admin.sock'))
  const cpuMs = (thread: string) =>
    Number(readFileSync(`/proc/${program.child.pid}/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  const verified = async () => {
    const before = cpuMs(`task/${program.child.pid}`)
    const found = await local.call('GET', '/auditEvents/verification', undefined, { patienceMs: 240_000 })
    return {
      found: found as { clean: boolean; problems: object[] },
      mainMs: cpuMs(`task/${program.child.pid}`) - before,
    }
  }
  const whole = await verified()
  t.match(whole.found, { clean: true, problems: [] })
  const tampering = new DatabaseSync(file, { timeout: 60_000 })
  tampering.exec("update ledger set details = '{}' where position = 50001")
  const walked = await verified()
  t.match(walked.found, { clean: false, problems: [{ kind: 'changed', position: 50_001 }] })
  tampering.exec(`update ledger set details = '{"n":50001}' where position = 50001`)
  tampering.close()
  const again = await verified()
  t.equal(again.found.clean, true)
  const least = Math.min(whole.mainMs, again.mainMs)
  t.comment(`main thread, ms of processor: whole ${whole.mainMs}, ${again.mainMs}; with a walk ${walked.mainMs}`)
  t.ok(least < walked.mainMs / 2, 'threads did it')
  t.equal(await program.stop(), 0)
})
