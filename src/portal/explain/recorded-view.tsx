// A decision that was recorded, beside what would be decided now.

import type { VNode } from 'preact'
import type { Explained } from '../../management/server/explain-schemas.js'
import { displayName } from '../../web/pages/display-name.js'
import { Facts } from '../../web/pages/elements.js'
import { What } from '../activity/decision-table.js'
import { applicationPath } from '../application-page.js'
import type { PortalContext } from '../context.js'
import { dateTime } from '../dates.js'
import { ExplanationView } from './explanation-view.js'

/** What happened, then what would happen now. */
export function RecordedView({
  context,
  explained: { recorded, now },
}: {
  context: PortalContext
  explained: Explained
}): VNode {
  const { outcome, status, reason, number, permissions, applicationId } = recorded
  return (
    <>
      <section
        class={`card verdict ${outcome === 'granted' ? 'allowed' : 'refused'}`}
        id="recorded"
        aria-labelledby="recorded-title"
      >
        <h2 id="recorded-title">{outcome === 'granted' ? 'It was granted' : `It was refused with ${status}`}</h2>
        <Facts
          id="recorded-facts"
          rows={[
            ['When', dateTime(Date.parse(recorded.at))],
            ['What', <What key="what" decision={recorded} />],
            [
              'Reason',
              number === null ? (
                <code>{reason}</code>
              ) : (
                <a href={`/errors/${number}`}>
                  <code>{reason}</code>
                </a>
              ),
            ],
            ...(permissions.length === 0
              ? []
              : [['Permissions', permissions.map((id) => displayName(id, 120)).join(', ')] as const]),
            [
              'Application',
              <a key="application" href={context.link(applicationPath(applicationId, 'activity'))}>
                <code>{applicationId}</code>
              </a>,
            ],
            ...(recorded.proved ? [] : [['Proof', 'The sender did not prove to be the application.'] as const]),
            ['request-id', <code key="id">{recorded.requestId}</code>],
          ]}
        />
      </section>
      {now === null ? (
        <section class="card" id="now">
          <h2>Now</h2>
          <p>The route of this call is no longer in the configuration.</p>
        </section>
      ) : recorded.what === 'call' ? (
        <>
          <h2 class="apart">The same call now</h2>
          <ExplanationView explanation={now} />
        </>
      ) : (
        <TokenNow now={now} />
      )}
    </>
  )
}

function TokenNow({ now }: { now: NonNullable<Explained['now']> }): VNode {
  const { tokenRefusal, caller } = now
  return (
    <section class="card" id="now" aria-labelledby="now-title">
      <h2 id="now-title">The same request now</h2>
      {tokenRefusal !== null ? (
        <>
          <p>
            It would be refused with <code>{tokenRefusal.error}</code>: {displayName(tokenRefusal.description, 600)}
          </p>
          {tokenRefusal.consentUri === null ? null : (
            <p>
              <a href={tokenRefusal.consentUri}>Where an administrator consents</a>
            </p>
          )}
        </>
      ) : (
        <p>
          It would get a token with {caller.token?.permissions.join(', ') ?? 'nothing'}, if it proves that it is the
          application.
        </p>
      )}
    </section>
  )
}
