// Signing in through another OpenID provider: there and back. Who comes back is known by issuer and subject (decision
// 0055).

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { writesAs } from '../../directory/actor.js'
import { DirectoryRefusal } from '../../directory/refusal.js'
import { requestContext } from '../../http/requests/request-context.js'
import type { Texts } from '../../languages/english/texts.js'
import { findExternalAccount } from '../../users/accounts/external-accounts.js'
import { linkProvider } from '../../users/accounts/external-identities.js'
import { redeemProviderLink } from '../../users/accounts/provider-links.js'
import { UserRefusal } from '../../users/refusal.js'
import { lastAccessEnd } from '../../users/sessions/end-access.js'
import { wayThrough } from '../../users/sessions/provider-way.js'
import { actingAs } from '../../web/acting.js'
import type { Browser } from '../../web/browser.js'
import { originOf } from '../../web/origin.js'
import { queryOf } from '../../web/page-address.js'
import { registerPage } from '../../web/page-routes.js'
import { errorText, PageError } from '../../web/pages/page-error.js'
import { withoutCookies } from '../../web/without-cookies.js'
import type { IdentityDependencies } from '../dependencies.js'
import { finishSignIn, tooManyAttempts } from '../sign-in/finish.js'
import { type Purpose, readPurpose } from '../sign-in/purpose.js'
import { beginSecondFactor } from '../sign-in/second-factor.js'
import { withContinue } from './continue-page.js'
import { type FailureReason, failureReason } from './failure-reason.js'
import { callbackOf, finishLogin, type PendingLogin, startLogin, takePendingLogin } from './pending-login.js'
import { type ProvenIdentity, proveIdentity } from './prove-identity.js'
import type { Provider, Providers } from './providers.js'
import { endedLogin, noAccount, noTenant, type ProviderLogin, refusedLogin } from './refusals.js'

/** Where linking begins and ends. */
export const linkedProvidersPath = '/account/providers'

/** One request that came back from a provider. */
interface Return {
  request: FastifyRequest
  reply: FastifyReply
  browser: Browser
  provider: Provider
}

/** Registers /sign-in/external/<provider> and its callback. */
export function registerExternalSignIn(scope: FastifyInstance, deps: IdentityDependencies, providers: Providers): void {
  registerPage(scope, deps, {
    path: '/sign-in/external/:provider',
    routeId: 'sign-in-external',
    beforeSecondFactor: true,
    get: async (request, reply, browser) => {
      const provider = providerOf(providers, request)
      const purpose = await readPurpose(deps, request, browser)
      if (request.method === 'HEAD') return reply.code(200).send()
      const loginPurpose = { kind: 'sign-in', request: purpose.pending?.id, again: purpose.mode === 'again' } as const
      const to = await startLogin(deps, browser, provider, loginPurpose).catch((error: unknown) => {
        throw failed(deps, request, provider, { thrown: error, login: loginAt(provider, purpose) })
      })
      return reply.redirect(to.href, 303)
    },
  })
  registerPage(scope, deps, {
    path: '/sign-in/external/:provider/callback',
    routeId: 'sign-in-external-callback',
    beforeSecondFactor: true,
    get: async (request, reply, browser) => {
      const provider = providerOf(providers, request)
      // Looking does not use a state up.
      if (request.method === 'HEAD') return reply.code(200).send()
      return comeBack(deps, { request, reply, browser, provider })
    },
  })
}

async function comeBack(deps: IdentityDependencies, back: Return): Promise<FastifyReply> {
  const { request, browser, provider } = back
  const { name } = provider.settings
  if (browser.isNew) throw withoutCookies(request)
  const states = queryOf(request).getAll('state')
  const pendingLogin = states.length === 1 ? await takePendingLogin(deps, browser, name, states[0] ?? '') : undefined
  if (pendingLogin === undefined) throw ended(deps, back)
  if (pendingLogin.purpose.kind === 'link') return link(deps, back, pendingLogin, pendingLogin.purpose)
  const purpose = await readPurpose(deps, request, browser, pendingLogin.purpose.request)
  const identity = await prove(deps, back, pendingLogin, loginAt(provider, purpose))
  if (!(await finishLogin(deps, pendingLogin))) throw ended(deps, back)
  return signIn(deps, back, purpose, identity)
}

function ended(deps: IdentityDependencies, { request, provider }: Return): PageError {
  const links = [{ href: '/sign-in', text: ({ frame }: Texts) => frame.backToSignIn }]
  return note(deps, request, provider, endedLogin({ label: provider.settings.label, links }))
}

/** The proof, with the brake on callers that try answers of their own making. */
async function prove(
  deps: IdentityDependencies,
  back: Return,
  pendingLogin: PendingLogin,
  login: ProviderLogin,
): Promise<ProvenIdentity> {
  const { request, provider } = back
  const { name } = provider.settings
  const { address } = requestContext(request)
  const turn = await deps.users.throttle.begin({ address, account: `external ${name}`, proof: 'other' })
  if (!turn.allowed) throw tooManyAttempts(turn.retryAfterSeconds, login.links)
  let result: 'passed' | 'failed' | undefined
  try {
    const { state, nonce, verifier, purpose, at } = pendingLogin
    const callback = new URL(callbackOf(deps, name))
    callback.search = queryOf(request).toString()
    const isAnew = purpose.kind === 'sign-in' && purpose.again
    const provenSince = isAnew ? Math.floor(at / 1000) : undefined
    const identity = await proveIdentity(provider, { callback, state, nonce, verifier, provenSince })
    result = 'passed'
    return identity
  } catch (error) {
    const refusal = failed(deps, request, provider, { thrown: error, login })
    // Only what is wrong counts against the address; a provider that is down does not.
    result = refusal.reason === 'external_not_proven' ? 'failed' : undefined
    throw refusal
  } finally {
    await turn.end(result)
  }
}

async function signIn(
  deps: IdentityDependencies,
  { request, reply, browser, provider }: Return,
  purpose: Purpose,
  identity: ProvenIdentity,
): Promise<FastifyReply> {
  const login = loginAt(provider, purpose)
  const acting = writesAs(deps.users, originOf(request, { kind: 'system' }))
  const user = await findExternalAccount(acting, provider.settings, identity).catch((error: unknown) => {
    const isSetUpWrongly = error instanceof DirectoryRefusal || error instanceof UserRefusal
    if (isSetUpWrongly) throw note(deps, request, provider, noTenant(login, error))
    throw failed(deps, request, provider, { thrown: error, login })
  })
  if (user === undefined) throw note(deps, request, provider, noAccount(login))
  const { userId } = user
  const { acr, amr, provenAt, issuer, subject } = identity
  const way = wayThrough(provider.settings.name)
  // A person who has turned the second step on here has to use it, unless the provider says that it had two.
  if (user.state === 'enabled' && user.hasSecondFactor && acr === '1') {
    const provenAfter = await lastAccessEnd(deps.store.reader, userId)
    const proven = { userId, first: 'fed', way, provenAfter, identity: { issuer, subject } } as const
    return beginSecondFactor(deps, { reply, browser, purpose }, proven)
  }
  const going = withContinue(purpose, provider.settings.name)
  const who = { userId, proof: { acr, amr }, way, purpose: going, provenAt, basis: { identity: { issuer, subject } } }
  if (await finishSignIn(deps, request, reply, who)) return reply
  throw note(deps, request, provider, noAccount(login))
}

/** Links, when the person who began it is still the one who is signed in with this browser. */
async function link(
  deps: IdentityDependencies,
  back: Return,
  pendingLogin: PendingLogin,
  { userId, link: secret }: Extract<PendingLogin['purpose'], { kind: 'link' }>,
): Promise<FastifyReply> {
  const { request, reply, browser, provider } = back
  const { label, name } = provider.settings
  const login = {
    label,
    links: [{ href: linkedProvidersPath, text: ({ ways }: Texts) => ways.provider.backToProviders }],
  }
  const { session } = browser
  if (session?.userId !== userId) throw note(deps, request, provider, endedLogin(login))
  const identity = await prove(deps, back, pendingLogin, login)
  if (!(await finishLogin(deps, pendingLogin))) throw note(deps, request, provider, endedLogin(login))
  const { issuer, subject, describe } = identity
  const acting = actingAs(deps, request, { user: { userId }, session })
  const who = { userId, provider: name, issuer, subject }
  if (secret === undefined) await linkProvider(acting, who)
  else {
    const { address } = await describe().catch((error: unknown) => {
      throw failed(deps, request, provider, { thrown: error, login })
    })
    await redeemProviderLink(acting, { ...who, session: session.idHash, secret, address })
  }
  return reply.redirect(`${linkedProvidersPath}?done=provider-linked`, 303)
}

function providerOf(providers: Providers, request: FastifyRequest): Provider {
  const provider = providers.get((request.params as { provider: string }).provider)
  if (provider !== undefined) return provider
  throw new PageError({
    status: 404,
    ...errorText(({ ways }) => ways.provider.unknown),
    links: [{ href: '/sign-in', text: ({ signIn }) => signIn.title }],
    reason: 'unknown_provider',
  })
}

function loginAt({ settings: { label } }: Provider, { path }: Pick<Purpose, 'path'>): ProviderLogin {
  return { label, links: [{ href: path, text: ({ frame }: Texts) => frame.backToSignIn }] }
}

/** The page for what was thrown on the way; the log has more, but of what the provider sent only the OAuth error. */
function failed(
  deps: IdentityDependencies,
  request: FastifyRequest,
  provider: Provider,
  { thrown, login }: { thrown: unknown; login: ProviderLogin },
): PageError {
  if (thrown instanceof PageError) return thrown
  const refusal = refusedLogin(thrown, login)
  const { requestId } = requestContext(request)
  const facts = { requestId, provider: provider.settings.name, ...failureReason(thrown) }
  request.server.log.warn(facts, 'external sign-in failed')
  return note(deps, request, provider, refusal, failureReason(thrown))
}

/** `why`: what operators read of it, beside the log. */
function note(
  deps: IdentityDependencies,
  request: FastifyRequest,
  provider: Provider,
  refusal: PageError,
  why?: FailureReason,
): PageError {
  const details = { proof: 'external', provider: provider.settings.name, reason: refusal.reason, ...why }
  deps.activity.note({ event: 'user.sign-in-failed', address: requestContext(request).address, details })
  return refusal
}
