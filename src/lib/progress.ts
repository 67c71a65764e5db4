/** Shows the progress of a long command: one updated line on a terminal, a line for each tenth elsewhere. */
export function progressBar(
  label: string,
  total: number,
  out: NodeJS.WriteStream = process.stderr,
): (done: number) => void {
  let tenth = -1
  return (done) => {
    const share = total ? done / total : 1
    const text = `${label} ${done.toLocaleString('en')} of ${total.toLocaleString('en')} (${Math.floor(share * 100)} %)`
    if (out.isTTY) out.write(`\r${text}${done >= total ? '\n' : ''}`)
    else if (Math.floor(share * 10) > tenth) {
      tenth = Math.floor(share * 10)
      out.write(`${text}\n`)
    }
  }
}
