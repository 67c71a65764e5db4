import { setTimeout as pause } from 'node:timers/promises'
import { line, median, ratio } from './figures.ts'
import { AUTHORIZATION, createSurvey, startService, temporaryDatabase } from './servers.ts'

/** How often `/healthz` is asked for, and for how long while nothing else happens, in milliseconds. */
const POLL_MS = 10
const IDLE_MS = 3000
/** Each request is sent as often as this, one after the other. */
const TURNS = 10
/** What nobody may hold up a server for, in milliseconds. */
const GOAL_MS = 200
/** The same beside the longest poll of an idle server. */
const GOAL_RATIO = 50

const choices = (count: number) => Array.from({ length: count }, () => ({ label: 'c' }))
const text = (id: string, more: object = {}) => ({ idname: 'text-response', id, title: id, ...more })

/** The worst that a structure may hold, by what is slow in it. */
const surveys = {
  grid: [
    {
      idname: 'single-choice-grid',
      id: 'g',
      description: 'Tick one.',
      choices: choices(100),
      children: Array.from({ length: 200 }, () => ({ label: 'r', required: true })),
    },
  ],
  rankings: Array.from({ length: 8 }, (_, at) => ({
    idname: 'ranking',
    id: `r${at}`,
    children: [{ choices: choices(1000) }],
  })),
  rules: [
    text('a'),
    ...Array.from({ length: 1000 }, (_, at) => {
      const value = `${at}${'b'.repeat(90)}a${'b'.repeat(90)}`
      return text(`b${at}`, { condition: { all: [{ question: 'a', op: 'contains', value }] } })
    }),
  ],
}

interface Attack {
  name: string
  send(): Promise<Response>
}

/** How long others wait while strangers ask for what costs most, beside a server that does nothing else. */
export async function benchHostile(): Promise<void> {
  const database = await temporaryDatabase()
  const service = await startService(database.url)
  try {
    const attacks = await attacksOn(service.base)
    for (const { send } of attacks) await send().then((reply) => reply.text())
    console.log(`hostile: the longest wait for /healthz, asked every ${POLL_MS} ms, while a stranger sends`)
    const idle = await polled(service.base, () => pause(IDLE_MS))
    line('nothing', `${idle.toFixed(0)} ms`)
    let longest = 0
    for (const { name, send } of attacks) {
      const times: number[] = []
      let size = 0
      const wait = await polled(service.base, async () => {
        for (let turn = 0; turn < TURNS; turn++) {
          const began = performance.now()
          size = (await (await send()).arrayBuffer()).byteLength
          times.push(performance.now() - began)
        }
      })
      longest = Math.max(longest, wait)
      const shown = `${(size / 1e6).toFixed(1)} MB in ${median(times).toFixed(0)} ms`
      line(name, `${wait.toFixed(0)} ms`, `${shown}${wait > GOAL_MS ? `, goal at most ${GOAL_MS} ms: MISSED` : ''}`)
    }
    ratio('longest wait / that of an idle server', longest / idle, { atMost: GOAL_RATIO })
  } finally {
    await service.stop()
    await database.stop()
  }
}

async function attacksOn(base: string): Promise<Attack[]> {
  const paths: Record<string, string> = {}
  for (const [title, children] of Object.entries(surveys)) {
    const id = await createSurvey(base, { title, form: [{ type: 'page', children }] })
    const reply = await fetch(`${base}/api/v2/surveys/${id}/`, { headers: { authorization: AUTHORIZATION } })
    paths[title] = new URL(((await reply.json()) as { deploy_uri: string }).deploy_uri).pathname
  }
  const get = (path: string) => () => fetch(base + path)
  const look = new URLSearchParams({ _page: '1', _go: 'look', a: 'b'.repeat(99_999) })
  const part = '--b\r\nContent-Disposition: form-data; name="q"; filename="f"\r\n\r\nx\r\n'
  const multipart = { 'content-type': 'multipart/form-data; boundary=b' }
  const body = `${part.repeat(19_000)}--b--\r\n`
  return [
    { name: 'a page of 20,000 cells', send: get(paths.grid!) },
    { name: 'a page of 8 rankings of 1,000', send: get(paths.rankings!) },
    {
      name: 'an answer that 1,000 rules search',
      send: () => fetch(base + paths.rules!, { method: 'POST', body: look }),
    },
    {
      name: '19,000 parts of multipart',
      send: () => fetch(base + paths.rules!, { method: 'POST', body, headers: multipart }),
    },
  ]
}

/** @returns the longest that `/healthz` was waited for while something ran, counted from when it was due, in milliseconds */
async function polled(base: string, run: () => Promise<unknown>): Promise<number> {
  let done = false
  const running = run().finally(() => {
    done = true
  })
  let longest = 0
  let due = performance.now()
  while (!done) {
    await fetch(`${base}/healthz`).then((reply) => reply.arrayBuffer())
    longest = Math.max(longest, performance.now() - due)
    due = Math.max(due + POLL_MS, performance.now())
    await pause(Math.max(0, due - performance.now()))
    due = Math.max(due, performance.now())
  }
  await running
  return longest
}
