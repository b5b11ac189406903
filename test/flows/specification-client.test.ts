// A client that does what the specification says and nothing else, against a running server over TLS (contract §4): the
// authorization request has client_id, redirect_uri and resource; the redemption has the code and, for a web
// application, client_secret. No state, scope or response_type. A native client adds PKCE: it cannot prove itself
// otherwise.
// full: a client made from the specification, against a program
// run: apart

import t from 'tap'
import { signInAndAccept, startWithPeople } from '../support/programs/people-program.js'
import { startProgram } from '../support/programs/program.js'
import { pkcePair } from '../support/rooms/delegation.js'

t.setTimeout(120_000)
const { program, manage, person, browse, ask } = await startWithPeople(t)
const redirectUri = 'https://client.test/signed-in?from=portcullis'
const resource = `${program.baseUrl}/api/v2`
const permissions = ['User.Read', 'User.Read.All'].map((id) => ({ kind: 'delegated' as const, id }))

async function register(type: 'web' | 'native') {
  const made = await manage.createApplication({
    name: `By the book (${type})`,
    type,
    redirectUris: [redirectUri],
    permissions,
  })
  return { clientId: made.applicationId, publicKey: made.publicKey, clientSecret: made.clientSecret ?? '' }
}

/** What the person's browser is sent to, and by which status. */
async function authorize(query: Record<string, string>, path = '/api/v2/oauth2/v2.0/authorize') {
  const browser = browse()
  await browser.open(`${path}?${new URLSearchParams(query)}`)
  const isFirst = browser.page.body.includes('id="sign-in-form"')
  await signInAndAccept(browser, person)
  return { isFirst, status: browser.page.status, location: browser.page.left ?? '', again: browser }
}

async function redeem(form: Record<string, string>, path = '/api/v2/oauth2/v2.0/token') {
  const answer = await ask(path, { form: { grant_type: 'authorization_code', redirect_uri: redirectUri, ...form } })
  return { status: answer.status, body: JSON.parse(answer.body) as Record<string, string> }
}

async function callMe(token: string | undefined) {
  const answer = await ask('/api/v2/me', { headers: { authorization: `Bearer ${token}` } })
  return { status: answer.status, ...(JSON.parse(answer.body) as Record<string, unknown>) }
}

t.test('a web client with three parameters gets its 302 with a code and redeems it with its secret', async (t) => {
  const { clientId, publicKey, clientSecret } = await register('web')
  const { isFirst, status, location, again } = await authorize({
    client_id: clientId,
    redirect_uri: redirectUri,
    resource,
  })
  t.ok(isFirst, 'the user is first prompted to sign in')
  t.equal(status, 302)
  t.ok(location.startsWith(`${redirectUri}&code=pcl_ac_`), location)
  const sent = new URL(location).searchParams
  t.same([...sent.keys()], ['from', 'code', 'iss'], 'no state, because none was sent')
  const code = sent.get('code') ?? ''

  const untrusted = await register('web')
  t.match(await redeem({ code, client_id: clientId }), { status: 401, body: { error: 'invalid_client' } })
  t.match(await redeem({ code, client_id: untrusted.clientId, client_secret: untrusted.clientSecret }), {
    ...{ status: 400, body: { error: 'invalid_grant' } },
  })
  const { status: answered, body } = await redeem({ code, client_id: publicKey, client_secret: clientSecret })
  t.equal(answered, 200, JSON.stringify(body))
  t.match(body, { token_type: 'Bearer', expires_in: 3599, scope: 'User.Read User.Read.All' })
  t.notOk('refresh_token' in body || 'id_token' in body, 'nobody requested them')
  t.match(await callMe(body['access_token']), { status: 200, email: person.email })
  t.match(await redeem({ code, client_id: clientId, client_secret: clientSecret }), {
    body: { error: 'invalid_grant' },
  })

  const query = new URLSearchParams({ client_id: publicKey, redirect_uri: redirectUri, resource })
  await again.open(`/API/v2/OAuth/authorize?${query}`)
  t.equal(
    again.page.status,
    302,
    'who is signed in and has consented gets no second prompt, in the other spelling either',
  )
  const next = new URL(again.page.left ?? '').searchParams.get('code') ?? ''
  const other = await redeem({ code: next, client_id: clientId, client_secret: clientSecret }, '/API/v2/OAuth/token')
  t.equal(other.status, 200)
})

t.test('a native client redeems without a secret, and with PKCE', async (t) => {
  const { clientId } = await register('native')
  const { verifier, challenge } = pkcePair()
  const three = { client_id: clientId, redirect_uri: redirectUri, resource }
  const without = new URL((await authorize(three)).location).searchParams
  t.match(without.get('error'), 'invalid_request')
  t.match(without.get('error_description'), /PKCE/, 'R11 and the answer says so')
  const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }
  const { status, location } = await authorize({ ...three, ...pkce })
  t.equal(status, 302)
  const code = new URL(location).searchParams.get('code') ?? ''
  t.match(await redeem({ code, client_id: clientId, code_verifier: pkcePair().verifier }), {
    ...{ status: 400, body: { error: 'invalid_grant' } },
  })
  t.match(await redeem({ code, client_id: clientId }), { status: 400 }, 'no verifier')
  const { status: answered, body } = await redeem({ code, client_id: clientId, code_verifier: verifier })
  t.equal(answered, 200, JSON.stringify(body))
  t.match(body, { token_type: 'Bearer', scope: 'User.Read User.Read.All' })
  t.match(await callMe(body['access_token']), { status: 200, email: person.email })
})

t.test('a redirect_uri that differs from the registered value does not match', async (t) => {
  const { clientId } = await register('web')
  for (const uri of [
    'https://client.test/signed-in',
    `${redirectUri}&x=1`,
    'https://evil.test/signed-in?from=portcullis',
  ]) {
    const query = new URLSearchParams({ client_id: clientId, redirect_uri: uri, resource })
    const answer = await ask(`/api/v2/oauth2/v2.0/authorize?${query}`)
    t.equal(answer.status, 400)
    t.equal(answer.headers['location'], undefined, uri)
  }
})

t.test('X5 neither a code nor what stands for a request is in the log of all this', async (t) => {
  t.notMatch(program.output(), /pcl_ac_\w{43}|pcl_rq_|from=portcullis/)
})

t.test('S4 S1 a refresh token that was used is known after kill -9 and a new start on the same file', async (t) => {
  const { clientId, clientSecret } = await register('web')
  const client = { client_id: clientId, client_secret: clientSecret }
  const refresh = (token = '') => redeem({ ...client, grant_type: 'refresh_token', refresh_token: token })
  const params = { client_id: clientId, redirect_uri: redirectUri, scope: 'User.Read offline_access' }
  const code = new URL((await authorize(params)).location).searchParams.get('code') ?? ''
  const first = (await redeem({ ...client, code })).body['refresh_token']
  const second = (await refresh(first)).body['refresh_token']
  const third = (await refresh(second)).body['refresh_token']

  await program.stop('SIGKILL')
  const ports = { public: Number(new URL(program.baseUrl).port), operator: Number(new URL(program.operatorUrl).port) }
  const again = await startProgram({ cwd: program.cwd, ports })
  t.teardown(() => again.stop())
  const { status, body } = await refresh(third)
  t.equal(status, 200, 'the family has survived')
  t.match(await callMe(body['access_token']), { status: 200 })
  t.match(await refresh(first), { status: 400, body: { error: 'invalid_grant', error_codes: [700084] } }, 'reuse')
  t.match(
    await refresh(body['refresh_token']),
    { status: 400, body: { error: 'invalid_grant' } },
    'all of it has ended',
  )
  t.match(await callMe(body['access_token']), { status: 401 }, 'and its access tokens')
})
