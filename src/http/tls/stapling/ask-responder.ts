// Asks a responder for the status of a certificate. Its address stands in a certificate that the operator serves, so
// it is trusted as the rest of the configuration is, private networks included: an authority of one's own has its
// responder there. Nothing is followed, nothing is read that is not signed, and the question says nothing secret.

import type { X509Certificate } from 'node:crypto'
import { readBytes } from '../../../egress/answer-body.js'
import { exchange } from '../../../egress/exchange.js'
import { operatorLookup } from '../../../egress/operator-names.js'
import { type CertificateStatus, readStatus, StatusRefused } from './status-answer.js'
import { questionAt, statusRequest } from './status-request.js'

/** What a question needs, all of it known. */
export interface Askable {
  certificate: X509Certificate
  issuer: X509Certificate
  responder: URL
}

export interface StatusAnswer extends CertificateStatus {
  /** What clients are sent. */
  bytes: Buffer
}

export type AskResponder = (
  subject: Askable,
  limits: { signal?: AbortSignal; now: () => number },
) => Promise<StatusAnswer>

export const responderDeadlineMs = 10_000
/** Answers have one to three KB; a chain in one some more. TLS takes 16 MB. */
export const longestAnswerBytes = 32_768

/** A checked answer for the present, of any status. Throws StatusRefused, Malformed, and what ended the exchange. */
export const askResponder: AskResponder = async (subject, { signal, now }) => {
  const deadline = AbortSignal.timeout(responderDeadlineMs)
  const response = await exchange(questionAt(subject.responder, statusRequest(subject.certificate, subject.issuer)), {
    method: 'GET',
    headers: { accept: 'application/ocsp-response', 'user-agent': 'Portcullis' },
    lookup: operatorLookup,
    ca: undefined,
    signal: signal === undefined ? deadline : AbortSignal.any([deadline, signal]),
    signedAnswer: true,
  })
  if (response.statusCode !== 200) {
    response.destroy()
    throw new StatusRefused(`it answers with ${response.statusCode}`)
  }
  const bytes = await readBytes(response, longestAnswerBytes)
  return { ...readStatus(bytes, subject, now()), bytes }
}
