// What the client library has to do wherever it runs. This file is run by Node and by a page in Chromium, against the
// same server: nothing of either may be used in it.

import {
  ClientError,
  createClient,
  createFetch,
  createMemoryStore,
  type StartedAuthorization,
} from '../../src/client/index.js'

export interface CheckSettings {
  issuer: string
  /** Of a web application with a permission of its own, whose redirect URIs name the page's origin. */
  web: { clientId: string; clientSecret: string }
  /** Of a native one for people. */
  native: { clientId: string; redirectUri: string }
}

type Fetch = typeof globalThis.fetch

/** Counts the requests by the last segment of their path. */
function counting(fetch: Fetch) {
  const requests: Record<string, number> = {}
  const counted = (async (input, init) => {
    const name = new URL(String(input)).pathname.split('/').at(-1) ?? ''
    requests[name] = (requests[name] ?? 0) + 1
    return await fetch(input, init)
  }) as Fetch
  return { requests, fetch: counted }
}

const fetchHere: Fetch = (input, init) => globalThis.fetch(input, init)
const codeOf = (error: unknown) => (error instanceof ClientError ? error.code : String(error))
const failure = (work: Promise<unknown>) => work.then(() => 'no failure', codeOf)

/** The application's own token for a thousand callers; how many requests that took, and how long. */
export async function checkThousand({ issuer, web }: CheckSettings, fetching: Fetch = fetchHere) {
  const { requests, fetch } = counting(fetching)
  const client = createClient({ issuer, ...web, fetch })
  const started = performance.now()
  const got = await Promise.all(Array.from({ length: 1000 }, () => client.application({ scope: 'default' }).token()))
  const tookMs = Math.round(performance.now() - started)
  const wrong = createClient({ issuer, ...web, clientSecret: `${web.clientSecret}x`, fetch: fetching })
  const refused = await failure(wrong.application().token())
  return { requests, distinct: new Set(got.map(({ accessToken }) => accessToken)).size, tookMs, refused }
}

/** Where the person signs in. */
export function begin({ issuer, native }: CheckSettings, fetching: Fetch = fetchHere): Promise<StartedAuthorization> {
  const client = createClient({ issuer, clientId: native.clientId, fetch: fetching })
  return client.beginAuthorization({ redirectUri: native.redirectUri, scope: 'openid email offline_access User.Read' })
}

/** From the address that they came back to: a thousand callers, a revoked token, an ended sign-in. */
export async function finish(
  { issuer, native }: CheckSettings,
  authorization: StartedAuthorization,
  callback: string,
  fetching: Fetch = fetchHere,
) {
  const { requests, fetch } = counting(fetching)
  const client = createClient({ issuer, clientId: native.clientId, fetch })
  const forged = await failure(client.finishAuthorization({ ...authorization, state: 'another' }, callback))
  const signedIn = await client.finishAuthorization(authorization, callback)
  const store = createMemoryStore({ ...signedIn, expiresAt: 0 })
  const source = client.person(store)
  const many = await Promise.all(Array.from({ length: 1000 }, () => source.token()))
  const afterMany = { ...requests }
  const { userinfoEndpoint = '' } = await client.metadata()
  const call = createFetch(source, { resources: [issuer], fetch })
  const called = await call(userinfoEndpoint).then(async (answer) => ({
    status: answer.status,
    ...(await answer.json()),
  }))
  const otherOrigin = await failure(call('https://example.invalid/'))

  await client.revoke((await source.token()).accessToken)
  const together = await Promise.all(Array.from({ length: 10 }, () => call(userinfoEndpoint)))
  const afterRevocation = { ...requests }

  await client.revoke((await store.read())?.refreshToken ?? '')
  // A token that was new a moment ago is not replaced; soon after, it is tried.
  let ended = 'unauthorized'
  for (let tries = 0; tries < 200 && ended === 'unauthorized'; tries += 1) {
    ended = await failure(call(userinfoEndpoint))
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return {
    ...{ forged, email: signedIn.claims?.['email'], afterMany, called, otherOrigin, afterRevocation, ended },
    distinct: new Set(many.map(({ accessToken }) => accessToken)).size,
    together: together.map(({ status }) => status),
    requests,
    held: await store.read(),
  }
}
