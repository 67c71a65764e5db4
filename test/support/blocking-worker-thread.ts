import { parentPort } from 'node:worker_threads'
import type { Given } from './blocking-worker.ts'

let count = 0

parentPort!.on('message', ({ name, gate }: Given) => {
  count += 1
  if (name === 'throw') throw new Error('thrown in the thread')
  if (name === 'exit') process.exit(0)
  if (gate) Atomics.wait(gate, 0, 0)
  parentPort!.postMessage(name === 'count' ? String(count) : name)
})
