// What every command's help has, by no effort of the command: which arguments and options are required, an example that
// can be typed, and no line beyond 80 columns. Made from what the commander program knows of each.

import type { EventEmitter } from 'node:events'
import type { Argument, Command, Option } from 'commander'
import { sampleOf, wholeExample } from './examples.js'

/** The columns of the narrowest terminal that help is written for. */
export const helpWidth = 80

/** In the help of a group. */
const mostExamples = 6

/** Completes the help of all commands of the program. */
export function completeHelp(program: Command): void {
  for (const command of program.commands) completeOne(command, `${program.name()} ${command.name()}`)
}

function completeOne(command: Command, path: string): void {
  for (const argument of command.registeredArguments.filter(({ required }) => required)) markRequired(argument)
  for (const option of command.options.filter(({ mandatory }) => mandatory)) markRequired(option)
  command.showHelpAfterError(`See: ${path} --help`)
  command.addHelpText('after', examplesOf(command, path))
  for (const inner of command.commands) completeOne(inner, `${path} ${inner.name()}`)
}

/** Of a group one of each of its commands, as far as a screen takes them. */
function examplesOf(command: Command, path: string): string {
  // A command is an emitter, which its types leave out. Texts of its own end with an empty line already.
  const { length: ownTexts } = (command as Command & Pick<EventEmitter, 'listeners'>).listeners('afterHelp')
  const start = ownTexts > 0 ? '' : '\n'
  if (command.commands.length === 0) return `${start}Example:\n  ${exampleOf(command, path)}`
  const leaves = command.commands.filter(({ commands }) => commands.length === 0).slice(0, mostExamples)
  return `${start}Examples:\n${leaves.map((inner) => `  ${exampleOf(inner, `${path} ${inner.name()}`)}`).join('\n')}`
}

function markRequired(one: Argument | Option): void {
  one.description = one.description === '' ? 'required' : `${one.description} (required)`
}

function exampleOf(command: Command, path: string): string {
  const written = wholeExample(path)
  if (written !== undefined) return `${path} ${written}`
  const given = command.registeredArguments.filter(({ required }) => required).map((one) => sampleOf(one.name()))
  const options = command.options
    .filter(({ mandatory }) => mandatory)
    .map((one) => `${one.long} ${one.argChoices?.[0] ?? sampleOf(one.attributeName())}`)
  return [path, ...given, ...options].join(' ')
}

/** The text with paragraphs filled anew where a line is too long; what is indented stays on lines of its own. */
export function withinWidth(text: string): string {
  const lines: string[] = []
  let paragraph: string[] = []
  const end = () => {
    const tooLong = paragraph.some((line) => line.length > helpWidth)
    lines.push(...(tooLong ? filled(paragraph.join(' '), '') : paragraph))
    paragraph = []
  }
  for (const line of text.split('\n')) {
    if (/^\S/.test(line)) {
      paragraph.push(line)
      continue
    }
    end()
    const indent = /^\s*/.exec(line)?.[0] ?? ''
    lines.push(...(line.length > helpWidth ? filled(line.trim(), indent) : [line]))
  }
  end()
  return lines.join('\n').replace(/\n{3,}/g, '\n\n')
}

/**
 * The words on lines that begin with `indent`; every line but the first a little further in, where there is an indent.
 */
function filled(words: string, indent: string): string[] {
  const lines: string[] = []
  let line = indent
  for (const word of words.split(' ')) {
    const next = line.trim() === '' ? `${line}${word}` : `${line} ${word}`
    if (next.length <= helpWidth || line.trim() === '') line = next
    else {
      lines.push(line)
      line = `${indent === '' ? '' : `${indent}    `}${word}`
    }
  }
  return [...lines, line]
}
