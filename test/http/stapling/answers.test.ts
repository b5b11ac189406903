// What a responder answers about a certificate: which answers are taken, and that any other is refused for its reason.

import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { askResponder, longestAnswerBytes } from '../../../src/http/tls/stapling/ask-responder.js'
import { statusSubject } from '../../../src/http/tls/stapling/certificate.js'
import { readStatus } from '../../../src/http/tls/stapling/status-answer.js'
import { statusRequest } from '../../../src/http/tls/stapling/status-request.js'
import {
  type AnswerWishes,
  chain,
  makeCertificate,
  pssParameters,
  sha256,
  statusAnswer,
  statusRefusal,
} from '../../support/ocsp/authority.js'

const hour = 3_600_000
const issuer = await makeCertificate()
const about = await makeCertificate({
  name: 'api.test',
  by: issuer,
  responder: 'http://ocsp.test/a/',
  mustStaple: true,
})
const sibling = await makeCertificate({ name: 'other.test', by: issuer })
const responder = await makeCertificate({ name: 'responder', by: issuer, signsAnswers: true })
const subject = { certificate: about.certificate, issuer: issuer.certificate }
const read = (wishes: Partial<AnswerWishes> = {}, now = Date.now()) =>
  readStatus(statusAnswer({ about, issuer, ...wishes }), subject, now)

t.test('what a certificate says about its status, and what one without says', async (t) => {
  const found = statusSubject(chain(about, issuer))
  t.match(found, { name: 'api.test', mustStaple: true })
  t.equal(found.responder?.href, 'http://ocsp.test/a/')
  t.equal(found.issuer?.fingerprint256, issuer.certificate.fingerprint256)
  t.equal(statusSubject(chain(about, sibling)).issuer, undefined, 'another certificate in the file is no issuer')
  t.match(statusSubject(chain(sibling)), { mustStaple: false, responder: undefined, issuer: undefined })
  const strange = await makeCertificate({ name: 'a.test', by: issuer, responder: 'ldap://directory.test/' })
  t.equal(statusSubject(chain(strange)).responder, undefined, 'only HTTP is spoken')
  t.throws(() => statusSubject('nothing'))
})

t.test('good, revoked and unknown, signed by the issuer or by whom it made a responder', async (t) => {
  t.match(read(), { status: 'good' })
  t.match(read({ status: 'revoked' }), { status: 'revoked' })
  t.match(read({ status: 'unknown' }), { status: 'unknown' })
  t.match(read({ byKey: true }), { status: 'good' })
  t.match(read({ hash: sha256 }), { status: 'good' })
  t.match(read({ signer: responder, carried: [sibling, responder] }), { status: 'good' })
  t.match(read({ signer: responder, carried: [responder], byKey: true }), { status: 'good' })
  const now = Date.now()
  t.equal(read({ until: undefined }, now).nextUpdate, now + hour, 'without an end: an hour')
})

t.test('an answer that is not for the present', async (t) => {
  t.throws(() => read({ until: Date.now() - 1_000 }), { message: 'it is outdated' })
  t.throws(() => read({ from: Date.now() + 10 * 60_000, until: Date.now() + hour }), { message: 'it is not valid yet' })
  t.match(read({ from: Date.now() + 2 * 60_000 }), { status: 'good' }, 'clocks differ a little')
  t.throws(() => read({ from: Date.now(), until: Date.now() - 60_000 }))
  t.throws(() => read({ from: Date.now() + 60_000, until: Date.now() + 30_000 }), { message: 'it is malformed' })
})

t.test('an answer about another certificate, or of another authority of the same name', async (t) => {
  t.throws(() => read({ about: sibling }), { message: 'it is about another certificate' })
  const namesake = await makeCertificate()
  t.throws(() => read({ issuer: namesake }), { message: 'it is about another certificate' })
  const notTheirs = { message: /may sign it$/ }
  t.throws(() => read({ signer: namesake }), notTheirs, 'the name is right and the key is not')
  t.throws(() => read({ signer: namesake, carried: [namesake] }), notTheirs)
})

t.test('an answer of a signer who may not', async (t) => {
  const refused = { message: /may sign it$/ }
  t.throws(() => read({ signer: sibling, carried: [sibling] }), refused, 'any certificate of the authority')
  t.throws(() => read({ signer: responder }), { message: 'its signer is unknown' }, 'it does not bring its certificate')
  t.throws(() => read({ signer: sibling, named: responder, carried: [responder] }), refused, 'another key')
  const foreign = await makeCertificate({ name: 'test authority' })
  const theirs = await makeCertificate({ name: 'responder', by: foreign, signsAnswers: true })
  t.throws(() => read({ signer: theirs, carried: [theirs, foreign] }), refused, 'of another authority')
  const ended = await makeCertificate({ name: 'responder', by: issuer, signsAnswers: true, ends: -1 })
  t.throws(() => read({ signer: ended, carried: [ended] }), refused, 'its certificate has ended')
  const own = await makeCertificate({ name: 'api.test', by: issuer })
  t.throws(() => read({ signer: own, named: about, carried: [about] }), refused, 'a certificate speaks not for itself')
  const many = Array.from({ length: 9 }, () => responder)
  t.throws(() => read({ signer: responder, carried: many }), { message: 'it is malformed' })
})

t.test('an answer that is signed with RSA and a salt', async (t) => {
  const signer = await makeCertificate({ name: 'responder', by: issuer, signsAnswers: true, keys: 'rsa' })
  const sha384 = '608648016503040202'
  const signedWith = (parameters: Buffer, hash = 'sha256', saltLength = 32) =>
    read({ signer, carried: [signer], pss: { parameters, hash, saltLength } })
  t.match(signedWith(pssParameters(sha256, sha256, 32)), { status: 'good' })
  t.match(signedWith(pssParameters(sha384, sha384, 48), 'sha384', 48), { status: 'good' })
  const refused = { message: 'it is signed in a way that is not taken' }
  t.throws(() => signedWith(pssParameters(sha256, sha384, 32)), refused, 'two hashes')
  t.throws(() => signedWith(pssParameters(sha256, sha256, 20), 'sha256', 20), refused, 'a short salt')
  t.throws(() => signedWith(pssParameters('2b0e03021a', '2b0e03021a', 20), 'sha1', 20), refused, 'SHA-1')
  t.throws(() => signedWith(Buffer.from('3000', 'hex'), 'sha1', 20), refused, 'what is left out stands for SHA-1')
  t.throws(() => signedWith(Buffer.alloc(0)), { message: 'it is malformed' })
  t.throws(
    () => signedWith(pssParameters(sha384, sha384, 48)),
    { message: /may sign it$/ },
    'another hash than it says',
  )
})

t.test('a responder that refuses, and bytes that are no answer', async (t) => {
  t.throws(() => readStatus(statusRefusal(3), subject, Date.now()), { message: 'it has no answer for now' })
  t.throws(() => readStatus(statusRefusal(6), subject, Date.now()), { message: /does not answer for this/ })
  t.throws(() => readStatus(statusRefusal(9), subject, Date.now()), { message: /status 9/ })
  t.throws(() => readStatus(statusRefusal(0), subject, Date.now()), { message: 'it is malformed' })
  for (const bytes of ['', '30', '3080', '30840000000100', '<html>', '3000', '1f1f']) {
    t.throws(() => readStatus(Buffer.from(bytes, 'hex'), subject, Date.now()), { message: 'it is malformed' }, bytes)
  }
})

t.test('no byte of an answer can be changed, and none left out', async (t) => {
  const whole = statusAnswer({ about, issuer })
  const accepted: number[] = []
  for (let at = 0; at < whole.length; at++) {
    t.throws(() => readStatus(whole.subarray(0, at), subject, Date.now()))
    const changed = Buffer.from(whole)
    changed[at] = (changed[at] ?? 0) ^ 0x01
    try {
      readStatus(changed, subject, Date.now())
      accepted.push(at)
    } catch {
      // Refused.
    }
  }
  t.same(accepted, [], 'changed at these bytes')
})

async function responderWith(t: Test, listener: RequestListener) {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as { port: number }
  return (signal?: AbortSignal) =>
    askResponder(
      { certificate: about.certificate, issuer: issuer.certificate, responder: new URL(`http://127.0.0.1:${port}/o/`) },
      { now: Date.now, ...(signal === undefined ? {} : { signal }) },
    )
}

t.test('the question goes to the address as a path, and a whole answer comes back', async (t) => {
  const question = statusRequest(about.certificate, issuer.certificate)
  const paths: string[] = []
  const bytes = statusAnswer({ about, issuer })
  const ask = await responderWith(t, (request, response) => {
    paths.push(request.url ?? '')
    response.end(bytes)
  })
  t.match(await ask(), { status: 'good', bytes })
  t.same(paths, [`/o/${encodeURIComponent(question.toString('base64'))}`])
})

t.test('a redirect is not followed, and an error, garbage, silence and floods are no answer', async (t) => {
  let followed = 0
  const redirect = await responderWith(t, (request, response) => {
    if (request.url === '/elsewhere') followed += 1
    response.writeHead(302, { location: '/elsewhere' }).end()
  })
  await t.rejects(redirect(), { message: 'it answers with 302' })
  t.equal(followed, 0)
  const broken = await responderWith(
    t,
    (_request, response) => void response.writeHead(500).end(statusAnswer({ about, issuer })),
  )
  await t.rejects(broken(), { message: 'it answers with 500' })
  const garbage = await responderWith(t, (_request, response) => void response.end('<html>sign in first</html>'))
  await t.rejects(garbage(), { message: 'it is malformed' })
  const flood = await responderWith(t, (_request, response) => void response.end(Buffer.alloc(longestAnswerBytes + 1)))
  await t.rejects(flood(), { message: /larger than 32768 bytes/ })
  const silent = await responderWith(t, () => undefined)
  await t.rejects(silent(AbortSignal.timeout(50)))
  const halves = await responderWith(
    t,
    (_request, response) => void response.write(statusAnswer({ about, issuer }).subarray(9)),
  )
  await t.rejects(halves(AbortSignal.timeout(50)), 'one that stops in its middle')
})

t.test('openssl understands the question, and what it answers is understood', async (t) => {
  const folder = t.testdir()
  const at = (name: string) => join(folder, name)
  writeFileSync(at('ca.crt'), chain(issuer))
  writeFileSync(at('ca.key'), issuer.keyText, { mode: 0o600 })
  writeFileSync(at('question'), statusRequest(about.certificate, issuer.certificate))
  const { serialNumber } = about.certificate
  const answerFor = (line: string) => {
    writeFileSync(at('index'), line)
    const signer = ['-CA', at('ca.crt'), '-rsigner', at('ca.crt'), '-rkey', at('ca.key'), '-ndays', '1']
    const question = ['-index', at('index'), '-reqin', at('question'), '-respout', at('answer'), '-noverify']
    execFileSync('openssl', ['ocsp', ...question, ...signer], { stdio: 'pipe' })
    return readStatus(readFileSync(at('answer')), subject, Date.now()).status
  }
  t.equal(answerFor(`V\t400101000000Z\t\t${serialNumber}\tunknown\t/CN=api.test\n`), 'good')
  t.equal(answerFor(`R\t400101000000Z\t250101000000Z\t${serialNumber}\tunknown\t/CN=api.test\n`), 'revoked')
  t.equal(answerFor(''), 'unknown')
})
