// Grammars of arguments: durations, whole numbers, lists, header fields. Each throws commander's InvalidArgumentError,
// which names the option and ends with exit code 2.

import { InvalidArgumentError } from 'commander'

const unitSeconds: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** `90`, `30s`, `15m`, `24h` or `7d` in seconds. */
export function durationSeconds(value: string): number {
  const [, amount, unit] = /^(\d{1,9})([smhd]?)$/.exec(value) ?? []
  if (amount === undefined) throw new InvalidArgumentError('Write a duration such as 30s, 15m, 24h or 7d.')
  return Number(amount) * (unitSeconds[unit || 's'] ?? 1)
}

/** A whole number of at least 1. */
export function wholeNumber(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('Write a whole number from 1 on.')
  return Number(value)
}

/** Collects a repeatable option. */
export function collected(value: string, previous: readonly string[] | undefined): string[] {
  return [...(previous ?? []), value]
}

/** `Name: value` as a pair. */
export function headerArgument(value: string): [string, string] {
  const [, name, content] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n\0]*)$/.exec(value) ?? []
  if (name === undefined || content === undefined) {
    throw new InvalidArgumentError(`${JSON.stringify(value)} is not a header field: write "Name: value".`)
  }
  return [name, content]
}
