// identity L9 at the command line: what a sign-in that is too old comes to, and how to sign in again.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { runCommandLine } from '../../src/cli/program.js'
import { startReceiver } from '../support/upstreams/receiver.js'

const challenge = (fields: string) =>
  `Bearer realm="x", error="insufficient_user_authentication", error_description="This needs a newer sign-in.", ${fields}`

/** A server that refuses to rotate keys, and a command line with a token for it. */
async function openRefusing(t: Test, fields: string) {
  const { origin, ca, answers, received } = await startReceiver(t)
  answers.set('/api/v2/keys/rotate', { status: 401, challenge: challenge(fields) })
  const folder = mkdtempSync(join(tmpdir(), 'pcl-recent-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'ca.pem'), ca)
  const run = async (...words: string[]) => {
    const said: string[] = []
    const terminal = {
      out: (data: string | Uint8Array) => void said.push(Buffer.from(data).toString()),
      say: (message: string) => void said.push(message),
      env: { HOME: folder, PORTCULLIS_TOKEN: 'token', PORTCULLIS_CA: join(folder, 'ca.pem') },
      cwd: folder,
      ...{ interactive: false, colours: false, input: async () => '' },
    }
    const never = async () => {}
    const code = await runCommandLine({ serve: never, backend: never, version: '1', terminal }, words)
    return { code, said: said.join('\n') }
  }
  return { origin, run, received }
}

t.test('identity L9: a command whose sign-in is too old ends with 4 and says in one line what to do', async (t) => {
  const { origin, run, received } = await openRefusing(t, 'max_age="600"')
  const { code, said } = await run('keys', 'rotate', '--server', origin)
  t.equal(code, 4)
  t.match(said, `This needs a newer sign-in.\n  Sign in again: portcullis login --server ${origin}`)
  t.notMatch(said, '--max-age')
  t.equal(received.length, 1, 'it is not tried again')
})

t.test('identity L9: where the server wants a newer sign-in than login asks for, the line says so', async (t) => {
  const { origin, run } = await openRefusing(t, 'max_age="90"')
  const { code, said } = await run('keys', 'rotate', '--server', origin)
  t.equal(code, 4)
  t.match(said, `portcullis login --server ${origin} --max-age 90`)
  const wrong = await run('login', '--server', origin, '--max-age', 'soon')
  t.equal(wrong.code, 2)
  t.match(wrong.said, /max-age/)
})

t.test(
  'identity L9: where the server wants a second factor, the line says so, and no other value gets into it',
  async (t) => {
    const { origin, run } = await openRefusing(t, 'acr_values="2", max_age="600"')
    const { code, said } = await run('keys', 'rotate', '--server', origin)
    t.equal(code, 4)
    t.match(said, `portcullis login --server ${origin} --acr 2`)
    const other = await openRefusing(t, 'acr_values="; rm -rf ~"')
    t.notMatch((await other.run('keys', 'rotate', '--server', other.origin)).said, /rm -rf|--acr/)
    const wrong = await run('login', '--server', origin, '--acr', 'gold')
    t.equal(wrong.code, 2)
    t.match(wrong.said, /acr/)
  },
)
