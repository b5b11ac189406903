// The last sign-ins through a provider that failed, and why.

import type { VNode } from 'preact'
import type { ActivityEntries } from '../../management/audit/audit-schemas.js'
import { dateTime } from '../dates.js'
import { Table } from '../table.js'

const reasons: Readonly<Record<string, string>> = {
  external_unreachable: 'The provider could not be reached.',
  external_not_proven: 'What came back proved nobody.',
  external_refused: 'The person or the provider ended it.',
  external_no_account: 'Nobody here is linked with who they are there.',
  external_no_tenant: 'The tenant for new people is not there.',
  no_external_request: 'The browser came back late, twice, or from elsewhere.',
}

const columns = [{ text: 'When' }, { text: 'What happened' }, { text: 'Why' }, { text: 'From' }] as const

interface Details {
  reason?: unknown
  why?: unknown
  providerError?: unknown
  providerStatus?: unknown
}

/** The card. */
export function FailedSignIns({ entries }: { entries: ActivityEntries['value'] }): VNode {
  return (
    <section class="card" aria-labelledby="failed-title">
      <h2 id="failed-title">Sign-ins that failed</h2>
      {entries.length === 0 ? (
        <p class="nothing" id="none-failed">
          None that is still recorded.
        </p>
      ) : (
        <Table
          id="failed"
          caption="The last ones, at most twenty."
          columns={columns}
          rows={entries.map(({ id, at, address, details }) => ({
            id: `failed-${id}`,
            cells: [dateTime(Date.parse(at)), happened(details as Details), why(details as Details), address ?? '—'],
          }))}
        />
      )}
    </section>
  )
}

function happened({ reason }: Details): string {
  const word = typeof reason === 'string' ? reason : ''
  return Object.hasOwn(reasons, word) ? (reasons[word] ?? word) : word
}

function why({ why: said, providerError: word, providerStatus: status }: Details): string {
  const more = [typeof word === 'string' ? word : '', typeof status === 'number' ? `it answered ${status}` : ''].filter(
    (each) => each !== '',
  )
  return [typeof said === 'string' ? said : '—', ...more].join('; ')
}
