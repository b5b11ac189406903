// What `portcullis doctor` looks at outside: the targets of services as the server sees them, the clocks of instances,
// the providers at which people sign in, and the mail server. Nothing secret is in a finding.

import type { ProviderSettings, Settings } from '../../../config/settings/settings.js'
import type { Answer } from '../../../management/schemas.js'
import { httpsExchange } from '../../calls/https-exchange.js'
import type { Finding } from '../../output/finding.js'

type Status = Pick<Answer<'status'>, 'targets' | 'clockSkewSeconds'>

/** Tokens are read with so much leeway; the clocks of instances are compared by what they wrote. */
const leewaySeconds = 60

/** Whether the services are well, and the clocks of instances agree. */
export function serviceFindings({ targets = [], clockSkewSeconds = 0 }: Partial<Status>): Finding[] {
  const down = targets.filter(({ state, cause }) => state !== 'up' || cause !== undefined)
  const all = new Set(targets.map(({ upstream }) => upstream))
  const wholly = [...all].filter((name) => targets.every((one) => one.upstream !== name || one.state !== 'up'))
  const found = down.map(({ upstream, target, state, since, cause }): Finding => {
    const why =
      state === 'unwell'
        ? 'its checks find it unwell'
        : state === 'up'
          ? 'the newest request to it failed'
          : 'requests to it fail'
    const whole = cause === undefined ? why : `${why} (${cause})`
    const message = `${upstream} at ${target}: ${whole}${since === null ? '' : `, since ${since}`}`
    const advice = `does it run, and does it listen there? Its address stands in upstreams.${upstream}`
    // With another target calls go on.
    return { check: 'service', state: wholly.includes(upstream) ? 'fail' : 'warn', message, advice }
  })
  const well: Finding = {
    check: 'services',
    state: 'ok',
    message: `${targets.length} of ${targets.length} targets are well`,
  }
  return [...(down.length === 0 && targets.length > 0 ? [well] : found), ...skewFindings(clockSkewSeconds)]
}

function skewFindings(seconds: number): Finding[] {
  if (seconds <= 5) return []
  const message = `clocks of instances differ by ${Math.round(seconds)} s at least`
  const state = seconds > leewaySeconds ? 'fail' : 'warn'
  return [
    { check: 'instance clocks', state, message, advice: 'synchronise them: tokens of one are refused by another' },
  ]
}

/** Whether each provider answers as who it is configured to be. */
export async function checkProviders({ signIn }: Pick<Settings, 'signIn'>): Promise<Finding[]> {
  return Promise.all([...signIn.providers.values()].map(checkProvider))
}

async function checkProvider({ name, issuer, ca }: ProviderSettings): Promise<Finding> {
  const check = 'provider'
  const url = new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  try {
    const answer = await httpsExchange({ method: 'GET', url, headers: [], ca })
    const advice = `is signIn.providers.${name}.issuer right? It is looked for at ${url.href}`
    if (answer.status !== 200) return { check, state: 'fail', message: `${name} answered ${answer.status}`, advice }
    const said = issuerIn(answer.body)
    if (said === issuer) return { check, state: 'ok', message: `${name} is ${issuer}` }
    const message = said === undefined ? `${name} answered no metadata` : `${name} calls itself another issuer`
    return { check, state: 'fail', message, advice }
  } catch (error) {
    const message = `${name}: ${error instanceof Error ? error.message : String(error)}`
    const advice = `see signIn.providers.${name}: issuer, and ca for an authority of its own; DNS, and what is let out`
    return { check, state: 'fail', message: message.replace(/ Start Portcullis with:.*/, ''), advice }
  }
}

function issuerIn(body: Buffer): string | undefined {
  try {
    const { issuer } = JSON.parse(body.toString('utf8')) as { issuer?: unknown }
    return typeof issuer === 'string' ? issuer : undefined
  } catch {
    return undefined
  }
}

/** Whether the mail server answers, over TLS where it must, and takes the password. */
export async function checkMail({ mail }: Pick<Settings, 'mail'>): Promise<Finding[]> {
  if (mail === undefined) return []
  const { probeMail } = await import('../../../users/mail/send-mail.js')
  try {
    await probeMail(mail)
    return [{ check: 'mail', state: 'ok', message: 'the mail server answers and lets us in' }]
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const advice = 'see mail.url (PORTCULLIS_MAIL): host, port, user and password, and smtps:// or STARTTLS'
    return [{ check: 'mail', state: 'fail', message, advice }]
  }
}
