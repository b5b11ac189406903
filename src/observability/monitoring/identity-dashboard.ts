// People and applications: sign-ins, tokens, what is revoked, keys, the audit log and events.

import { type Dashboard, gauge, quantile, rate } from './dashboard.js'

/** `portcullis-identity`. */
export const identityDashboard: Dashboard = {
  uid: 'portcullis-identity',
  title: 'Portcullis: identity',
  about: 'Sign-ins, tokens, revocations, keys, the audit log and events.',
  rows: [
    {
      title: 'Sign-in and tokens',
      panels: [
        {
          title: 'Sign-ins',
          about: 'Of people, by result. Many that failed or were delayed: somebody guesses, or a provider is away.',
          unit: 'cps',
          queries: [{ expr: `sum by (result) (${rate('portcullis_sign_ins_total')})`, legend: '{{result}}' }],
        },
        {
          title: 'Tokens issued',
          about: 'Granted requests of the token endpoint, by grant type.',
          unit: 'cps',
          queries: [
            {
              expr: `sum by (grant) (${rate('portcullis_token_issued_total', 'result="granted"')})`,
              legend: '{{grant}}',
            },
          ],
        },
        {
          title: 'Token requests refused',
          about: 'By the error of OAuth that the client got.',
          unit: 'cps',
          queries: [
            {
              expr: `sum by (result) (${rate('portcullis_token_issued_total', 'result!="granted"')})`,
              legend: '{{result}}',
            },
          ],
        },
        {
          title: 'Time of a token',
          about: 'The 99th percentile of the token endpoint.',
          unit: 's',
          queries: [
            { expr: quantile(0.99, 'portcullis_http_request_duration_seconds', [], 'route="token"'), legend: 'p99' },
          ],
        },
        {
          title: 'Sign-ins ended',
          about: 'Grants of people that ended, by reason. One that ends in -reused may be a stolen token.',
          unit: 'cps',
          queries: [{ expr: `sum by (reason) (${rate('portcullis_grants_ended_total')})`, legend: '{{reason}}' }],
        },
        {
          title: 'Secrets that end',
          about: 'Client secrets that end within the window, as the leader counts them.',
          unit: 'short',
          kind: 'value',
          queries: [{ expr: `max by (window) (${gauge('portcullis_secrets_expiring')})`, legend: '{{window}}' }],
        },
      ],
    },
    {
      title: 'Clients that nobody registered',
      panels: [
        {
          title: 'Fetches of client documents',
          about:
            'Client ID metadata documents, by what became of the fetch. Many that fail: a host is away, or somebody invents addresses.',
          unit: 'cps',
          queries: [
            {
              expr: `sum by (outcome) (${rate('portcullis_client_document_fetches_total')})`,
              legend: '{{outcome}}',
            },
          ],
        },
        {
          title: 'Registrations without a token',
          about:
            'Of clients that register themselves, by outcome. Many that are limited: somebody floods the endpoint.',
          unit: 'cps',
          queries: [
            { expr: `sum by (outcome) (${rate('portcullis_client_registrations_total')})`, legend: '{{outcome}}' },
          ],
        },
      ],
    },
    {
      title: 'Revocation',
      panels: [
        {
          title: 'Age of the view',
          about: 'How long ago each instance was certain to know every revocation. At 5 s it refuses.',
          unit: 's',
          queries: [{ expr: gauge('portcullis_revocation_staleness_seconds'), legend: '{{instance}}' }],
        },
        {
          title: 'From revocation to effect',
          about: 'From the commit of a change at one instance to its effect at another. The promise is one second.',
          unit: 's',
          queries: [0.5, 0.99].map((q) => ({
            expr: quantile(q, 'portcullis_revocation_propagation_seconds'),
            legend: `p${q * 100}`,
          })),
        },
        {
          title: 'Revocations',
          about:
            'In whatever way: at the revocation endpoint, in the portal, by reuse of a token. By what was revoked and by whom.',
          unit: 'cps',
          queries: [
            { expr: `sum by (kind, by) (${rate('portcullis_revocations_total')})`, legend: '{{kind}} by {{by}}' },
          ],
        },
        {
          title: 'Entries of the view',
          about: 'What an instance remembers as revoked.',
          unit: 'short',
          queries: [{ expr: gauge('portcullis_revocation_entries'), legend: '{{instance}}' }],
        },
        {
          title: 'Passed on a stale view',
          about: 'Only routes whose `onStale` says so do this. More than nothing is worth a look.',
          unit: 'reqps',
          queries: [
            { expr: `sum by (route) (${rate('portcullis_revocation_stale_passes_total')})`, legend: '{{route}}' },
          ],
        },
        {
          title: 'Signing keys',
          about: 'By purpose and state. Each purpose needs an active one.',
          unit: 'short',
          kind: 'value',
          queries: [
            { expr: `min by (purpose, state) (${gauge('portcullis_signing_keys')})`, legend: '{{purpose}} {{state}}' },
          ],
        },
      ],
    },
    {
      title: 'Audit log and events',
      panels: [
        {
          title: 'Rows of the audit log',
          about: 'Written by each instance.',
          unit: 'cps',
          queries: [{ expr: rate('portcullis_ledger_rows_total'), legend: '{{instance}}' }],
        },
        {
          title: 'Breaks of the audit log',
          about:
            'Times that rows were found to be gone or others. It must be 0: `portcullis audit verify` says from where.',
          unit: 'short',
          kind: 'value',
          queries: [{ expr: `sum(${gauge('portcullis_ledger_breaks_total')})`, legend: 'breaks' }],
        },
        {
          title: 'Not noted',
          about: 'Attempts, decisions and calls that were too many to be noted one by one.',
          unit: 'cps',
          queries: [
            { expr: `sum(${rate('portcullis_activity_dropped_total')})`, legend: 'attempts' },
            { expr: `sum(${rate('portcullis_recorded_decisions_dropped_total')})`, legend: 'decisions' },
            { expr: `sum(${rate('portcullis_usage_dropped_total')})`, legend: 'calls' },
          ],
        },
        {
          title: 'Deliveries of events',
          about: 'Attempts, by outcome. `portcullis webhook list` shows which webhooks fail.',
          unit: 'cps',
          queries: [{ expr: `sum by (outcome) (${rate('portcullis_event_deliveries_total')})`, legend: '{{outcome}}' }],
        },
        {
          title: 'Events that wait',
          about: 'As the leader counts them.',
          unit: 'short',
          queries: [{ expr: `max(${gauge('portcullis_event_backlog')})`, legend: 'events' }],
        },
        {
          title: 'Age of the oldest event',
          about: 'A receiver that fails keeps its events waiting for up to a day.',
          unit: 's',
          queries: [{ expr: `max(${gauge('portcullis_event_backlog_age_seconds')})`, legend: 'oldest' }],
        },
        {
          title: 'Day of usage that waits',
          about:
            'Since the day was over until all tenants were told of it: a minute, or an hour after an instance died.',
          unit: 's',
          queries: [{ expr: `max(${gauge('portcullis_usage_day_wait_seconds')})`, legend: 'oldest' }],
        },
      ],
    },
  ],
}
