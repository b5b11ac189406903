// What a page of the documentation tells a newcomer to do, in its order: blocks to paste, and what to press, fill in and
// see on the pages. It reads the sections with a number in their heading.
//
//   **bold**        something written on a page of the portal
//   follow, press   a link or a button; `in the menu` and `tab` say which one, where a name stands there twice
//   tick, choose    a checkbox; a choice: choose `trial` as **Plan**
//   type, fill in   a field: type `storefront` as **Name**; without a value, what the newcomer likes
//   says            what the last block printed: says `that`
//   otherwise       it is there to be seen

export interface Paste {
  kind: 'paste'
  section: string
  /** `first` to `fourth`; `each`: before anything else in every one. */
  terminal: string
  text: string
  /** Whether the page says to leave it running. */
  stays: boolean
}

export interface Act {
  kind: 'act'
  section: string
  verb: 'open' | 'follow' | 'press' | 'tick' | 'choose' | 'type' | 'fill in' | 'see' | 'says'
  /** What is written on the page, or was printed. */
  name: string
  /** Of `choose` and `type`. */
  value?: string
  where?: 'menu' | 'tab'
}

export type Step = Paste | Act

const verbs = 'open|follow|press|tick|choose|type|fill in|says'
const words = new RegExp(
  `\\*\\*([^*]+)\\*\\*( in the menu)?|\`([^\`]+)\`|\\b(${verbs})\\b|\\b(tab)\\b|[.:;](?= |$)`,
  'gi',
)

/** The steps of a page, in order. Throws when a block stands there before the page says in which terminal. */
export function stepsOf(page: string): Step[] {
  const sections = page.split(/^## (?=\d+\. )/m).slice(1)
  let terminal = ''
  return sections.flatMap((section) => {
    const [, heading = '', body = ''] = /^(.*)\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(section) ?? []
    const parts = body.split(/^```(?:sh)?\n([\s\S]*?)^```$/m)
    return parts.flatMap((part, at): Step[] => {
      if (at % 2 === 0) return actsOf(part, heading)
      const before = (parts[at - 1] ?? '').replaceAll(/\s+/g, ' ')
      const isForEach = /\beach terminal\b/.test(before)
      terminal = [...before.matchAll(/\b(first|second|third|fourth) terminal\b/g)].at(-1)?.[1] ?? terminal
      if (terminal === '') throw new Error(`in which terminal?\n${part}`)
      const stays = /\bleave (?:it|that) running\b/i.test((parts[at + 1] ?? '').replaceAll(/\s+/g, ' '))
      return [{ kind: 'paste', section: heading, terminal: isForEach ? 'each' : terminal, text: part, stays }]
    })
  })
}

/** Of the prose between two blocks. */
function actsOf(prose: string, section: string): Act[] {
  const acts: Act[] = []
  let verb: Act['verb'] | undefined
  let value: string | undefined
  let isTab = false
  for (const [all, bold, menu, code, word, tab] of prose.replaceAll(/\s+/g, ' ').trim().matchAll(words)) {
    if (word !== undefined) verb = word.toLowerCase() as Act['verb']
    else if (tab !== undefined) isTab = true
    else if (code !== undefined) {
      if (verb === 'says' || verb === 'open') acts.push({ kind: 'act', section, verb, name: code })
      else value = code
    } else if (bold !== undefined) {
      acts.push({
        ...{ kind: 'act', section, verb: verb ?? 'see', name: bold },
        ...(verb === 'type' || verb === 'choose' ? { value: value ?? '' } : {}),
        ...(menu === undefined ? (isTab ? { where: 'tab' } : {}) : { where: 'menu' }),
      })
      isTab = false
    } else if (all === '.') {
      verb = undefined
      value = undefined
    }
  }
  return acts
}
