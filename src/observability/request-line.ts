// The line of a request as a terminal shows it: one line, what one looks for first. JSON has all of it.
//
//   09:31:02.123Z 403 GET /api/v2/me 12 ms application 3f0c1f9e-… missing_permission 0199…

import { styleText } from 'node:util'

/** How a line of the log says that it is about a request. */
export const requestMessage = 'request'

type Style = Parameters<typeof styleText>[0]

/** The readable line, or undefined for a line about something else. `colour`: for a terminal that shows colours. */
export function requestLine(line: string, colour: boolean): string | undefined {
  if (!line.includes(`"msg":"${requestMessage}"`)) return undefined
  const said = fieldsOf(line)
  if (said === undefined || said['msg'] !== requestMessage || typeof said['status'] !== 'number') return undefined
  const paint = (style: Style, text: string) => (colour ? styleText(style, text, { validateStream: false }) : text)
  const parts = [
    paint('dim', shown(said['time']).slice(11)),
    paint(styleOf(said['status']), String(said['status'])),
    shown(said['method']),
    shown(said['path'] ?? said['route']),
    shown(said['operation']),
    `${shown(said['durationMs'])} ms`,
    callerOf(said),
    said['reason'] === undefined ? '' : paint('yellow', shown(said['reason'])),
    paint('dim', shown(said['requestId'])),
  ]
  return `${parts.filter((part) => part !== '').join(' ')}\n`
}

function fieldsOf(line: string): Record<string, unknown> | undefined {
  try {
    const fields: unknown = JSON.parse(line)
    return typeof fields === 'object' && fields !== null ? (fields as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** Who called, as far as that is proved; else where from. */
function callerOf({ applicationId, userId, address }: Record<string, unknown>): string {
  const known = [
    userId === undefined ? '' : `user ${shown(userId)}`,
    applicationId === undefined ? '' : `application ${shown(applicationId)}`,
  ].filter(Boolean)
  return known.length > 0 ? known.join(' by ') : shown(address)
}

function styleOf(status: number): Style {
  if (status >= 500) return 'red'
  if (status >= 400) return 'yellow'
  return 'green'
}

/** A terminal obeys control characters, so none of a field passes. */
function shown(value: unknown): string {
  return String(value ?? '').replace(/\p{Cc}/gu, '')
}
