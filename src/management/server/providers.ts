// The providers through which people may sign in, as they are configured, and whether each can be used.

import type { FastifyInstance } from 'fastify'
import type { ProviderSettings, Settings } from '../../config/settings/settings.js'
import { ApiError } from '../../http/answers/api-error.js'
import { callbackOf } from '../../identity/external/pending-login.js'
import { checkProvider } from '../../identity/external/provider-check.js'
import { requires } from '../access/access.js'
import type { ManagementDependencies } from '../dependencies.js'
import { type ProviderAnswers, providerAnswers } from './provider-schemas.js'

interface ByName {
  Params: { name: string }
}

/** `GET /providers`, `GET /providers/{name}`, `POST /providers/{name}/check`. */
export function providerRoutes(app: FastifyInstance, { settings }: ManagementDependencies): void {
  /** One check of a provider at a time: who asks meanwhile gets the same answer. */
  const underWay = new Map<string, Promise<ProviderAnswers<'check'>>>()
  const config = requires('Server.Read', 'operator')
  app.get('/providers', { config, schema: { response: { 200: providerAnswers.providers } } }, async () => ({
    value: [...settings.signIn.providers.values()].map((provider) => answerOf(settings, provider)),
  }))
  app.get<ByName>(
    '/providers/:name',
    { config, schema: { response: { 200: providerAnswers.provider } } },
    async ({ params }) => answerOf(settings, providerOf(settings, params.name)),
  )
  app.post<ByName>(
    '/providers/:name/check',
    { config: requires('Server.ReadWrite', 'operator'), schema: { response: { 200: providerAnswers.check } } },
    async ({ params }) => {
      const provider = providerOf(settings, params.name)
      const known = underWay.get(provider.name)
      if (known !== undefined) return known
      const begun = check(settings, provider).finally(() => underWay.delete(provider.name))
      underWay.set(provider.name, begun)
      return begun
    },
  )
}

async function check(settings: Settings, provider: ProviderSettings): Promise<ProviderAnswers<'check'>> {
  const redirectUri = callbackOf({ settings }, provider.name)
  const steps = await checkProvider(provider, redirectUri)
  return {
    name: provider.name,
    ok: steps.every(({ state }) => state !== 'fail'),
    redirectUri,
    steps: steps.map((one) => ({ ...one, advice: one.advice ?? null })),
  }
}

function providerOf({ signIn }: Settings, name: string): ProviderSettings {
  const found = signIn.providers.get(name)
  if (found !== undefined) return found
  throw new ApiError(404, 'ProviderNotFound', 'The configuration has no provider of this name.')
}

function answerOf(settings: Settings, provider: ProviderSettings): ProviderAnswers<'provider'> {
  const { name, label, issuer, clientId, scope, createUsers, tenantId, role } = provider
  return {
    name,
    label,
    issuer,
    clientId,
    hasSecret: provider.clientSecret !== undefined,
    scope,
    createUsers,
    tenantId: tenantId ?? null,
    role,
    rolesClaim: provider.roles?.claim ?? null,
    ownAuthorities: provider.ca !== undefined,
    redirectUri: callbackOf({ settings }, name),
  }
}
