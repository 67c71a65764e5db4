const WIDTH = 30

/** Shows a progress bar on a terminal, or a line for every 10 %. @returns a function that sets the progress */
export function progressBar(label: string, total: number): (done: number) => void {
  let lastStep = -1
  return (done) => {
    const part = Math.min(done / total, 1)
    const step = Math.floor(part * (process.stderr.isTTY ? 100 : 10))
    if (step === lastStep) return
    lastStep = step
    const bar = '#'.repeat(Math.round(part * WIDTH)).padEnd(WIDTH, '.')
    const line = `${label} [${bar}] ${Math.round(part * 100)} %`
    if (!process.stderr.isTTY) return void process.stderr.write(`${line}\n`)
    process.stderr.write(`\r${line}${part === 1 ? '\n' : ''}`)
  }
}

/** Prints the current step. */
export const say = (step: string): void => void process.stderr.write(`  … ${step}\n`)
