// How a list may be printed.

import { Option } from 'commander'

/** The `-o` option of a list, which has no form for the shell. */
export function listOption(): Option {
  const help = 'how to print it; wide: every column, with full times, as in a pipe'
  return new Option('-o, --output <format>', help).choices(['table', 'wide', 'json']).default('table')
}
