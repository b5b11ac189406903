// The texts of a catalogue one by one, and what each says when its parameters are marks that can be found again.

/** Path and entry of every text: a string, or a function. Functions whose answer is an object count once. */
export function entriesOf(value: unknown, path = ''): [path: string, entry: unknown][] {
  if (typeof value !== 'object' || value === null) return [[path, value]]
  return Object.entries(value).flatMap(([name, each]) => entriesOf(each, path === '' ? name : `${path}.${name}`))
}

const marks = ['7003', '8009', '9011']

/** Everything that an entry says, and the marks that are in it. */
export function markedText(entry: unknown): { text: string; said: readonly string[] } {
  if (typeof entry !== 'function') return { text: String(entry), said: [] }
  const text = flat((entry as (...parameters: unknown[]) => unknown)(...marks.map(markOf)))
  return { text, said: marks.filter((mark) => isSaid(text, mark)) }
}

/** As it is, or seconds as minutes. */
function isSaid(text: string, mark: string): boolean {
  return text.includes(mark) || text.includes(String(Math.ceil(Number(mark) / 60)))
}

/** A mark that may be taken for a text, a number that is no singular, what makes a link, and the facts of a mail. */
function markOf(mark: string): unknown {
  const link = (text: string) => `${text} ${mark}`
  const as = { toString: () => mark, valueOf: () => Number(mark) }
  const facts = Object.fromEntries(['name', 'origins', 'applications'].map((name) => [name, { value: mark }]))
  return Object.defineProperties(Object.assign(link, as), facts)
}

function flat(value: unknown): string {
  if (Array.isArray(value)) return value.map(flat).join('')
  if (typeof value === 'object' && value !== null) return Object.values(value).map(flat).join('\n')
  return String(value)
}
