// The proposal as a file of configuration: texts in JSON's quotes, which are YAML's too.

import { plainText, quotedText } from '../configuration/written-text.js'
import type { Proposal, ProposedRoute } from './proposal.js'
import type { Need, ProposedPermission } from './security.js'

const longestText = 200

/** Ends with a newline. `source` is the file that it was made from. */
export function proposalText(proposal: Proposal, source: string): string {
  const { upstream, target, permissions, routes, notes } = proposal
  return [
    `# Proposed from ${JSON.stringify(source)}. Read it, then include it or copy it; portcullis check says what is wrong.`,
    ...notes.map((note) => `# - ${note.replace(/\s+/g, ' ')}`),
    '',
    ...section('permissions', permissions.map(permissionLine)),
    ...section('upstreams', [`${upstream}: { target: ${JSON.stringify(target)} }`]),
    ...section(
      'routes',
      routes.flatMap((route) => routeLines(route, proposal)),
    ),
    '',
  ].join('\n')
}

function section(name: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${name}:`, ...lines.map((line) => `  ${line}`)]
}

function permissionLine({ id, describe, kinds }: ProposedPermission): string {
  const only = kinds === undefined ? '' : `, kinds: [${kinds.join(', ')}]`
  return `${JSON.stringify(id)}: { describe: ${quotedText(plainText(describe, longestText))}${only} }`
}

/** One line for what requires something, one for what is public: a route is one or the other. */
function routeLines({ path, needs }: ProposedRoute, { upstream, rewrite }: Proposal): string[] {
  const open = [...needs].filter(([, need]) => need === 'public').map(([method]) => method)
  const guarded = [...needs].filter(([, need]) => need !== 'public')
  const rest = rewrite === undefined ? '' : rewriteText(rewrite)
  const line = (methods: readonly string[], what: string) =>
    `${JSON.stringify(`${methods.join(',')} ${path}`)}: { to: ${upstream}, ${what}${rest} }`
  const [first] = guarded
  const isOne = first !== undefined && guarded.every(([, need]) => requireText(need) === requireText(first[1]))
  const required = isOne
    ? requireText(first[1])
    : `{ ${guarded.map(([method, need]) => `${method}: ${requireText(need)}`).join(', ')} }`
  return [
    ...(guarded.length === 0
      ? []
      : [
          line(
            guarded.map(([method]) => method),
            `require: ${required}`,
          ),
        ]),
    ...(open.length === 0 ? [] : [line(open, 'public: true')]),
  ]
}

function requireText(need: Need): string {
  if (need === 'public') return ''
  const lists = need.map((ids) =>
    ids.length === 1 ? JSON.stringify(ids[0]) : `[${ids.map((id) => JSON.stringify(id)).join(', ')}]`,
  )
  return lists.length === 1 ? String(lists[0]) : `{ any: [${lists.join(', ')}] }`
}

function rewriteText({ from, to }: { from: string; to: string }): string {
  return to === '/'
    ? `, strip: ${JSON.stringify(from)}`
    : `, rewrite: { from: ${JSON.stringify(from || '/')}, to: ${JSON.stringify(to)} }`
}
