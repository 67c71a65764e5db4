const WIDTH = 30

/** A bar on the terminal that grows in place; elsewhere a line for every tenth. @returns told how much is done so far */
export function progressBar(label: string, total: number): (done: number) => void {
  let shown = -1
  return (done) => {
    const part = Math.min(done / total, 1)
    const step = Math.floor(part * (process.stderr.isTTY ? 100 : 10))
    if (step === shown) return
    shown = step
    const bar = '#'.repeat(Math.round(part * WIDTH)).padEnd(WIDTH, '.')
    const line = `${label} [${bar}] ${Math.round(part * 100)} %`
    if (!process.stderr.isTTY) return void process.stderr.write(`${line}\n`)
    process.stderr.write(`\r${line}${part === 1 ? '\n' : ''}`)
  }
}

/** Says what is being measured, so that nobody wonders whether anything still happens. */
export const say = (what: string): void => void process.stderr.write(`  … ${what}\n`)
