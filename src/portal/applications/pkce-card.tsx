// Whether the sign-ins of a web application come with PKCE, and the button that requires it (contract §8, decision
// 100).

import type { VNode } from 'preact'
import type { PkceUseAnswer } from '../../management/applications/pkce-use.js'
import { Form } from '../../web/pages/form.js'
import { type Application, applicationPath } from '../application-page.js'
import type { PortalContext } from '../context.js'
import { dateTime } from '../dates.js'
import { kindOf } from './kinds.js'

/** What is known of it; undefined where there is nothing to decide: nobody signs in, or PKCE is always required. */
export async function readPkceUse(
  context: PortalContext,
  application: Application,
): Promise<PkceUseAnswer | undefined> {
  if (kindOf(application) !== 'web') return undefined
  return context.api<PkceUseAnswer>('GET', `/applications/${application.applicationId}/pkceUse`)
}

/** The figures, and what can be done with them: required when nobody would be refused by it, and no more on request. */
export function PkceCard({
  context,
  application,
  use,
}: {
  context: PortalContext
  application: Application
  use: PkceUseAnswer | undefined
}): VNode | null {
  if (use === undefined) return null
  const offered = use.required || use.withoutPkce === 0
  const action = context.link(applicationPath(application.applicationId))
  const hidden = { requirePkce: use.required ? 'false' : 'true' }
  return (
    <section class="card" aria-labelledby="pkce">
      <h2 id="pkce">PKCE</h2>
      <p id="pkce-use">{sentence(use)}</p>
      <p class="fine">
        With PKCE an authorization code is worth nothing to anybody but the program that began the sign-in, also when
        somebody comes by it or slips in another one.
      </p>
      {offered ? (
        <Form id="pkce-form" action={action} token={context.token} hidden={hidden}>
          <button type="submit" id="change-pkce" class={use.suggested ? 'primary' : 'plain small'}>
            {use.required ? 'Do not require PKCE' : 'Require PKCE'}
          </button>
        </Form>
      ) : null}
    </section>
  )
}

function sentence(use: PkceUseAnswer): string {
  const { required, withPkce, withoutPkce, lastWithoutAt, suggested, from, countedSince } = use
  const all = withPkce + withoutPkce
  if (required) return 'Required: a sign-in without PKCE is refused.'
  if (lastWithoutAt !== null) {
    const came = `${withoutPkce} of ${all} ${all === 1 ? 'request' : 'requests'} of the last 30 days came without PKCE`
    return `${came}, the last on ${dateTime(Date.parse(lastWithoutAt))}. When none does any more, it can be required here.`
  }
  const isYoung = countedSince.slice(0, 10) > from && !suggested
  const since = isYoung ? `since ${dateTime(Date.parse(countedSince))}, when counting began,` : 'of the last 30 days'
  if (all === 0) return `Nobody signed in: there were no requests ${since.replace(/,$/, '')}.`
  const used = all === 1 ? `The only request ${since} used PKCE` : `All ${all} requests ${since} used PKCE`
  return suggested ? `${used}: require it.` : `${used}.`
}
