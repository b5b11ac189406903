// `npm run bench -- --overload`: how much the gate can do, how long its callers wait when little comes, and both at three
// times as much as it can, from clients with and without manners. README.md says what the rows are.

import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { numberOption, textOption } from '../options.js'
import { takeToken } from '../requests.js'
import type { Servers } from '../servers.js'
import { asForMany, loads, measureOverload as measure } from './measure.js'
import { overloadTable } from './table.js'

/** Prints the table and writes `bench-overload.json`. `--loads NAME,NAME`: only these; `--rounds N`: so often. */
export async function measureOverload(servers: Servers): Promise<void> {
  // The generator shares the core of the upstream: on that of the server it would be measured along.
  spawnSync('taskset', ['-cp', '1', String(process.pid)], { stdio: 'ignore' })
  const gate = await servers.product('gate-overload', { configure: asForMany, sheds: true })
  const { port, operatorPort, host, credential } = gate
  const token = await takeToken(gate)
  const figures = await measure(
    { port, operatorPort, host, credential, token, cpuSeconds: gate.cpuSeconds },
    {
      seconds: numberOption('seconds', 10),
      clients: numberOption('connections', 2_000),
      only: chosen(),
      rounds: numberOption('rounds', 1),
    },
  )
  console.log(overloadTable(figures))
  writeFileSync('bench-overload.json', `${JSON.stringify(figures, null, 2)}\n`)
}

function chosen(): typeof loads {
  const names = textOption('loads')?.split(',')
  if (names === undefined) return loads
  const found = loads.filter(([name]) => names.includes(name))
  if (found.length < names.length) throw new Error(`there are: ${loads.map(([name]) => name.trim()).join(', ')}`)
  return found
}
