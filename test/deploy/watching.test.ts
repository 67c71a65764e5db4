import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from '@jest/globals'
import { useReceiver } from '../support/receiver.ts'
import { makeSurvey, TWO_PAGES } from '../support/responses.ts'
import { waitUntil } from '../support/wait-until.ts'
import { useWorld } from '../support/world.ts'

const receiver = useReceiver()
const world = useWorld({ realTime: true, settings: { BACKUP_SCHEDULE: '0 0 1 1 *', BACKUP_TO: '/nonexistent/' } })

const readMetrics = async () => (await world.anonymous.get('/metrics')).text

const alerts = readFileSync('deploy/prometheus/alerts.yaml', 'utf8')
const alertNames = [...alerts.matchAll(/- alert: (\w+)/g)].map(([, name]) => name!)
const dashboard = JSON.parse(readFileSync('deploy/grafana/canvass.json', 'utf8')) as {
  panels: { title: string; targets?: { expr: string }[] }[]
}
/** The expressions of the alerts and of the dashboard, each with the name of its alert or the title of its panel. */
const expressions: [string, string][] = [
  ...[...alerts.matchAll(/- alert: (\w+)\s+expr: '(.*)'/g)].map(([, name, expr]): [string, string] => [name!, expr!]),
  ...dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }): [string, string] => [title, expr])),
]

/** Names that Prometheus itself adds. */
const BUILT_IN = new Set(['up', 'job', 'instance', 'process'])

/** Returns the metrics and labels that an expression names. */
function namesIn(expression: string): { metrics: string[]; labels: string[] } {
  const labels = [
    ...[...expression.matchAll(/(?:by|on) \(([^)]*)\)/g)].flatMap(([, list]) => list!.split(/,\s*/)),
    ...[...expression.matchAll(/[{,]\s*(\w+)(?:=~|!~|!=|=)/g)].map(([, label]) => label!),
  ]
  const rest = expression.replace(/\{[^}]*\}|\[[^\]]*\]|(?:by|on) \([^)]*\)/g, ' ')
  const metrics = [...rest.matchAll(/\b[a-z][a-z0-9_]*\b(?!\s*\()/g)].map(([word]) => word)
  return { metrics: metrics.filter((word) => word.includes('_') || word === 'up'), labels }
}

describe('GET /metrics [spec 14.1]', () => {
  let text = ''
  beforeAll(async () => {
    const worker = await world.application.startWorker()
    try {
      const ann = await world.person()
      const json = { event: 'survey_create', subscription_url: receiver.url('/hook') }
      await ann.post('/api/v3/webhooks/', { json })
      const survey = await makeSurvey(ann, TWO_PAGES)
      const reply = await ann.post(`/api/v3/surveys/${survey}/responses/`, { json: {} })
      if (reply.status !== 201) throw new Error(`${reply.status} ${reply.text}`)
      await waitUntil(async () => {
        text = await readMetrics()
        return /webhook_attempts_total\{result="delivered"\} 1/.test(text)
      }, 30_000)
    } finally {
      await worker.stop()
    }
  }, 60_000)

  it('counts stored responses and webhook messages, and shows the backlog', () => {
    expect(text).toContain('canvass_responses_stored_total 1\n')
    expect(text).toContain('canvass_database_up 1\n')
    expect(text).toMatch(/^canvass_jobs_waiting \d+$/m)
    expect(text).toContain('canvass_webhooks{state="enabled"} 1\n')
    expect(text).toContain('canvass_webhook_deliveries_pending 0\n')
  })

  it.each(expressions)('contains the metrics and labels that the alert or panel “%s” uses', (_, expression) => {
    const known = new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name))
    const labels = new Set([...text.matchAll(/[{,](\w+)="/g)].map(([, label]) => label))
    const named = namesIn(expression)
    const exists = (name: string) =>
      BUILT_IN.has(name) || known.has(name) || known.has(name.replace(/_(bucket|count|sum)$/, ''))
    expect(named.metrics.length).toBeGreaterThan(0)
    expect(named.metrics.filter((name) => !exists(name))).toEqual([])
    // Servers without a replica have no label `database`.
    expect(named.labels.filter((label) => !BUILT_IN.has(label) && label !== 'database' && !labels.has(label))).toEqual(
      [],
    )
  })
})

describe('docs/runbooks.md', () => {
  it('has one section for each alert, with meaning, check and mend', () => {
    const sections = readFileSync('docs/runbooks.md', 'utf8').split(/^## /m).slice(1)
    expect(sections.map((section) => section.split('\n')[0])).toEqual(alertNames)
    for (const section of sections)
      for (const part of ['Meaning', 'Check', 'Mend']) expect(section).toContain(`**${part}**`)
    for (const name of alertNames) expect(alerts).toContain(`runbook: docs/runbooks.md#${name.toLowerCase()}\n`)
  })
})
