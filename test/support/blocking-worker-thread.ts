import { workerData } from 'piscina'
import type { WorkerTask } from './blocking-worker.ts'

export default function work(): Uint8Array {
  const { name, gate, exits }: WorkerTask = workerData
  if (exits && Atomics.sub(exits, 0, 1) > 0) process.exit(1)
  if (gate) Atomics.wait(gate, 0, 0)
  return Buffer.from(name)
}
