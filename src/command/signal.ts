/** The first SIGINT or SIGTERM. Ask at the very start: a stop during the start is obeyed once there is something to stop. */
export const firstSignal = () =>
  new Promise<string>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve(signal))
  })
