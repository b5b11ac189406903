// The help of every command: what is required is called so, choices and defaults are named, there is an example, and it
// fits a terminal of 80 columns.

import { Command } from 'commander'
import t from 'tap'
import { commandGroups } from '../../../src/cli/command-groups.js'
import { wholeExample } from '../../../src/cli/output/examples.js'
import { formerInHelp, formerWords } from '../../support/models/former-words.js'
import { formerUses } from '../../support/models/words.js'
import { runCommand } from '../../support/rooms/cli.js'

const terminal = { out() {}, say() {}, env: {}, cwd: '/', interactive: false, colours: false, input: async () => '' }
const program = new Command('portcullis')
for (const group of commandGroups) (await group.load())(program, terminal)

interface Found {
  words: string[]
  command: Command
}

function commandsOf(command: Command, words: string[]): Found[] {
  return command.commands.flatMap((inner) => {
    const path = [...words, inner.name()]
    return [{ words: path, command: inner }, ...commandsOf(inner, path)]
  })
}

const all = commandsOf(program, [])
/** Without where lines were broken. */
const flat = (text: string) => text.replace(/\s+/g, ' ')

t.test('every command says what it needs, what may be chosen, and how it is typed, in 80 columns', async (t) => {
  t.ok(all.length > 100, `${all.length} commands`)
  for (const { words, command } of all) {
    const name = words.join(' ')
    const { code, out, err } = await runCommand([...words, '--help'], { cwd: '/' })
    t.same([code, err], [0, ''], name)
    t.same(
      out.split('\n').filter((line) => line.length > 80),
      [],
      `${name}: 80 columns`,
    )
    t.notMatch(out, /\n\n\n/, `${name}: no two empty lines`)
    const text = flat(out)
    for (const argument of command.registeredArguments) {
      const said = argument.description === '' ? `${argument.name()} required` : `${argument.description} (required)`
      t.ok(text.includes(argument.required ? said : argument.description), `${name}: ${argument.name()}`)
    }
    for (const option of command.options) {
      t.ok(text.includes(option.flags), `${name}: ${option.flags}`)
      t.ok(option.description !== '', `${name}: ${option.flags} is described`)
      if (option.mandatory)
        t.ok(text.includes(`${option.description} (required)`), `${name}: ${option.flags} is required`)
      if (option.argChoices !== undefined) {
        const choices = option.argChoices.map((choice) => JSON.stringify(choice)).join(', ')
        t.ok(text.includes(`choices: ${choices}`), `${name}: ${option.flags} names its choices`)
      }
      const { defaultValue } = option
      const isShown = defaultValue !== undefined && typeof defaultValue !== 'boolean' && !option.negate
      if (isShown)
        t.ok(/default: /.test(text.split(option.flags)[1] ?? ''), `${name}: ${option.flags} names its default`)
    }
    if (command.commands.length === 0) t.match(text, `Example: portcullis ${name}`, name)
  }
})

t.test('what an example leaves out is what may be left out', async (t) => {
  for (const { words, command } of all.filter((found) => found.command.commands.length === 0)) {
    const { out } = await runCommand([...words, '--help'], { cwd: '/' })
    const example = /Example:\n {2}portcullis (.*)/.exec(out.replace(/\n {6}/g, ' '))?.[1] ?? ''
    const needed = command.registeredArguments.filter(({ required }) => required).length
    const named = command.options.filter(({ mandatory }) => mandatory)
    for (const option of named) t.match(example, `${option.long} `, words.join(' '))
    const given = (example.match(/"[^"]*"|\S+/g) ?? []).slice(words.length)
    const written = wholeExample(words.join(' '))
    if (written === undefined) t.equal(given.length, needed + 2 * named.length, words.join(' '))
    else {
      const options = given.filter((word) => word.startsWith('--'))
      t.ok(
        options.every((option) => command.options.some(({ long }) => long === option)),
        example,
      )
      const others = given.filter((word, at) => !word.startsWith('--') && !(given[at - 1] ?? '').startsWith('--'))
      t.ok(others.length >= needed && others.length <= command.registeredArguments.length, example)
    }
  }
})

t.test('no help uses a word from before the field’s own', async (t) => {
  for (const { words } of all) {
    const path = words.join(' ')
    const { out } = await runCommand([...words, '--help'], { cwd: '/' })
    t.same(formerUses([{ path, text: out }], formerWords), [], path)
    t.notMatch(out, formerInHelp, path)
  }
})
