// `portcullis provider list|check` against a stand-in for the server.

import t from 'tap'
import { commandsAgainst } from '../support/rooms/cli.js'

const redirectUri = 'https://gate.test/sign-in/external/corp/callback'
const corp = {
  name: 'corp',
  label: 'Corp ID',
  issuer: 'https://id.test',
  createUsers: false,
  role: 'member',
  redirectUri,
}
const step = { step: 'discovery', state: 'ok', message: 'corp answers', advice: null }
const failed = { step: 'client', state: 'fail', message: 'it refuses the client', advice: 'see clientSecret' }
const answers = {
  'GET /api/v2/providers': { value: [corp] },
  'POST /api/v2/providers/corp/check': { name: 'corp', ok: true, redirectUri, steps: [step] },
  'POST /api/v2/providers/other/check': { name: 'other', ok: false, redirectUri, steps: [step, failed] },
}

t.test('providers are listed, and checked with what to do; a failure ends with 1', async (t) => {
  const { run } = await commandsAgainst(t, answers)
  t.match((await run('provider list')).out, /corp +Corp ID +https:\/\/id.test/)
  const good = await run('provider check corp')
  t.equal(good.code, 0)
  t.match(good.out, redirectUri)
  const bad = await run('provider check other')
  t.equal(bad.code, 1)
  t.match(bad.out, /fail +client +it refuses the client\n +→ see clientSecret/)
  t.equal(JSON.parse((await run('provider check other -o json')).out).ok, false)
  t.equal((await run('provider check nobody')).code, 3)
})
