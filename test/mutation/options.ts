// The words of `npm run mutate`.

import { parseArgs } from 'node:util'

export interface MutationOptions {
  help: boolean
  count: number
  skip: number
  /** Chooses which refusals; the same number chooses the same ones of the same sources. */
  seed: number
  /** The beginning of the path of the sources, as `src/gateway/`. */
  under: string
  /** Test files that are tried for each refusal; absent: all. */
  tests?: number
}

export const usage = `npm run mutate -- [options]

Takes refusals out one by one, in a copy, and runs tests until one turns red.

  --count N    how many refusals (20)
  --skip N     go on after the first N of the same choice (0)
  --seed N     choose as the run did that printed this number
  --room NAME  of one room or folder below src: gateway, identity/token
  --tests N    try the N nearest test files only: those that import the source, then those of its room, then those of
               several instances. A part of an hour: --room tokens --count 10 --tests 12. What survives a part is to be
               tried with all test files: the same words without --tests.
  --help       this text

Exits with 1 when a refusal survives, with 2 when the words are wrong.
`

/** What the words say. `fallbackSeed` when none is given. Throws, with a sentence for people, for a wrong word. */
export function readOptions(words: readonly string[], fallbackSeed: number): MutationOptions {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...words],
    options: { count: text, skip: text, seed: text, room: text, tests: text, help: { type: 'boolean' } },
  })
  const number = (name: 'count' | 'skip' | 'seed' | 'tests', least: number): number | undefined => {
    const given = values[name]
    if (given === undefined) return undefined
    if (!/^\d{1,9}$/.test(given) || Number(given) < least)
      throw new Error(`--${name} ${given}: a whole number from ${least}`)
    return Number(given)
  }
  const tests = number('tests', 1)
  return {
    help: values.help ?? false,
    count: number('count', 1) ?? 20,
    skip: number('skip', 0) ?? 0,
    seed: number('seed', 1) ?? Math.max(1, fallbackSeed),
    under: values.room === undefined ? 'src/' : `src/${values.room.replace(/\/$/, '')}/`,
    ...(tests === undefined ? {} : { tests }),
  }
}
