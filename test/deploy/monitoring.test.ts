// Dashboards and alerts of deploy/ are the ones that this version makes, and ask for series that it exports.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { createMetrics } from '../../src/observability/metrics.js'
import { dashboards, monitoringFiles } from '../../src/observability/monitoring/files.js'
import { alertGroups } from '../../src/observability/monitoring/rules.js'
import { workersOwnMetrics } from '../../src/observability/workers-metrics.js'
import { deployFolder } from './deployment.js'

/** Labels of a scrape and of buckets; any metric may have them. */
const everywhere = new Set(['instance', 'job', 'le'])

const alerts = Object.values(alertGroups).flat()
const expressions = [
  ...alerts.map(({ name, expr }) => ({ of: name, expr })),
  ...dashboards.flatMap(({ uid, rows }) =>
    rows.flatMap(({ panels }) =>
      panels.flatMap(({ title, queries }) => queries.map(({ expr }) => ({ of: `${uid}: ${title}`, expr }))),
    ),
  ),
]

t.test('the files of deploy/ are as npm run monitoring writes them', async (t) => {
  for (const [path, text] of monitoringFiles()) {
    const file = join(deployFolder, path)
    if (process.env['TAP_SNAPSHOT'] === '1') {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
    }
    t.equal(readFileSync(file, 'utf8'), text, `${path}: npm run monitoring writes it anew`)
  }
})

t.test('every series of a query is exported, with every label that the query names', async (t) => {
  const known = new Map(
    [
      ...(createMetrics().registry.getMetricsAsArray() as unknown as Described[]),
      ...(Object.values(workersOwnMetrics) as Described[]),
    ].map((metric) => [metric.name, metric.describedLabels ?? metric.labelNames ?? []] as const),
  )
  t.ok(expressions.length > 80, `${expressions.length} queries`)
  for (const { of, expr } of expressions) {
    for (const [, name = '', matchers = ''] of expr.matchAll(/\b(portcullis_[a-z0-9_]+)(?:\{([^}]*)\})?/g)) {
      const labels = known.get(name) ?? known.get(name.replace(/_(?:bucket|sum|count)$/, ''))
      t.ok(labels !== undefined, `${of}: ${name}`)
      for (const [, label = ''] of matchers.matchAll(/([a-z_]+)\s*(?:=~|!~|!=|=)/g)) {
        t.ok(everywhere.has(label) || labels?.includes(label), `${of}: ${name}{${label}}`)
      }
    }
  }
})

interface Described {
  name: string
  labelNames?: readonly string[]
  describedLabels?: readonly string[]
}

t.test('names are used once, and every panel and alert says what it means', async (t) => {
  for (const { uid, rows } of dashboards) {
    const titles = rows.flatMap(({ panels }) => panels.map(({ title }) => title))
    t.equal(new Set(titles).size, titles.length, uid)
    for (const { title, about } of rows.flatMap(({ panels }) => panels)) t.match(about, /^[A-Z0-9].*\.$/, title)
  }
  t.equal(new Set(alerts.map(({ name }) => name)).size, alerts.length)
  for (const { name, summary } of alerts) t.match(summary, /\.$/, name)
})

t.test('what an alert waits for the first time of is there from the start, as 0', async (t) => {
  const text = await createMetrics().registry.metrics()
  for (const series of [
    'limit_on_down_total{answer="refuse"}',
    'event_deliveries_total{outcome="dead"}',
    'grants_ended_total{reason="code-reused"}',
    'sign_ins_total{result="failed"}',
    'config_reloads_total{result="refused"}',
    'ledger_breaks_total',
  ]) {
    t.ok(text.includes(`portcullis_${series} 0\n`), series)
  }
})
