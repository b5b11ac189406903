// The proposal as a file of configuration: names as they are or in quotes, sentences in quotes. What the server says becomes
// text and nothing else: no reference, no comment that ends early.

import { nameText, plainText, quotedText } from '../configuration/written-text.js'
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
  const id = (weight: Weight) => nameText(`${name}.${weight}`)
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
                  ...names.map((one) => `        ${nameText(one)}: ${id(weight)}`),
                ],
          ),
        ]
      : []
  const moved = rewrite === undefined ? '' : `, ${rewriteText(rewrite)}`
  return [
    `# Proposed from ${quotedText(source)}. Read it, then save it as conf.d/${path.split('/')[1]}.yaml, or copy it into`,
    '# the main file; portcullis check says what is wrong.',
    '# What it does not name is refused to everybody. The resource’s id is the address that people give to their agents.',
    '# Which tool needs which permission is a proposal from what the server says of its tools (readOnlyHint,',
    '# destructiveHint). Nobody has checked that: read what each one does before you use this.',
    ...notes.map((note) => `# - ${note.replace(unprintable, ' ')}`),
    '',
    'resources:',
    `  ${name}:`,
    `    id: ${nameText(resource)}`,
    `    name: ${quotedText(plainText(title, 120))}`,
    '    permissions:',
    ...weights.map((weight, at) => {
      const covers = at === 0 ? '' : `, covers: [${weights.slice(0, at).map(id).join(', ')}]`
      const describe = permissions[weight].replace('TITLE', () => plainText(title, 120))
      return `      ${id(weight)}: { describe: ${quotedText(describe)}${covers} }`
    }),
    'upstreams:',
    `  ${name}: { target: ${nameText(target)}${ca === undefined ? '' : `, ca: ${nameText(`file:${ca}`)}`} }`,
    'routes:',
    `  ${nameText(path)}:`,
    `    to: ${name}`,
    `    resource: ${name}`,
    ...(moved === '' ? [] : [`    ${moved.slice(2)}`]),
    '    mcp:',
    ...(versions === undefined ? [] : [`      versions: [${versions.map(nameText).join(', ')}]`]),
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
  return to === '/' ? `strip: ${nameText(from)}` : `rewrite: { from: ${nameText(from)}, to: ${nameText(to)} }`
}
