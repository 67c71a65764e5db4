// Signs and unwraps the messages in events.json, as forms and as JSON, and prints the type of each.
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { webhooks } from 'canvass-client'

const key = Buffer.from('a key for the tests')
const secret = `whsec_${key.toString('base64')}`
const events = JSON.parse(readFileSync('events.json', 'utf8')) as Record<string, string>[]
const bodies = events.flatMap((event) => [new URLSearchParams(event).toString(), JSON.stringify(event)])
for (const body of bodies) {
  const time = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', key).update(`msg_1.${time}.${body}`).digest('base64')
  const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': time, 'webhook-signature': `v1,${signature}` }
  console.log((await webhooks.unwrap(body, headers, secret)).type)
}
