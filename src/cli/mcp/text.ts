// The proposal as a file of configuration: texts in JSON's quotes, which are YAML's too. What the server says becomes
// text and nothing else: no reference, no comment that ends early.

import { unprintable } from '../output/table.js'
import type { McpProposal, Weight } from './proposal.js'

const hints: Readonly<Record<Weight, string>> = {
  read: 'By their own word these only read.',
  write: 'By their own word these change something, and destroy nothing.',
  destroy: 'These may destroy something, or do not say what they do.',
}

const permissions: Readonly<Record<Weight, string>> = {
  read: 'Read what TITLE has',
  write: 'Add to what TITLE has, and change it',
  destroy: 'Do everything in TITLE, also what cannot be undone',
}

/** Ends with a newline. `source` is the address that it was made from. */
export function mcpProposalText(proposal: McpProposal, source: string): string {
  const { name, path, resource, title, target, rewrite, versions, tools, prompts, resources, notes, ca } = proposal
  const weights = (['read', 'write', 'destroy'] as const).filter(
    (weight) => weight === 'read' || tools[weight].length > 0,
  )
  const id = (weight: Weight) => quoted(`${name}.${weight}`)
  const operations = (
    of: string,
    groups: readonly (readonly [comment: string | undefined, Weight, readonly string[]])[],
  ) =>
    groups.some(([, , names]) => names.length > 0)
      ? [
          `      ${of}:`,
          ...groups.flatMap(([comment, weight, names]) =>
            names.length === 0
              ? []
              : [
                  ...(comment === undefined ? [] : [`        # ${comment}`]),
                  ...names.map((one) => `        ${quoted(one)}: ${id(weight)}`),
                ],
          ),
        ]
      : []
  const moved = rewrite === undefined ? '' : `, ${rewriteText(rewrite)}`
  return [
    `# Proposed from ${quoted(source)}. Read it, then include it or copy it; portcullis check says what is wrong.`,
    '# What it does not name is refused to everybody. The resource’s id is the address that people give to their agents.',
    '# Which tool needs which permission is a proposal from what the server says of its tools (readOnlyHint,',
    '# destructiveHint). Nobody has checked that: read what each one does before you use this.',
    ...notes.map((note) => `# - ${note.replace(unprintable, ' ')}`),
    '',
    'resources:',
    `  ${name}:`,
    `    id: ${quoted(resource)}`,
    `    name: ${quoted(plain(title))}`,
    '    permissions:',
    ...weights.map((weight, at) => {
      const covers = at === 0 ? '' : `, covers: [${weights.slice(0, at).map(id).join(', ')}]`
      const describe = permissions[weight].replace('TITLE', () => plain(title))
      return `      ${id(weight)}: { describe: ${quoted(describe)}${covers} }`
    }),
    'upstreams:',
    `  ${name}: { target: ${quoted(target)}${ca === undefined ? '' : `, ca: ${quoted(`file:${ca}`)}`} }`,
    'routes:',
    `  ${quoted(path)}:`,
    `    to: ${name}`,
    `    resource: ${name}`,
    ...(moved === '' ? [] : [`    ${moved.slice(2)}`]),
    '    mcp:',
    ...(versions === undefined ? [] : [`      versions: [${versions.map(quoted).join(', ')}]`]),
    `      first: ${id('read')}`,
    ...operations(
      'tools',
      weights.map((weight) => [hints[weight], weight, tools[weight]] as const),
    ),
    ...operations('prompts', [[undefined, 'read', prompts]]),
    ...operations('resources', [[undefined, 'read', resources]]),
    '',
  ].join('\n')
}

function rewriteText({ from, to }: { from: string; to: string }): string {
  return to === '/' ? `strip: ${quoted(from)}` : `rewrite: { from: ${quoted(from)}, to: ${quoted(to)} }`
}

/** Of a text of the server what a person reads: no reference to a variable or a file, and nothing but whole characters. */
function plain(text: string): string {
  const once = text.replace(unprintable, ' ').replace(/\s+/g, ' ').trim().slice(0, 120)
  const whole = Buffer.from(once).toString()
  return whole.replace(/^file:/i, 'file ').replaceAll('${', () => '$${')
}

/** JSON, in which nothing is left that ends a line or turns the direction of a text. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
