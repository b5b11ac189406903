// What to do about a refusal, by its reason, in sentences for the developer. The gate's own message comes first
// elsewhere; this says the next step.

import { explainError } from '../../oauth/errors/error-numbers.js'
import type { Explanation } from './explanation.js'

type Step = Explanation['remedy'][number]

const steps: Readonly<Record<string, string>> = {
  not_found: 'No route of the configuration has this path. Compare it with the routes, letter by letter: case counts.',
  method_not_allowed: 'Use a method that the route has, or declare this one in the configuration.',
  no_mcp_server: 'Ask without a tool, prompt or resource, or about a route that says mcp.',
  mcp_unknown:
    'The configuration names no such tool, prompt or resource below mcp of the route, so nobody may use it, and clients are told that the server has none. Name it there.',
  mcp_approval:
    'The rule of this tool asks that the person approves each call. Make the call: its refusal says the address at which they do.',
  mcp_second_factor:
    'The rule of this tool asks for a person who has signed in with a second factor. Programs without a person cannot call it.',
  mcp_never:
    'The rule of this tool is never: in the configuration, or for the tenant, at Tool rules in the portal. Clients are told that the server has none.',
  mcp_held:
    'The definition of the tool changed on its server since it was approved. Somebody who looks after this server looks at the change and approves it: Tool changes in the portal, or portcullis mcp approve.',
  no_token: 'Send an access token in the Authorization header, as Bearer.',
  two_authorization_headers: 'Send one Authorization header.',
  token_in_query: 'Send the token in the Authorization header and nowhere else.',
  expired: 'Get a new token.',
  not_yet_valid: 'The clock of this machine and that of the issuer differ, or the token is not ours.',
  wrong_audience:
    'Ask for a token for the resource of this route: put the resource before the permission, or send it as resource.',
  wrong_issuer: 'Get the token from this installation, or from an issuer that the route names.',
  unknown_key: 'The key that signed this token is not in the set, or is no more. Get a new token.',
  token_revoked: 'This token was revoked. Get a new one.',
  unknown_change: 'The token was issued on data that a restored back-up does not have. Get a new one.',
  credential_revoked: 'The secret that this token was got with was deleted. Use another secret and get a new token.',
  credential_expired: 'The secret that this token was got with has ended. Use another secret and get a new token.',
  grant_revoked: 'What the person allowed was ended. Send them through the authorization endpoint again.',
  holder_revoked:
    'So many tokens were revoked one by one that all of this application for this person were. Get a new one.',
  application_revoked: 'The tokens of this application were revoked. Get a new one.',
  application_disabled: 'The application is disabled. Enable it.',
  tenant_revoked: 'The tokens of this tenant were revoked. Get a new one.',
  tenant_disabled: 'The tenant is disabled. An operator of this installation can enable it.',
  user_revoked: 'The tokens of this person were revoked. They sign in again.',
  user_disabled: 'The person is disabled.',
  other_tenant: 'The tenant in the path is not the one of the token. Get a token for that tenant.',
  other_application: 'The route lists the applications that may call it. Have this one added in the configuration.',
  rate_limited: 'Wait as long as Retry-After says, or have the limit raised in the configuration.',
  issuer_unavailable:
    'The keys of the token’s issuer cannot be fetched at the moment. Try again; the operator sees why.',
  rules_unknown: 'What the tenant says of tools cannot be read at the moment. Try again; the operator sees why.',
  limits_unknown: 'The shared counts cannot be had at the moment. Try again; the operator sees why.',
  view_stale: 'This instance may have missed a revocation. Try again; the operator sees why.',
  upstream_overloaded: 'The service behind the gate has as many requests as it may. Try again.',
  upstream_down: 'The service behind the gate does not answer at the moment. Try again; the operator sees why.',
  body_on_get: 'Send no body with GET or HEAD.',
  body_too_large: 'Send less, or have the limit of the route raised.',
  length_required: 'Send Content-Length.',
  secret_missing: 'The application has no client secret. Add one.',
  secret_expired: 'All client secrets of the application have ended. Add one.',
  not_a_member: 'The person is not a member of the tenant.',
  not_installed:
    'The application is not installed in the tenant, or the tenant is disabled. An administrator consents to it there.',
}

/** Refusals that no token changes. */
const withoutToken: ReadonlySet<string> = new Set(['not_found', 'method_not_allowed', 'no_mcp_server'])

const missing: Readonly<Record<string, string>> = {
  not_configured: 'Add the permission to the API permissions of the application; then have it consented to.',
  not_consented: 'Have an administrator of the tenant consent.',
  not_requested: 'Ask for the permission in the scope of the token request.',
  consented_after_issue: 'Get a new token: this one is older than the consent.',
}

/** The steps. A permission that the role of the person keeps away is told first. */
export function remedySteps(
  explanation: Pick<Explanation, 'decision' | 'requirement' | 'tokenRefusal' | 'upstream' | 'caller'>,
  consentUri: string | undefined,
): Step[] {
  const { decision, requirement, tokenRefusal } = explanation
  if (decision.outcome !== 'refused') return serviceSteps(explanation)
  // No consent opens a path that is not there.
  const uri = withoutToken.has(decision.reason) ? null : (consentUri ?? tokenRefusal?.consentUri ?? null)
  const byStatus = decision.permission === null ? undefined : missing[decision.permission.status ?? '']
  const byNumber = tokenRefusal === null ? undefined : explainError(tokenRefusal.number)?.remedy
  const sentence = byStatus ?? steps[decision.reason] ?? byNumber
  const found: Step[] = decision.permission === null && tokenRefusal === null ? [] : roleSteps(requirement)
  const command = commandFor(explanation)
  if (sentence !== undefined) found.push({ message: sentence, uri: null, command })
  if (uri !== null) found.push({ message: 'An administrator of the tenant consents here.', uri, command: null })
  if (decision.reason === 'upstream_down') found.push(...serviceSteps(explanation))
  return found
}

function roleSteps(requirement: Explanation['requirement']): Step[] {
  const low = requirement.flatMap(({ permissions }) => permissions).find(({ role }) => role !== null && !role.enough)
  if (low?.role == null) return []
  const { needed, has } = low.role
  const message = `${low.id} takes the role ${needed} in the tenant; the person has ${has ?? 'none'}.`
  return [{ message, uri: null, command: null }]
}

/** Of a call that would be allowed and not be answered: one that the operator takes. */
function serviceSteps({ decision, upstream }: Pick<Explanation, 'decision' | 'upstream'>): Step[] {
  if (decision.outcome === 'own' || upstream === null || upstream.trouble === null) return []
  const { name, trouble, targets } = upstream
  const which = targets > 1 ? `A target of ${name}` : name
  const what = trouble.state === 'unwell' ? 'is found unwell by its checks' : 'does not answer'
  const message = `${which} ${what} since ${trouble.since}. Its operator starts it, or corrects upstreams.${name}.`
  return [{ message, uri: null, command: 'portcullis doctor' }]
}

/** What does it on the command line; null: nothing that a command could do. */
function commandFor({ decision, caller }: Pick<Explanation, 'decision' | 'caller'>): string | null {
  const { permission, reason } = decision
  const application = wordOf(caller)
  if (application === null) return null
  if (permission !== null) {
    const named = `${permission.kind}:${permission.resource}/${permission.id}`
    if (permission.status === 'not_configured') return `portcullis app permission add ${application} ${named} --consent`
    if (permission.status === 'not_consented') return `portcullis consent grant ${application} ${named}`
  }
  const command = commands[reason]
  return command === undefined ? null : `portcullis ${command} ${application}`
}

const commands: Readonly<Record<string, string>> = {
  application_disabled: 'app enable',
  secret_missing: 'app rotate',
  secret_expired: 'app rotate',
  not_installed: 'consent grant',
}

/** A name that a shell takes as it is, else the identifier. */
function wordOf({ applicationId, applicationName }: Explanation['caller']): string | null {
  return applicationName !== null && /^[A-Za-z0-9_.-]+$/.test(applicationName) ? applicationName : applicationId
}
