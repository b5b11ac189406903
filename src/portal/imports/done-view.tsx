// What an import did: its counts, the private keys that it made, shown this once, and what to do next.

import type { VNode } from 'preact'
import type { ImportAnswer } from '../../management/imports/import-schemas.js'
import { displayName } from '../../web/pages/display-name.js'
import { Facts, Notice } from '../../web/pages/elements.js'
import type { PortalContext } from '../context.js'
import { SecretOnce } from '../copy.js'
import { importPath } from './entered.js'
import { counted, LeftOut, ResultTable } from './result-table.js'

type Done = ImportAnswer<'imported'>

/** The page's content. */
export function DoneView({ context, done }: { context: PortalContext; done: Done }): VNode {
  const { counts, value, left } = done
  return (
    <>
      <Notice id="done" kind={counts.failed + counts.notReached === 0 ? 'success' : 'error'} title={titleOf(counts)}>
        {counts.notReached === 0 ? null : <p>There was no time for all. Import the file again: what is done stays.</p>}
      </Notice>
      <Secrets value={value} />
      <section class="card" aria-labelledby="counts-title">
        <h2 id="counts-title">What was done</h2>
        <Facts id="counts" rows={counted(counts)} />
        {counts.created === 0 ? null : (
          <p class="fine">Nobody has consented to anything yet: see the API permissions of each application.</p>
        )}
        <div class="buttons">
          <a class="button" id="to-applications" href={context.link('/portal/applications')}>
            Go to applications
          </a>
          <a class="button plain" href={context.link(importPath)}>
            Import another file
          </a>
        </div>
      </section>
      <div class="card import-lines">
        <ResultTable context={context} rows={value} />
      </div>
      <LeftOut left={left} />
    </>
  )
}

function titleOf({ created, changed, failed, notReached }: Done['counts']): string {
  if (failed + notReached > 0) return `${created + changed} done, ${failed + notReached} not`
  if (created + changed === 0) return 'Nothing had to be done'
  return 'The import is done'
}

function Secrets({ value }: Pick<Done, 'value'>): VNode | null {
  const made = value.flatMap(({ name, applicationId, clientSecret }) =>
    clientSecret === undefined ? [] : [{ name, applicationId, clientSecret }],
  )
  if (made.length === 0) return null
  return (
    <section class="card once" aria-labelledby="secrets-title">
      <h2 id="secrets-title">{made.length === 1 ? 'Copy the private key now' : 'Copy the private keys now'}</h2>
      <p id="once">They are shown this once. Who loses one makes another under “Credentials”.</p>
      {made.map(({ name, applicationId = '', clientSecret }, at) => (
        <SecretOnce
          key={applicationId}
          id={`secret-${at + 1}`}
          label={`Private key of ${displayName(name, 80)}`}
          hint={
            <>
              Its application identifier is <code>{applicationId}</code>.
            </>
          }
        >
          {clientSecret}
        </SecretOnce>
      ))}
    </section>
  )
}
