// A run that is ended by a signal leaves nothing behind: neither the processes of its files nor what those started.
// run: apart

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import t from 'tap'

const module = new URL('./owned-group.js', import.meta.url).href
/** It starts one more, says both pids, and waits for ever. */
const file = `
  const { spawn } = require('node:child_process')
  const inner = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  console.log(process.pid + ' ' + inner.pid)
  setInterval(() => {}, 1000)
`
const run = `
  const { startGroup } = await import(${JSON.stringify(module)})
  const child = startGroup(['-e', ${JSON.stringify(file)}], { stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.pipe(process.stdout)
`

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  t.test(`${signal} ends what the run started, and what that started`, async (t) => {
    const runner = spawn(process.execPath, ['--input-type=module', '-e', run], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = (await once(createInterface({ input: runner.stdout }), 'line')) as [string]
    const pids = line.split(' ').map(Number)
    t.equal(pids.length, 2)
    for (const pid of pids) t.ok(isThere(pid), 'it runs')
    const ended = once(runner, 'exit')
    runner.kill(signal)
    const [code] = await ended
    t.equal(code, 130)
    for (const pid of pids) t.ok(await isGone(pid), 'it has ended')
  })
}

/** A process that has ended may stay in the table where nobody takes note of orphans. */
function isThere(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** Waits for it, as long as the file may take. */
async function isGone(pid: number): Promise<boolean> {
  while (isThere(pid)) await new Promise((resolve) => setTimeout(resolve, 20))
  return true
}
