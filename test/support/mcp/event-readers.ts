// Readers of an event stream with different habits, as clients have them. Each gives the data of every event that it
// would hand to its client.

export type EventReader = (bytes: Buffer) => string[]

/** Lines that nobody but Python's splitlines would end. */
const pythonLines = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/u

interface Habits {
  lines: RegExp
  /** The name of the field that a line has, and its value. */
  field(line: string): [string, string]
}

const byColon = (line: string): [string, string] => {
  const colon = line.indexOf(':')
  return colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')]
}

function dataOf(text: string, { lines, field }: Habits): string[] {
  const events: string[] = []
  let data: string[] = []
  // Some take what the end of the stream cuts off.
  for (const line of [...text.split(lines), '']) {
    const [name, value] = field(line)
    if (name === 'data' && line !== '') data.push(value)
    if (line !== '' || data.length === 0) continue
    events.push(data.join('\n'))
    data = []
  }
  return events
}

const usual: Habits = { lines: /\r\n|\n|\r/, field: byColon }

/** By what they do otherwise. */
export const eventReaders: Readonly<Record<string, EventReader>> = {
  'as HTML says': (bytes) => dataOf(new TextDecoder().decode(bytes), usual),
  'ends lines as Python does': (bytes) => dataOf(bytes.toString(), { ...usual, lines: pythonLines }),
  'takes every byte order mark off': (bytes) => dataOf(bytes.toString().replaceAll('\ufeff', ''), usual),
  'leaves out what is no UTF-8': (bytes) => dataOf(bytes.toString().replaceAll('\ufffd', ''), usual),
  'leaves out control characters': (bytes) => dataOf(bytes.toString().replace(/[^\P{Cc}\r\n]/gu, ''), usual),
  'reads names in any case and with blanks': (bytes) =>
    dataOf(bytes.toString(), {
      ...usual,
      field(line) {
        const [name, value] = byColon(line)
        return [name.trim().toLowerCase(), value]
      },
    }),
}
