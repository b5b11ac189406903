// What greets anyone who comes to the repository: the workflow runs the README's two commands, forms are what GitHub
// takes, links lead somewhere, and named scripts exist.

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { packageRoot } from '../src/config/read/package-root.js'

interface Step {
  uses?: string
  run?: string
}
interface Job {
  container?: string
  strategy: { matrix: { node: number[] } }
  steps: Step[]
}
interface Form {
  name: string
  description: string
  body: { type: string; id?: string; attributes: Record<string, unknown> }[]
}

const root = String(packageRoot())
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const manifest = JSON.parse(read('package.json')) as { scripts: Record<string, string>; engines: { node: string } }
const documents = ['README.md', 'CHANGELOG.md', ...inGithub().filter((path) => path.endsWith('.md'))]

function inGithub(): string[] {
  return readdirSync(join(root, '.github'), { recursive: true, encoding: 'utf8' }).map((path) => `.github/${path}`)
}

/** The commands of blocks for a shell that stand alone in a line and begin with an installation. */
function commandsOf(markdown: string): string[] {
  const blocks = [...markdown.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map((match) => match[1] ?? '')
  return blocks.flatMap((block) => block.split('\n')).filter((line) => line.startsWith('npm ci'))
}

t.test('the workflow runs the two commands of the README and nothing else, on each supported Node', async (t) => {
  const commands = commandsOf(read('README.md'))
  t.same(commands, ['npm ci && npm start', 'npm ci && npm test'])
  t.same([...new Set(commandsOf(read('.github/CONTRIBUTING.md')))], commands, 'CONTRIBUTING says the same')
  const { jobs, permissions } = parse(read('.github/workflows/test.yml')) as {
    jobs: Record<string, Job>
    permissions: unknown
  }
  t.same(permissions, { contents: 'read' })
  t.same(Object.keys(jobs), ['start', 'test'])
  const runs = Object.values(jobs).map((job) => job.steps.flatMap((step) => step.run?.trim().split('\n') ?? []))
  const [start = [], test = []] = runs
  t.same(test, [commands[1]])
  t.equal(start[0], `${commands[0]} &`)
  t.match(start[1], /^until curl .* https:\/\/localhost:8443\/\S+; do sleep 2; done$/)
  t.equal(start.length, 2)
  for (const { steps, strategy, container } of Object.values(jobs)) {
    t.same(strategy.matrix.node, [20, 22, 24])
    t.match(manifest.engines.node, `>=${strategy.matrix.node[0]}.`, 'from the oldest that is supported')
    t.equal(container, `node:$\{{ matrix.node }}-bookworm`)
    for (const { uses, run } of steps) {
      t.match(uses ?? 'actions/a@v1', /^actions\/[a-z-]+@v\d+$/)
      if (run !== undefined) t.equal(spawnSync('bash', ['-n'], { input: run }).status, 0, 'bash reads it')
    }
  }
})

t.test('another workflow runs what the second command leaves out', async (t) => {
  const { jobs, permissions } = parse(read('.github/workflows/everything.yml')) as {
    jobs: Record<string, Pick<Job, 'steps'>>
    permissions: unknown
  }
  t.same(permissions, { contents: 'read' })
  const runs = Object.values(jobs).flatMap((job) => job.steps.flatMap(({ run }) => run ?? []))
  t.same(runs, ['npm ci && npm run test:all -- --rest'])
})

t.test('every form has what GitHub asks of one', async (t) => {
  const forms = inGithub().filter((path) => /ISSUE_TEMPLATE\/(?!config)/.test(path))
  t.ok(forms.length >= 2)
  for (const path of forms) {
    const form = parse(read(path)) as Form
    t.type(form.name, 'string', path)
    t.type(form.description, 'string', path)
    const ids = form.body.flatMap(({ id }) => id ?? [])
    t.same(ids, [...new Set(ids)], `${path}: an id is there once`)
    for (const { type, id, attributes } of form.body) {
      t.match(type, /^(?:markdown|textarea|input|dropdown|checkboxes)$/, path)
      if (type === 'markdown') t.type(attributes['value'], 'string', path)
      else t.ok(id !== undefined && typeof attributes['label'] === 'string', `${path}: ${type} has an id and a label`)
      if (type === 'dropdown') t.ok((attributes['options'] as string[]).length > 1, path)
    }
  }
})

t.test('links lead to files, and named scripts and folders exist', async (t) => {
  for (const path of documents) {
    const text = read(path)
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)) {
      t.ok(existsSync(join(root, normalize(join(dirname(path), target)))), `${path}: ${target}`)
    }
    for (const [, name = ''] of text.matchAll(/\bnpm run (?!-)([\w:-]+)/g))
      t.ok(name in manifest.scripts, `${path}: ${name}`)
    for (const [named] of text.matchAll(/(?<![\w./-])test\/[\w./-]+\.tsx?\b|(?<![\w./-])test\/[\w-]+\//g)) {
      t.ok(existsSync(join(root, named)), `${path}: ${named}`)
    }
  }
})
