// The options of `npm run bench`: `--name value`, or `--name` alone. README.md says what each does.

/** What is measured instead of the table of costs. */
const kinds = ['paced', 'tls', 'start', 'mixed', 'growth', 'streams', 'overload']
const values =
  'seconds rounds warm-up only before node envoy rate connections loads large open messages slow part listening requests'

/** Throws Error when an option is none of these: a run takes minutes, and would measure something else than was meant. */
export function checkOptions(words: readonly string[]): void {
  const known = [...kinds, ...values.split(' ')]
  const unknown = words.find((word) => word.startsWith('--') && !known.includes(word.slice(2)))
  if (unknown === undefined) return
  const list = known.map((name) => `--${name}`).join(' ')
  throw new Error(`there is no option ${unknown}. There are: ${list}; test/bench/README.md says what each does`)
}

/** The number behind `--name`. Throws Error when something else stands there. */
export function numberOption(name: string, fallback: number): number {
  const text = textOption(name)
  if (text === undefined) return fallback
  const number = Number(text)
  if (text === '' || !Number.isFinite(number) || number <= 0) throw new Error(`--${name} needs a number above 0`)
  return number
}

/** What stands behind `--name`; undefined without it. Throws Error when nothing follows. */
export function textOption(name: string): string | undefined {
  const at = process.argv.indexOf(`--${name}`)
  if (at === -1) return undefined
  const value = process.argv[at + 1]
  if (value === undefined || value.startsWith('--')) throw new Error(`--${name} needs a value`)
  return value
}

/** The Node that references and product run on: `--node PATH`, else this one. */
export function nodeProgram(): string {
  return textOption('node') ?? process.execPath
}

/** Whether `--name` stands there. */
export function isGiven(name: string): boolean {
  return process.argv.includes(`--${name}`)
}
