// What `portcullis doctor` looks ahead for: what works today and ends soon, or piles up unseen.

import { statfsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Settings } from '../../../config/settings/settings.js'
import type { Overview } from '../../../management/overview/overview-schemas.js'
import type { LocalClient } from '../../calls/local-client.js'
import { CommandFailure } from '../../output/exit.js'
import type { Finding } from '../../output/finding.js'
import type { Terminal } from '../../output/terminal.js'

const dayMs = 86_400_000
/** Secrets that end within it are named one by one. */
const soonDays = 14
const mostNamed = 5

/** When a major version of Node.js gets no more fixes; https://github.com/nodejs/release. */
const endsOfNode: Readonly<Record<string, string>> = {
  20: '2026-04-30',
  22: '2027-04-30',
  24: '2028-04-30',
  26: '2029-04-30',
}

/** Whether Node.js still gets fixes. `version` as in process.version, `now` in epoch ms. */
export function checkNodeSupport(version: string, now: number): Finding[] {
  const major = /^v(\d+)\./.exec(version)?.[1] ?? ''
  const end = endsOfNode[major]
  if (end === undefined) return []
  const advice = 'install the newest even-numbered version of Node.js, and start the server with it'
  const days = Math.floor((Date.parse(end) - now) / dayMs)
  if (days < 0) {
    const message = `Node.js ${major} gets no fixes any more, since ${end}`
    return [{ check: 'node', state: 'warn', message, advice }]
  }
  return days < 90
    ? [{ check: 'node', state: 'warn', message: `Node.js ${major} gets fixes until ${end}`, advice }]
    : []
}

/** What statfs says of a file system. */
export interface Space {
  bavail: number
  blocks: number
  bsize: number
}

/** Whether there is room for the database, its log and back-ups. */
export function checkSpace(
  { data }: Pick<Settings, 'data'>,
  terminal: Pick<Terminal, 'cwd'>,
  read: (folder: string) => Space = statfsSync,
): Finding[] {
  const folder = resolve(terminal.cwd, data.folder)
  let space: Space
  try {
    space = read(folder)
  } catch {
    // A folder that is not there has its own finding.
    return []
  }
  const free = space.bavail * space.bsize
  const percent = space.blocks === 0 ? 100 : Math.floor((100 * space.bavail) / space.blocks)
  const message = `${amount(free)} are free where ${folder} lies (${percent} %)`
  const advice =
    'make room: without it revocations, sign-in and management fail until there is some; calls and tokens by client credentials go on'
  if (free < 100 * 2 ** 20) return [{ check: 'disk', state: 'fail', message, advice }]
  const isLow = free < 2 ** 30 || (percent < 5 && free < 10 * 2 ** 30)
  return [isLow ? { check: 'disk', state: 'warn', message, advice } : { check: 'disk', state: 'ok', message }]
}

function amount(bytes: number): string {
  return bytes < 2 ** 30 ? `${Math.round(bytes / 2 ** 20)} MiB` : `${(bytes / 2 ** 30).toFixed(1)} GiB`
}

/** Secrets of applications that end soon, of all tenants. `now`: epoch ms. None where no server answers. */
export async function checkSecrets(client: LocalClient, now: number): Promise<Finding[]> {
  const answer = await read<Overview<'applications'>>(client, '/overview/applications')
  if (answer?.endingSecrets === undefined) return []
  const open = answer.endingSecrets.value.filter(({ replaced }) => !replaced)
  const soon = open.filter(({ endsAt }) => Date.parse(endsAt) - now < soonDays * dayMs)
  const named = soon.slice(0, mostNamed).map(({ name, applicationId, endsAt }): Finding => {
    const days = Math.max(0, Math.floor((Date.parse(endsAt) - now) / dayMs))
    const message = `the last secret of ${name} (${applicationId}) ends in ${days} days, on ${endsAt.slice(0, 10)}`
    const advice = `portcullis app rotate ${applicationId} --overlap 7d`
    return { check: 'secrets', state: 'warn', message, advice }
  })
  if (soon.length > mostNamed) {
    const message = `${soon.length - mostNamed} further secrets end within ${soonDays} days`
    named.push({ check: 'secrets', state: 'warn', message, advice: 'portcullis audit list --event secret.expiring' })
  }
  return named.length > 0 ? named : [{ check: 'secrets', state: 'ok', message: `none ends within ${soonDays} days` }]
}

/** Events that no webhook took, and that are not sent again by themselves. */
export async function checkWebhooks(client: LocalClient): Promise<Finding[]> {
  const answer = await read<Overview<'server'>>(client, '/overview/server')
  const events = answer?.events
  if (events === undefined || events === null) return []
  const { deadLetters, waiting } = events
  if (deadLetters === 0) return [{ check: 'webhooks', state: 'ok', message: `none was given up, ${waiting} wait` }]
  const message = `${deadLetters} events were given up: their webhooks did not take them for days`
  const advice = 'portcullis webhook list, then webhook deliveries ID --state dead; redeliver sends one again'
  return [{ check: 'webhooks', state: 'warn', message, advice }]
}

/** Undefined: no server, or one that does not know it; other checks say so. */
async function read<T>(client: LocalClient, path: string): Promise<T | undefined> {
  try {
    return (await client.call('GET', path, undefined, { patienceMs: 10_000 })) as T
  } catch (error) {
    if (error instanceof CommandFailure) return undefined
    throw error
  }
}
