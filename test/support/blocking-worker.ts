/** A worker for `createPictures`. Depending on its task, it waits until a test opens a gate, or ends its thread. */
export const BLOCKING_WORKER = new URL('./blocking-worker-thread.ts', import.meta.url)

export interface WorkerTask {
  /** The text that the worker returns. */
  name: string
  /**
   * The number of tasks that still have to end their thread. All threads share this number, and each of these tasks
   * decreases it.
   */
  exits?: Int32Array
  gate?: Int32Array
}

/** Creates a gate. A thread that reaches the gate waits until `open` is called. */
export function closedGate() {
  const gate = new Int32Array(new SharedArrayBuffer(4))
  const open = () => {
    Atomics.store(gate, 0, 1)
    Atomics.notify(gate, 0)
  }
  return { gate, open }
}
