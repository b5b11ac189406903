// The cards of a person's page that say where they are signed in, which applications act for them, and how they signed
// in lately, each with the way to what it leaves out.

import type { VNode } from 'preact'
import { browserName } from '../../identity/account/browser-name.js'
import { textsIn } from '../../languages/texts.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { ListItem } from '../../web/pages/list-item.js'
import { eventWords } from '../audit/event-words.js'
import type { PortalContext } from '../context.js'
import { dateTime } from '../dates.js'
import { Table } from '../table.js'
import type { PersonActivity, SignIn } from './read-activity.js'

interface About {
  context: PortalContext
  userId: string
  activity: PersonActivity
}

/** The three cards. What they post, person-page.tsx carries out. */
export function PersonActivityCards(about: About): VNode {
  return (
    <>
      <Sessions {...about} />
      <Applications {...about} />
      <SignIns {...about} />
    </>
  )
}

function Sessions({ context, activity: { sessions } }: About): VNode {
  return (
    <section class="card" aria-labelledby="sessions-title">
      <h2 id="sessions-title">Sessions</h2>
      {'refused' in sessions ? (
        <p id="no-sessions">{sessions.refused}</p>
      ) : sessions.value.length === 0 ? (
        <p id="no-sessions">They are signed in nowhere.</p>
      ) : (
        <ul class="list" id="sessions">
          {sessions.value.map(({ id, userAgent, address, acr, createdAt, lastSeenAt }) => (
            <ListItem
              key={id}
              name={browserName(textsIn('en').account, userAgent)}
              about={`Last seen ${dateTime(Date.parse(lastSeenAt))} from ${address}. Signed in ${dateTime(Date.parse(createdAt))}, ${acr === '2' ? 'with two factors' : 'with one factor'}.`}
            >
              <Form
                id={`session-${id.slice(0, 12)}`}
                action={context.address}
                token={context.token}
                hidden={{ do: 'end-session', session: id }}
                label={`End this session, last seen ${dateTime(Date.parse(lastSeenAt))}`}
              >
                <Button id={`end-${id.slice(0, 12)}`} kind="plain">
                  End
                </Button>
              </Form>
            </ListItem>
          ))}
        </ul>
      )}
      {'more' in sessions && sessions.more ? <p class="fine">There are more, which were begun later.</p> : null}
    </section>
  )
}

function Applications({ context, activity: { applications } }: About): VNode {
  return (
    <section class="card" aria-labelledby="apps-title">
      <h2 id="apps-title">Applications</h2>
      {applications.length === 0 ? (
        <p id="no-apps">They have allowed no application anything here by themselves.</p>
      ) : (
        <ul class="list" id="apps">
          {applications.map(({ applicationId, name, permissions }) => (
            <ListItem
              key={applicationId}
              name={displayName(name)}
              about={`May use ${permissions.map(({ id }) => id).join(', ')}, since ${dateTime(since(permissions))}.`}
            >
              <Form
                id={`app-${applicationId}`}
                action={context.address}
                token={context.token}
                hidden={{ do: 'withdraw', application: applicationId }}
                label={`Withdraw what ${displayName(name)} may do for this person`}
              >
                <Button id={`withdraw-${applicationId}`} kind="plain">
                  Withdraw
                </Button>
              </Form>
            </ListItem>
          ))}
        </ul>
      )}
      <p class="fine">
        What administrators granted for everybody stands under{' '}
        <a id="to-apps" href={context.link('/portal/consents/apps')}>
          Apps with access
        </a>
        .
      </p>
    </section>
  )
}

function SignIns({ context, userId, activity: { signIns } }: About): VNode {
  const audit = (path: string, event?: string) =>
    context.link(`${path}?${new URLSearchParams({ person: userId, ...(event === undefined ? {} : { event }) })}`)
  return (
    <section class="card" aria-labelledby="sign-ins-title">
      <h2 id="sign-ins-title">Sign-ins</h2>
      {signIns.length === 0 ? (
        <p id="no-sign-ins">None is recorded here.</p>
      ) : (
        <Table
          id="sign-ins"
          columns={[{ text: 'What' }, { text: 'When' }, { text: 'By' }, { text: 'From' }]}
          rows={signIns.map(rowOf)}
        />
      )}
      <p>
        <a id="to-sign-ins" href={audit('/portal/audit', 'user.signed-in')}>
          All sign-ins
        </a>
        {' · '}
        <a id="to-failures" href={audit('/portal/audit/attempts')}>
          All that failed
        </a>
        {' · '}
        <a id="to-audit" href={audit('/portal/audit')}>
          Everything about this person
        </a>
      </p>
    </section>
  )
}

function rowOf(signIn: SignIn, at: number) {
  const isGood = signIn.event === 'user.signed-in'
  return {
    id: `sign-in-${at}`,
    cells: [
      <span key="what" class={isGood ? 'tag' : 'tag warn'}>
        {eventWords(signIn.event)}
      </span>,
      dateTime(Date.parse(signIn.at)),
      proofOf(signIn.details),
      signIn.address ?? (signIn.limited === true ? 'not shown' : ''),
    ],
  }
}

const methods: Readonly<Record<string, string>> = {
  pwd: 'password',
  otp: 'code',
  hwk: 'passkey',
  fed: 'another provider',
}

/** Of a sign-in its methods (RFC 8176), of a failure the proof that was wrong. */
function proofOf(details: unknown): string {
  const { amr, proof } = (typeof details === 'object' && details !== null ? details : {}) as Record<string, unknown>
  if (Array.isArray(amr)) return amr.flatMap((method) => methods[String(method)] ?? []).join(', ')
  return typeof proof === 'string' ? proof : ''
}

function since(permissions: readonly { grantedAt: string }[]): number {
  return Math.min(...permissions.map(({ grantedAt }) => Date.parse(grantedAt)))
}
