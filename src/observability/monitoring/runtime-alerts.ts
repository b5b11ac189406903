// Alerts about instances: that they run, agree, and reach what they need.

import type { Alert } from './alert.js'

/** In the order of the rules file. */
export const runtimeAlerts: readonly Alert[] = [
  {
    name: 'PortcullisInstanceDown',
    expr: 'up{job="portcullis"} == 0',
    for: '15s',
    severity: 'warning',
    summary: '{{ $labels.instance }} does not answer on its operator listener.',
  },
  {
    name: 'PortcullisInstanceNotReady',
    why: 'Longer than a rolling restart takes one instance out.',
    expr: 'haproxy_server_status{proxy="ready", state="UP"} == 0',
    for: '90s',
    severity: 'warning',
    summary: '{{ $labels.server }} gets no requests.',
    action: 'Its /readyz tells the reasons.',
  },
  {
    name: 'PortcullisNobodyReady',
    expr: 'haproxy_backend_active_servers{proxy="ready"} == 0',
    for: '5s',
    severity: 'critical',
    summary: 'No instance is ready; requests go to those that live.',
  },
  {
    name: 'PortcullisStoreDown',
    expr: 'portcullis_store_up == 0',
    for: '10s',
    severity: 'critical',
    summary: '{{ $labels.instance }} does not reach PostgreSQL.',
    action:
      'Tokens that exist go on working for a minute, without Redis for 5 s; new ones, revocations and management answer 503.',
  },
  {
    name: 'PortcullisRedisDown',
    expr: 'min by (instance, use) (portcullis_redis_up) == 0',
    for: '10s',
    severity: 'warning',
    summary: '{{ $labels.instance }} does not reach Redis ({{ $labels.use }}).',
    action: 'No decision is lost. Changes come by PostgreSQL, and each limit does what its onDown says.',
  },
  {
    name: 'PortcullisNoLeader',
    why: 'One instance rotates keys and cleans up for all of them.',
    expr: 'sum(portcullis_leader) != 1',
    for: '2m',
    severity: 'warning',
    summary: '{{ $value }} instances do the periodic work; it should be one.',
  },
  {
    name: 'PortcullisInstancesDisagree',
    why: 'Equal on all, for each reads the same list: one that differs does not reach the Store, or is on another one.',
    expr: 'max(portcullis_instances) != min(portcullis_instances)',
    for: '1m',
    severity: 'warning',
    summary: 'Instances do not see the same number of one another.',
    action: 'On each: portcullis status. Limits of mode local are divided by that number.',
  },
  {
    name: 'PortcullisClocksDiffer',
    why: 'At the leeway of tokens, 60 s, one refuses what another has just issued.',
    expr: 'portcullis_clock_skew_seconds > 10',
    for: '1m',
    severity: 'warning',
    summary: "The clock of {{ $labels.instance }} and another one's differ by {{ $value }} s.",
  },
  {
    name: 'PortcullisWorkersEnd',
    why: 'Only with --workers; the primary starts another one each time.',
    expr: 'increase(portcullis_worker_ends_total[10m]) > 1',
    severity: 'warning',
    summary: 'Workers of {{ $labels.instance }} end by themselves.',
    action: 'Its log says why, in the lines before each `a worker ended`.',
  },
  {
    name: 'PortcullisWorkersSilent',
    expr: 'portcullis_workers_answering < portcullis_workers_expected',
    for: '1m',
    severity: 'warning',
    summary: '{{ $value }} workers of {{ $labels.instance }} answer; there should be more.',
  },
  {
    name: 'PortcullisLogLinesDropped',
    expr: 'increase(portcullis_log_lines_dropped_total[5m]) > 0',
    severity: 'warning',
    summary: '{{ $labels.instance }} cannot write its log.',
  },
  {
    name: 'PortcullisCertificateExpires',
    why: "Only where the gateway ends TLS itself; behind HAProxy it is 0 and HAProxy's certificate is for you to watch.",
    expr: '(portcullis_tls_cert_not_after_seconds > 0) - time() < 14 * 86400',
    severity: 'warning',
    summary: 'The certificate of {{ $labels.instance }} ends in {{ $value | humanizeDuration }}.',
  },
  {
    name: 'PortcullisConfigurationsDiffer',
    expr: 'count(count by (hash) (portcullis_config_info)) > 1',
    for: '10m',
    severity: 'warning',
    summary: 'The instances run with different configurations.',
  },
]
