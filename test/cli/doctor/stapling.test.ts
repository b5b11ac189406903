// What doctor finds about the status of the server's certificates: each fault is planted once.

import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { checkStapling } from '../../../src/cli/commands/doctor/doctor-stapling.js'
import {
  type AnswerWishes,
  type CertificateWishes,
  chain,
  makeCertificate,
  statusAnswer,
} from '../../support/ocsp/authority.js'

const issuer = await makeCertificate()

/** The findings for one certificate whose responder says this; undefined: nobody listens there. */
async function findings(
  t: Test,
  wishes: CertificateWishes,
  {
    says,
    ocspStapling = true,
    isWhole = true,
  }: { says?: AnswerWishes['status']; ocspStapling?: boolean; isWhole?: boolean },
) {
  let answer: Uint8Array = Buffer.alloc(0)
  const server = createServer((_request, response) => void response.end(answer))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const about = await makeCertificate({ name: 'a.test', by: issuer, responder: `http://127.0.0.1:${port}/`, ...wishes })
  if (says === undefined) await new Promise((resolve) => server.close(resolve))
  else answer = statusAnswer({ about, issuer, status: says })
  const cert = join(t.testdirName, 'own.crt')
  writeFileSync(cert, isWhole ? chain(about, issuer) : chain(about))
  const found = await checkStapling(
    { server: { tls: { kind: 'files', cert, key: '' }, certificates: [], ocspStapling } as never },
    Date.now,
  )
  server.close()
  return found
}

t.test('what the responder says now, and what is missing where nobody can be told', async (t) => {
  t.testdir()
  t.match(await findings(t, {}, { says: 'good' }), [{ state: 'ok', message: /^a.test: .* good, for 0\.\d days$/ }])
  t.match(await findings(t, {}, { says: 'revoked' }), [{ state: 'fail', message: /revoked/, advice: /a new key/ }])
  t.match(await findings(t, {}, { says: 'unknown' }), [{ state: 'warn', message: /does not know it/ }])
  t.match(await findings(t, {}, {}), [
    { state: 'warn', message: /no status from 127.*REFUSED/, advice: /ocspStapling/ },
  ])
  t.match(await findings(t, {}, { isWhole: false }), [{ state: 'warn', message: /issuer is not in/, advice: /chain/ }])
  t.same(await findings(t, {}, { ocspStapling: false }), [])
})

t.test('for a certificate that demands a status it is a failure', async (t) => {
  t.testdir()
  const mustStaple = true
  t.match(await findings(t, { mustStaple }, { says: 'good' }), [{ state: 'ok' }])
  t.match(await findings(t, { mustStaple }, {}), [{ state: 'fail', message: /no status/ }])
  const nowhere = { mustStaple, responder: 'ldap://a.test/' }
  t.match(await findings(t, nowhere, {}), [{ state: 'fail', message: /names no responder .* refuse it/ }])
  t.match(await findings(t, { mustStaple }, { ocspStapling: false }), [{ state: 'fail', advice: /to true/ }])
})

t.test('other certificates have no status', async (t) => {
  t.same(await checkStapling({ server: { tls: { kind: 'off' } } as never }, Date.now), [])
  t.testdir()
  t.same(await findings(t, { responder: 'ldap://a.test/' }, {}), [])
})
