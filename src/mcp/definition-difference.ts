// Two definitions of a tool side by side, line by line, for people who judge the change. What cannot be seen is written
// out, so that nothing that a model would read stays hidden from them.

export interface DifferenceLine {
  kind: 'same' | 'removed' | 'added'
  text: string
}

/** Control and format characters, such as those that change the direction of text, and those that are nothing at all. */
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
/** Pairs of lines that are compared; beyond that all is shown as replaced. */
const mostPairs = 1_000_000

/** Of two canonical forms (tool-definition.ts). */
export function definitionDifference(before: string, after: string): DifferenceLine[] {
  const [old, now] = [linesOf(before), linesOf(after)]
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1
  let end = 0
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end += 1
  return [
    ...as('same', old.slice(0, start)),
    ...between(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...as('same', old.slice(old.length - end)),
  ]
}

function as(kind: DifferenceLine['kind'], lines: readonly string[]): DifferenceLine[] {
  return lines.map((text) => ({ kind, text }))
}

/** By the longest lines that both have in the same order. */
function between(old: readonly string[], now: readonly string[]): DifferenceLine[] {
  const width = now.length + 1
  if (old.length * now.length > mostPairs) return [...as('removed', old), ...as('added', now)]
  const shared = new Uint32Array((old.length + 1) * width)
  const at = (row: number, column: number) => shared[row * width + column] ?? 0
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = now.length - 1; column >= 0; column -= 1) {
      const same = old[row] === now[column]
      shared[row * width + column] = same
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  const lines: DifferenceLine[] = []
  let [row, column] = [0, 0]
  while (row < old.length || column < now.length) {
    const [removed, added] = [old[row], now[column]]
    if (removed !== undefined && removed === added) {
      lines.push({ kind: 'same', text: removed })
      row += 1
      column += 1
    } else if (removed !== undefined && (added === undefined || at(row + 1, column) >= at(row, column + 1))) {
      lines.push({ kind: 'removed', text: removed })
      row += 1
    } else if (added !== undefined) {
      lines.push({ kind: 'added', text: added })
      column += 1
    }
  }
  return lines
}

/** Texts as they read, everything else as JSON. */
function linesOf(canonical: string): string[] {
  return Object.entries(JSON.parse(canonical) as Record<string, unknown>).flatMap(([member, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)
    return [`${member}:`, ...text.split('\n').map((line) => `  ${line}`)].map(seen)
  })
}

function seen(line: string): string {
  return line.replace(unseen, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
}
