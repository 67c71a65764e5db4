/** A thread that holds its processor until its gate is opened; or throws, ends or counts, as its work is named. */
export const HOLDING = new URL('./blocking-worker-thread.ts', import.meta.url)

export interface Given {
  name: string
  gate?: Int32Array
}

/** Holds whatever thread comes to it, until it is opened. */
export function closedGate() {
  const gate = new Int32Array(new SharedArrayBuffer(4))
  const open = () => {
    Atomics.store(gate, 0, 1)
    Atomics.notify(gate, 0)
  }
  return { gate, open }
}
