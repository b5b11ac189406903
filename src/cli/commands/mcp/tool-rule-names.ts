// The rules of tools as they are typed; the file and the API write them with underscores, and so may people.

import { InvalidArgumentError } from 'commander'

export const toolRuleNames = ['allowed', 'approval', 'second-factor', 'never'] as const

/** The rule as typed. Throws InvalidArgumentError for what is none. */
export function toolRuleArgument(text: string): string {
  const written = text.replaceAll('_', '-')
  if (toolRuleNames.some((name) => name === written)) return written
  throw new InvalidArgumentError(`Allowed choices are ${toolRuleNames.join(', ')}.`)
}
