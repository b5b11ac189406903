// Where the machines of a service behind the gateway are: one URL, or a list of them.

import type { Path } from '../read/places.js'
import type { Report } from '../report/report.js'
import { didYouMean } from '../report/suggest.js'
import type { ConfigurationFile } from '../schema/file.js'
import type { TargetPlace, TargetSettings } from '../settings/upstream-settings.js'

type Entry = ConfigurationFile['upstreams'][string]

const BACKEND: TargetPlace = { kind: 'builtin', service: 'backend' }

/** The kernel's limit of a socket's path, without the NUL that ends it; a longer one would be cut. */
const longestSocketPath = 107

/** Reads `target` or `targets` of the upstream at `path`. Mistakes go to the report. */
export function compileTargets(
  { target, targets }: Pick<Entry, 'target' | 'targets'>,
  file: ConfigurationFile,
  path: Path,
  report: Report,
): TargetSettings[] {
  if (targets === undefined) {
    const isBroken = report.isBroken([...path, 'target']) || report.isBroken([...path, 'targets'])
    if (target === undefined && !isBroken) report.missing(path, 'needs "target": where the service is, or "targets".')
    return [{ ...(target === undefined ? BACKEND : placeOf(target, file, [...path, 'target'], report)), weight: 1 }]
  }
  if (target !== undefined)
    report.problem([...path, 'targets'], 'stands beside target; one of the two is enough', 'key')
  const compiled = targets.map((one, i): TargetSettings => {
    const { url, weight = 1 } = typeof one === 'string' ? { url: one } : one
    const where = [...path, 'targets', i, ...(typeof one === 'string' ? [] : ['url'])]
    return { ...placeOf(url ?? '', file, where, report), weight }
  })
  for (const [i, one] of compiled.entries()) {
    const wrong = whyNotTogether(one, compiled.slice(0, i), compiled.length)
    if (wrong !== undefined && !report.isBroken([...path, 'targets', i])) report.problem([...path, 'targets', i], wrong)
  }
  return compiled
}

function whyNotTogether(one: TargetSettings, before: readonly TargetSettings[], count: number): string | undefined {
  const [first] = before
  if (one.kind === 'builtin') return count > 1 ? 'is the bundled service, which stands alone' : undefined
  if (first === undefined || first.kind === 'builtin') return undefined
  if (one.basePath !== first.basePath) {
    return `must have the same base path as the first target: ${first.basePath === '' ? 'none' : first.basePath}`
  }
  return before.some((other) => isSamePlace(one, other)) ? 'stands in this list already' : undefined
}

function isSamePlace(one: TargetSettings, other: TargetSettings): boolean {
  if (one.kind === 'url' && other.kind === 'url') return one.origin === other.origin
  return one.kind === 'unix' && other.kind === 'unix' && one.socketPath === other.socketPath
}

function placeOf(text: string, file: ConfigurationFile, path: Path, report: Report): TargetPlace {
  if (text === 'builtin:backend') return BACKEND
  const wrong = whyNotTarget(text, file)
  if (wrong === undefined) return text.startsWith('unix:') ? socketPlace(text) : urlPlace(text)
  const hint = text.startsWith('builtin:') ? didYouMean(report.places.shownText(path), ['builtin:backend']) : ''
  report.problem(path, `${wrong}${hint}`)
  return BACKEND
}

function urlPlace(text: string): TargetPlace {
  const { origin, pathname } = new URL(text)
  return { kind: 'url', origin, basePath: pathname.replace(/\/$/, '') }
}

/** `unix:/path/to.sock`, or `unix:/path/to.sock:/base`. */
function socketPlace(text: string): TargetPlace {
  const [, socketPath = '', basePath = ''] = text.split(':')
  return { kind: 'unix', socketPath, basePath: basePath.replace(/\/$/, '') }
}

function whyNotTarget(text: string, { server }: ConfigurationFile): string | undefined {
  if (text.startsWith('builtin:')) return 'there is one built-in service, builtin:backend'
  if (text.startsWith('unix:')) return whyNotSocket(text)
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) {
    return 'must be http(s)://host:port with an optional base path, unix:/path/to.sock, or builtin:backend'
  }
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') return 'must hold neither user nor password'
  if (/[?#]/.test(text)) return 'must have neither query nor fragment'
  if (!isPlainPath(text.slice(text.indexOf('://') + 3))) return plainPath
  const isSelf = url.origin === server.baseUrl || url.host === server.listen
  return isSelf ? 'is this gateway itself; requests would go round in a circle' : undefined
}

function whyNotSocket(text: string): string | undefined {
  const [, socketPath = '', basePath = '', ...more] = text.split(':')
  if (!socketPath.startsWith('/') || more.length > 0 || (basePath !== '' && !basePath.startsWith('/'))) {
    return 'must be unix:/path/to.sock, with :/base behind it where its paths begin with a base'
  }
  if (Buffer.byteLength(socketPath) > longestSocketPath)
    return `must name a socket by ${longestSocketPath} bytes at most`
  return isPlainPath(basePath) && !/[?#]/.test(basePath) ? undefined : plainPath
}

const plainPath = 'must have a plain base path: no dot segments, empty segments, encoded characters or backslashes'

function isPlainPath(text: string): boolean {
  return !/[\\%\s]|\/\/|\/\.{1,2}(\/|$)/.test(text)
}
