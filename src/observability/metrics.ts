// Every metric that Portcullis exports, in one table, and the only file that knows prom-client. Seconds, `_total` on
// counters, `route` is a configured id and never a URL, methods outside the known set are `OTHER`, no client label.

import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client'
import { hotCounter, hotHistogram } from './hot-metrics.js'
import { droppedLogLines } from './log-output.js'
import { createNamedSeries } from './named-series.js'
import { createReloadMetrics } from './reload-metrics.js'

/** Upper bounds of every histogram, in seconds. */
export const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

/** The label of a request that matched no route. */
export const unmatchedRoute = '_unmatched'

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** The method label: one of the known ones, else `OTHER`. */
export function methodLabel(method: string): string {
  return knownMethods.has(method) ? method : 'OTHER'
}

const revoked = ['token', 'credential', 'grant', 'holder', 'application', 'user', 'tenant', 'consent']
const revokers = ['user', 'application', 'registration-token', 'operator', 'system']

function fromZero(counter: Counter<'kind' | 'by'>): Counter<'kind' | 'by'> {
  for (const kind of revoked) for (const by of revokers) counter.inc({ kind, by }, 0)
  return counter
}

/** Builds a registry of its own, so that several instances can live in one test process. */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  const named = createNamedSeries(registry)
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Counter({ name: `portcullis_${name}`, help, labelNames: [...labelNames], registers })
  /** With every value that matters to an alert from the start: an increase from nothing to 1 is none to Prometheus. */
  const counterOf = <L extends string>(name: string, help: string, label: L, values: readonly string[]) => {
    const made = counter(name, help, [label])
    for (const value of values) made.labels(value).inc(0)
    return made
  }
  /** `over` is what a primary makes of its workers' values. */
  const gauge = <L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[] = [],
    aggregation: 'sum' | 'min' | 'max' = 'max',
  ) => new Gauge({ name: `portcullis_${name}`, help, labelNames: [...labelNames], registers, aggregator: aggregation })
  const histogram = (name: string, help: string) =>
    new Histogram({ name: `portcullis_${name}`, help, buckets, registers })
  const hot = (name: string, help: string, labelNames: readonly string[]) => {
    const made = hotCounter(
      (collect) => new Counter({ name: `portcullis_${name}`, help, labelNames: [...labelNames], registers, collect }),
      (values) => named.isGone(labelNames, values),
    )
    named.add(made)
    return made
  }
  const hotTimes = (name: string, help: string, labelNames: readonly string[]) => {
    const histogram = hotHistogram({ name: `portcullis_${name}`, help, labelNames, buckets }, (values) =>
      named.isGone(labelNames, values),
    )
    named.add(histogram)
    // The registry asks a metric for its name and its values, and nothing else.
    registry.registerMetric(histogram as unknown as Metric)
    return histogram
  }

  collectDefaultMetrics({ register: registry, prefix: 'portcullis_' })

  return {
    registry,
    /** The series of what the configuration names. */
    named,
    reloads: createReloadMetrics(registry),
    /** `source` says who produced the status: `gate`, `identity`, `upstream`. `code` is the status. */
    httpRequests: hot('http_requests_total', 'Requests answered.', ['route', 'method', 'code', 'source']),
    httpDuration: hotTimes('http_request_duration_seconds', 'From the request head to the response head.', [
      'route',
      'method',
    ]),
    overhead: hotTimes('overhead_seconds', 'Time of a proxied request that was not spent waiting for the upstream.', [
      'route',
    ]),
    upstreamDuration: hotTimes('upstream_request_duration_seconds', 'Upstream time until its response head.', [
      'upstream',
      'outcome',
    ]),
    upstreamTargetUp: gauge(
      'upstream_target_up',
      'Whether requests go to a target of an upstream.',
      ['upstream', 'target'],
      'min',
    ),
    upstreamRetries: counter('upstream_retries_total', 'Requests sent to an upstream again, by reason.', [
      'upstream',
      'reason',
    ]),
    upstreamRefusals: counter(
      'upstream_refusals_total',
      'Requests that found no place, no connection or no time at an upstream, or no memory for their body.',
      ['upstream', 'reason'],
    ),
    upstreamInFlight: gauge(
      'upstream_in_flight',
      'Requests under way at an upstream: running, waiting, stream.',
      ['upstream', 'state'],
      'sum',
    ),
    loopDelay: hotTimes('event_loop_delay_seconds', 'By how much the event loop came late to a timer.', []).labels(),
    shedding: gauge('shedding', 'Whether this process refuses requests because it has more to do than it can.'),
    shedRequests: counterOf(
      'shed_requests_total',
      'Requests refused because the process had more to do than it could, by their priority.',
      'priority',
      ['revocation', 'sign-in', 'token', 'call'],
    ),
    heldBodyBytes: gauge('held_body_bytes', 'Memory set aside for request bodies that are read whole.', [], 'sum'),
    authDecisions: hot('auth_decisions_total', 'Access decisions.', ['route', 'decision', 'reason']),
    wouldDeny: counter(
      'would_deny_total',
      'Passed by routes that only watch (shadow: true), by what they would refuse for.',
      ['route', 'reason'],
    ),
    mcpCalls: hot(
      'mcp_calls_total',
      'Messages to MCP servers by callers who may connect, by configured operation (_other: none) and how they were decided: passed, would_deny, or the reason of the refusal.',
      ['route', 'operation', 'outcome'],
    ),
    mcpHidden: hot('mcp_hidden_items_total', 'Items of MCP lists that were not shown to a caller.', ['route', 'list']),
    mcpRepeats: hot(
      'mcp_repeated_calls_total',
      'Calls of a tool, prompt or resource of an MCP server that the same caller had made ten times and more within a minute.',
      ['route'],
    ),
    toolChanges: counter(
      'mcp_tool_changes_total',
      'Changed definitions of tools of MCP servers that this instance found first and the audit log has.',
      ['route'],
    ),
    changedTools: gauge(
      'mcp_changed_tools',
      'Tools of an MCP server whose definition changed and waits for approval.',
      ['route'],
    ),
    definitionReads: counter(
      'mcp_definition_reads_total',
      'Reads of the definitions of an MCP server by the leader, by how they ended: read, failed.',
      ['route', 'outcome'],
    ),
    mcpApprovals: counterOf(
      'mcp_approvals_total',
      'Calls that a person has to approve, and what became of them: requested, again (while it waits, or after it was refused), allowed and refused by the person, used, or not taken (full, too-long, withdrawn).',
      'outcome',
      ['requested', 'again', 'allowed', 'refused', 'used', 'full', 'too-long', 'withdrawn'],
    ),
    mcpStreams: gauge('mcp_open_streams', 'Open streams of an MCP server.', ['route'], 'sum'),
    tokensIssued: hot('token_issued_total', 'Token requests by grant type and result.', ['grant', 'result']),
    revocations: fromZero(
      counter('revocations_total', 'What this instance revoked, by what it was and by whom.', ['kind', 'by']),
    ),
    signIns: counterOf('sign_ins_total', 'Sign-ins of people at this instance: signed_in, failed, delayed.', 'result', [
      'signed_in',
      'failed',
      'delayed',
    ]),
    grantsEnded: counterOf('grants_ended_total', 'Grants of people that this instance ended, by reason.', 'reason', [
      'code-reused',
      'refresh-token-reused',
    ]),
    clientRegistrations: counterOf(
      'client_registrations_total',
      'Registrations of clients without a token, by what became of them.',
      'outcome',
      ['registered', 'refused', 'limited'],
    ),
    documentFetches: counterOf(
      'client_document_fetches_total',
      'Fetches of documents of clients that nobody registered, by what became of them.',
      'outcome',
      ['taken', 'unreachable', 'status', 'type', 'large', 'wrong'],
    ),
    ledgerRows: counter('ledger_rows_total', 'Rows that this instance wrote to the ledger.'),
    ledgerBreaks: counter('ledger_breaks_total', 'Times that rows of the ledger were found to be gone or others.'),
    activityDropped: counter('activity_dropped_total', 'Failed attempts that were too many to be noted.'),
    decisionsDropped: counter(
      'recorded_decisions_dropped_total',
      'Decisions of applications that were too many to be recorded.',
    ),
    usageDropped: counter('usage_dropped_total', 'Calls that were too many different ones to be counted for usage.'),
    secretsExpiring: gauge(
      'secrets_expiring',
      'Client secrets that end within the window, as the leader counts them.',
      ['window'],
    ),
    eventDeliveries: counterOf(
      'event_deliveries_total',
      'Attempts to deliver events: delivered, failed, dead.',
      'outcome',
      ['delivered', 'failed', 'dead'],
    ),
    eventBacklog: gauge('event_backlog', 'Events that wait to be delivered, as the leader counts them.'),
    usageDayWait: gauge(
      'usage_day_wait_seconds',
      'How long the oldest day that is over has waited to be told of by usage.day_ended, as the leader counts; 0: none waits.',
    ),
    eventBacklogAge: gauge('event_backlog_age_seconds', 'How long the oldest of them has waited.'),
    revocationEntries: gauge('revocation_entries', 'Entries in the revocation view.'),
    revocationStaleness: gauge('revocation_staleness_seconds', 'Age of the revocation view.'),
    stalePasses: counter(
      'revocation_stale_passes_total',
      'Requests passed on a stale view because their route says so.',
      ['route'],
    ),
    limitDecisions: hot('ratelimit_decisions_total', 'Rate limit decisions.', ['policy', 'decision']),
    limitWouldRefuse: counter('ratelimit_would_refuse_total', 'Refusals of limits that are only watched.', ['policy']),
    storeUp: gauge('store_up', 'Whether the Store answered last time.', [], 'min'),
    storeWritable: gauge(
      'store_writable',
      '0 from a write that failed until half a minute without one; else 1.',
      [],
      'min',
    ),
    redisUp: gauge('redis_up', 'Whether Redis answers, for each connection; absent without Redis.', ['use'], 'min'),
    instanceInfo: gauge('instance_info', 'Always 1; names this instance as the log and the status do.', ['instance']),
    instances: gauge('instances', 'Instances that live, as this one sees them.'),
    clockSkew: gauge('clock_skew_seconds', 'How far the clock of the instance that differs most is from this one’s.'),
    leader: gauge('leader', 'Whether this instance does the periodic work for all.'),
    revocationPropagation: histogram(
      'revocation_propagation_seconds',
      'From the commit of a change elsewhere to its effect here, by the wall clocks.',
    ),
    limitStore: histogram('ratelimit_store_seconds', 'Round trips to the shared numbers of limits.'),
    limitOnDown: counterOf('limit_on_down_total', 'Limits decided without the shared numbers.', 'answer', [
      'local',
      'refuse',
      'pass',
    ]),
    openStreams: gauge(
      'open_streams',
      'Proxied responses that are still being sent, and open WebSockets.',
      ['kind'],
      'sum',
    ),
    connectionsOpen: gauge('connections_open', 'Connections of the public listener.', [], 'sum'),
    connectionsEnded: counter(
      'connections_ended_total',
      'Connections refused (refused) or closed to make room for a new one (idle), by what was full: address, network, all, or rate.',
      ['reason', 'outcome'],
    ),
    clientErrors: counter('http_client_errors_total', 'Connections refused before a request could be read.', [
      'reason',
    ]),
    tlsCertificateNotAfter: gauge(
      'tls_cert_not_after_seconds',
      'When the served certificate expires (epoch seconds).',
      [],
      'min',
    ),
    tlsHandshakes: counterOf(
      'tls_handshakes_total',
      'TLS connections that began, by whether a session went on.',
      'kind',
      ['full', 'resumed'],
    ),
    ocspNextUpdate: gauge(
      'tls_ocsp_next_update_seconds',
      'Until when the status of a served certificate may be sent along (epoch seconds). 0: none is there, or it is revoked.',
      ['certificate'],
      'min',
    ),
    ocspAnswers: counterOf(
      'tls_ocsp_answers_total',
      'What responders told about served certificates; failed: no answer that can be used.',
      'status',
      ['good', 'revoked', 'unknown', 'failed'],
    ),
    signingKeys: gauge('signing_keys', 'Signing keys by purpose and state.', ['purpose', 'state']),
    configInfo: gauge('config_info', 'Always 1; the hash names the loaded configuration.', ['hash']),
    logLinesDropped: new Counter({
      name: 'portcullis_log_lines_dropped_total',
      help: 'Lines of the log that could not be written.',
      registers,
      collect() {
        this.reset()
        this.inc(droppedLogLines())
      },
    }),
    draining: gauge('draining', 'Whether this instance is shutting down.'),
  }
}

export type Metrics = ReturnType<typeof createMetrics>
