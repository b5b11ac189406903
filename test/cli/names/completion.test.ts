// Names that are completed at a Tab: by the place of the word, from the server, and nothing where there is none.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RootCommand } from '@bomb.sh/tab'
import type { Command } from 'commander'
import t from 'tap'
import { completeNames } from '../../../src/cli/completion/complete-names.js'
import type { Terminal } from '../../../src/cli/output/terminal.js'
import { wholeProgram } from '../../../src/cli/program.js'
import { apiError, type SocketAnswer, socketServer } from '../../support/rooms/cli.js'

const id = (digit: number) => `0c0f4c58-6f6c-4a4c-9c52-00000000000${digit}`
const application = (name: string, digit: number) => ({ name, applicationId: id(digit), type: 'web', state: 'enabled' })
const desk = {
  tools: [
    { name: 'close_ticket', anyOf: [['desk.write'], ['desk.read', 'desk.admin']] },
    { name: 'two words', anyOf: [['desk.read']] },
  ],
  prompts: [{ name: 'greet', anyOf: [['desk.read']] }],
  resources: [
    { name: 'desk://about', anyOf: [['desk.read']] },
    { name: 'desk://tickets/{id}', anyOf: [['desk.read']] },
  ],
}
const answers: Readonly<Record<string, unknown>> = {
  '/api/v2/applications': {
    value: [application('reader', 1), application('My app', 2), application('twice', 3), application('twice', 4)],
  },
  '/api/v2/tenants': { value: [{ name: 'Contoso', tenantId: id(5), state: 'enabled' }] },
  '/api/v2/permissions': {
    value: [{ id: 'Posts.Read', description: 'Read\u001b[31m posts', kinds: [], resource: 'x' }],
  },
  '/api/v2/configuration/rules': {
    routes: [
      { id: '/posts', path: '/posts' },
      { id: 'GET /posts', path: '/posts' },
      { id: '/desk/mcp', path: '/desk/mcp', mcp: desk },
      {
        id: '/other/mcp',
        path: '/other/mcp',
        mcp: { tools: [{ name: 'search', anyOf: [['look']] }], prompts: [], resources: [] },
      },
    ],
  },
}

const nothing = { out() {}, say() {}, interactive: false, colours: false, input: async () => '' }

async function completer(
  t: { teardown(work: () => unknown): void },
  answer: (path: string) => SocketAnswer | 'hang up',
) {
  const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  const { close } = await socketServer(join(cwd, 'admin.sock'), ({ path }) => answer(path))
  t.teardown(close)
  const terminal: Terminal = { ...nothing, env: { PORTCULLIS_SOCKET: 'admin.sock' }, cwd }
  const serve = async () => undefined
  const program = await wholeProgram({ serve, backend: serve, version: '1', terminal })
  return async (...words: string[]) => {
    const completion = new RootCommand()
    add(completion, program, '')
    // A person's second is too short for a machine that stands still.
    await completeNames(completion, program, words, { terminal, patienceMs: 60_000 })
    const found: [string, string][] = []
    const suggest = (value: string, description: string) => void found.push([value, description])
    for (const one of completion.commands.values()) {
      for (const argument of one.arguments.values()) argument.handler?.(suggest, one.options)
      for (const option of one.options.values()) option.handler?.(suggest, one.options)
    }
    return found
  }
}

/** As the library reads the program, without its own choices. */
function add(completion: RootCommand, command: Command, path: string): void {
  for (const inner of command.commands) {
    const words = path === '' ? inner.name() : `${path} ${inner.name()}`
    const one = completion.command(words, '')
    for (const argument of inner.registeredArguments) one.argument(argument.name(), undefined, argument.variadic)
    for (const option of inner.options) if (option.long) one.option(option.long.slice(2), '')
    add(completion, inner, words)
  }
}

t.test('applications by name, and by identifier where the name is not one word or not one application', async (t) => {
  const complete = await completer(t, (path) => ({ json: answers[path] }))
  const expected = [
    ['reader', 'web, enabled'],
    [id(2), 'My app, web, enabled'],
    [id(3), 'twice, web, enabled'],
    [id(4), 'twice, web, enabled'],
  ]
  t.same(await complete('app', 'show', ''), expected)
  t.same(await complete('call', 'GET', '/posts', '--app', 're'), expected, 'as the value of an option')
  t.same(await complete('revoke', 'app', ''), expected, 'after an alias')
  t.same(
    await complete('app', 'permission', 'add', 'reader', 'Po'),
    [['Posts.Read', 'Read [31m posts']],
    'nothing obeyed',
  )
  t.same(await complete('app', 'permission', 'add', 'reader', 'Posts.Read', ''), [['Posts.Read', 'Read [31m posts']])
  t.same(await complete('app', 'create', 'x', '--tenant', ''), [['Contoso', 'enabled']])
  const oneWord = ['/posts', '/desk/mcp', '/other/mcp'].map((route) => [route, ''])
  t.same(await complete('usage', '--route', ''), oneWord, 'what a shell would take apart is left out')
  t.same(await complete('mcp', 'check', ''), oneWord)
  t.same(await complete('app', ''), [], 'a command is no name')
  const closing = ['close_ticket', '/desk/mcp, needs desk.write, or desk.read and desk.admin']
  t.same(await complete('explain', 'POST', '/desk/mcp', '--tool', ''), [closing], 'of the server in the line')
  t.same(await complete('explain', 'POST', '/x', '--tool', ''), [closing, ['search', '/other/mcp, needs look']])
  t.same(await complete('explain', 'POST', '/desk/mcp', '--prompt', ''), [['greet', '/desk/mcp, needs desk.read']])
  t.same(await complete('explain', 'POST', '/desk/mcp', '--resource', ''), [
    ['desk://about', '/desk/mcp, needs desk.read'],
  ])
  t.same(await complete('app', 'show', 'reader', ''), [], 'nothing stands there')
})

t.test('a refusal, no answer and no server complete nothing', async (t) => {
  const refused = await completer(t, () => apiError(403, 'Forbidden', 'no'))
  t.same(await refused('app', 'show', ''), [])
  const silent = await completer(t, () => 'hang up')
  t.same(await silent('app', 'show', ''), [])
  t.same(await silent('app', 'show', '--socket', 'nobody.sock', ''), [])
})
