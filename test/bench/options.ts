// The options of `npm run bench`: `--name value`, or `--name` alone.

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
