// Every alert fires when what it watches happens, and is silent otherwise: by promtool, on series that are made up.
// full: needs Prometheus

import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { alertGroups } from '../../src/observability/monitoring/rules.js'
import { deployFolder } from './deployment.js'

/** Values by series, in the notation of promtool: start, step and count, a minute apart. */
type Series = Readonly<Record<string, string>>
interface Story {
  fires: Series
  silent: Series
}

/** Long enough for the longest `for` and the longest window. */
const steady = (value: number | string) => `${value}x200`
const growing = (step: number) => `0+${step}x200`
const one = 'instance="a"'
const http = (labels: string) => `portcullis_http_requests_total{${one}, ${labels}}`
const histogram = (le: string) => `portcullis_revocation_propagation_seconds_bucket{${one}, le="${le}"}`
const upstream = (outcome: string) =>
  `portcullis_upstream_request_duration_seconds_count{${one}, upstream="u", outcome="${outcome}"}`
/** Grows slowly for a hundred minutes, then fast. */
const spike = '0+6x100 600+600x100'
const plain = (metric: string, fires: string, silent: string): Story => ({
  fires: { [metric]: fires },
  silent: { [metric]: silent },
})

const stories: Readonly<Record<string, Story>> = {
  PortcullisInstanceDown: plain(`up{${one}, job="portcullis"}`, steady(0), steady(1)),
  PortcullisInstanceNotReady: plain(
    'haproxy_server_status{proxy="ready", server="a", state="UP"}',
    steady(0),
    steady(1),
  ),
  PortcullisNobodyReady: plain('haproxy_backend_active_servers{proxy="ready"}', steady(0), steady(2)),
  PortcullisStoreDown: plain(`portcullis_store_up{${one}}`, steady(0), steady(1)),
  PortcullisStoreNotWritable: plain(`portcullis_store_writable{${one}}`, steady(0), steady(1)),
  PortcullisRedisDown: plain(`portcullis_redis_up{${one}, use="limits"}`, steady(0), steady(1)),
  PortcullisNoLeader: {
    fires: { 'portcullis_leader{instance="a"}': steady(0), 'portcullis_leader{instance="b"}': steady(0) },
    silent: { 'portcullis_leader{instance="a"}': steady(0), 'portcullis_leader{instance="b"}': steady(1) },
  },
  PortcullisInstancesDisagree: {
    fires: { 'portcullis_instances{instance="a"}': steady(2), 'portcullis_instances{instance="b"}': steady(1) },
    silent: { 'portcullis_instances{instance="a"}': steady(2), 'portcullis_instances{instance="b"}': steady(2) },
  },
  PortcullisClocksDiffer: plain(`portcullis_clock_skew_seconds{${one}}`, steady(11), steady(9)),
  PortcullisWorkersEnd: plain(`portcullis_worker_ends_total{${one}}`, growing(1), steady(1)),
  PortcullisWorkersSilent: {
    fires: { [`portcullis_workers_answering{${one}}`]: steady(1), [`portcullis_workers_expected{${one}}`]: steady(2) },
    silent: { [`portcullis_workers_answering{${one}}`]: steady(2), [`portcullis_workers_expected{${one}}`]: steady(2) },
  },
  PortcullisLogLinesDropped: plain(`portcullis_log_lines_dropped_total{${one}}`, growing(1), steady(3)),
  PortcullisLoopDelayed: {
    fires: {
      [`portcullis_event_loop_delay_seconds_bucket{${one}, le="0.05"}`]: growing(90),
      [`portcullis_event_loop_delay_seconds_count{${one}}`]: growing(100),
    },
    silent: {
      [`portcullis_event_loop_delay_seconds_bucket{${one}, le="0.05"}`]: growing(999),
      [`portcullis_event_loop_delay_seconds_count{${one}}`]: growing(1000),
    },
  },
  PortcullisOverloaded: plain(`portcullis_shedding{${one}}`, steady(1), steady(0)),
  PortcullisCertificateExpires: plain(
    `portcullis_tls_cert_not_after_seconds{${one}}`,
    steady(13 * 86_400),
    steady(15 * 86_400),
  ),
  PortcullisCertificateRevoked: plain(
    `portcullis_tls_ocsp_answers_total{${one}, status="revoked"}`,
    growing(1),
    steady(0),
  ),
  PortcullisCertificateStatusMissing: {
    fires: {
      [`portcullis_tls_ocsp_answers_total{${one}, status="failed"}`]: growing(1),
      [`portcullis_tls_ocsp_answers_total{${one}, status="good"}`]: steady(4),
    },
    silent: {
      [`portcullis_tls_ocsp_answers_total{${one}, status="failed"}`]: growing(1),
      [`portcullis_tls_ocsp_answers_total{${one}, status="good"}`]: growing(1),
    },
  },
  PortcullisConfigurationsDiffer: {
    fires: {
      'portcullis_config_info{instance="a", hash="1"}': steady(1),
      'portcullis_config_info{instance="b", hash="2"}': steady(1),
    },
    silent: {
      'portcullis_config_info{instance="a", hash="1"}': steady(1),
      'portcullis_config_info{instance="b", hash="1"}': steady(1),
    },
  },
  PortcullisErrors: {
    fires: { [http('code="503", source="gate"')]: growing(2), [http('code="200", source="upstream"')]: growing(100) },
    silent: {
      [http('code="503", source="upstream"')]: growing(50),
      [http('code="200", source="upstream"')]: growing(100),
    },
  },
  PortcullisUpstreamErrors: {
    fires: { [upstream('unreachable')]: growing(6), [upstream('answered')]: growing(100) },
    silent: { [upstream('unreachable')]: growing(4), [upstream('answered')]: growing(100) },
  },
  PortcullisTargetDown: plain(`portcullis_upstream_target_up{${one}, upstream="u", target="t"}`, steady(0), steady(1)),
  PortcullisUpstreamCrowded: plain(
    `portcullis_upstream_refusals_total{${one}, upstream="u", reason="crowded"}`,
    growing(90),
    growing(30),
  ),
  PortcullisRefusalsSpike: plain(
    `portcullis_auth_decisions_total{${one}, route="r", decision="denied", reason="missing"}`,
    spike,
    growing(600),
  ),
  PortcullisLimitsReached: {
    fires: {
      [`portcullis_ratelimit_decisions_total{${one}, policy="p", decision="refused"}`]: growing(20),
      [`portcullis_ratelimit_decisions_total{${one}, policy="p", decision="allowed"}`]: growing(100),
    },
    silent: {
      [`portcullis_ratelimit_decisions_total{${one}, policy="p", decision="refused"}`]: growing(5),
      [`portcullis_ratelimit_decisions_total{${one}, policy="p", decision="allowed"}`]: growing(100),
    },
  },
  PortcullisLimitsOnDown: plain(`portcullis_limit_on_down_total{${one}, answer="local"}`, growing(1), steady(0)),
  PortcullisPassesOnStaleView: plain(
    `portcullis_revocation_stale_passes_total{${one}, route="r"}`,
    '0x190 1x10',
    steady(4),
  ),
  PortcullisAgentLoops: plain(
    `portcullis_mcp_repeated_calls_total{${one}, route="/desk/mcp tools/call:find"}`,
    growing(20),
    growing(10),
  ),
  PortcullisAmbiguousMessages: {
    fires: {
      [`portcullis_mcp_calls_total{${one}, route="/desk/mcp", operation="_other", outcome="mcp_mismatch"}`]: growing(5),
      [`portcullis_mcp_calls_total{${one}, route="/desk/mcp", operation="_other", outcome="mcp_bad_json"}`]: growing(5),
    },
    silent: {
      [`portcullis_mcp_calls_total{${one}, route="/desk/mcp", operation="_other", outcome="mcp_mismatch"}`]: growing(3),
      [`portcullis_mcp_calls_total{${one}, route="/desk/mcp", operation="ping", outcome="passed"}`]: growing(900),
      [`portcullis_mcp_calls_total{${one}, route="/desk/mcp", operation="ping", outcome="limited"}`]: growing(900),
    },
  },
  PortcullisToolsChanged: plain(`portcullis_mcp_changed_tools{${one}, route="/desk/mcp"}`, steady(1), steady(0)),
  PortcullisUsageDropped: plain(`portcullis_usage_dropped_total{${one}}`, growing(1), steady(0)),
  PortcullisViewStale: plain(`portcullis_revocation_staleness_seconds{${one}}`, steady(3), steady(1)),
  PortcullisPropagationSlow: {
    fires: { [histogram('1')]: growing(10), [histogram('2.5')]: growing(100), [histogram('+Inf')]: growing(100) },
    silent: { [histogram('0.5')]: growing(100), [histogram('1')]: growing(100), [histogram('+Inf')]: growing(100) },
  },
  PortcullisLedgerBroken: plain(`portcullis_ledger_breaks_total{${one}}`, '0x190 1x10', steady(0)),
  PortcullisTokenRefusalsSpike: {
    fires: {
      [`portcullis_token_issued_total{${one}, grant="g", result="invalid_client"}`]: growing(120),
      [`portcullis_token_issued_total{${one}, grant="g", result="granted"}`]: growing(60),
    },
    silent: {
      [`portcullis_token_issued_total{${one}, grant="g", result="invalid_client"}`]: growing(120),
      [`portcullis_token_issued_total{${one}, grant="g", result="granted"}`]: growing(600),
    },
  },
  PortcullisSignInFailuresSpike: {
    fires: {
      [`portcullis_sign_ins_total{${one}, result="failed"}`]: growing(90),
      [`portcullis_sign_ins_total{${one}, result="signed_in"}`]: growing(60),
    },
    silent: {
      [`portcullis_sign_ins_total{${one}, result="failed"}`]: growing(30),
      [`portcullis_sign_ins_total{${one}, result="signed_in"}`]: growing(10),
    },
  },
  PortcullisGrantReused: plain(`portcullis_grants_ended_total{${one}, reason="code-reused"}`, '0x190 1x10', steady(1)),
  PortcullisActivityDropped: plain(`portcullis_activity_dropped_total{${one}}`, growing(1), steady(0)),
  PortcullisEventsDead: plain(`portcullis_event_deliveries_total{${one}, outcome="dead"}`, '0x190 1x10', steady(3)),
  PortcullisUsageDayWaits: plain(`portcullis_usage_day_wait_seconds{${one}}`, steady(7_201), steady(7_200)),
  PortcullisEventsWait: {
    fires: {
      [`portcullis_event_backlog_age_seconds{${one}}`]: steady(2 * 86_400 + 1),
      [`portcullis_event_backlog{${one}}`]: steady(1),
    },
    silent: {
      [`portcullis_event_backlog_age_seconds{${one}}`]: steady(3_600),
      [`portcullis_event_backlog{${one}}`]: steady(10_000),
    },
  },
  PortcullisSecretsExpire: plain(`portcullis_secrets_expiring{${one}, window="7d"}`, steady(1), steady(0)),
  PortcullisNoSigningKey: plain(
    `portcullis_signing_keys{${one}, purpose="token", state="active"}`,
    steady(0),
    steady(1),
  ),
}

t.test('every alert has its story', async (t) => {
  const names = Object.values(alertGroups).flatMap((alerts) => alerts.map(({ name }) => name))
  t.same(Object.keys(stories).sort(), [...names].sort())
})

t.test('promtool: it fires when that happens, and is silent when not', async (t) => {
  const folder = t.testdir()
  const tests = Object.entries(stories).flatMap(([name, { fires, silent }]) => [
    storyOf(name, fires, true),
    storyOf(name, silent, false),
  ])
  const file = join(folder, 'alerts.json')
  const rules = { rule_files: [join(deployFolder, 'prometheus/rules.yml')], evaluation_interval: '1m', tests }
  // JSON is YAML too.
  writeFileSync(file, JSON.stringify(rules, undefined, 1))
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' })
  t.equal(status, 0, `${stdout}${stderr}`)
  t.comment(`${tests.length} stories`)
})

function storyOf(alert: string, series: Series, fires: boolean): object {
  return {
    name: `${alert} ${fires ? 'fires' : 'is silent'}`,
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    promql_expr_test: [
      {
        expr: `count(ALERTS{alertname="${alert}", alertstate="firing"})`,
        // A spike must still be one: ten minutes after it began.
        eval_time: alert === 'PortcullisRefusalsSpike' ? '108m' : '192m',
        exp_samples: fires ? [{ labels: '{}', value: 1 }] : [],
      },
    ],
  }
}
