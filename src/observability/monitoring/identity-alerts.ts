// Alerts about sign-in, tokens and what is revoked, and about the audit log and events.

import type { Alert } from './alert.js'

/** In the order of the rules file. */
export const identityAlerts: readonly Alert[] = [
  {
    name: 'PortcullisViewStale',
    expr: 'portcullis_revocation_staleness_seconds > 2',
    for: '5s',
    severity: 'critical',
    summary: '{{ $labels.instance }} has heard of no change for {{ $value }} s; at 5 s it refuses.',
    action: 'Neither PostgreSQL nor Redis brings it changes. Look at both, and at the network between.',
  },
  {
    name: 'PortcullisLedgerBroken',
    expr: 'increase(portcullis_ledger_breaks_total[1h]) > 0',
    severity: 'critical',
    summary: '{{ $labels.instance }} misses rows of the ledger that it had seen.',
    action:
      'Run portcullis audit verify; it says from which row on. Unless a back-up was restored, somebody wrote to the database.',
  },
  {
    name: 'PortcullisPropagationSlow',
    why: 'The promise is 1 s everywhere, else the instance refuses at 5 s.',
    expr: 'histogram_quantile(0.99, sum by (instance, le) (rate(portcullis_revocation_propagation_seconds_bucket[5m]))) > 1',
    for: '1m',
    severity: 'critical',
    summary: 'Changes take effect at {{ $labels.instance }} after {{ $value | humanizeDuration }}.',
  },
  {
    name: 'PortcullisTokenRefusalsSpike',
    expr: [
      'sum(rate(portcullis_token_issued_total{result!="granted"}[5m])) > 1',
      'and sum(rate(portcullis_token_issued_total{result!="granted"}[5m]))',
      '  > 0.5 * sum(rate(portcullis_token_issued_total[5m]))',
    ].join('\n'),
    for: '5m',
    severity: 'warning',
    summary: 'Most token requests are refused: a secret has ended, or somebody is guessing.',
  },
  {
    name: 'PortcullisSignInFailuresSpike',
    why: 'Delayed ones count: an account or an address that has failed so often that it must wait.',
    expr: [
      'sum(rate(portcullis_sign_ins_total{result!="signed_in"}[5m])) > 1',
      'and sum(rate(portcullis_sign_ins_total{result!="signed_in"}[5m]))',
      '  > 0.5 * sum(rate(portcullis_sign_ins_total[5m]))',
    ].join('\n'),
    for: '5m',
    severity: 'warning',
    summary: 'Most sign-ins fail: somebody is guessing passwords, or a provider does not answer.',
    action: 'portcullis audit activity --event user.sign-in-failed shows whose, and from where.',
  },
  {
    name: 'PortcullisGrantReused',
    why: 'A code or a refresh token came twice: a client repeats itself, or somebody else has it. The grant has ended.',
    expr: 'sum by (reason) (increase(portcullis_grants_ended_total{reason=~".*-reused"}[15m])) > 0',
    severity: 'warning',
    summary: '{{ $value }} grants ended ({{ $labels.reason }}).',
    action: 'portcullis audit list --event grant.reuse-detected shows whose, and of which application.',
  },
  {
    name: 'PortcullisActivityDropped',
    expr: 'increase(portcullis_activity_dropped_total[5m]) > 0',
    severity: 'warning',
    summary: '{{ $labels.instance }} is tried so often that it does not note all of it.',
  },
  {
    name: 'PortcullisEventsDead',
    why: 'A receiver has failed for a day or is gone; its tenant sees which.',
    expr: 'sum(increase(portcullis_event_deliveries_total{outcome="dead"}[1h])) > 0',
    severity: 'info',
    summary: '{{ $value }} events could not be delivered.',
    action: 'portcullis webhook list shows which webhooks fail; webhook deliveries ID --state dead what they missed.',
  },
  {
    name: 'PortcullisEventsWait',
    why: 'Receivers that fail keep some waiting for up to a day; more than that waits when nobody delivers.',
    expr: 'max(portcullis_event_backlog_age_seconds) > 2 * 86400 or max(portcullis_event_backlog) > 10000',
    for: '10m',
    severity: 'warning',
    summary: 'Events wait that should have been delivered or given up.',
    action: 'Look for the leader (portcullis status) and for failures of background work in its log.',
  },
  {
    name: 'PortcullisUsageDayWaits',
    why: 'A minute is usual, an hour when an instance has died. One that is there and writes nothing is waited for six hours.',
    expr: 'max(portcullis_usage_day_wait_seconds) > 2 * 3600',
    for: '10m',
    severity: 'warning',
    summary:
      'A day of usage that ended {{ $value | humanizeDuration }} ago has not been told of: billing waits for it.',
    action:
      'An instance has not written what it counted, or the leader cannot: look for failures of background work in their logs.',
  },
  {
    name: 'PortcullisSecretsExpire',
    why: 'Counted by the leader. The owners of the applications hear of it by the event secret.expiring.',
    expr: 'max(portcullis_secrets_expiring{window="7d"}) > 0',
    for: '1h',
    severity: 'info',
    summary: '{{ $value }} client secrets end within a week.',
    action: 'portcullis audit list --event secret.expiring shows whose.',
  },
  {
    name: 'PortcullisNoSigningKey',
    expr: 'sum by (instance) (portcullis_signing_keys{purpose="token", state="active"}) < 1',
    for: '1m',
    severity: 'critical',
    summary: '{{ $labels.instance }} has no key to sign tokens with.',
  },
]
