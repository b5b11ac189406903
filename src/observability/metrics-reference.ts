// The reference of every metric, written from the registry that exports them.

import type { Registry } from 'prom-client'
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

/** In Markdown: those of Portcullis, of a primary of several workers, and of Node. */
export function metricsReference(registry: Pick<Registry, 'getMetricsAsArray'>): string {
  const all = registry.getMetricsAsArray() as unknown as DescribedMetric[]
  const ofNode = (name: string) => /^portcullis_(?:nodejs_|process_)/.test(name)
  return [
    'What `/metrics` on the operator listener says, in the format of Prometheus. `route` is the id of a configured route and',
    'never a URL. `deploy/prometheus/rules.yml` has alerts; [Operations](operations.md#metrics-and-health) says where to look first.',
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
  ].join('\n')
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
