import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { SETTINGS } from '../../src/settings.ts'
import { check, helm } from './deploy-tools.ts'

const CHART = 'deploy/helm/canvass'
const INSTALL_LIMIT_MS = 240_000
/** The oldest version of Kubernetes that the chart supports, and the newest version for which there are schemas. */
const KUBERNETES = ['1.28', '1.37']
/** Settings whose value is a URL with a password. They are in the Secret, not in the values of the chart. */
const WITH_PASSWORD = /^(DATABASE_URL|DATABASE_REPLICA_URL|SMTP_URL|BOUNCE_IMAP_URL)$/
const SET_BY_CHART = /^(PORT|HOST|DATA_DIR|WORKER|METRICS_PORT|METRICS_HOST)$/

const required = {
  image: { repository: 'registry.example.org/canvass' },
  existingSecret: 'canvass',
  settings: { BASE_URL: 'https://surveys.example.org' },
}
/** Values of installations, from the smallest to one with every option. */
const INSTALLATIONS: Record<string, object> = {
  minimal: required,
  small: {
    ...required,
    serve: { replicas: 1, disruptionBudget: { enabled: false } },
    migrate: { enabled: false },
    networkPolicy: { enabled: false },
  },
  full: {
    ...required,
    image: { ...required.image, tag: '0.5.0-rc.1', pullPolicy: 'Always' },
    imagePullSecrets: [{ name: 'registry' }],
    settings: { ...required.settings, EMAILS_PER_DAY: 20_000_000, RATE_LIMIT: false, STOP_DELAY_SECONDS: 15 },
    serve: {
      autoscaling: { enabled: true, minReplicas: 3, maxReplicas: 9 },
      disruptionBudget: { maxUnavailable: '25%' },
    },
    work: { replicas: 3, resources: { requests: { cpu: 1 }, limits: { memory: '2Gi' } } },
    service: { type: 'LoadBalancer', port: 443, annotations: { 'example.org/a': 'b' } },
    ingress: { enabled: true, className: 'nginx', annotations: { 'example.org/a': 'b' }, tlsSecret: 'certificate' },
    networkPolicy: { from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress' } } }] },
    podMonitor: { enabled: true, labels: { release: 'prometheus' } },
    serviceAccountName: 'canvass',
    podAnnotations: { 'example.org/a': 'b' },
    podLabels: { team: 'surveys' },
    nodeSelector: { 'kubernetes.io/arch': 'arm64' },
    tolerations: [{ key: 'dedicated', operator: 'Exists' }],
    affinity: { nodeAffinity: {} },
  },
}

const folder = mkdtempSync(path.join(tmpdir(), 'canvass-chart-'))
afterAll(() => rmSync(folder, { recursive: true }))

function writeValues(name: string, values: object): string {
  const file = path.join(folder, `${name}.json`)
  writeFileSync(file, JSON.stringify(values))
  return file
}
const render = (name: string, values: object) =>
  helm(['template', 'test', CHART, '--kube-version', '1.28.0', '--values', writeValues(name, values)])

/** The manifests of each installation. */
const manifests: Record<string, string[]> = {}
const manifest = (name: string, kind: string, part = '') =>
  manifests[name]!.find((text) => text.includes(`kind: ${kind}\n`) && text.includes(`name: test-canvass${part}\n`))!

beforeAll(async () => {
  for (const [name, values] of Object.entries(INSTALLATIONS)) {
    const text = await render(name, values)
    writeFileSync(path.join(folder, `${name}.yaml`), text)
    manifests[name] = text.split(/^---$/m)
  }
}, INSTALL_LIMIT_MS)

describe('the Helm chart', () => {
  test('passes helm lint', async () => {
    expect(await helm(['lint', '--strict', '--quiet', CHART, '--values', writeValues('lint', required)])).toBe('')
  })

  test.each(KUBERNETES)(
    'renders manifests that Kubernetes %s accepts',
    async (version) => {
      // Kubernetes does not contain the PodMonitor of the Prometheus Operator.
      const files = Object.entries(manifests).map(([name, documents]) => {
        const file = path.join(folder, `${name}-${version}.yaml`)
        writeFileSync(file, documents.filter((text) => !text.includes('kind: PodMonitor')).join('---\n'))
        return file
      })
      const output = await check('kubernetes-validate', ['--kubernetes-version', version, '--strict', ...files])
      const kinds = [...output.matchAll(/passed for resource (\w+)/g)].map(([, kind]) => kind)
      expect(new Set(kinds)).toEqual(
        new Set('deployment service job poddisruptionbudget horizontalpodautoscaler ingress networkpolicy'.split(' ')),
      )
      expect(output).not.toMatch(/^(WARN|ERROR)/m)
    },
    INSTALL_LIMIT_MS,
  )

  test('runs every pod without privileges, on a read-only root file system, with limits', () => {
    const pods = Object.values(manifests)
      .flat()
      .filter((text) => text.includes('containers:'))
    expect(pods).toHaveLength(8)
    for (const pod of pods) {
      for (const line of [
        'automountServiceAccountToken: false',
        'runAsNonRoot: true',
        'runAsUser: 1000',
        'seccompProfile: { type: RuntimeDefault }',
        'allowPrivilegeEscalation: false',
        'readOnlyRootFilesystem: true',
        'capabilities: { drop: [ALL] }',
        '{ name: data, mountPath: /data }',
        '{ name: tmp, mountPath: /tmp }',
      ])
        expect(pod).toContain(line)
      expect(pod).toMatch(/limits:\s+memory: \dGi/)
      expect(pod).toMatch(/secretKeyRef: \{ name: canvass, key: SECRET_KEY \}/)
    }
  })

  test('takes the values for ingress-nginx in deploy/proxies, and serves the path of BASE_URL', async () => {
    const files = ['--values', writeValues('path', required), '--values', 'deploy/proxies/ingress-nginx.yaml']
    const address = ['--set', 'settings.BASE_URL=https://example.org/feedback/']
    const text = await helm(['template', 'test', CHART, '--kube-version', '1.28.0', ...files, ...address])
    expect(text).toContain(`nginx.ingress.kubernetes.io/proxy-body-size: "0"`)
    expect(text).toMatch(/host: example\.org\n\s+http:\s+paths:\s+- path: \/feedback\n/)
    expect(manifest('full', 'Ingress')).toMatch(/- path: \/\n/)
  })

  test('gives each pod more time to stop than its process needs, and probes all pods that run permanently', () => {
    expect(manifest('minimal', 'Deployment', '-serve')).toContain('terminationGracePeriodSeconds: 55\n')
    expect(manifest('full', 'Deployment', '-work')).toContain('terminationGracePeriodSeconds: 65\n')
    for (const part of ['-serve', '-work'])
      expect(manifest('full', 'Deployment', part)).toMatch(/path: \/healthz.*path: \/healthz.*path: \/readyz/s)
    expect(manifest('full', 'Deployment', '-work')).toMatch(/name: METRICS_PORT\s+value: "8080"/)
    expect(manifest('full', 'Job', '-migrate')).not.toContain('Probe')
  })

  test('passes settings as text, and trusts one proxy if it creates an Ingress', () => {
    const full = manifest('full', 'Deployment', '-serve')
    expect(full).toMatch(/name: EMAILS_PER_DAY\s+value: "20000000"/)
    expect(full).toMatch(/name: RATE_LIMIT\s+value: "false"/)
    expect(full).toMatch(/name: TRUSTED_PROXIES\s+value: "1"/)
    expect(full).toMatch(/name: WORKER\s+value: "off"/)
    expect(manifest('minimal', 'Deployment', '-serve')).not.toContain('TRUSTED_PROXIES')
    expect(manifest('minimal', 'Deployment', '-work')).toMatch(/name: WORKER\s+value: "on"/)
    expect(manifest('full', 'Ingress')).toContain('hosts: [surveys.example.org]')
  })

  test('migrates the database in a Job before an upgrade, unless migrate.enabled is false', () => {
    expect(manifest('minimal', 'Job', '-migrate')).toMatch(/helm.sh\/hook: pre-install,pre-upgrade.*args: \[migrate\]/s)
    expect(manifest('small', 'Job', '-migrate')).toBeUndefined()
  })

  test('has the version of the program', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(readFileSync(`${CHART}/Chart.yaml`, 'utf8')).toContain(`\nappVersion: ${version}\n`)
  })
})

describe('the schema of the values of the Helm chart', () => {
  test('permits every setting that contains no secret, except those that the chart sets', () => {
    const schema = JSON.parse(readFileSync(`${CHART}/values.schema.json`, 'utf8'))
    const names = Object.entries(SETTINGS).flatMap(([name, setting]) =>
      'secret' in setting || WITH_PASSWORD.test(name) || SET_BY_CHART.test(name) ? [] : [name],
    )
    expect(Object.keys(schema.properties.settings.properties).sort()).toEqual(names.sort())
  })

  test.each([
    ['an empty image repository', { image: { repository: '' } }, "at '/image/repository': minLength"],
    ['an empty existingSecret', { existingSecret: '' }, "at '/existingSecret'"],
    ['an empty BASE_URL', { settings: { BASE_URL: '' } }, "at '/settings/BASE_URL'"],
    ['an address without a scheme', { settings: { BASE_URL: 'surveys.example.org' } }, "at '/settings/BASE_URL'"],
    [
      'a secret among the settings',
      { settings: { ...required.settings, SECRET_KEY: 'x' } },
      "'SECRET_KEY' not allowed",
    ],
    ['an unknown setting', { settings: { ...required.settings, RATE_LIMTS: 'x' } }, "'RATE_LIMTS' not allowed"],
    ['an unknown value', { replicas: 2 }, "'replicas' not allowed"],
    ['a number as text', { serve: { replicas: 'two' } }, "at '/serve/replicas': got string, want integer"],
    [
      'a delay that is too long',
      { settings: { ...required.settings, STOP_DELAY_SECONDS: 900 } },
      "at '/settings/STOP_DELAY_SECONDS'",
    ],
    ['an unknown type of Service', { service: { type: 'Public' } }, "at '/service/type'"],
  ])('refuses %s and names the value', async (name, values, message) => {
    await expect(render(name, { ...required, ...values })).rejects.toThrow(message)
  })
})
