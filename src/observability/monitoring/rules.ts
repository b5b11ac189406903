// The alerts as a rules file of Prometheus, and as a PrometheusRule of its operator in Kubernetes.

import type { Alert } from './alert.js'
import { gateAlerts } from './gate-alerts.js'
import { identityAlerts } from './identity-alerts.js'
import { mcpAlerts } from './mcp-monitoring.js'
import { runtimeAlerts } from './runtime-alerts.js'

/** By the group that they are in. */
export const alertGroups: Readonly<Record<string, readonly Alert[]>> = {
  'portcullis-runtime': runtimeAlerts,
  'portcullis-gate': gateAlerts,
  'portcullis-agents': mcpAlerts,
  'portcullis-identity': identityAlerts,
}

/** YAML, for `rule_files` of Prometheus. */
export function rulesFile(): string {
  const head = `# Alerts. Made from src/observability/monitoring by \`npm run monitoring\`: change them there. The thresholds are those of
# the contract: a view older than 5 s refuses, a revocation is everywhere within 1 s.
`
  return `${head}groups:\n${groups(Object.entries(alertGroups), 2)}`
}

/** YAML, for the operator of Prometheus. */
export function prometheusRule(): string {
  return `# Alerts for the operator of Prometheus. Made by \`npm run monitoring\`.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: portcullis
  labels: { app.kubernetes.io/name: portcullis }
spec:
  groups:
${groups(ofCluster(), 4)}`
}

/** YAML: the `spec` of such a rule. */
export function clusterRules(): string {
  return `groups:\n${groups(ofCluster(), 2)}`
}

/** Without alerts on HAProxy: there, the cluster balances. */
function ofCluster(): (readonly [string, readonly Alert[]])[] {
  return Object.entries(alertGroups).map(([name, alerts]) => [
    name,
    alerts.filter(({ expr }) => !expr.includes('haproxy_')),
  ])
}

function groups(all: readonly (readonly [string, readonly Alert[]])[], indent: number): string {
  const pad = ' '.repeat(indent)
  return all
    .map(
      ([name, alerts]) =>
        `${pad}- name: ${name}\n${pad}  rules:\n${alerts.map((one) => rule(one, `${pad}    `)).join('\n')}`,
    )
    .join('\n')
}

/** Strings are in quotes as in JSON, which YAML 1.2 reads alike. */
function rule(alert: Alert, pad: string): string {
  const { name, why, expr, severity, summary, action } = alert
  const lines = expr.split('\n')
  const [only = ''] = lines
  return [
    `- alert: ${name}`,
    ...(why === undefined ? [] : [`  # ${why}`]),
    ...(lines.length === 1
      ? [`  expr: ${JSON.stringify(only)}`]
      : ['  expr: |', ...lines.map((line) => `    ${line}`)]),
    ...(alert.for === undefined ? [] : [`  for: ${alert.for}`]),
    `  labels: { severity: ${severity} }`,
    '  annotations:',
    `    summary: ${JSON.stringify(summary)}`,
    ...(action === undefined ? [] : [`    action: ${JSON.stringify(action)}`]),
  ]
    .map((line) => `${pad}${line}\n`)
    .join('')
}
