// Clients that others wrote get tokens by client credentials, and the API accepts them.
// run: apart

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { demoCredential } from '../support/programs/demo.js'
import { startProgram } from '../support/programs/program.js'

t.test('openid-client, oauth4webapi and simple-oauth2 with RFC 8414 discovery, Basic and body', async (t) => {
  const program = await startProgram({ cwd: t.testdir() })
  t.teardown(() => program.stop())
  const { clientId, clientSecret } = demoCredential(program)
  const fromSource = import.meta.url.endsWith('.ts')
  const script = fileURLToPath(
    new URL(`../support/programs/independent-clients.${fromSource ? 'ts' : 'js'}`, import.meta.url),
  )
  const words = [
    ...(fromSource ? ['--import', import.meta.resolve('tsx')] : []),
    script,
    program.baseUrl,
    clientId,
    clientSecret,
  ]
  const child = spawn(process.execPath, words, {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: join(program.folder, 'tls', 'ca.pem') },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  await new Promise((resolve) => child.once('close', resolve))
  t.same(JSON.parse(Buffer.concat(chunks).toString()), {
    'openid-client, body': 200,
    'openid-client, Basic': 200,
    'oauth4webapi, body': 200,
    'oauth4webapi, Basic': 200,
    'simple-oauth2, body': 200,
    'simple-oauth2, Basic': 200,
  })
})
