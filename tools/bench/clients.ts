// Runs clients that each send one request after the other for a given time. After a reply with `Retry-After`, a client
// waits as long as this header says. Prints the number of replies by status as JSON. overload.ts runs this file in a
// separate process.
// Run: node tools/bench/clients.ts <url> <clients> <milliseconds> <Authorization> [form]
import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'

const [url = '', clients, duration, authorization = '', form] = process.argv.slice(2)
const { origin, pathname, search } = new URL(url)
const pool = new Pool(origin, { connections: Number(clients), pipelining: 1 })
const end = performance.now() + Number(duration)
const counts: Record<string, number> = {}

async function client(): Promise<void> {
  while (performance.now() < end) {
    const { statusCode, headers, body } = await pool.request({
      path: pathname + search,
      method: form ? 'POST' : 'GET',
      headers: { authorization, ...(form && { 'content-type': 'application/x-www-form-urlencoded' }) },
      body: form ?? null,
    })
    await body.dump()
    counts[statusCode] = (counts[statusCode] ?? 0) + 1
    const waitMs = Number(headers['retry-after'] ?? 0) * 1000
    if (waitMs) await pause(Math.max(0, Math.min(waitMs, end - performance.now())))
  }
}

await Promise.all(Array.from({ length: Number(clients) }, client))
console.log(JSON.stringify(counts))
await pool.destroy()
