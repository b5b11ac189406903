// What `portcullis doctor` looks at outside: the targets of services as the server sees them, the clocks of instances,
// the providers at which people sign in, and the mail server. Nothing secret is in a finding.

import type { Settings } from '../../../config/settings/settings.js'
import type { Answer } from '../../../management/schemas.js'
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

/** Whether people can sign in at each provider: what the server itself tries (identity/external/provider-check.ts). */
export async function checkProviders(settings: Pick<Settings, 'signIn' | 'server'>): Promise<Finding[]> {
  const providers = [...settings.signIn.providers.values()]
  if (providers.length === 0) return []
  const { checkProvider } = await import('../../../identity/external/provider-check.js')
  return Promise.all(
    providers.map(async (provider): Promise<Finding> => {
      const { name, issuer } = provider
      const steps = await checkProvider(provider, `${settings.server.baseUrl}/sign-in/external/${name}/callback`)
      const bad = steps.find(({ state }) => state === 'fail') ?? steps.find(({ state }) => state === 'unknown')
      if (bad === undefined) return { check: 'provider', state: 'ok', message: `${name} is ${issuer}` }
      const { message, advice = `see signIn.providers.${name}` } = bad
      const said = message.startsWith(name) ? message : `${name}: ${message}`
      return { check: 'provider', state: bad.state === 'fail' ? 'fail' : 'warn', message: said, advice }
    }),
  )
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
