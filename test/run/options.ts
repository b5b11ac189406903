// The command line of `npm test` and `npm run test:all`.

import type { Shard, Tier } from './plan.js'

export interface RunOptions {
  tier: Tier
  /** Part of every file's name; none: all of the tier. With words the tier does not matter. */
  words: readonly string[]
  /** Of the order of the files, and of the random tests. */
  seed: number
  shard?: Shard
  /** Whether to tell what each file took, and to remember it for the next run's order. */
  times: boolean
}

export const usage = `npm test [-- options] [words]

  words          only files with one of them in their names, at full effort
  --all          everything, at full effort (npm run test:all)
  --rest         what --all has beyond npm test
  --shard i/n    the i-th of n parts, which take about as long as each other
  --seed N       the order of the files and the draws of the random tests, as they were in another run
  --times        what each file took, longest first; kept in test/run/durations.json`

/** Reads the words after `node test/run/main.ts`. Throws with a sentence for what it does not know. */
export function readOptions(given: readonly string[], freshSeed: number): RunOptions {
  const options: RunOptions = { tier: 'quick', words: [], seed: freshSeed, times: false }
  const rest = [...given]
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--all') options.tier = options.tier === 'rest' ? 'rest' : 'full'
    else if (word === '--rest') options.tier = 'rest'
    else if (word === '--times') options.times = true
    else if (word === '--seed') options.seed = readSeed(rest.shift())
    else if (word === '--shard') options.shard = readShard(rest.shift())
    else if (word.startsWith('-')) throw new Error(`${word} is no option`)
    else options.words = [...options.words, word]
  }
  return options
}

function readSeed(value = ''): number {
  if (!/^\d{1,9}$/.test(value)) throw new Error('--seed needs a number')
  return Number(value)
}

function readShard(value = ''): Shard {
  const [, number, of] = /^([1-9]\d?)\/([1-9]\d?)$/.exec(value)?.map(Number) ?? []
  if (number === undefined || of === undefined || number > of) throw new Error('--shard needs i/n, such as 1/3')
  return { number, of }
}
