// Colours for people who read standard output at a terminal.

import { styleText } from 'node:util'
import type { Terminal } from './terminal.js'

/** The text in that colour where the terminal takes colours, else as it is. */
export function coloured(
  { colours }: Pick<Terminal, 'colours'>,
  colour: 'cyan' | 'green' | 'magenta' | 'red' | 'yellow',
  text: string,
): string {
  // The terminal has decided already; Node would look at the standard output of this process once more.
  return colours ? styleText(colour, text, { validateStream: false }) : text
}
