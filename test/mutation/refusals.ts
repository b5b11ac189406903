// Where the source refuses: the `if` statements that do nothing but throw, or return a refusal.

export interface Refusal {
  /** From the project's root. */
  path: string
  /** Counted from 1. */
  line: number
  /** Offsets of the condition, without its parentheses. */
  start: number
  end: number
  condition: string
}

const refusing = /^\s*\{?\s*(throw\b|return (refuse|refusal|false\b|undefined\b|done\(|fail|problem|'))/

/** Every refusal in the text of a source. */
export function refusalsOf(path: string, text: string): Refusal[] {
  const found: Refusal[] = []
  for (const match of text.matchAll(/\bif \(/g)) {
    const start = match.index + match[0].length
    const end = closing(text, start)
    if (end === -1 || !refusing.test(text.slice(end + 1, end + 200))) continue
    found.push({
      path,
      line: text.slice(0, start).split('\n').length,
      start,
      end,
      condition: text.slice(start, end).replace(/\s+/g, ' '),
    })
  }
  return found
}

/** The text with that refusal never happening. */
export function without(text: string, refusal: Refusal): string {
  return `${text.slice(0, refusal.start)}(${text.slice(refusal.start, refusal.end)}) && (globalThis as { never?: true }).never${text.slice(refusal.end)}`
}

function closing(text: string, from: number): number {
  let depth = 1
  for (let at = from; at < text.length; at++) {
    if (text[at] === '(') depth++
    if (text[at] === ')' && --depth === 0) return at
  }
  return -1
}
