// Goes through the steps of a page with a clock: terminals for its blocks, a browser for its words.

import { accepts } from '../../support/programs/accepts.js'
import { until } from '../../support/traffic/until.js'
import type { Act, Paste, Step } from './page-steps.js'
import { openTerminal, type Terminal } from './terminal.js'
import type { Visitor } from './visitor.js'

/** What a block has to have printed, by words in it. `again`: what it counts comes some seconds later. */
export interface Expected {
  marker: string
  printed: RegExp
  again?: true
}

export interface WalkOptions {
  steps: readonly Step[]
  /** The clone. */
  cwd: string
  /** Puts ports that are free in the place of those of the page. */
  withOwnPorts(text: string): string
  expected: readonly Expected[]
  visitor: Visitor
}

export interface Walk {
  /** All of it. Throws at the first thing that is not as the page says. */
  go(): Promise<void>
  /** Times a step that is not on the page. */
  step(what: string, work: () => Promise<unknown>): Promise<void>
  /** A line for each step with its seconds, and the sums of the sections. */
  table(): string[]
  close(): Promise<void>
}

interface Took {
  section: string
  what: string
  ms: number
}

export function createWalk({ steps, cwd, withOwnPorts, expected, visitor }: WalkOptions): Walk {
  const terminals = new Map<string, Terminal>()
  const took: Took[] = []
  let banner = ''
  /** By the last block. */
  let printed = ''

  async function timed(section: string, what: string, work: () => Promise<unknown>): Promise<void> {
    const began = performance.now()
    await work()
    took.push({ section, what, ms: performance.now() - began })
  }

  async function terminalOf(name: string): Promise<Terminal> {
    const known = terminals.get(name)
    if (known !== undefined) return known
    const opened = openTerminal(cwd)
    terminals.set(name, opened)
    for (const step of steps) {
      if (step.kind === 'paste' && step.terminal === 'each') await opened.paste(withOwnPorts(step.text))
    }
    return opened
  }

  async function paste({ section, terminal: name, text, stays }: Paste): Promise<void> {
    const terminal = await terminalOf(name)
    // What differs at every start is left out on the page, which speaks of the banner's commands.
    const block = text.includes('…') ? commandsOf(banner) : withOwnPorts(text)
    const what = `${name} terminal: ${text.trim().split('\n')[0]}`
    if (stays) return timed(section, what, () => leave(terminal, block, section))
    const wanted = expected.find(({ marker }) => text.includes(marker))
    const run = async () => {
      printed = await terminal.paste(block)
      return wanted === undefined || wanted.printed.test(printed)
    }
    return timed(section, what, async () => {
      if (wanted?.again === true) await until(`${wanted.printed} from\n${block}`, run)
      else if (!(await run())) throw new Error(`${block}\nprinted\n${printed}`)
    })
  }

  async function leave(terminal: Terminal, block: string, section: string): Promise<void> {
    const began = performance.now()
    const [, ...ports] = /--port (\d+)|--web\.listen-address=127\.0\.0\.1:(\d+)/.exec(block) ?? []
    const port = Number(ports.find(Boolean))
    let installedMs: number | undefined
    const said = await terminal.leave(block, (text) => {
      if (/^added \d+ packages/m.test(text)) installedMs ??= performance.now() - began
      return port > 0 ? accepts(port) : commandsOf(text) !== ''
    })
    if (port > 0) return
    banner = said
    took.push({ section, what: 'of the next line, until the packages are installed', ms: installedMs ?? 0 })
  }

  async function act(step: Act): Promise<void> {
    const { verb, name } = step
    if (verb === 'open') await visitor.goto(new RegExp(`${name} +(https:\\S+)`).exec(banner)?.[1] ?? '')
    else if (verb !== 'says') await visitor.act(step)
    else if (!printed.replaceAll(/\s+/g, ' ').includes(name)) throw new Error(`${name} is not in\n${printed}`)
  }

  return {
    step: (what, work) => timed('', what, work),
    async go() {
      for (const step of steps) {
        if (step.kind === 'act') await timed(step.section, labelOf(step), () => act(step))
        else if (step.terminal !== 'each') await paste(step)
      }
    },
    table: () => tableOf(took),
    async close() {
      for (const terminal of [...terminals.values()].reverse()) await terminal.close()
    },
  }
}

/** The two lines of the banner that are not indented. */
function commandsOf(banner: string): string {
  const lines = banner.split('\n').filter((line) => /^(?:TOKEN=|curl )/.test(line))
  return lines.length < 2 ? '' : lines.join('\n')
}

function labelOf({ verb, name, value, where }: Act): string {
  return [
    verb,
    name,
    ...(value === undefined ? [] : [`= ${value}`]),
    ...(where === undefined ? [] : [`(${where})`]),
  ].join(' ')
}

function tableOf(took: readonly Took[]): string[] {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1).padStart(6)} s`
  const sum = (some: readonly Took[]) => some.reduce((total, { ms }) => total + ms, 0)
  const counted = took.filter(({ what }) => !what.startsWith('of the next line'))
  const sections = [...new Set(counted.map(({ section }) => section))]
  return [
    ...took.map(({ what, ms }) => `${seconds(ms)}  ${what}`),
    ...sections.map((section) => {
      const some = counted.filter((one) => one.section === section)
      return `${seconds(sum(some))}  ${section || 'before'}: ${some.length} steps`
    }),
    `${seconds(sum(counted))}  in all: ${counted.length} steps`,
  ]
}
