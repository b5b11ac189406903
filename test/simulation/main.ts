// `npm run simulate`: what many instances cost and how soon a revocation is everywhere, predicted for any number and,
// with --measure, beside it measured of real processes. README.md says what the columns are.

import { measure } from './measured-cluster.js'
import type { Link } from './network.js'
import { type Figures, simulate } from './scenarios.js'
import { machineText, table } from './table.js'

const numbers = (name: string, fallback: string): number[] => {
  const at = process.argv.indexOf(`--${name}`)
  return (at === -1 ? fallback : (process.argv[at + 1] ?? ''))
    .split(',')
    .filter((word) => word !== '')
    .map(Number)
}
const [seed = 1] = numbers('seed', '1')
const [seconds = 30] = numbers('seconds', '30')
/** Real ones take as long as it says: three, ten and thirty together some four minutes. */
const [realSeconds = 8] = numbers('real-seconds', '8')
const [roundTripMs = 0.5] = numbers('round-trip', '0.5')
/** A local network with a packet in ten thousand lost. */
const link: Link = { roundTripMs, jitterMs: roundTripMs / 5, lostPerMille: 0.1 }

const rows: { what: string; figures: Figures }[] = []
const measured = numbers('measure', '')
for (const instances of measured) {
  const works: (() => unknown)[] = []
  try {
    const figures = await measure({ teardown: (work) => void works.unshift(work) }, instances, realSeconds)
    rows.push({ what: 'measured', figures })
  } finally {
    for (const work of works) await work()
  }
}
for (const instances of numbers('instances', String(measured.length > 0 ? measured : '3,10'))) {
  // Beside real ones, on their machine; others have processors and a network of their own.
  const { machine, link: its = link } = rows.find((row) => row.figures.instances === instances)?.figures ?? {}
  const figures = await simulate({ instances, seed, link: its, ...(machine && { machine }) }, seconds)
  rows.push({ what: 'simulated', figures })
}
console.log(table(rows))
for (const { figures } of rows) if (figures.machine) console.log(machineText(figures.instances, figures.machine))
process.exit()
