/** A worker for `createPictures` that blocks until a test opens its gate, or that exits. */
export const BLOCKING_WORKER = new URL('./blocking-worker-thread.ts', import.meta.url)

export interface WorkerTask {
  /** The name `exit` ends the thread; the worker returns any other name. */
  name: string
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
