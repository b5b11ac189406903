// What deploy/ has of dashboards and alerts, as it is made from this folder.

import type { Dashboard } from './dashboard.js'
import { gateDashboard } from './gate-dashboard.js'
import { grafanaModel } from './grafana.js'
import { identityDashboard } from './identity-dashboard.js'
import { clusterRules, prometheusRule, rulesFile } from './rules.js'
import { runtimeDashboard } from './runtime-dashboard.js'

/** In the order of the documentation. */
export const dashboards: readonly Dashboard[] = [gateDashboard, identityDashboard, runtimeDashboard]

/** Texts by their path below deploy/. */
export function monitoringFiles(): ReadonlyMap<string, string> {
  const json = dashboards.map(
    (one) => [`grafana/${one.uid}.json`, `${JSON.stringify(grafanaModel(one), undefined, 2)}\n`] as const,
  )
  return new Map([
    ...json,
    ['prometheus/rules.yml', rulesFile()],
    // A chart holds all that it uses.
    ...json.map(([path, text]) => [`helm/portcullis/monitoring/${path.replace('grafana/', '')}`, text] as const),
    ['helm/portcullis/monitoring/rules.yml', clusterRules()],
    ['kubernetes/components/monitoring/prometheus-rule.yaml', prometheusRule()],
  ])
}
