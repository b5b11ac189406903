// The status of each served certificate that names a responder, as it is sent along with it (OCSP stapling, RFC 6066
// §8). Each process asks for itself: it is a request in days, and what one cannot get another may.

import type { Server } from 'node:tls'
import type { FastifyBaseLogger } from 'fastify'
import type { Metrics } from '../../../observability/metrics.js'
import { reasonOf } from '../../../observability/reason.js'
import type { Certificates } from '../server-names.js'
import { type Askable, type AskResponder, askResponder } from './ask-responder.js'
import { type StatusSubject, statusSubject } from './certificate.js'
import { createStapler, type Stapler, type StapleState } from './stapler.js'

export interface StaplesOptions {
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
  metrics: Metrics
  /** A test's own. */
  ask?: AskResponder
  now?: () => number
  random?: () => number
}

export interface Staples {
  /** From now on these are served. Of one that was served before what is known is kept. */
  take(certificates: Certificates): void
  /** What may be sent with it, by its bytes; nothing is waited for. */
  answerFor(certificate: Buffer): Buffer | undefined
  stop(): void
}

const chosen = new WeakMap<object, Staples>()

/** Those of a server. */
export function staplesOf(server: object): Staples | undefined {
  return chosen.get(server)
}

/** Answers clients of the server that ask for the status, from memory; they are fetched while it listens. */
export function sendStaples(server: Server, staples: Staples, certificates: Certificates): void {
  chosen.set(server, staples)
  server.once('listening', () => staples.take(certificates))
  server.once('close', () => staples.stop())
  // Node takes nothing for no answer, which its types do not say.
  server.on('OCSPRequest', (certificate, _issuer, done) => done(null, staples.answerFor(certificate) as Buffer))
}

/** Fetches nothing before certificates are taken. */
export function createStaples(options: StaplesOptions): Staples {
  const { log, metrics, ask = askResponder, now = Date.now, random = Math.random } = options
  let served: Stapler[] = []
  const staplerOf = (subject: StatusSubject): Stapler | undefined => {
    const before = served.find((one) => one.certificate.equals(subject.certificate.raw))
    if (before !== undefined) return before
    const { askable, missing } = askableOf(subject)
    const warned = { certificate: subject.name }
    if (subject.mustStaple) log.warn(warned, missing ?? awaited)
    else if (missing !== undefined && subject.responder !== undefined) log.warn(warned, missing)
    if (askable === undefined) return undefined
    metrics.ocspNextUpdate.set({ certificate: subject.name }, 0)
    const made = createStapler({
      subject: askable,
      ask,
      now,
      random,
      onAnswer(status, nextUpdate) {
        metrics.ocspAnswers.inc({ status })
        metrics.ocspNextUpdate.set({ certificate: subject.name }, (nextUpdate ?? 0) / 1000)
      },
      onChange: (state) => say(log, subject, state),
    })
    made.begin()
    return made
  }
  return {
    take({ cert, more = [] }) {
      const subjects = [cert, ...more.map((pair) => pair.cert)].flatMap((pem) => readable(pem, log))
      const next = subjects.map(staplerOf).filter((one) => one !== undefined)
      for (const one of served) if (!next.includes(one)) one.stop()
      served = next
      const names = subjects.map(({ name }) => name)
      forgetOthers(metrics, names)
    },
    answerFor: (certificate) => served.find((one) => one.certificate.equals(certificate))?.answer(),
    stop() {
      for (const one of served) one.stop()
    },
  }
}

const awaited =
  'the certificate demands that its status is sent along: clients refuse it until its responder has answered'

/** What Node serves and this room cannot read is served without a status. */
function readable(pem: string, log: StaplesOptions['log']): StatusSubject[] {
  try {
    return [statusSubject(pem)]
  } catch (error) {
    log.warn({ why: reasonOf(error) }, 'a certificate cannot be read: its status is not fetched')
    return []
  }
}

/** What a question needs; or why none can be put. */
export function askableOf(subject: StatusSubject): { askable?: Askable; missing?: string } {
  const { certificate, issuer, responder, mustStaple } = subject
  const why = mustStaple ? ', and clients refuse it without: it demands that its status is sent along' : ''
  if (responder === undefined) return { missing: `the certificate names no responder (OCSP)${why}` }
  if (issuer === undefined) {
    return { missing: `the certificate's issuer is not in its file: no answer about it can be checked${why}` }
  }
  return { askable: { certificate, issuer, responder } }
}

function say(log: StaplesOptions['log'], { name, mustStaple }: StatusSubject, state: StapleState): void {
  const certificate = name
  if (state.kind === 'good') {
    log.info({ certificate, until: time(state.until) }, 'the status of the certificate is sent')
  } else if (state.kind === 'revoked') {
    log.error({ certificate }, 'the certificate is REVOKED: its authority says so. Replace it now, and its key')
  } else if (state.until === undefined) {
    const refuse = mustStaple ? '; clients refuse the certificate without it' : ''
    log.warn({ certificate, why: state.why }, `no status of the certificate can be sent${refuse}`)
  } else {
    const { why, until } = state
    log.warn({ certificate, why, until: time(until) }, onlyTheOneBefore)
  }
}

const onlyTheOneBefore =
  'the status of the certificate cannot be fetched again; the one before is sent as long as it holds'
const time = (epochMs: number) => new Date(epochMs).toISOString()

function forgetOthers({ ocspNextUpdate }: Metrics, names: readonly string[]): void {
  void ocspNextUpdate.get().then(({ values }) => {
    for (const { labels } of values) if (!names.includes(String(labels.certificate))) ocspNextUpdate.remove(labels)
  })
}
