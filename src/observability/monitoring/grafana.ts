// A dashboard as the JSON that Grafana imports and provisions (its dashboard JSON model, schema 39). Every panel is 8 of 24
// columns wide, three in a row.

import type { Dashboard, Panel } from './dashboard.js'

const source = { type: 'prometheus', uid: '${datasource}' }
const [columns, width, height] = [3, 8, 8]

/** The whole model; `version` is left to Grafana, which counts its own. */
export function grafanaModel(dashboard: Dashboard): object {
  return {
    uid: dashboard.uid,
    title: dashboard.title,
    description: dashboard.about,
    tags: ['portcullis'],
    schemaVersion: 39,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-1h', to: 'now' },
    timezone: 'browser',
    templating: { list: variables(dashboard) },
    annotations: { list: [] },
    links: [
      {
        title: 'Portcullis',
        type: 'dashboards',
        tags: ['portcullis'],
        asDropdown: true,
        includeVars: true,
        keepTime: true,
      },
    ],
    panels: panelsOf(dashboard),
  }
}

function variables({ byRoute }: Dashboard): object[] {
  const named = (name: string, metric: string) => ({
    name,
    type: 'query',
    datasource: source,
    query: { query: `label_values(${metric}, ${name})`, refId: name },
    definition: `label_values(${metric}, ${name})`,
    multi: true,
    includeAll: true,
    allValue: '.*',
    current: { text: ['All'], value: ['$__all'] },
    refresh: 2,
    sort: 1,
  })
  return [
    { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Prometheus' },
    named('instance', 'portcullis_draining'),
    ...(byRoute ? [named('route', 'portcullis_http_requests_total')] : []),
  ]
}

function panelsOf({ rows }: Dashboard): object[] {
  const made: object[] = []
  let y = 0
  for (const { title, panels } of rows) {
    made.push({
      id: made.length + 1,
      type: 'row',
      title,
      collapsed: false,
      gridPos: { x: 0, y, w: 24, h: 1 },
      panels: [],
    })
    y += 1
    for (const [at, panel] of panels.entries()) {
      const place = { x: (at % columns) * width, y: y + Math.floor(at / columns) * height, w: width, h: height }
      made.push({ id: made.length + 1, ...panelModel(panel), gridPos: place })
    }
    y += Math.ceil(panels.length / columns) * height
  }
  return made
}

function panelModel({ title, about, unit, kind = 'chart', queries }: Panel): object {
  const isChart = kind === 'chart'
  return {
    type: isChart ? 'timeseries' : 'stat',
    title,
    description: about,
    datasource: source,
    targets: queries.map(({ expr, legend }, at) => ({
      refId: String.fromCharCode(65 + at),
      datasource: source,
      expr,
      legendFormat: legend,
      editorMode: 'code',
      range: isChart,
      instant: !isChart,
    })),
    fieldConfig: {
      defaults: { unit, min: 0, ...(isChart ? { custom: { fillOpacity: 8, showPoints: 'never' } } : {}) },
      overrides: [],
    },
    options: isChart
      ? {
          legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
          tooltip: { mode: 'multi', sort: 'desc' },
        }
      : { reduceOptions: { calcs: ['lastNotNull'] }, colorMode: 'none', textMode: 'value_and_name' },
  }
}
