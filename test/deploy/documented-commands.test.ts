// The commands of deploy/README.md that need Docker, which no test runs: the services, flags, files and commands of
// Portcullis that they name are compared with those that there are.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { commandReference } from '../../src/cli/command-reference.js'
import { packageRoot } from '../../src/config/read/package-root.js'
import { documentedBlocks } from '../support/settings/documentation.js'

/** What `docker compose` takes, by its own reference; a flag of another subcommand is a mistake. */
const composeFlags: Readonly<Record<string, readonly string[]>> = {
  up: ['-d', '--build', '--wait', '--no-deps'],
  build: [],
  stop: [],
  restart: [],
  exec: ['-T'],
  run: ['--rm', '--no-deps'],
}

/** What `docker` itself takes, where a container is tried. */
const dockerFlags: Readonly<Record<string, readonly string[]>> = {
  build: ['-f', '-t'],
  run: ['--rm', '--name', '-p', '-e', '-v'],
}

interface ComposeFile {
  services: Record<string, { image?: string }>
}
const composeFile = (name: string) =>
  parse(readFileSync(join(packageRoot(), 'deploy', name), 'utf8'), { merge: true }) as ComposeFile
const commands = documentedBlocks(['deploy/README.md'])
  .filter(({ isOnlyChecked }) => isOnlyChecked)
  .flatMap(({ text }) => text.trim().split('\n'))
  .flatMap((line) => line.split(' && '))

t.test('every command is one of Docker’s with its flags, for services of compose.yaml', async (t) => {
  t.ok(commands.length >= 11, `${commands.length} commands`)
  for (const command of commands.filter((one) => !/^sleep \d+$/.test(one))) {
    const own = Object.entries(dockerFlags).find(([verb]) => command.startsWith(`docker ${verb} `))
    if (own !== undefined) {
      const flags = command.split(' ').filter((one) => one.startsWith('-'))
      t.same(
        flags.filter((one) => !own[1].includes(one)),
        [],
        command,
      )
      continue
    }
    const [, file = 'compose.yaml', words = ''] = /^docker compose (?:-f (\S+) )?(.*)$/.exec(command) ?? []
    const [verb = '', ...rest] = words.split(' ')
    const compose = composeFile(file)
    const flags = composeFlags[verb]
    if (flags === undefined) {
      t.fail(`${command}: ${verb} is not known here`)
      continue
    }
    const isInside = verb === 'exec' || verb === 'run'
    const end = isInside ? rest.findIndex((one) => !one.startsWith('-')) + 1 : rest.length
    for (const one of rest.slice(0, end)) {
      if (one.startsWith('-')) t.ok(flags.includes(one), `${command}: ${one}`)
      else t.ok(one in compose.services, `${command}: ${one}`)
    }
    if (verb === 'build') for (const one of rest) t.ok(isBuilt(compose, one), `${one} is built, and not pulled`)
  }
})

t.test('what they run in a container is there: commands of Portcullis with their options', async (t) => {
  const reference = await commandReference('1.2.3')
  const own = commands.flatMap((one) => / (?:portcullis|compose run (?:-\S+ )*\S+) ([a-z].*)$/.exec(one)?.[1] ?? [])
  t.ok(own.length >= 3)
  for (const words of own) {
    const name = (/^[a-z-]+(?: [a-z-]+)?(?= |$)/.exec(words)?.[0] ?? '').split(' ')
    const section = [name.join(' '), name[0]]
      .map((one) => new RegExp(`^#+ portcullis ${one}$[\\s\\S]*?(?=^#+ |$(?![\\s\\S]))`, 'm').exec(reference)?.[0])
      .find((one) => one !== undefined)
    t.ok(section !== undefined, `portcullis ${words}`)
    for (const [flag] of words.matchAll(/--[a-z-]+/g)) t.ok(section?.includes(flag), `${words}: ${flag}`)
  }
})

/** Whether the file says how to build the service. */
function isBuilt(compose: ComposeFile, service: string): boolean {
  return 'build' in (compose.services[service] ?? {})
}
