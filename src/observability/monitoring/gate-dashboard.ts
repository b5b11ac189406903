// Calls: how many, how fast, what is refused and why, and the services behind the gate.

import { type Dashboard, gauge, quantile, rate } from './dashboard.js'
import { mcpRow } from './mcp-monitoring.js'

const requests = 'portcullis_http_requests_total'
const decisions = 'portcullis_auth_decisions_total'
const duration = 'portcullis_http_request_duration_seconds'
const upstream = 'portcullis_upstream_request_duration_seconds'
const chosen = 'route=~"$route"'

/** `portcullis-gate`. */
export const gateDashboard: Dashboard = {
  uid: 'portcullis-gate',
  title: 'Portcullis: gate',
  about: 'Calls: how many, how fast, what is refused and why, and the services behind the gate.',
  byRoute: true,
  rows: [
    {
      title: 'Calls',
      panels: [
        {
          title: 'Requests by status',
          about: 'Everything that the public listener answered.',
          unit: 'reqps',
          queries: [{ expr: `sum by (code) (${rate(requests, chosen)})`, legend: '{{code}}' }],
        },
        {
          title: 'Requests by route',
          about: 'The ten busiest routes.',
          unit: 'reqps',
          queries: [{ expr: `topk(10, sum by (route) (${rate(requests, chosen)}))`, legend: '{{route}}' }],
        },
        {
          title: 'Errors',
          about: 'The share of answers that are 5xx, by who made them: a service (upstream) or the gateway itself.',
          unit: 'percentunit',
          queries: [
            {
              expr: `sum by (source) (${rate(requests, `${chosen}, code=~"5.."`)}) / on () group_left () sum(${rate(requests, chosen)})`,
              legend: '{{source}}',
            },
          ],
        },
        {
          title: 'Time to answer',
          about: 'From the head of the request to the head of the answer, services included.',
          unit: 's',
          queries: [0.5, 0.95, 0.99].map((q) => ({ expr: quantile(q, duration, [], chosen), legend: `p${q * 100}` })),
        },
        {
          title: 'Slowest routes',
          about: 'The 99th percentile of the ten slowest routes.',
          unit: 's',
          queries: [{ expr: `topk(10, ${quantile(0.99, duration, ['route'], chosen)})`, legend: '{{route}}' }],
        },
        {
          title: 'Time added by the gate',
          about: 'Of proxied requests: what was not spent waiting for the service.',
          unit: 's',
          queries: [0.5, 0.99].map((q) => ({
            expr: quantile(q, 'portcullis_overhead_seconds', [], chosen),
            legend: `p${q * 100}`,
          })),
        },
      ],
    },
    {
      title: 'Decisions',
      panels: [
        {
          title: 'Refused, by reason',
          about: 'Refusals of the gate. `portcullis explain` and the portal say what to do about a single one.',
          unit: 'reqps',
          queries: [
            { expr: `sum by (reason) (${rate(decisions, `${chosen}, decision="denied"`)})`, legend: '{{reason}}' },
          ],
        },
        {
          title: 'Refused, by route',
          about: 'The ten routes that refuse most.',
          unit: 'reqps',
          queries: [
            {
              expr: `topk(10, sum by (route) (${rate(decisions, `${chosen}, decision="denied"`)}))`,
              legend: '{{route}}',
            },
          ],
        },
        {
          title: 'Would be refused',
          about: 'Passed by routes that only watch (`shadow: true`), by what they would refuse for.',
          unit: 'reqps',
          queries: [
            {
              expr: `sum by (route, reason) (${rate('portcullis_would_deny_total', chosen)})`,
              legend: '{{route}} {{reason}}',
            },
          ],
        },
        {
          title: 'Limits reached',
          about: 'Requests that a limit or a plan refused, by limit.',
          unit: 'reqps',
          queries: [
            {
              expr: `sum by (policy) (${rate('portcullis_ratelimit_decisions_total', 'decision="refused"')})`,
              legend: '{{policy}}',
            },
            {
              expr: `sum by (policy) (${rate('portcullis_ratelimit_would_refuse_total')})`,
              legend: '{{policy}} (only watched)',
            },
          ],
        },
        {
          title: 'Limits decided without Redis',
          about: 'Each limit then does what its `onDown` says. More than nothing: look at Redis.',
          unit: 'reqps',
          queries: [{ expr: `sum by (answer) (${rate('portcullis_limit_on_down_total')})`, legend: '{{answer}}' }],
        },
        {
          title: 'Round trips of limits',
          about: 'How long the shared numbers of limits take to answer; nothing without Redis.',
          unit: 's',
          queries: [{ expr: quantile(0.99, 'portcullis_ratelimit_store_seconds'), legend: 'p99' }],
        },
      ],
    },
    {
      title: 'Services',
      panels: [
        {
          title: 'Targets',
          about: '1: requests go there. 0: it fails, or its checks do.',
          unit: 'short',
          queries: [
            {
              expr: `min by (upstream, target) (${gauge('portcullis_upstream_target_up')})`,
              legend: '{{upstream}} {{target}}',
            },
          ],
        },
        {
          title: 'Time of services',
          about: 'The 99th percentile until the head of their answer.',
          unit: 's',
          queries: [{ expr: quantile(0.99, upstream, ['upstream']), legend: '{{upstream}}' }],
        },
        {
          title: 'Outcomes',
          about: 'How requests to services ended.',
          unit: 'reqps',
          queries: [
            { expr: `sum by (upstream, outcome) (${rate(`${upstream}_count`)})`, legend: '{{upstream}} {{outcome}}' },
          ],
        },
        {
          title: 'Under way',
          about: 'Running, waiting for a place, and streams.',
          unit: 'short',
          queries: [
            {
              expr: `sum by (upstream, state) (${gauge('portcullis_upstream_in_flight')})`,
              legend: '{{upstream}} {{state}}',
            },
          ],
        },
        {
          title: 'Refused for a service',
          about: 'Requests that found no place, no connection or no time at a service.',
          unit: 'reqps',
          queries: [
            {
              expr: `sum by (upstream, reason) (${rate('portcullis_upstream_refusals_total')})`,
              legend: '{{upstream}} {{reason}}',
            },
          ],
        },
        {
          title: 'Sent again',
          about: 'Requests that were sent to a service again, by reason.',
          unit: 'reqps',
          queries: [
            {
              expr: `sum by (upstream, reason) (${rate('portcullis_upstream_retries_total')})`,
              legend: '{{upstream}} {{reason}}',
            },
          ],
        },
      ],
    },
    mcpRow,
    {
      title: 'Connections',
      panels: [
        {
          title: 'Open',
          about: 'Connections of the public listener, and answers that are still being sent.',
          unit: 'short',
          queries: [
            { expr: `sum(${gauge('portcullis_connections_open')})`, legend: 'connections' },
            { expr: `sum by (kind) (${gauge('portcullis_open_streams')})`, legend: '{{kind}}' },
          ],
        },
        {
          title: 'Refused or closed',
          about: 'Connections, by what was full, and those whose request could not be read.',
          unit: 'cps',
          queries: [
            {
              expr: `sum by (reason, outcome) (${rate('portcullis_connections_ended_total')})`,
              legend: '{{reason}} {{outcome}}',
            },
            { expr: `sum by (reason) (${rate('portcullis_http_client_errors_total')})`, legend: '{{reason}}' },
          ],
        },
        {
          title: 'Memory for bodies',
          about: 'Set aside for request bodies that are read whole.',
          unit: 'bytes',
          queries: [{ expr: `sum(${gauge('portcullis_held_body_bytes')})`, legend: 'bodies' }],
        },
      ],
    },
  ],
}
