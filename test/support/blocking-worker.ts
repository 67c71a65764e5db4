/** A worker for `createPictures` that can block until a test opens its gate, or exit. */
export const BLOCKING_WORKER = new URL('./blocking-worker-thread.ts', import.meta.url)

export interface WorkerTask {
  /** The text that the worker returns. */
  name: string
  /** How many of the next tasks end the thread; the threads share the number. */
  exits?: Int32Array
  gate?: Int32Array
}

/** Creates a gate at which a thread waits until it is opened. */
export function closedGate() {
  const gate = new Int32Array(new SharedArrayBuffer(4))
  const open = () => {
    Atomics.store(gate, 0, 1)
    Atomics.notify(gate, 0)
  }
  return { gate, open }
}
