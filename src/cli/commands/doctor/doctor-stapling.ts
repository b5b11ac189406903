// What `portcullis doctor` finds out about the status of the server's certificates: what their responders answer now,
// by the same question and the same checks as the server's own.

import { readFileSync } from 'node:fs'
import type { Settings } from '../../../config/settings/settings.js'
import type { Finding } from '../../output/finding.js'

const check = 'OCSP'
const dayMs = 86_400_000
const reach = 'can this machine reach the responder? Without a way out set server.ocspStapling to false'

/** One finding for each certificate that names a responder, or that demands a status. `now`: epoch ms. */
export async function checkStapling({ server }: Pick<Settings, 'server'>, now: () => number): Promise<Finding[]> {
  if (server.tls.kind !== 'files') return []
  const files = [server.tls, ...server.certificates].map(({ cert }) => cert)
  const found = await Promise.all(files.map((file) => statusFinding(file, server.ocspStapling, now)))
  return found.filter((one) => one !== undefined)
}

async function statusFinding(file: string, isOn: boolean, now: () => number): Promise<Finding | undefined> {
  const [{ statusSubject }, { askableOf }, { askResponder }] = await Promise.all([
    import('../../../http/tls/stapling/certificate.js'),
    import('../../../http/tls/stapling/staples.js'),
    import('../../../http/tls/stapling/ask-responder.js'),
  ])
  const subject = readable(() => statusSubject(readFileSync(file, 'utf8')))
  // The configuration's own check has said it.
  if (subject === undefined) return undefined
  const { name, mustStaple, responder } = subject
  const state = mustStaple ? 'fail' : 'warn'
  if (!isOn) {
    const message = `${name} demands that its status is sent along, and server.ocspStapling is false`
    return mustStaple
      ? { check, state, message, advice: 'clients refuse it: set server.ocspStapling to true' }
      : undefined
  }
  const { askable, missing } = askableOf(subject)
  if (askable === undefined) {
    const advice = `put the whole chain into ${file}, or have a certificate issued that needs none`
    return responder === undefined && !mustStaple ? undefined : { check, state, message: `${name}: ${missing}`, advice }
  }
  try {
    const { status, nextUpdate } = await askResponder(askable, { now })
    if (status === 'good') {
      const days = ((nextUpdate - now()) / dayMs).toFixed(1)
      return { check, state: 'ok', message: `${name}: its responder says that it is good, for ${days} days` }
    }
    const advice = 'have another one issued now, with a new key'
    if (status === 'revoked') return { check, state: 'fail', message: `the certificate for ${name} is revoked`, advice }
    return {
      check,
      state,
      message: `${name}: its responder does not know it`,
      advice: 'a new one may need some minutes',
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { check, state, message: `${name}: no status from ${askable.responder.host}: ${why}`, advice: reach }
  }
}

function readable<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
