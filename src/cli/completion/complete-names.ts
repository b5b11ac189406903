// Names of what is on the server, at a Tab: which kind of name stands there, and which there are. Whatever goes wrong
// completes nothing: nobody wants to read an error in the middle of a line.

import type { RootCommand } from '@bomb.sh/tab'
import type { Command } from 'commander'
import { connect } from '../calls/connection.js'
import type { ConnectionOptions } from '../calls/connection-options.js'
import type { Terminal } from '../output/terminal.js'
import { type NameKind, namesOn, type Suggestion } from './names-on-server.js'

/** By the name of an argument or of an option. */
const kinds: Readonly<Record<string, NameKind>> = {
  app: 'application',
  application: 'application',
  tenant: 'tenant',
  user: 'user',
  owner: 'user',
  permission: 'permission',
  permissions: 'permission',
  event: 'event',
  route: 'route',
  path: 'path',
  api: 'api',
  plan: 'plan',
  tool: 'tool',
  prompt: 'prompt',
  resource: 'resource',
}

/** A person waits for it. */
const usualPatienceMs = 1_000

export interface CompletionSurroundings {
  terminal: Terminal
  /** How long the server may take; then there are no names. */
  patienceMs?: number
}

/** Has `completion` know the names for the word that is typed last, if it is one of a kind that the server has. */
export async function completeNames(
  completion: RootCommand,
  program: Command,
  words: readonly string[],
  { terminal, patienceMs = usualPatienceMs }: CompletionSurroundings,
): Promise<void> {
  const place = placeOf(program, words)
  const kind = kinds[place?.name ?? '']
  if (place === undefined || kind === undefined) return
  const suggestions = await suggestionsOf(kind, words, { terminal, patienceMs }).catch((): Suggestion[] => [])
  const known = place.path === '' ? completion : completion.commands.get(place.path)
  const target = place.option === undefined ? known?.arguments.get(place.name) : known?.options.get(place.option)
  if (target === undefined) return
  target.handler = (complete) => {
    for (const { value, description } of suggestions) complete(value, description)
  }
}

interface Place {
  /** Words of the command, joined by a space. */
  path: string
  name: string
  /** The option whose value it is, without dashes; absent: an argument. */
  option?: string
}

/** Where the last of the words stands; undefined where it is a command or an option itself. */
function placeOf(program: Command, words: readonly string[]): Place | undefined {
  let command = program
  const path: string[] = []
  let given = 0
  let waiting: string | undefined
  for (const word of words.slice(0, -1)) {
    if (waiting !== undefined) {
      waiting = undefined
      continue
    }
    if (word.startsWith('-')) {
      const option = command.options.find(({ short, long }) => word === short || word === long)
      waiting = option !== undefined && (option.required || option.optional) ? option.long?.slice(2) : undefined
      continue
    }
    const inner =
      given === 0 ? command.commands.find((one) => one.name() === word || one.aliases().includes(word)) : undefined
    if (inner === undefined) given += 1
    else {
      command = inner
      path.push(inner.name())
    }
  }
  if (waiting !== undefined) return { path: path.join(' '), name: waiting, option: waiting }
  const { registeredArguments } = command
  const argument = registeredArguments[given] ?? registeredArguments.findLast(({ variadic }) => variadic)
  return argument === undefined ? undefined : { path: path.join(' '), name: argument.name() }
}

async function suggestionsOf(
  kind: NameKind,
  words: readonly string[],
  { terminal, patienceMs }: Required<CompletionSurroundings>,
): Promise<readonly Suggestion[]> {
  const client = await connect(connectionIn(words), terminal)
  return within(patienceMs, namesOn(client, kind, { words, patienceMs }))
}

/** The server that the line itself names. */
function connectionIn(words: readonly string[]): ConnectionOptions {
  const given = (...names: string[]) => {
    const at = words.findIndex((word) => names.includes(word))
    return at === -1 || at >= words.length - 2 ? undefined : words[at + 1]
  }
  const [config, socket, server] = [given('-c', '--config'), given('--socket'), given('--server')]
  return {
    ...(config === undefined ? {} : { config }),
    ...(socket === undefined ? {} : { socket }),
    ...(server === undefined ? {} : { server }),
  }
}

async function within(patienceMs: number, work: Promise<readonly Suggestion[]>): Promise<readonly Suggestion[]> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<readonly Suggestion[]>((resolve) => {
    timer = setTimeout(resolve, patienceMs, [])
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
