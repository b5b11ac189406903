// Alerts about calls: what the gate decides, and the services behind it.

import type { Alert } from './alert.js'

/** In the order of the rules file. */
export const gateAlerts: readonly Alert[] = [
  {
    name: 'PortcullisPassesOnStaleView',
    expr: 'increase(portcullis_revocation_stale_passes_total[5m]) > 0',
    severity: 'critical',
    summary: '{{ $labels.route }} passed requests on a stale view, as its onStale says.',
  },
  {
    name: 'PortcullisLimitsOnDown',
    expr: 'sum by (instance, answer) (rate(portcullis_limit_on_down_total[1m])) > 0',
    for: '30s',
    severity: 'warning',
    summary: '{{ $labels.instance }} decides limits without the shared numbers ({{ $labels.answer }}).',
  },
  {
    name: 'PortcullisErrors',
    expr: [
      'sum(rate(portcullis_http_requests_total{code=~"5..", source!="upstream"}[5m]))',
      '  / sum(rate(portcullis_http_requests_total[5m])) > 0.01',
    ].join('\n'),
    for: '2m',
    severity: 'warning',
    summary: '{{ $value | humanizePercentage }} of the answers are errors of the gateway itself.',
  },
  {
    name: 'PortcullisUpstreamErrors',
    expr: [
      'sum by (upstream) (rate(portcullis_upstream_request_duration_seconds_count{outcome!="answered"}[5m]))',
      '  / sum by (upstream) (rate(portcullis_upstream_request_duration_seconds_count[5m])) > 0.05',
    ].join('\n'),
    for: '2m',
    severity: 'warning',
    summary: '{{ $labels.upstream }} does not answer {{ $value | humanizePercentage }} of its requests.',
  },
  {
    name: 'PortcullisTargetDown',
    expr: 'portcullis_upstream_target_up == 0',
    for: '2m',
    severity: 'warning',
    summary: '{{ $labels.target }} of {{ $labels.upstream }} gets no requests: it fails, or its checks do.',
  },
  {
    name: 'PortcullisUpstreamCrowded',
    expr: 'sum by (upstream, reason) (rate(portcullis_upstream_refusals_total[5m])) > 1',
    for: '5m',
    severity: 'warning',
    summary: '{{ $labels.upstream }} refuses {{ $value }} requests a second: {{ $labels.reason }}.',
  },
  {
    name: 'PortcullisRefusalsSpike',
    expr: [
      'sum by (route) (rate(portcullis_auth_decisions_total{decision="denied"}[5m])) > 1',
      'and sum by (route) (rate(portcullis_auth_decisions_total{decision="denied"}[5m]))',
      '  > 5 * sum by (route) (rate(portcullis_auth_decisions_total{decision="denied"}[1h] offset 10m))',
    ].join('\n'),
    for: '5m',
    severity: 'warning',
    summary: '{{ $labels.route }} refuses five times as many requests as in the hour before.',
  },
  {
    name: 'PortcullisLimitsReached',
    expr: [
      'sum by (policy) (rate(portcullis_ratelimit_decisions_total{decision="refused"}[5m]))',
      '  / sum by (policy) (rate(portcullis_ratelimit_decisions_total[5m])) > 0.1',
    ].join('\n'),
    for: '10m',
    severity: 'info',
    summary: '{{ $labels.policy }} refuses {{ $value | humanizePercentage }}.',
  },
  {
    name: 'PortcullisUsageDropped',
    why: 'Somebody makes more different applications or routes than are counted apart, or PostgreSQL was away for long.',
    expr: 'increase(portcullis_usage_dropped_total[15m]) > 0',
    severity: 'warning',
    summary: '{{ $labels.instance }} did not count {{ $value }} calls.',
    action: 'What is shown as unused may have been used; wait with removing it.',
  },
]
