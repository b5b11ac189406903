// What `portcullis doctor` looks at. Each check answers with findings and never throws: a doctor who faints helps
// nobody.

import { accessSync, constants, type Stats, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Settings } from '../../../config/settings/settings.js'
import type { Answer } from '../../../management/schemas.js'
import { systemErrorText } from '../../../observability/system-error.js'
import { type HttpsAnswer, httpsExchange, trustedAuthorities } from '../../calls/https-exchange.js'
import { createLocalClient } from '../../calls/local-client.js'
import { managementCalls } from '../../calls/management-calls.js'
import { isDenied, isNotThere } from '../../configuration/own-files.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import type { Finding } from '../../output/finding.js'
import type { Terminal } from '../../output/terminal.js'
import { explained } from '../server/status.js'
import { serviceFindings } from './doctor-surroundings.js'

const start = 'start it: portcullis serve'
const asItsUser = 'run this as the user that runs Portcullis'
const dayMs = 86_400_000

/** Whether this Node is one that Portcullis runs on; `version` as in process.version. */
export function checkNode(version: string): Finding {
  const [, major, minor] = /^v(\d+)\.(\d+)\./.exec(version) ?? []
  const fits = Number(major) > 20 || (Number(major) === 20 && Number(minor) >= 19)
  return fits
    ? ok('node', `Node.js ${version}`)
    : fail('node', `Node.js ${version} is too old`, 'install Node.js 20.19 or later')
}

/** Whether the data folder and what lies in it belong to this user alone. */
export function checkData(settings: Settings, terminal: Terminal): Finding[] {
  const folder = resolve(terminal.cwd, settings.data.folder)
  let found: Stats | undefined
  try {
    found = statOf(folder)
    if (found !== undefined) accessSync(folder, constants.R_OK | constants.X_OK)
  } catch (error) {
    return [unreadableFolder(folder, error)]
  }
  if (found === undefined)
    return [warn('data folder', `${folder} is not there yet`, `it is made at the first start; ${start}`)]
  if (!found.isDirectory()) return [fail('data folder', `${folder} is no folder`, 'set data.folder to a folder')]
  const findings = [privacy('data folder', folder, found, '700')]
  if (settings.store.kind !== 'sqlite') return findings
  const file = resolve(terminal.cwd, settings.store.file)
  const store = statOf(file)
  if (store !== undefined) findings.push(privacy('store file', file, store, '600'))
  return findings
}

/** Whether a server answers on the socket, and what it says about its Store and its view. */
export async function checkServer(socketPath: string): Promise<Finding[]> {
  try {
    return statusFindings(await managementCalls(createLocalClient(socketPath)).status())
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    if (!(error instanceof CommandFailure)) return [fail('server', message, 'look at its log')]
    const { cause } = error
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    if (isDenied(cause)) return [fail('server', `this user may not open ${socketPath}`, asItsUser)]
    if (code === 'ECONNREFUSED') {
      const stale = `${socketPath} is left over from a server that has ended`
      return [fail('server', stale, `${start}; it takes the socket over`)]
    }
    const absent = isNotThere(cause)
    return [
      fail('server', absent ? `no server: ${socketPath} is not there` : message, absent ? start : 'look at its log'),
    ]
  }
}

/**
 * Whether the public address answers with a good certificate, and whether both clocks agree. `now`: epoch milliseconds.
 */
export async function checkAddress(
  settings: Settings,
  caFile: string | undefined,
  terminal: Terminal,
  now: () => number,
): Promise<Finding[]> {
  const url = new URL('/.well-known/oauth-authorization-server', settings.server.baseUrl)
  try {
    const ca = await trustedAuthorities(settings, caFile, terminal)
    const answer = await httpsExchange({ method: 'GET', url, headers: [], ca })
    const reached =
      answer.status === 200
        ? ok('address', `${url.origin} answers over HTTPS`)
        : fail('address', `${url.href} answered ${answer.status}`, 'is server.baseUrl the address of this Portcullis?')
    return [reached, certificateFinding(answer, now()), clockFinding(answer, now())]
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const isForOthers = error instanceof CommandFailure && error.exitCode === exitCodes.denied
    const advice = isForOthers
      ? 'or name the certificate authority with --ca'
      : `see server.baseUrl and server.listen in ${settings.file}, and the PORTCULLIS_ variables of the server`
    return [fail('address', message, advice)]
  }
}

function statusFindings(status: Answer<'status'>): Finding[] {
  const { version, mode, uptimeSeconds, store, viewAgeMs, viewStale, redis, instances } = status
  const age = `${(viewAgeMs / 1000).toFixed(1)} s`
  return [
    ok('server', `Portcullis ${version} runs in ${mode} mode, for ${Math.round(uptimeSeconds)} s`),
    ...(status.ready === false ? [notReady(status.reasons)] : []),
    storeFinding(status),
    ...(redis === null ? [] : [redisFinding(redis)]),
    ...(store.kind === 'sqlite' ? [] : [ok('instances', `${instances.length} share the Store`)]),
    viewStale
      ? fail(
          'revocation view',
          `its last certain moment is ${age} ago: calls are refused with 503`,
          'fix the Store first',
        )
      : ok('revocation view', `certain ${age} ago`),
    ...serviceFindings(status),
  ]
}

const unwritable = 'store_not_writable'

function storeFinding({ store, degraded }: Answer<'status'>): Finding {
  if (!store.available) {
    return fail('store', `${store.kind} does not answer`, storeAdvice[store.kind] ?? 'look at the log')
  }
  // A server of an earlier version does not say.
  const isWritable = !(degraded ?? []).includes(unwritable)
  if (isWritable) return ok('store', `${store.kind} answers`)
  return fail(
    'store',
    explained(unwritable),
    'make room on that disk, or see why it cannot be written; it goes on by itself',
  )
}

/** What keeps a balancer from sending requests here, whatever it is. */
function notReady(reasons: readonly string[]): Finding {
  const advice = 'a balancer sends nothing here until then; the findings around this one say what to do'
  return fail('readiness', `not ready: ${reasons.map(explained).join('; ')}`, advice)
}

const storeAdvice: Readonly<Record<string, string>> = {
  sqlite: 'look at the log: is the disk full, is the file locked?',
  postgresql: 'look at the log: does PostgreSQL run, and can the server reach it?',
}

function redisFinding(redis: { available: boolean }): Finding {
  return redis.available
    ? ok('shared limits', 'the server and Redis understand each other')
    : warn('shared limits', 'the server has lost Redis', 'calls go on; each instance counts its part of the limits')
}

function certificateFinding(answer: HttpsAnswer, nowMs: number): Finding {
  const days = Math.floor((answer.certificateEndsAt - nowMs) / dayMs)
  if (Number.isNaN(days)) return warn('certificate', 'its end could not be read', 'look at it with: openssl s_client')
  const message = `the certificate ends in ${days} days`
  return days < 14
    ? warn('certificate', message, 'renew it; the file is read again when it changes')
    : ok('certificate', message)
}

function clockFinding(answer: HttpsAnswer, nowMs: number): Finding {
  const theirs = Date.parse(answer.headers.date ?? '')
  if (Number.isNaN(theirs)) return warn('clock', 'the server sent no Date', 'is there a proxy in front that drops it?')
  const seconds = Math.round(Math.abs(theirs - nowMs) / 1000)
  const message = `this clock and the server's differ by ${seconds} s`
  // Tokens are read with 60 s of leeway; Date counts whole seconds.
  if (seconds > 60) return fail('clock', message, 'tokens will be refused: synchronise both clocks')
  return seconds > 5 ? warn('clock', message, 'synchronise both clocks') : ok('clock', message)
}

function privacy(check: string, path: string, found: Stats, mode: string): Finding {
  const owner = process.getuid?.()
  if ((found.mode & 0o077) !== 0) {
    return fail(check, `${path} is open to other users`, `close it: chmod ${mode} ${path}`)
  }
  if (owner !== undefined && owner !== found.uid) {
    return warn(check, `${path} belongs to user ${found.uid}`, asItsUser)
  }
  return ok(check, `${path} is private`)
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch (error) {
    if (isNotThere(error)) return undefined
    throw error
  }
}

function unreadableFolder(folder: string, error: unknown): Finding {
  if (isDenied(error)) return fail('data folder', `this user may not read ${folder}`, asItsUser)
  return fail('data folder', systemErrorText(error) ?? String(error), 'see data.folder (PORTCULLIS_DATA)')
}

const ok = (check: string, message: string): Finding => ({ check, state: 'ok', message })
const warn = (check: string, message: string, advice: string): Finding => ({ check, state: 'warn', message, advice })
const fail = (check: string, message: string, advice: string): Finding => ({ check, state: 'fail', message, advice })
