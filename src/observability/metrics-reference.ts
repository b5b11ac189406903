// The reference of every metric, written from the registry that exports them.

import type { Registry } from 'prom-client'
import { dashboards } from './monitoring/files.js'
import { alertGroups } from './monitoring/rules.js'
import { workersOwnMetrics } from './workers-metrics.js'

/** What a metric says of itself. */
interface DescribedMetric {
  name: string
  help: string
  type?: string
  labelNames?: readonly string[]
  /** Of the hot histograms, which prom-client must not take for its own. */
  describedLabels?: readonly string[]
}

/** In Markdown: those of Portcullis, of a primary of several workers, and of Node; then what watches them. */
export function metricsReference(registry: Pick<Registry, 'getMetricsAsArray'>): string {
  const all = registry.getMetricsAsArray() as unknown as DescribedMetric[]
  const ofNode = (name: string) => /^portcullis_(?:nodejs_|process_)/.test(name)
  return [
    'What `/metrics` on the operator listener says, in the format of Prometheus. `route` is the id of a configured route and',
    'never a URL. [Alerts](#alerts) and [dashboards](#dashboards) of this version are in `deploy/`; ' +
      '[Operations](operations.md#metrics-and-health) says how to use them.',
    '',
    '## Portcullis',
    '',
    table(all.filter(({ name }) => !ofNode(name))),
    '',
    '## Workers',
    '',
    'The primary of several workers adds up what they count, and adds these:',
    '',
    table(Object.values(workersOwnMetrics)),
    '',
    '## The process',
    '',
    table(all.filter(({ name }) => ofNode(name))),
    '',
    '## Alerts',
    '',
    'In `deploy/prometheus/rules.yml`, and in `deploy/kubernetes/components/monitoring` for the operator of Prometheus.',
    '',
    ...alertTable(),
    '',
    '## Dashboards',
    '',
    'For Grafana, in `deploy/grafana`. Each takes any Prometheus data source, and all or some instances.',
    '',
    ...dashboards.flatMap(({ uid, title, about, rows }) => [
      `- \`${uid}.json\`, *${title}*: ${about} ` +
        `Rows: ${rows.map((row) => `${row.title} (${row.panels.length} panels)`).join(', ')}.`,
    ]),
  ].join('\n')
}

function alertTable(): string[] {
  const rows = Object.values(alertGroups)
    .flat()
    .map(({ name, severity, expr, summary, action, ...alert }) => {
      const holds = alert.for === undefined ? '' : `, for ${alert.for}`
      const text = action === undefined ? summary : `${summary} ${action}`
      return `| \`${name}\` | ${severity} | \`${cell(expr)}\`${holds} | ${cell(text)} |`
    })
  return ['| name | severity | when | what it says |', '|---|---|---|---|', ...rows]
}

/** In one line, and without what ends a cell. */
function cell(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('|', '\\|')
}

function table(metrics: readonly DescribedMetric[]): string {
  const lines = [...metrics]
    .sort((one, other) => one.name.localeCompare(other.name))
    .map(({ name, type, help, labelNames, describedLabels }) => {
      const labels = (describedLabels ?? labelNames ?? []).map((label) => `\`${label}\``).join(', ')
      return `| \`${name}\` | ${type ?? ''} | ${labels} | ${help.replaceAll('|', '\\|')} |`
    })
  return ['| name | type | labels | what it is |', '|---|---|---|---|', ...lines].join('\n')
}
