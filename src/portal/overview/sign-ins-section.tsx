// Sign-ins that failed: over time, and whose.

import type { VNode } from 'preact'
import { displayName } from '../../web/pages/display-name.js'
import { BarChart } from '../charts/bar-chart.js'
import type { PortalContext } from '../context.js'
import { dateTime } from '../dates.js'
import { Table } from '../table.js'
import { axisTimes, wholeSlotText } from '../usage/slot-text.js'
import type { Stretch } from '../usage/stretch.js'
import type { Administration } from './read-overview.js'

const attempts = '/portal/audit/attempts?event=user.sign-in-failed'

/** Nothing while none failed. `names`: of people, by their id. */
export function SignInsSection({
  context,
  stretch,
  signIns,
  names,
}: {
  context: PortalContext
  stretch: Stretch
  signIns: Administration['signIns']
  names: ReadonlyMap<string, string>
}): VNode | null {
  if (signIns.count === 0) return null
  return (
    <section class="card" aria-labelledby="sign-ins-title">
      <div class="toolbar middle">
        <h2 id="sign-ins-title">Sign-ins that failed</h2>
        <a href={context.link(attempts)}>All of them</a>
      </div>
      <BarChart
        id="sign-ins-chart"
        label={`Sign-ins that failed ${stretch.words}: ${signIns.count}.`}
        table="sign-ins"
        series={[{ text: 'Failed', kind: 'refused' }]}
        times={axisTimes(signIns.value.map(({ at }) => at))}
        bars={signIns.value.map(({ at, failed }) => ({ text: wholeSlotText(at), parts: [failed] }))}
      />
      <Table
        id="sign-ins"
        columns={[{ text: 'Person' }, { text: 'Failed', number: true }, { text: 'Last' }]}
        rows={signIns.people.map(({ userId, failed, lastAt }, index) => ({
          id: `sign-in-${index}`,
          cells: [
            userId === null ? (
              'Nobody with that address'
            ) : (
              <a href={context.link(`/portal/people/${userId}`)}>{displayName(names.get(userId) ?? userId)}</a>
            ),
            String(failed),
            dateTime(Date.parse(lastAt)),
          ],
        }))}
      />
    </section>
  )
}
