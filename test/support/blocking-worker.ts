/** A worker of createPictures that blocks until its gate is opened, or that exits. */
export const BLOCKING_WORKER = new URL('./blocking-worker-thread.ts', import.meta.url)

export interface WorkerTask {
  /** `exit` ends the thread; any other name is returned. */
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
