// Two definitions line by line: text of somebody else, shown as it is and never as part of the page.

import type { VNode } from 'preact'
import type { ToolChangeAnswer } from '../../management/server/tool-changes.js'

/** Their part of the stylesheet. */
export const differenceStyles = `
.difference { margin: 0; padding: 0.5rem 0; overflow-x: auto; border: 1px solid var(--line); border-radius: 0.5rem; font-size: 0.875rem; line-height: 1.5; }
.difference :is(ins, del, span) { display: block; padding: 0 0.75rem; text-decoration: none; white-space: pre-wrap; overflow-wrap: anywhere; }
.difference ins { background: color-mix(in srgb, var(--good, green) 14%, transparent); }
.difference del { background: color-mix(in srgb, var(--danger, red) 12%, transparent); }
`

const marks = { same: ' ', removed: '−', added: '+' } as const
const words = { same: '', removed: 'removed: ', added: 'added: ' } as const
/** Lines that are the same before and behind a change. */
const around = 3

/** `lines` null: one of both is not kept. */
export function Difference({ lines }: { lines: ToolChangeAnswer['difference'] }): VNode {
  if (lines === null) {
    return (
      <p id="too-large">
        One of both definitions is larger than 64 KiB, so only its digest is kept and there is nothing to compare. Look
        at the tool on its server before you approve it.
      </p>
    )
  }
  const isNear = (at: number) =>
    lines.slice(Math.max(0, at - around), at + around + 1).some(({ kind }) => kind !== 'same')
  const shown = lines.map((line, at) => ({ ...line, at })).filter(({ at }) => isNear(at))
  return (
    <pre id="difference" class="difference" dir="ltr">
      {shown.map(({ kind, text, at }, index) => {
        const Line = kind === 'added' ? 'ins' : kind === 'removed' ? 'del' : 'span'
        const skipped = at - (shown[index - 1]?.at ?? -1) - 1
        return (
          <>
            {skipped > 0 ? <span key={`skip-${at}`}>⋯ {skipped} lines as before</span> : null}
            <Line key={at}>
              <span class="unseen">{words[kind]}</span>
              {marks[kind]} {text}
            </Line>
          </>
        )
      })}
    </pre>
  )
}
